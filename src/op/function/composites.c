/* The functions of machine learning, enclosed in intervals.
 *
 * Why no result here is a binary fraction outside the special values: sigmoid, softplus,
 * logsigmoid, silu, mish and logaddexp of binary fractions equal to a binary fraction would make a
 * linear relation between exponentials of distinct algebraic numbers with algebraic coefficients,
 * which the Lindemann-Weierstrass theorem excludes (for softplus(x) = c: e^0 + e^x = e^c). The
 * values of gelu and gelu_tanh are not known to be irrational; were one a binary fraction, the Ziv
 * loop would end at its cap with an error and not with a guess.
 *
 * Tails need no extra case: where e^-|x| underflows even MPFR, its enclosure is [0, tiny], the sum
 * or product with it is enclosed by two neighbours, and that decides the truncation. */
#include "op/function/composites.h"

/* y = e^-|x|, in (0, 1]. */
static void exp_minus_magnitude(struct interval *y, mpfr_srcptr x, struct interval *scratch) {
    interval_set(scratch, x);
    if (mpfr_sgn(x) > 0) {
        mpfr_neg(scratch->low, x, MPFR_RNDD);
        mpfr_neg(scratch->high, x, MPFR_RNDU);
    }
    interval_increasing(y, mpfr_exp, scratch);
}

/* y = 1 / (1 + e^-u) for an enclosed u: increasing. e^-u may overflow, and then y is tiny. */
static void gate(struct interval *y, const struct interval *u, struct interval *scratch) {
    interval_negate(&scratch[0], u);
    interval_increasing(&scratch[1], mpfr_exp, &scratch[0]);
    interval_add_integer(&scratch[0], &scratch[1], 1);
    mpfr_ui_div(y->low, 1, scratch[0].high, MPFR_RNDD);
    mpfr_ui_div(y->high, 1, scratch[0].low, MPFR_RNDU);
}

void bracket_sigmoid(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    interval_set(&scratch[2], x[0]);
    gate(y, &scratch[2], scratch);
}

void bracket_silu(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    bracket_sigmoid(&scratch[3], x, scratch);
    interval_multiply_exact(y, &scratch[3], x[0]);
}

/* softplus(x) = max(x, 0) + log(1 + e^-|x|). */
void bracket_softplus(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    exp_minus_magnitude(&scratch[0], x[0], &scratch[1]);
    if (mpfr_sgn(x[0]) <= 0) {
        interval_increasing(y, mpfr_log1p, &scratch[0]);
        return;
    }
    interval_increasing(&scratch[1], mpfr_log1p, &scratch[0]);
    interval_set(&scratch[2], x[0]);
    interval_add(y, &scratch[2], &scratch[1]);
}

/* logsigmoid(x) = min(x, 0) - log(1 + e^-|x|). */
void bracket_logsigmoid(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    exp_minus_magnitude(&scratch[0], x[0], &scratch[1]);
    interval_increasing(&scratch[1], mpfr_log1p, &scratch[0]);
    if (mpfr_sgn(x[0]) >= 0) {
        interval_negate(y, &scratch[1]);
        return;
    }
    interval_negate(&scratch[0], &scratch[1]);
    interval_set(&scratch[2], x[0]);
    interval_add(y, &scratch[2], &scratch[0]);
}

/* gelu(x) = x/2 * erfc(-x/sqrt(2)). */
void bracket_gelu(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    mpfr_set_ui(scratch[0].low, 2, MPFR_RNDD);
    mpfr_set_ui(scratch[0].high, 2, MPFR_RNDU);
    interval_decreasing(&scratch[1], mpfr_rec_sqrt, &scratch[0]);
    interval_multiply_exact(&scratch[0], &scratch[1], x[0]);
    interval_negate(&scratch[1], &scratch[0]);
    interval_decreasing(&scratch[0], mpfr_erfc, &scratch[1]);
    interval_scale(&scratch[0], &scratch[0], -1);
    interval_multiply_exact(y, &scratch[0], x[0]);
}

/* gelu_tanh(x) = x/2 * (1 + tanh u) = x / (1 + e^-2u), u = sqrt(2/pi) * (x + 0.044715 x^3), with
 * the decimal 0.044715 and the real sqrt(2/pi). So -2u = -(x + 0.044715 x^3) * sqrt(8/pi). */
void bracket_gelu_tanh(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    struct interval *a = &scratch[0], *b = &scratch[1], *c = &scratch[2];
    /* c = 1 + 0.044715 x^2, positive */
    mpfr_sqr(a->low, x[0], MPFR_RNDD);
    mpfr_sqr(a->high, x[0], MPFR_RNDU);
    mpfr_mul_ui(b->low, a->low, 44715, MPFR_RNDD);
    mpfr_mul_ui(b->high, a->high, 44715, MPFR_RNDU);
    mpfr_div_ui(a->low, b->low, 1000000, MPFR_RNDD);
    mpfr_div_ui(a->high, b->high, 1000000, MPFR_RNDU);
    interval_add_integer(c, a, 1);
    /* b = sqrt(8/pi) */
    mpfr_const_pi(a->low, MPFR_RNDD);
    mpfr_const_pi(a->high, MPFR_RNDU);
    mpfr_ui_div(b->low, 8, a->high, MPFR_RNDD);
    mpfr_ui_div(b->high, 8, a->low, MPFR_RNDU);
    interval_increasing(a, mpfr_sqrt, b);
    interval_multiply(b, a, c);
    interval_multiply_exact(c, b, x[0]);
    gate(&scratch[3], c, scratch);
    interval_multiply_exact(y, &scratch[3], x[0]);
}

/* mish(x) = x * tanh(softplus(x)). With t = e^x, tanh(log(1 + t)) = n / (n + 2) for n = t (t + 2);
 * with s = e^-x, it is 1 / (1 + 2 s^2 / (1 + 2 s)). The one whose exponential is small is taken. */
void bracket_mish(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    struct interval *a = &scratch[0], *b = &scratch[1], *c = &scratch[2], *d = &scratch[3];
    exp_minus_magnitude(a, x[0], b);
    if (mpfr_sgn(x[0]) < 0) {
        interval_add_integer(b, a, 2);
        interval_multiply(c, a, b);
        interval_add_integer(b, c, 2);
        interval_divide(d, c, b);
    } else {
        interval_multiply(b, a, a);
        interval_scale(b, b, 1);
        interval_scale(a, a, 1);
        interval_add_integer(c, a, 1);
        interval_divide(a, b, c);
        interval_add_integer(b, a, 1);
        mpfr_ui_div(d->low, 1, b->high, MPFR_RNDD);
        mpfr_ui_div(d->high, 1, b->low, MPFR_RNDU);
    }
    interval_multiply_exact(y, d, x[0]);
}

/* logaddexp(a, b) = max + log(1 + e^(min - max)). */
void bracket_logaddexp(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    mpfr_srcptr most = mpfr_cmp(x[0], x[1]) >= 0 ? x[0] : x[1];
    mpfr_srcptr least = most == x[0] ? x[1] : x[0];
    mpfr_sub(scratch[0].low, least, most, MPFR_RNDD);
    mpfr_sub(scratch[0].high, least, most, MPFR_RNDU);
    interval_increasing(&scratch[1], mpfr_exp, &scratch[0]);
    interval_increasing(&scratch[0], mpfr_log1p, &scratch[1]);
    interval_set(&scratch[1], most);
    interval_add(y, &scratch[1], &scratch[0]);
}

static bool decided(struct real *y, struct real value) {
    *y = value;
    return true;
}

static struct real one_half(void) {
    return (struct real){.kind = REAL_FINITE, .exponent = -1, .significand = {1ull << 63, 0}};
}

static struct real one(void) {
    return (struct real){.kind = REAL_FINITE, .exponent = 0, .significand = {1ull << 63, 0}};
}

bool special_sigmoid(struct real *y, const struct real *x) {
    if (x->kind == REAL_FINITE)
        return false;
    if (x->kind == REAL_NAN)
        return decided(y, real_nan());
    if (x->kind == REAL_ZERO)
        return decided(y, one_half());
    return decided(y, x->negative ? real_zero(false) : one());
}

bool special_softplus(struct real *y, const struct real *x) {
    if (x->kind == REAL_FINITE || x->kind == REAL_ZERO)
        return false;
    if (x->kind == REAL_NAN)
        return decided(y, real_nan());
    return decided(y, x->negative ? real_zero(false) : real_infinity(false));
}

bool special_logsigmoid(struct real *y, const struct real *x) {
    if (x->kind == REAL_FINITE || x->kind == REAL_ZERO)
        return false;
    if (x->kind == REAL_NAN)
        return decided(y, real_nan());
    return decided(y, x->negative ? real_infinity(true) : real_zero(true));
}

/* silu, gelu, gelu_tanh, mish: x times a gate that goes from 0 to 1. At -infinity the limit, -0. */
bool special_times_gate(struct real *y, const struct real *x) {
    if (x->kind == REAL_FINITE)
        return false;
    if (x->kind == REAL_INFINITE && x->negative)
        return decided(y, real_zero(true));
    return decided(y, *x);
}

bool special_logaddexp(struct real *y, const struct real *x) {
    if (x[0].kind == REAL_NAN || x[1].kind == REAL_NAN)
        return decided(y, real_nan());
    for (int i = 0; i < 2; i++)
        if (x[i].kind == REAL_INFINITE && !x[i].negative)
            return decided(y, x[i]);
    for (int i = 0; i < 2; i++)
        if (x[i].kind == REAL_INFINITE) {
            /* log(e^z) = z; for z = -0 it is log(1) = +0. */
            const struct real *other = &x[1 - i];
            return decided(y, other->kind == REAL_ZERO ? real_zero(false) : *other);
        }
    return false;
}
