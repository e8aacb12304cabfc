/* The library's calls, by way of the best instruction set that this machine has. */
#include "arrays.h"
#include "kernels.h"
#include "round.h"

#include <stdbool.h>

extern const struct detmath_kernels detmath_level_baseline[];
#if defined(DETMATH_X86_LEVELS)
extern const struct detmath_kernels detmath_level_avx2[], detmath_level_avx512[];

/* Every feature that arrays.c is compiled with at that level. */
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

int detmath_level(int index, struct detmath_level *level) {
#if defined(DETMATH_X86_LEVELS)
    const struct detmath_level levels[] = {{"baseline", detmath_level_baseline},
                                           {"avx2", has_avx2() ? detmath_level_avx2 : NULL},
                                           {"avx512", has_avx512() ? detmath_level_avx512 : NULL}};
#else
    const struct detmath_level levels[] = {{"baseline", detmath_level_baseline}};
#endif
    if (index < 0 || index >= (int)(sizeof levels / sizeof *levels))
        return false;
    *level = levels[index];
    return true;
}

static const struct detmath_kernels *best_level(void) {
    struct detmath_level level;
    const struct detmath_kernels *best = detmath_level_baseline;
    for (int i = 0; detmath_level(i, &level); i++)
        if (level.kernels)
            best = level.kernels;
    return best;
}

/* Threads that look at once all find the same. */
const struct detmath_kernels *detmath_kernels(enum detmath_function function) {
    static const struct detmath_kernels *found;
    const struct detmath_kernels *level = __atomic_load_n(&found, __ATOMIC_RELAXED);
    if (!level) {
        level = best_level();
        __atomic_store_n(&found, level, __ATOMIC_RELAXED);
    }
    return &level[function];
}

#define DETMATH_UNARY(NAME)                                                                        \
    const struct detmath_kernels *detmath_kernels_##NAME(void) {                                   \
        return detmath_kernels(DETMATH_INDEX_##NAME);                                              \
    }
#define DETMATH_BINARY(NAME)     DETMATH_UNARY(NAME)
#define DETMATH_PAIR(NAME, A, B) DETMATH_UNARY(NAME)
#include "functions.inc"

#define NARROW(MACRO, NAME)                                                                        \
    MACRO(NAME, f16, uint16_t, DETMATH_F16)                                                        \
    MACRO(NAME, bf16, uint16_t, DETMATH_BF16)                                                      \
    MACRO(NAME, e4m3fn, uint8_t, DETMATH_E4M3FN)                                                   \
    MACRO(NAME, e4m3fnuz, uint8_t, DETMATH_E4M3FNUZ)                                               \
    MACRO(NAME, e5m2, uint8_t, DETMATH_E5M2)                                                       \
    MACRO(NAME, e5m2fnuz, uint8_t, DETMATH_E5M2FNUZ)

#define CR_UNARY(NAME, FORMAT, CODE, INDEX)                                                        \
    void detmath_cr_##NAME##_##FORMAT(CODE *y, const CODE *x, size_t n) {                          \
        detmath_kernels_##NAME()->cr(INDEX, (void *[]){y}, (const void *[]){x}, n);                \
    }
#define DETMATH_UNARY(NAME)                                                                        \
    void detmath_##NAME##_f32(float *y, const float *x, size_t n) {                                \
        detmath_kernels_##NAME()->det((void *[]){y}, (const void *[]){x}, n);                      \
    }                                                                                              \
    float detmath_##NAME##_scalar(float x) {                                                       \
        return detmath_kernels_##NAME()->det_scalar.unary(x);                                      \
    }                                                                                              \
    float detmath_cr_##NAME##_scalar(float x) {                                                    \
        return detmath_kernels_##NAME()->cr_scalar.unary(x);                                       \
    }                                                                                              \
    CR_UNARY(NAME, f32, float, DETMATH_F32)                                                        \
    NARROW(CR_UNARY, NAME)

#define CR_BINARY(NAME, FORMAT, CODE, INDEX)                                                       \
    void detmath_cr_##NAME##_##FORMAT(CODE *z, const CODE *x, const CODE *y, size_t n) {           \
        detmath_kernels_##NAME()->cr(INDEX, (void *[]){z}, (const void *[]){x, y}, n);             \
    }
#define DETMATH_BINARY(NAME)                                                                       \
    void detmath_##NAME##_f32(float *z, const float *x, const float *y, size_t n) {                \
        detmath_kernels_##NAME()->det((void *[]){z}, (const void *[]){x, y}, n);                   \
    }                                                                                              \
    float detmath_##NAME##_scalar(float x, float y) {                                              \
        return detmath_kernels_##NAME()->det_scalar.binary(x, y);                                  \
    }                                                                                              \
    float detmath_cr_##NAME##_scalar(float x, float y) {                                           \
        return detmath_kernels_##NAME()->cr_scalar.binary(x, y);                                   \
    }                                                                                              \
    CR_BINARY(NAME, f32, float, DETMATH_F32)                                                       \
    NARROW(CR_BINARY, NAME)

#define CR_PAIR(NAME, FORMAT, CODE, INDEX)                                                         \
    void detmath_cr_##NAME##_##FORMAT(CODE *a, CODE *b, const CODE *x, size_t n) {                 \
        detmath_kernels_##NAME()->cr(INDEX, (void *[]){a, b}, (const void *[]){x}, n);             \
    }
#define DETMATH_PAIR(NAME, A, B)                                                                   \
    void detmath_##NAME##_f32(float *a, float *b, const float *x, size_t n) {                      \
        detmath_kernels_##NAME()->det((void *[]){a, b}, (const void *[]){x}, n);                   \
    }                                                                                              \
    void detmath_##NAME##_scalar(float x, float *a, float *b) {                                    \
        detmath_kernels_##NAME()->det_scalar.pair(x, a, b);                                        \
    }                                                                                              \
    void detmath_cr_##NAME##_scalar(float x, float *a, float *b) {                                 \
        detmath_kernels_##NAME()->cr_scalar.pair(x, a, b);                                         \
    }                                                                                              \
    CR_PAIR(NAME, f32, float, DETMATH_F32)                                                         \
    NARROW(CR_PAIR, NAME)
#include "functions.inc"
