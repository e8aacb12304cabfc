/* The rows of sums, and exact ones. */
#include "impl/forms/run_parts.h"

#include "detmath/exact_sum.h"
#include "impl/steps_arithmetic.h"

#define LEFT                                                                                       \
    { .kind = ORDER_SEQUENTIAL, .size = 1 }
/* Lane l has the items l, l + SIZE, ..., from the left; then OUTER, the row behind. */
#define LANES(SIZE, OUTER)                                                                         \
    {                                                                                              \
        2, {                                                                                       \
            {.kind = ORDER_LANES, .size = SIZE, .outer = 1}, OUTER                                 \
        }                                                                                          \
    }
#define FOLD                                                                                       \
    { .kind = ORDER_FOLD }
#define BOTH(NAME, SAYS, ...)                                                                      \
    {NAME, SAYS, false, false, false, false, __VA_ARGS__}, {                                       \
        NAME "-fused", SAYS ", fused products", false, true, false, false, __VA_ARGS__             \
    }

const struct form_sums form_sums[] = {
    {"exact", "exact sums, rounded once", true, true, false, false, {0}},
    BOTH("left", "sums from the left", {1, {LEFT}}),
    BOTH("lanes-4", "sums in 4 lanes, folded", LANES(4, FOLD)),
    BOTH("lanes-8", "sums in 8 lanes, folded", LANES(8, FOLD)),
    BOTH("lanes-16", "sums in 16 lanes, folded", LANES(16, FOLD)),
    BOTH("lanes-32", "sums in 32 lanes, folded", LANES(32, FOLD)),
    BOTH("pairs", "sums of neighbours, then of those", {1, {{.kind = ORDER_PAIRS}}}),
    /* torch.sum on the CPU, by vectors of 8, in fp64 of 4 (detcheck-library-orders(7)) */
    {"torch",
     "sums as torch.sum",
     false,
     false,
     true,
     false,
     {4,
      {{.kind = ORDER_LANES, .size = 8, .inner = 1, .outer = 3, .tail = ORDER_TAIL_FIRST},
       {.kind = ORDER_LANES, .size = 4, .outer = 2, .rest = 2, .tail = ORDER_TAIL_LANE},
       LEFT,
       LEFT}}},
    {.name = "torch-vectors",
     .says = "sums as PyTorch's vectors of 512 bits",
     .fused = true,
     .halved = true,
     .vectors = true,
     .rules = LANES(16, FOLD)},
    {.name = "torch-vectors-256",
     .says = "sums as PyTorch's vectors of 256 bits",
     .fused = true,
     .halved = true,
     .vectors = true,
     .rules = LANES(8, FOLD)},
    {.name = "torch-vectors-any",
     .says = "sums as PyTorch's vectors for any processor",
     .halved = true,
     .rules = LANES(8, LEFT)},
    {"numpy",
     "sums as numpy.sum",
     false,
     false,
     false,
     false,
     {4,
      {{.kind = ORDER_SHORTER, .size = 8, .outer = 1},
       {.kind = ORDER_HALVES, .size = 128, .multiple = 8, .inner = 2},
       {.kind = ORDER_LANES, .size = 8, .outer = 3, .tail = ORDER_TAIL_AFTER},
       {.kind = ORDER_PAIRS}}}},
    {"xla",
     "sums as XLA's on the CPU, in windows of 32",
     false,
     false,
     false,
     false,
     {3,
      {{.kind = ORDER_CENTRED, .size = 32, .outer = 1},
       {.kind = ORDER_CENTRED, .size = 32, .outer = 2},
       {.kind = ORDER_CENTRED, .size = 32}}}},
    {"eigen",
     "sums as Eigen's by vectors of 8",
     false,
     false,
     true,
     false,
     {3,
      {{.kind = ORDER_LANES, .size = 8, .inner = 1, .outer = 2, .tail = ORDER_TAIL_AFTER},
       {.kind = ORDER_LANES, .size = 2, .tail = ORDER_TAIL_AFTER},
       FOLD}}},
};
const size_t form_sums_count = sizeof form_sums / sizeof *form_sums;

double form_exact_sum(const struct format *format, size_t count, const double *x, const double *w,
                      size_t stride) {
    struct detmath_exact sum;
    detmath_exact_clear(&sum, w ? DETMATH_DOT_WORDS_F64 : DETMATH_SUM_WORDS_F64,
                        w ? DETMATH_DOT_BASE_F64 : DETMATH_SUM_BASE_F64);
    sum.met = count ? 0U : (detmath_u32)DETMATH_MET_OTHER;
    for (size_t i = 0; w && i < count; i++)
        detmath_exact_dot_add_f64(&sum, &x[i], &w[i * stride], 1);
    if (!w)
        detmath_exact_sum_add_f64(&sum, x, count);
    return steps_rounded(format, detmath_exact_value(&sum, 1, format->precision < 53));
}

double form_vector_sum(const struct format *format, size_t lanes, size_t count, const double *x,
                       const double *w, size_t stride) {
    const bool is_simd = format->precision < 53;
    double lane[64] = {0};
    size_t left = count < lanes ? count : lanes;
    for (size_t i = 0; i < count; i++) {
        double *to = &lane[i % lanes];
        const double term = w ? steps_rounded(format, x[i] * w[i * stride]) : x[i];
        const bool is_whole = i / lanes < count / lanes;
        *to = i < lanes                   ? term
              : w && is_simd && !is_whole ? steps_fused(format, x[i], w[i * stride], *to)
                                          : steps_rounded(format, *to + term);
    }
    for (; left == lanes && is_simd && left > 1; left = lanes) {
        lanes /= 2;
        for (size_t i = 0; i < lanes; i++)
            lane[i] = steps_rounded(format, lane[i] + lane[i + lanes]);
    }
    for (size_t i = 1; i < left; i++)
        lane[0] = steps_rounded(format, lane[0] + lane[i]);
    return lane[0];
}
