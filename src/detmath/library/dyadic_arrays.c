/* Array forms of the dyadic operations for one instruction set: compiled several times, with
 * DETMATH_LEVEL naming the table. */
#include "detmath/random.h"
#include "dyadic_kernels.h"

/* Everything becomes a part of the loops, and the width of the accumulator a constant in them. The
 * random bits, which cost more than the rest, are drawn only where they are used. */
#define LOOP(Y, N, EXPRESSION)                                                                     \
    if (rules.rounding == DETMATH_DYADIC_STOCHASTIC)                                               \
        for (size_t i = 0; i < N; i++) {                                                           \
            const detmath_u64 random = detmath_random(seed, first + i);                            \
            (void)random;                                                                          \
            Y[i] = EXPRESSION;                                                                     \
        }                                                                                          \
    else                                                                                           \
        for (size_t i = 0; i < N; i++) {                                                           \
            const detmath_u64 random = 0;                                                          \
            (void)random;                                                                          \
            Y[i] = EXPRESSION;                                                                     \
        }

#define FILL(NAME, TYPE, BITS, EXPRESSION)                                                         \
    static detmath_u32 fill_##NAME##_i##BITS(void *to, const void *from1, const void *from2,       \
                                             size_t n, const struct detmath_dyadic_plan *given,    \
                                             detmath_u64 seed, detmath_u64 first) {                \
        TYPE *y = to;                                                                              \
        const TYPE *x1 = from1, *x2 = from2;                                                       \
        struct detmath_dyadic_plan plan = *given;                                                  \
        detmath_u32 status = 0;                                                                    \
        if (plan.status || plan.rules.bits != BITS)                                                \
            return plan.status | (plan.rules.bits == BITS ? 0u : DETMATH_DYADIC_BAD_WIDTH);        \
        const struct detmath_dyadic_rules rules = plan.rules;                                      \
        plan.rules.bits = BITS;                                                                    \
        (void)x2;                                                                                  \
        LOOP(y, n, (TYPE)(EXPRESSION))                                                             \
        return status;                                                                             \
    }

#define FILLS(NAME, EXPRESSION)                                                                    \
    FILL(NAME, int32_t, 32, EXPRESSION)                                                            \
    FILL(NAME, int64_t, 64, EXPRESSION)

FILLS(align, detmath_dyadic_align_mantissa(x1[i], plan, random, &status))
FILLS(add, detmath_dyadic_add_mantissas(x1[i], x2[i], plan, random, &status))
FILLS(sub, detmath_dyadic_sub_mantissas(x1[i], x2[i], plan, random, &status))
FILLS(mul, detmath_dyadic_mul_mantissas(x1[i], x2[i], plan, random, &status))
FILLS(div, detmath_dyadic_div_mantissas(x1[i], x2[i], plan, &status))
FILLS(requantise, detmath_dyadic_requantise_mantissa(x1[i], plan, random, &status))
FILLS(gradient, detmath_dyadic_gradient_mantissa(x1[i], x2[i], plan, random, &status))

#define JOIN(A, B)  JOIN_(A, B)
#define JOIN_(A, B) A##B

extern const struct detmath_dyadic_kernels JOIN(detmath_dyadic_level_, DETMATH_LEVEL)[];
const struct detmath_dyadic_kernels JOIN(detmath_dyadic_level_, DETMATH_LEVEL)[] = {
#define ROW(NAME) {#NAME, fill_##NAME##_i32, fill_##NAME##_i64},
    DETMATH_DYADIC_OPERATIONS(ROW, ROW)};
