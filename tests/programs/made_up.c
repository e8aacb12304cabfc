/* The functions behind the made-up rows. */
#include "made_up.h"

float made_up_square_fp32(const float *x) {
    return x[0] * x[0];
}

double made_up_square_fp64(const double *x) {
    return x[0] * x[0];
}

/* e^0 / 2 is the one finite case that is a binary fraction. */
bool special_half_exp(struct real *y, const struct real *x) {
    if (x->kind == REAL_NAN)
        *y = real_nan();
    else if (x->kind == REAL_INFINITE)
        *y = x->negative ? real_zero(false) : real_infinity(false);
    else if (x->kind == REAL_ZERO)
        *y = (struct real){
            .kind = REAL_FINITE, .exponent = -1, .significand = {UINT64_C(1) << 63, 0}};
    else
        return false;
    return true;
}

void bracket_half_exp(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    interval_set(&scratch[0], x[0]);
    interval_increasing(y, mpfr_exp, &scratch[0]);
    interval_scale(y, y, -1);
}
