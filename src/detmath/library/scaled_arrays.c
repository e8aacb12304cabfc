/* Array forms of the scaled operations for one instruction set: compiled several times, with
 * DETMATH_LEVEL naming the table. */
#include "kernels.h"
#include "scaled_kernels.h"
#include "scaled_strips.h"

/* y[i] = f(x[i], z[i]) for whole vectors. */
typedef void scaled_loop(double *restrict y, const double *restrict x, const double *restrict z,
                         size_t lanes, struct detmath_scaled_plan plan);

static inline void fill_by(scaled_loop *loop, const struct detmath_scaled_line *c,
                           const struct detmath_scaled_line *a, const struct detmath_scaled_line *b,
                           size_t n, const struct detmath_scaled_plan *plan,
                           const struct detmath_cast *cast) {
    double x[SCALED_STRIP], z[SCALED_STRIP] = {0}, y[SCALED_STRIP];
    for (size_t at = 0; at < n; at += SCALED_STRIP) {
        size_t count = scaled_strip_count(at, n);
        ptrdiff_t from = (ptrdiff_t)at;
        scaled_load(x, a->format, a->codes, from * a->stride, count, a->stride);
        if (b)
            scaled_load(z, b->format, b->codes, from * b->stride, count, b->stride);
        for (size_t i = count; i < SCALED_STRIP; i++)
            z[i] = 1.0; /* so that no element that is not there divides by 0 */
        loop(y, x, z, scaled_strip_lanes(count), *plan);
        scaled_store_line(c, from * c->stride, y, count, cast);
    }
}

#define FILL(NAME)                                                                                 \
    static void fill_##NAME(                                                                       \
        const struct detmath_scaled_line *c, const struct detmath_scaled_line *a,                  \
        const struct detmath_scaled_line *b, size_t n, const struct detmath_scaled_plan *plan,     \
        const struct detmath_cast *cast) {                                                         \
        fill_by(loop_##NAME, c, a, b, n, plan, cast);                                              \
    }
#define BRANCHLESS(NAME)                                                                           \
    DETMATH_FLATTENED static void loop_##NAME(double *restrict y, const double *restrict x,        \
                                              const double *restrict z, size_t lanes,              \
                                              struct detmath_scaled_plan plan) {                   \
        for (size_t i = 0; i < lanes; i++)                                                         \
            y[i] = detmath_scaled_##NAME##_element(x[i], z[i], plan);                              \
    }                                                                                              \
    FILL(NAME)
/* Without branches, and again with them where one element needs it. */
#define BRANCHED(NAME)                                                                             \
    DETMATH_FLATTENED static detmath_u32 quick_##NAME(double *restrict y,                          \
                                                      const double *restrict x, size_t lanes,      \
                                                      struct detmath_scaled_plan plan) {           \
        detmath_u32 doubt = 0;                                                                     \
        for (size_t i = 0; i < lanes; i++)                                                         \
            y[i] = detmath_scaled_##NAME##_quick(x[i], plan, &doubt);                              \
        return doubt;                                                                              \
    }                                                                                              \
    static void loop_##NAME(double *restrict y, const double *restrict x,                          \
                            const double *restrict z, size_t lanes,                                \
                            struct detmath_scaled_plan plan) {                                     \
        detmath_u32 doubt = quick_##NAME(y, x, lanes, plan);                                       \
        for (size_t i = 0; doubt && i < lanes; i++)                                                \
            y[i] = detmath_scaled_##NAME##_element(x[i], z[i], plan);                              \
    }                                                                                              \
    FILL(NAME)
DETMATH_SCALED_OPERATIONS(BRANCHLESS, BRANCHLESS, BRANCHED)

#define JOIN(A, B)  JOIN_(A, B)
#define JOIN_(A, B) A##B

extern const struct detmath_scaled_kernels JOIN(detmath_scaled_level_, DETMATH_LEVEL)[];
const struct detmath_scaled_kernels JOIN(detmath_scaled_level_, DETMATH_LEVEL)[] = {
#define ROW_ONE(NAME) {#NAME, fill_##NAME, 1},
#define ROW_TWO(NAME) {#NAME, fill_##NAME, 2},
    DETMATH_SCALED_OPERATIONS(ROW_ONE, ROW_TWO, ROW_ONE)};
