/* MPFR functions of other shapes, and C's operators. This file is compiled to honour the rounding
 * mode in force at run time (-frounding-math), since the operators are themselves under test. */
#include "op/function/natives.h"

int native_lgamma(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding) {
    int sign;
    return mpfr_lgamma(y, &sign, x, rounding);
}

int native_recip(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding) {
    return mpfr_ui_div(y, 1, x, rounding);
}

/* C23 F.10.4.9: rsqrt(-0) is -infinity; MPFR gives +infinity. */
bool special_rsqrt(struct real *y, const struct real *x) {
    if (x->kind != REAL_ZERO)
        return false;
    *y = real_infinity(x->negative);
    return true;
}

#define OPERATORS(NAME, EXPRESSION)                                                                \
    float operator_##NAME##_fp32(const float *x) {                                                 \
        return EXPRESSION;                                                                         \
    }                                                                                              \
    double operator_##NAME##_fp64(const double *x) {                                               \
        return EXPRESSION;                                                                         \
    }

OPERATORS(add, x[0] + x[1])
OPERATORS(sub, x[0] - x[1])
OPERATORS(mul, x[0] * x[1])
OPERATORS(div, x[0] / x[1])
OPERATORS(recip, 1 / x[0])
