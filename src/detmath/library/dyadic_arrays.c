/* Array forms of the dyadic operations for one instruction set: compiled several times, with
 * DETMATH_LEVEL naming the table. */
#include "detmath/random.h"
#include "dyadic_kernels.h"
#include "dyadic_narrow.h"
#include "dyadic_reals.h"

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

/* Of a plan without trouble whose rules have BITS bits. */
#define FILL_BY(NAME, TYPE, FROM, BITS, PLAN, EXPRESSION)                                          \
    static detmath_u32 NAME(TYPE *y, const FROM *x1, const FROM *x2, size_t n,                     \
                            const struct detmath_dyadic_plan *given, detmath_u64 seed,             \
                            detmath_u64 first) {                                                   \
        const struct detmath_dyadic_rules rules = given->rules;                                    \
        detmath_u32 status = 0;                                                                    \
        PLAN;                                                                                      \
        (void)x2;                                                                                  \
        (void)plan;                                                                                \
        LOOP(y, n, (TYPE)(EXPRESSION))                                                             \
        return status;                                                                             \
    }

#define WIDE_PLAN(BITS)                                                                            \
    struct detmath_dyadic_plan plan = *given;                                                      \
    plan.rules.bits = BITS
#define WIDE(NAME, TYPE, FROM, BITS, EXPRESSION)                                                   \
    FILL_BY(wide_##NAME##_i##BITS, TYPE, FROM, BITS, WIDE_PLAN(BITS), EXPRESSION)
#define NARROW(NAME, EXPRESSION)                                                                   \
    FILL_BY(raise_##NAME, int32_t, int32_t, 32,                                                    \
            const struct narrow_plan plan = narrow_plan_of(given, 0), EXPRESSION)                  \
    FILL_BY(lower_##NAME, int32_t, int32_t, 32,                                                    \
            const struct narrow_plan plan = narrow_plan_of(given, 1), EXPRESSION)

#define CALL(NAME, TYPE, FROM, BITS, CALLED)                                                       \
    static detmath_u32 fill_##NAME##_i##BITS(void *to, const void *from1, const void *from2,       \
                                             size_t n, const struct detmath_dyadic_plan *given,    \
                                             detmath_u64 seed, detmath_u64 first) {                \
        if (given->status || given->rules.bits != BITS)                                            \
            return given->status | (given->rules.bits == BITS ? 0u : DETMATH_DYADIC_BAD_WIDTH);    \
        return CALLED;                                                                             \
    }
#define CALL_OF(NAME) NAME(to, from1, from2, n, given, seed, first)

#define FILL(NAME, TYPE, FROM, BITS, EXPRESSION)                                                   \
    WIDE(NAME, TYPE, FROM, BITS, EXPRESSION)                                                       \
    CALL(NAME, TYPE, FROM, BITS, CALL_OF(wide_##NAME##_i##BITS))

/* What overflows in a narrow loop is reported by the same bit of the status. */
static detmath_u32 reported(const struct detmath_dyadic_plan *plan, detmath_u32 beyonds) {
    return plan->rules.overflow == DETMATH_DYADIC_REPORT ? beyonds : 0;
}

#define FILLS(NAME, EXPRESSION, NARROW_EXPRESSION)                                                 \
    WIDE(NAME, int32_t, int32_t, 32, EXPRESSION)                                                   \
    NARROW(NAME, NARROW_EXPRESSION)                                                                \
    CALL(NAME, int32_t, int32_t, 32,                                                               \
         !narrow_can(given) ? CALL_OF(wide_##NAME##_i32)                                           \
                            : reported(given, narrow_lowers(given) ? CALL_OF(lower_##NAME)         \
                                                                   : CALL_OF(raise_##NAME)))       \
    FILL(NAME, int64_t, int64_t, 64, EXPRESSION)

#define BITS_OF_ELEMENT (uint32_t) random, &status
FILLS(align, detmath_dyadic_align_mantissa(x1[i], plan, random, &status),
      narrow_align(x1[i], plan, BITS_OF_ELEMENT))
FILLS(add, detmath_dyadic_add_mantissas(x1[i], x2[i], plan, random, &status),
      narrow_add(x1[i], x2[i], plan, BITS_OF_ELEMENT))
FILLS(sub, detmath_dyadic_sub_mantissas(x1[i], x2[i], plan, random, &status),
      narrow_sub(x1[i], x2[i], plan, BITS_OF_ELEMENT))
FILLS(mul, detmath_dyadic_mul_mantissas(x1[i], x2[i], plan, random, &status),
      narrow_mul(x1[i], x2[i], plan, BITS_OF_ELEMENT))
FILLS(equal, detmath_dyadic_equal_mantissas(x1[i], x2[i], plan, &status),
      narrow_equal(x1[i], x2[i], plan))
FILLS(relu, detmath_dyadic_relu_mantissa(x1[i], plan, &status), narrow_relu(x1[i]))
FILLS(relu_gradient, detmath_dyadic_relu_gradient_mantissa(x1[i], x2[i], plan, &status),
      narrow_relu_gradient(x1[i], x2[i]))
FILLS(requantise, detmath_dyadic_requantise_mantissa(x1[i], plan, random, &status),
      narrow_requantise(x1[i], plan, BITS_OF_ELEMENT))
FILLS(gradient, detmath_dyadic_gradient_mantissa(x1[i], x2[i], plan, random, &status),
      narrow_gradient(x1[i], x2[i], plan, BITS_OF_ELEMENT))
FILL(div, int32_t, int32_t, 32, detmath_dyadic_div_mantissas(x1[i], x2[i], plan, &status))
FILL(div, int64_t, int64_t, 64, detmath_dyadic_div_mantissas(x1[i], x2[i], plan, &status))

static const struct detmath_dyadic_real_format f32 = DETMATH_DYADIC_F32, f64 = DETMATH_DYADIC_F64;

#define FROM_CODE(FORMAT)                                                                          \
    detmath_dyadic_from_code(detmath_bits_##FORMAT(x1[i]), FORMAT, plan, random, &status)
#define CODE(FORMAT) detmath_dyadic_to_code(x1[i], plan.s, FORMAT, rules.rounding)
FILL(from_f32, int64_t, float, 64, FROM_CODE(f32))
FILL(from_f64, int32_t, double, 32, FROM_CODE(f64))
FILL(from_f64, int64_t, double, 64, FROM_CODE(f64))
FILL(to_f32, float, int64_t, 64, detmath_from_bits_f32((detmath_u32)CODE(f32)))
FILL(to_f64, double, int32_t, 32, detmath_from_bits_f64(CODE(f64)))
FILL(to_f64, double, int64_t, 64, detmath_from_bits_f64(CODE(f64)))

/* Of 32 bits and fp32 in loops of one rounding each, where dyadic_reals.h can. */
#define QUICK(ROUNDING)                                                                            \
    FILL_BY(from_##ROUNDING, int32_t, float, 32,                                                   \
            const struct real_from plan = real_from_of(given, DETMATH_DYADIC_##ROUNDING),          \
            real_from(x1[i], plan, &status))                                                       \
    FILL_BY(to_##ROUNDING, float, int32_t, 32, const float plan = real_power(-given->s),           \
            real_to(x1[i], plan, DETMATH_DYADIC_##ROUNDING))
QUICK(DOWN)
QUICK(UP)
QUICK(TOWARD_ZERO)
QUICK(NEAREST_EVEN)
QUICK(NEAREST_AWAY)
WIDE(from_f32, int32_t, float, 32, FROM_CODE(f32))
WIDE(to_f32, float, int32_t, 32, detmath_from_bits_f32((detmath_u32)CODE(f32)))
#define BY_ROUNDING(NAME)                                                                          \
    given->rules.rounding == DETMATH_DYADIC_DOWN           ? CALL_OF(NAME##_DOWN)                  \
    : given->rules.rounding == DETMATH_DYADIC_UP           ? CALL_OF(NAME##_UP)                    \
    : given->rules.rounding == DETMATH_DYADIC_TOWARD_ZERO  ? CALL_OF(NAME##_TOWARD_ZERO)           \
    : given->rules.rounding == DETMATH_DYADIC_NEAREST_EVEN ? CALL_OF(NAME##_NEAREST_EVEN)          \
                                                           : CALL_OF(NAME##_NEAREST_AWAY)
CALL(from_f32, int32_t, float, 32,
     real_from_can(given) ? BY_ROUNDING(from) : CALL_OF(wide_from_f32_i32))
CALL(to_f32, float, int32_t, 32, real_to_can(given) ? BY_ROUNDING(to) : CALL_OF(wide_to_f32_i32))

#define JOIN(A, B)  JOIN_(A, B)
#define JOIN_(A, B) A##B

extern const struct detmath_dyadic_kernels JOIN(detmath_dyadic_level_, DETMATH_LEVEL)[];
const struct detmath_dyadic_kernels JOIN(detmath_dyadic_level_, DETMATH_LEVEL)[] = {
#define ROW(NAME)              {#NAME, fill_##NAME##_i32, fill_##NAME##_i64},
#define CONVERSION(NAME, REAL) ROW(NAME)
    DETMATH_DYADIC_OPERATIONS(ROW, ROW) DETMATH_DYADIC_CONVERSIONS(CONVERSION, CONVERSION)};
