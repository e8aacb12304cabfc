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

#define FILL(NAME, TYPE, FROM, BITS, EXPRESSION)                                                   \
    static detmath_u32 fill_##NAME##_i##BITS(void *to, const void *from1, const void *from2,       \
                                             size_t n, const struct detmath_dyadic_plan *given,    \
                                             detmath_u64 seed, detmath_u64 first) {                \
        TYPE *y = to;                                                                              \
        const FROM *x1 = from1, *x2 = from2;                                                       \
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
    FILL(NAME, int32_t, int32_t, 32, EXPRESSION)                                                   \
    FILL(NAME, int64_t, int64_t, 64, EXPRESSION)

FILLS(align, detmath_dyadic_align_mantissa(x1[i], plan, random, &status))
FILLS(add, detmath_dyadic_add_mantissas(x1[i], x2[i], plan, random, &status))
FILLS(sub, detmath_dyadic_sub_mantissas(x1[i], x2[i], plan, random, &status))
FILLS(mul, detmath_dyadic_mul_mantissas(x1[i], x2[i], plan, random, &status))
FILLS(div, detmath_dyadic_div_mantissas(x1[i], x2[i], plan, &status))
FILLS(equal, detmath_dyadic_equal_mantissas(x1[i], x2[i], plan, &status))
FILLS(relu, detmath_dyadic_relu_mantissa(x1[i], plan, &status))
FILLS(requantise, detmath_dyadic_requantise_mantissa(x1[i], plan, random, &status))
FILLS(gradient, detmath_dyadic_gradient_mantissa(x1[i], x2[i], plan, random, &status))

static const struct detmath_dyadic_real_format f32 = DETMATH_DYADIC_F32, f64 = DETMATH_DYADIC_F64;

#define FILLS_FROM(NAME, REAL, FORMAT)                                                             \
    FILL(NAME, int32_t, REAL, 32,                                                                  \
         detmath_dyadic_from_code(detmath_bits_##FORMAT(x1[i]), FORMAT, plan, random, &status))    \
    FILL(NAME, int64_t, REAL, 64,                                                                  \
         detmath_dyadic_from_code(detmath_bits_##FORMAT(x1[i]), FORMAT, plan, random, &status))
FILLS_FROM(from_f32, float, f32)
FILLS_FROM(from_f64, double, f64)

#define CODE(FORMAT) detmath_dyadic_to_code(x1[i], plan.s, FORMAT, rules.rounding)
FILL(to_f32, float, int32_t, 32, detmath_from_bits_f32((detmath_u32)CODE(f32)))
FILL(to_f32, float, int64_t, 64, detmath_from_bits_f32((detmath_u32)CODE(f32)))
FILL(to_f64, double, int32_t, 32, detmath_from_bits_f64(CODE(f64)))
FILL(to_f64, double, int64_t, 64, detmath_from_bits_f64(CODE(f64)))

#define JOIN(A, B)  JOIN_(A, B)
#define JOIN_(A, B) A##B

extern const struct detmath_dyadic_kernels JOIN(detmath_dyadic_level_, DETMATH_LEVEL)[];
const struct detmath_dyadic_kernels JOIN(detmath_dyadic_level_, DETMATH_LEVEL)[] = {
#define ROW(NAME)              {#NAME, fill_##NAME##_i32, fill_##NAME##_i64},
#define CONVERSION(NAME, REAL) ROW(NAME)
    DETMATH_DYADIC_OPERATIONS(ROW, ROW) DETMATH_DYADIC_CONVERSIONS(CONVERSION, CONVERSION)};
