/* The library's calls, by way of the best instruction set that this machine has. */
#include "detmath/arrays.h"
#include "detmath/cast_arrays.h"
#include "detmath/round.h"
#include "dyadic_kernels.h"
#include "environment.h"
#include "geometry.h"
#include "kernels_f64.h"
#include "mx_kernels.h"
#include "overlap.h"
#include "quantise_elements.h"
#include "reduction_list.h"
#include "scaled_kernels.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLES(LEVEL)                                                                              \
    extern const struct detmath_dyadic_kernels detmath_dyadic_level_##LEVEL[];                     \
    extern const struct detmath_dyadic_product detmath_dyadic_products_##LEVEL[];                  \
    extern const struct detmath_scaled_kernels detmath_scaled_level_##LEVEL[];                     \
    extern const struct detmath_scaled_row_kernels detmath_scaled_rows_level_##LEVEL;              \
    extern const struct detmath_mx_kernels detmath_mx_level_##LEVEL;                               \
    extern const struct detmath_linear_kernels detmath_linear_level_##LEVEL;                       \
    extern const struct detmath_reductions detmath_reductions_##LEVEL;                             \
    extern detmath_cast_fill detmath_cast_level_##LEVEL;
#define ROW(LEVEL, HAS)                                                                            \
    {                                                                                              \
        {#LEVEL,                                                                                   \
         kernels_##LEVEL,                                                                          \
         kernels_f64_##LEVEL,                                                                      \
         detmath_dyadic_level_##LEVEL,                                                             \
         detmath_dyadic_products_##LEVEL,                                                          \
         detmath_scaled_level_##LEVEL,                                                             \
         &detmath_scaled_rows_level_##LEVEL,                                                       \
         &detmath_mx_level_##LEVEL,                                                                \
         &detmath_linear_level_##LEVEL,                                                            \
         detmath_cast_level_##LEVEL,                                                               \
         &detmath_reductions_##LEVEL},                                                             \
            HAS                                                                                    \
    }

static bool has_baseline(void) {
    return true;
}
TABLES(baseline)
#define LEVEL baseline
#include "kernel_list.inc"
#if defined(DETMATH_AVX2)
TABLES(avx2)
#define LEVEL avx2
#include "kernel_list.inc"

/* Whether a fused multiply-add keeps the sign of zero, as IEEE 754 (6.3) says. valgrind's does not:
 * it makes +0 of (-0) 1 + (-0). What only imitates a processor so gets the level without. */
__attribute__((target("fma"))) static bool keeps_zero_sign(void) {
    volatile double zero = -0.0, one = 1.0;
    return __builtin_signbit(__builtin_fma(zero, one, zero)) != 0;
}

/* Every feature that arrays.c is compiled with at that level. */
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && keeps_zero_sign();
}
#endif
#if defined(DETMATH_AVX512)
TABLES(avx512)
#define LEVEL avx512
#include "kernel_list.inc"

static bool has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

/* Worst first. */
static const struct {
    struct detmath_level level;
    bool (*has)(void);
} levels[] = {
    ROW(baseline, has_baseline),
#if defined(DETMATH_AVX2)
    ROW(avx2, has_avx2),
#endif
#if defined(DETMATH_AVX512)
    ROW(avx512, has_avx512),
#endif
};
enum { LEVELS = sizeof levels / sizeof *levels };
static int best_allowed = LEVELS - 1;
static const struct detmath_level *found; /* by detmath_best_level */

int detmath_limit_level(const char *name) {
    for (int i = LEVELS - 1; i >= 0; i--)
        if (!name || strcmp(levels[i].level.name, name) == 0) {
            best_allowed = i;
            __atomic_store_n(&found, NULL, __ATOMIC_RELAXED);
            return true;
        }
    return false;
}

int detmath_level(int index, struct detmath_level *level) {
    if (index < 0 || index >= LEVELS)
        return false;
    *level = levels[index].level;
    if (index > best_allowed || !levels[index].has())
        *level = (struct detmath_level){.name = level->name};
    return true;
}

/* Whether the program looks for itself what is wrong. */
static bool asked;

static void check_first_use(const struct detmath_level *level) {
    const char *wrong =
        __atomic_load_n(&asked, __ATOMIC_RELAXED) ? NULL : detmath_check_level(level);
    if (wrong)
        fprintf(stderr,
                "detmath: %s has wrong bits in this build (%s); compile the library without "
                "options that "
                "change values\n",
                wrong, level->name);
}

/* Threads that look at once all find the same. The first to look tries whether it is right. */
const struct detmath_level *detmath_best_level(void) {
    const struct detmath_level *best = __atomic_load_n(&found, __ATOMIC_RELAXED);
    if (best)
        return best;
    for (int i = 0; i <= best_allowed; i++)
        if (levels[i].has())
            best = &levels[i].level;
    if (!__atomic_exchange_n(&found, best, __ATOMIC_RELAXED))
        check_first_use(best);
    return best;
}

const char *detmath_self_check_arrays(void) {
    __atomic_store_n(&asked, true, __ATOMIC_RELAXED);
    return detmath_check_level(detmath_best_level());
}

int detmath_cast_array(const struct detmath_conversion *conversion, void *to, const void *from,
                       size_t n, const detmath_u32 *random) {
    const size_t bytes = detmath_format_bytes(conversion->to);
    const int is_random = conversion->cast.stochastic != 0;
    if (detmath_sharing_of_codes(to, bytes, from, detmath_format_bytes(conversion->from), n) ==
            DETMATH_MIXED ||
        (is_random && !detmath_lie_apart(to, n * bytes, random, n * sizeof *random)))
        return DETMATH_TROUBLE_OVERLAP;
    uint64_t set = detmath_environment_enter();
    detmath_best_level()->cast(conversion, to, from, n, random);
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}

static size_t blocks_of(size_t n) {
    return n / DETMATH_MX_BLOCK + (n % DETMATH_MX_BLOCK != 0);
}

int detmath_mx_quantise(const struct detmath_mx *mx, unsigned char *elements, unsigned char *scales,
                        int from, const void *x, size_t n, const detmath_u32 *random) {
    const size_t blocks = blocks_of(n), bytes = n * detmath_format_bytes(from),
                 drawn = mx->cast.stochastic ? n * sizeof *random : 0;
    if (!detmath_lie_apart(elements, n, scales, blocks) ||
        !detmath_lie_apart(elements, n, x, bytes) || !detmath_lie_apart(scales, blocks, x, bytes) ||
        !detmath_lie_apart(elements, n, random, drawn) ||
        !detmath_lie_apart(scales, blocks, random, drawn))
        return DETMATH_TROUBLE_OVERLAP;
    uint64_t set = detmath_environment_enter();
    detmath_best_level()->mx->quantise(mx, elements, scales, from, x, n, random);
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}

int detmath_mx_dequantise(const struct detmath_mx_format *element, int to_index,
                          const struct detmath_cast *to, void *y, const unsigned char *elements,
                          const unsigned char *scales, size_t n, const detmath_u32 *random) {
    const size_t bytes = n * detmath_format_bytes(to_index),
                 drawn = to->stochastic ? n * sizeof *random : 0;
    if (!detmath_lie_apart(y, bytes, elements, n) ||
        !detmath_lie_apart(y, bytes, scales, blocks_of(n)) ||
        !detmath_lie_apart(y, bytes, random, drawn))
        return DETMATH_TROUBLE_OVERLAP;
    uint64_t set = detmath_environment_enter();
    detmath_best_level()->mx->dequantise(element, to_index, to, y, elements, scales, n, random);
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}

const struct detmath_kernels *detmath_kernels(enum detmath_function function) {
    return detmath_best_level()->kernels[function];
}

const struct detmath_kernels *detmath_kernels_find(const char *name) {
    for (int i = 0; i < DETMATH_FUNCTIONS; i++)
        if (strcmp(detmath_best_level()->kernels[i]->name, name) == 0)
            return detmath_best_level()->kernels[i];
    return NULL;
}

const struct detmath_kernels_f64 *detmath_kernels_f64(enum detmath_function_f64 function) {
    return detmath_best_level()->kernels_f64[function];
}

const struct detmath_kernels_f64 *detmath_kernels_find_f64(const char *name) {
    for (int i = 0; i < DETMATH_FUNCTIONS_F64; i++)
        if (strcmp(detmath_best_level()->kernels_f64[i]->name, name) == 0)
            return detmath_best_level()->kernels_f64[i];
    return NULL;
}

/* An array form, and how many arrays it has, of which format. */
struct form {
    detmath_fill *fill;        /* or */
    detmath_fill_codes *codes; /* of that format */
    int operands, results, format;
};

/* Operands that results overlap, but in place, are copied first. */
static void run(struct form form, void *const *results, const void *const *operands, size_t n) {
    const void *apart[2] = {NULL};
    void *copies[2][2] = {{NULL}};
    int good = 1;
    for (int i = 0; i < form.operands; i++) {
        apart[i] = operands[i];
        for (int j = 0; j < form.results; j++)
            if (apart[i])
                apart[i] = detmath_operand_apart(apart[i], n, results[j], n, 1, form.format,
                                                 &copies[i][j]);
        good &= apart[i] || !operands[i];
    }
    uint64_t set = detmath_environment_enter();
    if (good && form.fill)
        form.fill(results, apart, n);
    else if (good)
        form.codes(form.format, results, apart, n);
    detmath_environment_leave(set);
    for (int j = 0; !good && j < form.results; j++)
        detmath_fill_nan(results[j], form.format, n);
    for (int i = 0; i < 4; i++)
        free(copies[i / 2][i % 2]);
}

static struct form form_of(const struct detmath_kernels *kernels, int format) {
    return (struct form){.operands = kernels->det_scalar.binary ? 2 : 1,
                         .results = kernels->det_scalar.pair ? 2 : 1,
                         .format = format};
}

void detmath_run_det(const struct detmath_kernels *kernels, void *const *results,
                     const void *const *operands, size_t n) {
    struct form form = form_of(kernels, DETMATH_F32);
    form.fill = kernels->det;
    run(form, results, operands, n);
}

void detmath_run_cr(const struct detmath_kernels *kernels, int format, void *const *results,
                    const void *const *operands, size_t n) {
    struct form form = form_of(kernels, format);
    form.codes = kernels->cr;
    run(form, results, operands, n);
}

static struct form form_of_f64(const struct detmath_kernels_f64 *kernels, detmath_fill *fill) {
    return (struct form){.fill = fill,
                         .operands = kernels->det_scalar.binary ? 2 : 1,
                         .results = kernels->det_scalar.pair ? 2 : 1,
                         .format = DETMATH_F64};
}

void detmath_run_det_f64(const struct detmath_kernels_f64 *kernels, void *const *results,
                         const void *const *operands, size_t n) {
    run(form_of_f64(kernels, kernels->det), results, operands, n);
}

void detmath_run_cr_f64(const struct detmath_kernels_f64 *kernels, void *const *results,
                        const void *const *operands, size_t n) {
    run(form_of_f64(kernels, kernels->cr), results, operands, n);
}

#define KERNELS_F64(NAME) detmath_kernels_f64(DETMATH_INDEX_F64_##NAME)
#define RUN_F64(WHICH, NAME, TO, ...)                                                              \
    detmath_run_##WHICH##_f64(KERNELS_F64(NAME), (void *[]){TO}, (const void *[]){__VA_ARGS__}, n)
#define DETMATH_PAIR_F64(NAME, A, B)                                                               \
    void detmath_##NAME##_f64(double *a, double *b, const double *x, size_t n) {                   \
        detmath_run_det_f64(KERNELS_F64(NAME), (void *[]){a, b}, (const void *[]){x}, n);          \
    }                                                                                              \
    void detmath_cr_##NAME##_f64(double *a, double *b, const double *x, size_t n) {                \
        detmath_run_cr_f64(KERNELS_F64(NAME), (void *[]){a, b}, (const void *[]){x}, n);           \
    }                                                                                              \
    void detmath_##NAME##_f64_scalar(double x, double *a, double *b) {                             \
        KERNELS_F64(NAME)->det_scalar.pair(x, a, b);                                               \
    }                                                                                              \
    void detmath_cr_##NAME##_f64_scalar(double x, double *a, double *b) {                          \
        KERNELS_F64(NAME)->cr_scalar.pair(x, a, b);                                                \
    }
#define DETMATH_UNARY_F64(NAME, ...)                                                               \
    void detmath_##NAME##_f64(double *y, const double *x, size_t n) {                              \
        RUN_F64(det, NAME, y, x);                                                                  \
    }                                                                                              \
    void detmath_cr_##NAME##_f64(double *y, const double *x, size_t n) {                           \
        RUN_F64(cr, NAME, y, x);                                                                   \
    }                                                                                              \
    double detmath_##NAME##_f64_scalar(double x) {                                                 \
        return KERNELS_F64(NAME)->det_scalar.unary(x);                                             \
    }                                                                                              \
    double detmath_cr_##NAME##_f64_scalar(double x) {                                              \
        return KERNELS_F64(NAME)->cr_scalar.unary(x);                                              \
    }
#define DETMATH_BINARY_F64(NAME, ...)                                                              \
    void detmath_##NAME##_f64(double *z, const double *x, const double *y, size_t n) {             \
        RUN_F64(det, NAME, z, x, y);                                                               \
    }                                                                                              \
    void detmath_cr_##NAME##_f64(double *z, const double *x, const double *y, size_t n) {          \
        RUN_F64(cr, NAME, z, x, y);                                                                \
    }                                                                                              \
    double detmath_##NAME##_f64_scalar(double x, double y) {                                       \
        return KERNELS_F64(NAME)->det_scalar.binary(x, y);                                         \
    }                                                                                              \
    double detmath_cr_##NAME##_f64_scalar(double x, double y) {                                    \
        return KERNELS_F64(NAME)->cr_scalar.binary(x, y);                                          \
    }
#include "detmath/functions_f64.inc"

#define NARROW(MACRO, NAME)                                                                        \
    MACRO(NAME, f16, uint16_t, DETMATH_F16)                                                        \
    MACRO(NAME, bf16, uint16_t, DETMATH_BF16)                                                      \
    MACRO(NAME, e4m3fn, uint8_t, DETMATH_E4M3FN)                                                   \
    MACRO(NAME, e4m3fnuz, uint8_t, DETMATH_E4M3FNUZ)                                               \
    MACRO(NAME, e5m2, uint8_t, DETMATH_E5M2)                                                       \
    MACRO(NAME, e5m2fnuz, uint8_t, DETMATH_E5M2FNUZ)

#define CR_UNARY(NAME, FORMAT, CODE, INDEX)                                                        \
    void detmath_cr_##NAME##_##FORMAT(CODE *y, const CODE *x, size_t n) {                          \
        detmath_run_cr(detmath_kernels(DETMATH_INDEX_##NAME), INDEX, (void *[]){y},                \
                       (const void *[]){x}, n);                                                    \
    }
#define DETMATH_UNARY(NAME, ...)                                                                   \
    void detmath_##NAME##_f32(float *y, const float *x, size_t n) {                                \
        detmath_run_det(detmath_kernels(DETMATH_INDEX_##NAME), (void *[]){y}, (const void *[]){x}, \
                        n);                                                                        \
    }                                                                                              \
    float detmath_##NAME##_scalar(float x) {                                                       \
        return detmath_kernels(DETMATH_INDEX_##NAME)->det_scalar.unary(x);                         \
    }                                                                                              \
    float detmath_cr_##NAME##_scalar(float x) {                                                    \
        return detmath_kernels(DETMATH_INDEX_##NAME)->cr_scalar.unary(x);                          \
    }                                                                                              \
    CR_UNARY(NAME, f32, float, DETMATH_F32)                                                        \
    NARROW(CR_UNARY, NAME)

#define CR_BINARY(NAME, FORMAT, CODE, INDEX)                                                       \
    void detmath_cr_##NAME##_##FORMAT(CODE *z, const CODE *x, const CODE *y, size_t n) {           \
        detmath_run_cr(detmath_kernels(DETMATH_INDEX_##NAME), INDEX, (void *[]){z},                \
                       (const void *[]){x, y}, n);                                                 \
    }
#define DETMATH_BINARY(NAME, ...)                                                                  \
    void detmath_##NAME##_f32(float *z, const float *x, const float *y, size_t n) {                \
        detmath_run_det(detmath_kernels(DETMATH_INDEX_##NAME), (void *[]){z},                      \
                        (const void *[]){x, y}, n);                                                \
    }                                                                                              \
    float detmath_##NAME##_scalar(float x, float y) {                                              \
        return detmath_kernels(DETMATH_INDEX_##NAME)->det_scalar.binary(x, y);                     \
    }                                                                                              \
    float detmath_cr_##NAME##_scalar(float x, float y) {                                           \
        return detmath_kernels(DETMATH_INDEX_##NAME)->cr_scalar.binary(x, y);                      \
    }                                                                                              \
    CR_BINARY(NAME, f32, float, DETMATH_F32)                                                       \
    NARROW(CR_BINARY, NAME)

#define CR_PAIR(NAME, FORMAT, CODE, INDEX)                                                         \
    void detmath_cr_##NAME##_##FORMAT(CODE *a, CODE *b, const CODE *x, size_t n) {                 \
        detmath_run_cr(detmath_kernels(DETMATH_INDEX_##NAME), INDEX, (void *[]){a, b},             \
                       (const void *[]){x}, n);                                                    \
    }
#define DETMATH_PAIR(NAME, A, B, ...)                                                              \
    void detmath_##NAME##_f32(float *a, float *b, const float *x, size_t n) {                      \
        detmath_run_det(detmath_kernels(DETMATH_INDEX_##NAME), (void *[]){a, b},                   \
                        (const void *[]){x}, n);                                                   \
    }                                                                                              \
    void detmath_##NAME##_scalar(float x, float *a, float *b) {                                    \
        detmath_kernels(DETMATH_INDEX_##NAME)->det_scalar.pair(x, a, b);                           \
    }                                                                                              \
    void detmath_cr_##NAME##_scalar(float x, float *a, float *b) {                                 \
        detmath_kernels(DETMATH_INDEX_##NAME)->cr_scalar.pair(x, a, b);                            \
    }                                                                                              \
    CR_PAIR(NAME, f32, float, DETMATH_F32)                                                         \
    NARROW(CR_PAIR, NAME)
#include "detmath/functions.inc"
