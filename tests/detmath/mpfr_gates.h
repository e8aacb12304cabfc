/* What MPFR lacks of detmath's functions, composed of what it has, with the same parameters and the same meaning: sigmoid, silu,
 * mish, softplus, logsigmoid and logaddexp. Each step has 600 bits or more, and any exponent; the last one alone is rounded to
 * the precision of the result. */
#ifndef TESTS_DETMATH_MPFR_GATES_H
#define TESTS_DETMATH_MPFR_GATES_H

#include <mpfr.h>

/* The range of exponents that a test set, put aside while a function is composed. */
struct mpfr_range {
    mpfr_exp_t least, most;
};

static inline struct mpfr_range mpfr_range_open(void) {
    struct mpfr_range range = {mpfr_get_emin(), mpfr_get_emax()};
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    return range;
}

/* Whether y is inexact, once it is in that range again. */
static inline int mpfr_range_close(struct mpfr_range range, mpfr_t y, int inexact,
                                   mpfr_rnd_t rounding) {
    mpfr_set_emin(range.least);
    mpfr_set_emax(range.most);
    return mpfr_check_range(y, inexact, rounding);
}

/* x times the quotient of over and under; at -inf the limit, -0. */
static inline int mpfr_times_gate(mpfr_t y, const mpfr_t x, mpfr_t over, const mpfr_t under,
                                  mpfr_rnd_t rounding) {
    if (mpfr_inf_p(x) && mpfr_signbit(x)) {
        mpfr_set_zero(y, -1);
        return 0;
    }
    mpfr_div(over, over, under, MPFR_RNDN);
    return mpfr_mul(y, x, over, rounding);
}

/* 1 / (1 + e^-x). */
static inline int mpfr_sigmoid(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
    struct mpfr_range range = mpfr_range_open();
    mpfr_t under;
    mpfr_init2(under, 600);
    mpfr_neg(under, x, MPFR_RNDN);
    mpfr_exp(under, under, MPFR_RNDN);
    mpfr_add_ui(under, under, 1, MPFR_RNDN);
    int inexact = mpfr_ui_div(y, 1, under, rounding);
    mpfr_clear(under);
    return mpfr_range_close(range, y, inexact, rounding);
}

static inline int mpfr_silu(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
    struct mpfr_range range = mpfr_range_open();
    mpfr_t over, under;
    mpfr_inits2(mpfr_regular_p(x) && mpfr_get_exp(x) < 0 ? 600 - mpfr_get_exp(x) : 600, over, under,
                (mpfr_ptr)0); /* so that 1 / 2 is not the quotient */
    mpfr_set_ui(over, 1, MPFR_RNDN);
    mpfr_neg(under, x, MPFR_RNDN);
    mpfr_exp(under, under, MPFR_RNDN);
    mpfr_add_ui(under, under, 1, MPFR_RNDN);
    int inexact = mpfr_times_gate(y, x, over, under, rounding);
    mpfr_clears(over, under, (mpfr_ptr)0);
    return mpfr_range_close(range, y, inexact, rounding);
}

/* x tanh(ln(1 + e^x)) by MPFR's own functions: tanh(ln 2 ...) needs no other form, as every step keeps its relative error. */
static inline int mpfr_mish(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
    struct mpfr_range range = mpfr_range_open();
    mpfr_t gate, one;
    mpfr_inits2(600, gate, one, (mpfr_ptr)0);
    mpfr_exp(gate, x, MPFR_RNDN);
    mpfr_log1p(gate, gate, MPFR_RNDN);
    mpfr_tanh(gate, gate, MPFR_RNDN);
    mpfr_set_ui(one, 1, MPFR_RNDN);
    int inexact = mpfr_times_gate(y, x, gate, one, rounding);
    mpfr_clears(gate, one, (mpfr_ptr)0);
    return mpfr_range_close(range, y, inexact, rounding);
}

/* The larger operand + ln(1 + e^-d), d being what the other has less; infinite ones as in C's rules for sums. */
static inline int mpfr_logaddexp(mpfr_t y, const mpfr_t a, const mpfr_t b, mpfr_rnd_t rounding) {
    if (mpfr_nan_p(a) || mpfr_nan_p(b) || (mpfr_inf_p(a) && mpfr_inf_p(b) && mpfr_equal_p(a, b)))
        return mpfr_add(y, a, b, rounding);
    struct mpfr_range range = mpfr_range_open();
    mpfr_t least, most;
    mpfr_inits2(4000, least, most, (mpfr_ptr)0);
    mpfr_min(least, a, b, MPFR_RNDN);
    mpfr_max(most, a, b, MPFR_RNDN);
    mpfr_sub(least, least, most, MPFR_RNDN); /* exact */
    mpfr_prec_round(least, mpfr_zero_p(least) ? 600 : mpfr_min_prec(least) + 600, MPFR_RNDN);
    mpfr_t log;
    mpfr_init2(log, 600);
    mpfr_exp(log, least, MPFR_RNDN);
    mpfr_log1p(log, log, MPFR_RNDN);
    int inexact = mpfr_add(y, most, log, rounding);
    if (mpfr_zero_p(y))
        mpfr_set_zero(y, 1);
    mpfr_clears(least, most, log, (mpfr_ptr)0);
    return mpfr_range_close(range, y, inexact, rounding);
}

static inline int mpfr_softplus(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
    mpfr_t zero;
    mpfr_init2(zero, 53);
    mpfr_set_zero(zero, 1);
    int inexact = mpfr_logaddexp(y, x, zero, rounding);
    mpfr_clear(zero);
    return inexact;
}

static inline int mpfr_logsigmoid(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
    mpfr_t minus;
    mpfr_init2(minus, mpfr_get_prec(x));
    mpfr_neg(minus, x, MPFR_RNDN);
    int inexact = mpfr_softplus(y, minus, rounding);
    mpfr_neg(y, y, MPFR_RNDN); /* of MPFR_RNDN alone */
    mpfr_clear(minus);
    return -inexact;
}

#endif
