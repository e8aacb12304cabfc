/* Array forms and scalars of the functions of fp64 for one instruction set: compiled several times, with DETMATH_LEVEL naming
 * it. */
#include "detmath/families_f64.h"
#include "kernels.h"
#include "lanes_f64.h"

#include <string.h>

#if defined(DETMATH_LANES_F64)
#include "detmath/exp_f64_lanes.inc"
#include "detmath/log_f64_lanes.inc"

/* The lanes whose bits are set, few of them, by the function of one number. y need not be aligned. */
__attribute__((noinline, cold)) static void fill_lanes_f64(double *y, lanes_d x, detmath_u32 bits,
                                                           double (*full)(double)) {
    double operands[DETMATH_LANES_F64];
    memcpy(operands, &x, sizeof operands);
    for (; bits; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        double result = full(operands[lane]);
        memcpy((char *)y + (size_t)lane * sizeof result, &result, sizeof result);
    }
}

/* y[i] is the first of STEPS's results, or FULL's in lanes where AWAY has bits, after MORE. What is left of the array
 * behind its last whole vector is computed in a vector that repeats its last element. */
#define FILL_F64(FUNCTION, STEPS, AWAY, MORE, FULL)                                                \
    DETMATH_FLATTENED static void FUNCTION(void *const *results, const void *const *operands,      \
                                           size_t n) {                                             \
        const double *from = operands[0];                                                          \
        double *to = results[0];                                                                   \
        for (size_t i = 0; i < n; i += DETMATH_LANES_F64) {                                        \
            double part[2][DETMATH_LANES_F64];                                                     \
            size_t count = n - i < DETMATH_LANES_F64 ? n - i : DETMATH_LANES_F64;                  \
            const int whole = count == DETMATH_LANES_F64;                                          \
            for (size_t k = 0; !whole && k < DETMATH_LANES_F64; k++)                               \
                memcpy(&part[0][k], (const char *)(from + i) + (k < count ? k : 0) * sizeof *from, \
                       sizeof *from);                                                              \
            double *y = whole ? to + i : part[1];                                                  \
            lanes_d x = lanes_load_f64(whole ? from + i : part[0]), other, first = STEPS;          \
            detmath_u32 bits = lanes_set_f64(AWAY);                                                \
            if (__builtin_expect(bits != 0, 0)) {                                                  \
                MORE;                                                                              \
            }                                                                                      \
            lanes_store_f64(y, first);                                                             \
            if (__builtin_expect(bits != 0, 0))                                                    \
                fill_lanes_f64(y, x, bits, FULL);                                                  \
            if (!whole)                                                                            \
                memcpy(to + i, part[1], count * sizeof *to);                                       \
        }                                                                                          \
    }
#define DIFFER_F64(NAME) detmath_cr_##NAME##_f64_away_lanes(x) | ((lanes_w)first ^ (lanes_w)other)
#define FILL_F64_PAIRS(NAME)                                                                       \
    FILL_F64(fill_f64_cr_##NAME, detmath_cr_##NAME##_f64_steps_lanes(x, &other), DIFFER_F64(NAME), \
             (void)0, detmath_cr_##NAME##_f64_full)
#define FILL_F64_FIRST(NAME)                                                                       \
    __attribute__((noinline)) static lanes_d pairs_f64_##NAME(lanes_d x, detmath_u32 *bits) {      \
        lanes_d other, first = detmath_cr_##NAME##_f64_steps_lanes(x, &other);                     \
        *bits = lanes_set_f64(DIFFER_F64(NAME));                                                   \
        return first;                                                                              \
    }                                                                                              \
    FILL_F64(fill_f64_cr_##NAME, detmath_cr_##NAME##_f64_first_lanes(x, &other), DIFFER_F64(NAME), \
             first = pairs_f64_##NAME(x, &bits), detmath_cr_##NAME##_f64_full)
#define DETMATH_UNARY_F64(NAME, CR, ...)                                                           \
    FILL_F64(fill_f64_##NAME, ((void)other, detmath_##NAME##_f64_steps_lanes(x)),                  \
             detmath_##NAME##_f64_away_lanes(x), (void)0, detmath_##NAME##_f64_full)               \
    FILL_F64_##CR(NAME)
#else
#define FILL_F64(FUNCTION, SCALAR)                                                                 \
    static void FUNCTION(void *const *results, const void *const *operands, size_t n) {            \
        for (size_t i = 0; i < n; i++) {                                                           \
            double x;                                                                              \
            memcpy(&x, (const char *)operands[0] + i * sizeof x, sizeof x);                        \
            x = SCALAR(x);                                                                         \
            memcpy((char *)results[0] + i * sizeof x, &x, sizeof x);                               \
        }                                                                                          \
    }
#define DETMATH_UNARY_F64(NAME, ...)                                                               \
    FILL_F64(fill_f64_##NAME, detmath_##NAME)                                                      \
    FILL_F64(fill_f64_cr_##NAME, detmath_cr_##NAME)
#endif
#include "detmath/functions_f64.inc"

#define LIST_F64(LEVEL)  LIST_F64_(LEVEL)
#define LIST_F64_(LEVEL) detmath_kernels_f64_##LEVEL
extern const struct detmath_kernels_f64 LIST_F64(DETMATH_LEVEL)[];
const struct detmath_kernels_f64 LIST_F64(DETMATH_LEVEL)[] = {
#define DETMATH_UNARY_F64(NAME, ...)                                                               \
    {#NAME, fill_f64_##NAME, fill_f64_cr_##NAME, detmath_##NAME, detmath_cr_##NAME},
#include "detmath/functions_f64.inc"
};
