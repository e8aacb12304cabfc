/* gelu and gelu_tanh composed of MPFR's functions, with the parameters and the meaning of those: x/2 erfc(-x/sqrt 2) and
 * x / (1 + e^-v) with v = (8/pi)^(1/2) (x + 0.044715 x^3). Each step has so many bits, and any exponent, that what is added to x/2
 * is there even for the least x; the last step alone is rounded to y. */
#ifndef DETCHECK_TESTS_DETMATH_MPFR_GELUS_H
#define DETCHECK_TESTS_DETMATH_MPFR_GELUS_H

#include <mpfr.h>

/* x times what `find` puts in its first operand. */
static inline int mpfr_times_found(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding,
                                   void (*find)(mpfr_t, const mpfr_t, mpfr_t)) {
    mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
    mpfr_t gate, scratch;
    int inexact;
    if (mpfr_inf_p(x) && mpfr_signbit(x)) {
        mpfr_set_zero(y, -1);
        return 0;
    }
    if (!mpfr_regular_p(x))
        return mpfr_set(y, x, rounding);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_inits2(mpfr_get_exp(x) < -400 ? 1300 : 600, gate, scratch, (mpfr_ptr)0);
    find(gate, x, scratch);
    mpfr_mul(gate, gate, x, MPFR_RNDN);
    mpfr_set_emin(least);
    mpfr_set_emax(most);
    inexact = mpfr_set(y, gate, rounding);
    inexact = mpfr_check_range(y, inexact, rounding);
    mpfr_clears(gate, scratch, (mpfr_ptr)0);
    return inexact;
}

static inline void mpfr_find_gelu(mpfr_t gate, const mpfr_t x, mpfr_t scratch) {
    mpfr_sqrt_ui(scratch, 2, MPFR_RNDN);
    mpfr_div(gate, x, scratch, MPFR_RNDN);
    mpfr_neg(gate, gate, MPFR_RNDN);
    mpfr_erfc(gate, gate, MPFR_RNDN);
    mpfr_div_2ui(gate, gate, 1, MPFR_RNDN);
}
static inline int mpfr_gelu(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
    return mpfr_times_found(y, x, rounding, mpfr_find_gelu);
}

static inline void mpfr_find_gelu_tanh(mpfr_t gate, const mpfr_t x, mpfr_t scratch) {
    mpfr_sqr(gate, x, MPFR_RNDN);
    mpfr_mul_ui(gate, gate, 44715, MPFR_RNDN);
    mpfr_div_ui(gate, gate, 1000000, MPFR_RNDN);
    mpfr_add_ui(gate, gate, 1, MPFR_RNDN);
    mpfr_mul(gate, gate, x, MPFR_RNDN);
    mpfr_const_pi(scratch, MPFR_RNDN);
    mpfr_ui_div(scratch, 8, scratch, MPFR_RNDN);
    mpfr_sqrt(scratch, scratch, MPFR_RNDN);
    mpfr_mul(gate, gate, scratch, MPFR_RNDN);
    mpfr_neg(gate, gate, MPFR_RNDN);
    mpfr_exp(gate, gate, MPFR_RNDN);
    mpfr_add_ui(gate, gate, 1, MPFR_RNDN);
    mpfr_ui_div(gate, 1, gate, MPFR_RNDN);
}
static inline int mpfr_gelu_tanh(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
    return mpfr_times_found(y, x, rounding, mpfr_find_gelu_tanh);
}

#endif
