/* Interval steps with outward rounding. */
#include "op/function/interval.h"

void interval_set(struct interval *y, mpfr_srcptr x) {
    mpfr_set(y->low, x, MPFR_RNDD);
    mpfr_set(y->high, x, MPFR_RNDU);
}

void interval_increasing(struct interval *y, mpfr_function *f, const struct interval *x) {
    f(y->low, x->low, MPFR_RNDD);
    f(y->high, x->high, MPFR_RNDU);
}

void interval_decreasing(struct interval *y, mpfr_function *f, const struct interval *x) {
    f(y->low, x->high, MPFR_RNDD);
    f(y->high, x->low, MPFR_RNDU);
}

void interval_negate(struct interval *y, const struct interval *x) {
    interval_decreasing(y, mpfr_neg, x);
}

void interval_add(struct interval *y, const struct interval *a, const struct interval *b) {
    mpfr_add(y->low, a->low, b->low, MPFR_RNDD);
    mpfr_add(y->high, a->high, b->high, MPFR_RNDU);
}

void interval_add_integer(struct interval *y, const struct interval *a, long b) {
    mpfr_add_si(y->low, a->low, b, MPFR_RNDD);
    mpfr_add_si(y->high, a->high, b, MPFR_RNDU);
}

void interval_scale(struct interval *y, const struct interval *a, int power_of_two) {
    mpfr_mul_2si(y->low, a->low, power_of_two, MPFR_RNDD);
    mpfr_mul_2si(y->high, a->high, power_of_two, MPFR_RNDU);
}

void interval_multiply(struct interval *y, const struct interval *a, const struct interval *b) {
    mpfr_mul(y->low, a->low, b->low, MPFR_RNDD);
    mpfr_mul(y->high, a->high, b->high, MPFR_RNDU);
}

void interval_divide(struct interval *y, const struct interval *a, const struct interval *b) {
    mpfr_div(y->low, a->low, b->high, MPFR_RNDD);
    mpfr_div(y->high, a->high, b->low, MPFR_RNDU);
}

void interval_multiply_exact(struct interval *y, const struct interval *a, mpfr_srcptr x) {
    bool negative = mpfr_signbit(x) != 0;
    mpfr_mul(y->low, negative ? a->high : a->low, x, MPFR_RNDD);
    mpfr_mul(y->high, negative ? a->low : a->high, x, MPFR_RNDU);
}

void interval_power(struct interval *y, struct interval *scratch, mpfr_srcptr a, mpfr_srcptr b) {
    if (mpfr_sub(scratch->low, a, b, MPFR_RNDD)) {
        mpfr_sub(scratch->high, a, b, MPFR_RNDU);
        interval_increasing(y, mpfr_exp, scratch);
        return;
    }
    int inexact = mpfr_exp(y->low, scratch->low, MPFR_RNDD);
    mpfr_set(y->high, y->low, MPFR_RNDU);
    if (inexact)
        mpfr_nextabove(y->high);
}

bool interval_truncate(const struct interval *enclosure, mpfr_ptr result, mpfr_ptr scratch) {
    return interval_truncate_within(enclosure, INTERVAL_DECIDED_BY_SIZE, result, scratch);
}

bool interval_truncate_within(const struct interval *enclosure, long limit, mpfr_ptr result,
                              mpfr_ptr scratch) {
    bool negative = mpfr_sgn(enclosure->high) <= 0;
    if (!negative && mpfr_sgn(enclosure->low) < 0)
        return false;
    mpfr_srcptr inner = negative ? enclosure->high : enclosure->low;
    mpfr_srcptr outer = negative ? enclosure->low : enclosure->high;
    int sign = negative ? -1 : 1;
    if (mpfr_regular_p(outer) && mpfr_get_exp(outer) < -limit) {
        mpfr_set_zero(result, sign);
        return true;
    }
    if (mpfr_inf_p(inner) || (mpfr_regular_p(inner) && mpfr_get_exp(inner) > limit)) {
        mpfr_set_inf(result, sign);
        return true;
    }
    if (!mpfr_regular_p(inner) || !mpfr_regular_p(outer))
        return false;
    mpfr_set(result, inner, MPFR_RNDZ);
    if (mpfr_set(scratch, outer, MPFR_RNDZ) == 0) {
        if (negative)
            mpfr_nextabove(scratch);
        else
            mpfr_nextbelow(scratch);
    }
    return mpfr_equal_p(result, scratch) != 0;
}
