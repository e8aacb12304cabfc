/* Exact numbers, and arithmetic on intervals that know whether their ends belong to them. */
#include "op/formula/value.h"

#include <stdlib.h>

void value_init(struct value *value, mpfr_prec_t precision) {
    *value = (struct value){.kind = VALUE_UNKNOWN};
    mpq_init(value->rational);
    form_init(&value->form);
    mpfr_init2(value->low.at, precision);
    mpfr_init2(value->high.at, precision);
}

void value_clear(struct value *value) {
    mpq_clear(value->rational);
    form_clear(&value->form);
    mpfr_clear(value->low.at);
    mpfr_clear(value->high.at);
}

void value_set_precision(struct value *value, mpfr_prec_t precision) {
    mpfr_set_prec(value->low.at, precision);
    mpfr_set_prec(value->high.at, precision);
    value->kind = VALUE_UNKNOWN;
    value->has_ends = false;
}

void value_set_kind(struct value *y, enum value_kind kind, bool negative) {
    y->kind = kind;
    y->negative = negative;
    y->cancelled = y->has_ends = false;
    y->form.kind = FORM_NONE;
}

static bool is_long(mpz_srcptr number) {
    return mpz_sizeinbase(number, 2) > VALUE_RATIONAL_BITS;
}

void value_is_rational(struct value *y) {
    value_set_kind(y, VALUE_RATIONAL, false);
    if (mpq_sgn(y->rational) == 0)
        value_set_kind(y, VALUE_ZERO, false);
    else if (is_long(mpq_numref(y->rational)) || is_long(mpq_denref(y->rational))) {
        value_enclose(y);
        value_is_enclosed(y);
    }
}

static bool ends_meet(const struct value *y) {
    return mpfr_equal_p(y->low.at, y->high.at) && !mpfr_inf_p(y->low.at);
}

/* A number of moderate size is better known as a fraction. */
static bool is_moderate(mpfr_srcptr value) {
    return mpfr_get_exp(value) < VALUE_HELD_BY_SIZE && mpfr_get_exp(value) > -VALUE_HELD_BY_SIZE;
}

void value_is_enclosed(struct value *y) {
    value_set_kind(y, VALUE_ENCLOSED, false);
    y->has_ends = true;
    if (mpfr_nan_p(y->low.at) || mpfr_nan_p(y->high.at))
        y->kind = VALUE_UNKNOWN;
    else if (ends_meet(y) && mpfr_zero_p(y->low.at)) {
        value_set_kind(y, VALUE_ZERO, false);
        y->cancelled = true;
    } else if (ends_meet(y) && is_moderate(y->low.at)) {
        mpfr_get_q(y->rational, y->low.at);
        y->kind = VALUE_RATIONAL;
    }
}

void value_set(struct value *y, struct value *x) {
    value_set_kind(y, x->kind, x->negative);
    y->cancelled = x->cancelled;
    if (x->kind == VALUE_RATIONAL)
        mpq_set(y->rational, x->rational);
    if (x->kind == VALUE_ENCLOSED) {
        y->low.open = mpfr_set(y->low.at, x->low.at, MPFR_RNDD) != 0 || x->low.open;
        y->high.open = mpfr_set(y->high.at, x->high.at, MPFR_RNDU) != 0 || x->high.open;
        y->has_ends = true;
        form_copy(&y->form, &x->form);
    }
}

void value_set_real(struct value *y, const struct real *x) {
    if (x->kind != REAL_FINITE) {
        value_set_kind(y,
                       x->kind == REAL_NAN        ? VALUE_NAN
                       : x->kind == REAL_INFINITE ? VALUE_INFINITE
                                                  : VALUE_ZERO,
                       x->negative);
        y->cancelled = x->cancelled;
        return;
    }
    mpfr_t exact;
    mpfr_init2(exact, 128);
    real_to_mpfr(exact, x);
    if (x->inexact)
        value_set_truncated(y, exact, 1);
    else {
        mpfr_get_q(y->rational, exact);
        value_is_rational(y);
    }
    mpfr_clear(exact);
}

void value_set_truncated(struct value *y, mpfr_srcptr value, int ternary) {
    bool negative = mpfr_signbit(value) != 0;
    if (!ternary && !(mpfr_regular_p(value) && !is_moderate(value))) {
        value_set_kind(y,
                       mpfr_nan_p(value)    ? VALUE_NAN
                       : mpfr_inf_p(value)  ? VALUE_INFINITE
                       : mpfr_zero_p(value) ? VALUE_ZERO
                                            : VALUE_RATIONAL,
                       negative);
        if (y->kind == VALUE_RATIONAL)
            mpfr_get_q(y->rational, value);
        return;
    }
    struct value_end *inner = negative ? &y->high : &y->low, *outer = negative ? &y->low : &y->high;
    mpfr_t far;
    mpfr_init2(far, mpfr_get_prec(value));
    mpfr_set(far, value, MPFR_RNDN);
    if (ternary && !mpfr_inf_p(far)) {
        if (negative)
            mpfr_nextbelow(far);
        else
            mpfr_nextabove(far);
    }
    if (ternary && mpfr_inf_p(value)) { /* an overflow */
        mpfr_set(inner->at, value, MPFR_RNDN);
        if (negative)
            mpfr_nextabove(inner->at);
        else
            mpfr_nextbelow(inner->at);
        inner->open = true;
    } else
        inner->open = mpfr_set(inner->at, value, MPFR_RNDZ) != 0 || ternary;
    outer->open = mpfr_set(outer->at, far, MPFR_RNDA) != 0 || ternary;
    mpfr_clear(far);
    value_is_enclosed(y);
}

bool value_enclose(struct value *x) {
    if (x->kind == VALUE_RATIONAL && !x->has_ends) {
        x->low.open = mpfr_set_q(x->low.at, x->rational, MPFR_RNDD) != 0;
        x->high.open = mpfr_set_q(x->high.at, x->rational, MPFR_RNDU) != 0;
        x->has_ends = true;
    }
    if (x->kind == VALUE_ZERO) {
        mpfr_set_zero(x->low.at, 1);
        mpfr_set_zero(x->high.at, 1);
        x->low.open = x->high.open = false;
    }
    return x->kind >= VALUE_RATIONAL || x->kind == VALUE_ZERO;
}

static bool is_above_zero(const struct value *x) {
    int sign = mpfr_sgn(x->low.at);
    return sign > 0 || (sign == 0 && x->low.open);
}

static bool is_below_zero(const struct value *x) {
    int sign = mpfr_sgn(x->high.at);
    return sign < 0 || (sign == 0 && x->high.open);
}

int value_sign(const struct value *x) {
    switch (x->kind) {
    case VALUE_INFINITE:
        return x->negative ? -1 : 1;
    case VALUE_RATIONAL:
        return mpq_sgn(x->rational);
    case VALUE_ENCLOSED:
        return is_above_zero(x) ? 1 : is_below_zero(x) ? -1 : 0;
    default:
        return 0;
    }
}

void value_negate(struct value *y, struct value *x) {
    value_set_kind(y, x->kind, !x->negative);
    if (x->kind == VALUE_RATIONAL)
        mpq_neg(y->rational, x->rational);
    if (x->kind == VALUE_ENCLOSED) {
        mpfr_neg(y->low.at, x->high.at, MPFR_RNDD);
        mpfr_neg(y->high.at, x->low.at, MPFR_RNDU);
        y->low.open = x->high.open;
        y->high.open = x->low.open;
        y->has_ends = true;
    }
}

bool value_any_kind(const struct value *a, const struct value *b, enum value_kind kind) {
    return a->kind == kind || b->kind == kind;
}

static int compare_special(const struct value *x) {
    return x->kind == VALUE_INFINITE ? (x->negative ? -1 : 1) : 0;
}

int value_compare(struct value *a, struct value *b) {
    if (value_any_kind(a, b, VALUE_NAN))
        return VALUE_UNORDERED;
    if (value_any_kind(a, b, VALUE_UNKNOWN))
        return VALUE_OPEN;
    if (value_any_kind(a, b, VALUE_INFINITE)) {
        int order = compare_special(a) - compare_special(b);
        return (order > 0) - (order < 0);
    }
    if (a->kind == VALUE_RATIONAL && b->kind == VALUE_RATIONAL) {
        int order = mpq_cmp(a->rational, b->rational);
        return (order > 0) - (order < 0);
    }
    if (a->kind == VALUE_ZERO && b->kind == VALUE_ZERO)
        return 0;
    value_enclose(a);
    value_enclose(b);
    int below = mpfr_cmp(a->high.at, b->low.at), above = mpfr_cmp(a->low.at, b->high.at);
    if (below < 0 || (below == 0 && (a->high.open || b->low.open)))
        return -1;
    if (above > 0 || (above == 0 && (a->low.open || b->high.open)))
        return 1;
    return VALUE_OPEN;
}

/* Of an enclosure on one side of 0: whether both ends truncate to the same bits. */
static bool ends_agree(const struct value_end *inner, const struct value_end *outer, int sign,
                       mpfr_ptr result, mpfr_ptr other) {
    bool same = mpfr_set(result, inner->at, MPFR_RNDZ) == 0;
    mpfr_set(other, outer->at, MPFR_RNDZ);
    if (!mpfr_regular_p(result) || !mpfr_regular_p(other) || (same && !inner->open))
        return false;
    if (mpfr_equal_p(result, other))
        return true;
    /* The outer end may be the next number, where it is not the value. */
    if (!mpfr_equal_p(other, outer->at) || !outer->open)
        return false;
    if (sign > 0)
        mpfr_nextbelow(other);
    else
        mpfr_nextabove(other);
    return mpfr_equal_p(result, other);
}

/* By the bits, else by size: an underflow or overflow, as of MPFR. */
static bool truncate_enclosure(struct value *x, mpfr_ptr result, mpfr_ptr other, int *ternary) {
    enum { BEYOND_WIDE_RANGES = 1 << 24 };
    int sign = value_sign(x);
    if (!sign)
        return false;
    const struct value_end *inner = sign > 0 ? &x->low : &x->high;
    const struct value_end *outer = sign > 0 ? &x->high : &x->low;
    *ternary = -sign;
    if (ends_agree(inner, outer, sign, result, other))
        return true;
    bool small = mpfr_regular_p(outer->at) && mpfr_get_exp(outer->at) <= -VALUE_DECIDED_BY_SIZE;
    bool large = mpfr_regular_p(inner->at) && mpfr_get_exp(inner->at) > VALUE_DECIDED_BY_SIZE;
    if (small)
        mpfr_set_zero(result, sign);
    else
        mpfr_set_inf(result, sign);
    if (labs(mpfr_get_exp(small ? outer->at : inner->at)) <= BEYOND_WIDE_RANGES)
        *ternary = -sign * VALUE_BY_SIZE;
    return small || large;
}

bool value_truncate(struct value *x, mpfr_ptr result, mpfr_ptr other, int *ternary,
                    struct real *special, bool *is_special) {
    *is_special = x->kind <= VALUE_INFINITE;
    *ternary = 0;
    switch (x->kind) {
    case VALUE_UNKNOWN:
        return false;
    case VALUE_NAN:
        *special = real_nan();
        return true;
    case VALUE_ZERO:
        *special = real_zero(x->negative);
        special->cancelled = x->cancelled;
        return true;
    case VALUE_INFINITE:
        *special = real_infinity(x->negative);
        return true;
    case VALUE_RATIONAL:
        *ternary = mpfr_set_q(result, x->rational, MPFR_RNDZ);
        *ternary = (*ternary > 0) - (*ternary < 0);
        return true;
    default:
        return truncate_enclosure(x, result, other, ternary);
    }
}
