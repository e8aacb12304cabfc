/* By both ends of the interval that a truncated number leaves. */
#include "oracle/result_scale.h"

#include "op/function/p3109.h"

static void go_outwards(mpfr_ptr value) {
    if (mpfr_signbit(value))
        mpfr_nextbelow(value);
    else
        mpfr_nextabove(value);
}

/* Too large or too small for MPFR's exponents, or for a ball: so is the quotient, whatever the scale. */
static bool is_decided_by_size(mpfr_srcptr value, int ternary) {
    return ternary && (!mpfr_regular_p(value) || mpfr_get_exp(value) == mpfr_get_emax());
}

bool divide_by_scale(mpfr_ptr quotient, int *ternary, mpfr_ptr value, const struct real *scale) {
    const bool inexact = *ternary != 0, is_number = scale->kind == REAL_FINITE;
    mpfr_t divisor, outer;
    bool decided = true;
    mpfr_init2(divisor, REAL_BITS);
    mpfr_init2(outer, mpfr_get_prec(quotient));
    real_to_mpfr(divisor, scale);
    if (mpfr_zero_p(value) && inexact && !is_number) /* not 0, but too small for MPFR */
        mpfr_set_si(value, mpfr_signbit(value) ? -1 : 1, MPFR_RNDN);
    const bool by_size = is_decided_by_size(value, *ternary);
    if (by_size && is_number)
        mpfr_mul_si(quotient, value, scale->negative ? -1 : 1, MPFR_RNDZ);
    else
        *ternary = p3109_element_of_block(quotient, value, divisor, MPFR_RNDZ) != 0 ||
                   (inexact && is_number);
    if (inexact && is_number && !by_size && mpfr_regular_p(value)) {
        go_outwards(value);
        mpfr_div(outer, value, divisor, MPFR_RNDA);
        mpfr_set_prec(divisor, mpfr_get_prec(quotient));
        mpfr_set(divisor, quotient, MPFR_RNDN);
        go_outwards(divisor);
        decided = mpfr_cmpabs(outer, divisor) <= 0;
    }
    mpfr_clear(divisor);
    mpfr_clear(outer);
    return decided;
}
