/* Sums, products, quotients and whole powers of values. */
#include "op/formula/value.h"

/* The end with the larger number; of two that are equal one that may be the value. */
static const struct value_end *outer_end(const struct value_end *a, const struct value_end *b,
                                         int direction) {
    int order = mpfr_cmp(a->at, b->at) * direction;
    return order > 0 || (order == 0 && !a->open) ? a : b;
}

static void copy_end(struct value_end *to, const struct value_end *from) {
    mpfr_set(to->at, from->at, MPFR_RNDN);
    to->open = from->open;
}

void value_magnitude(struct value *y, struct value *x) {
    int sign = value_sign(x);
    if (x->kind == VALUE_ENCLOSED && !sign) {
        value_negate(y, x);
        const struct value_end *most = outer_end(&x->high, &y->high, 1);
        if (most == &x->high)
            copy_end(&y->high, most);
        mpfr_set_zero(y->low.at, 1);
        y->low.open = false;
        value_is_enclosed(y);
    } else if (sign < 0)
        value_negate(y, x);
    else {
        value_set(y, x);
        y->negative = y->cancelled = false;
    }
}

/* Whether a special value decides a sum; then y is it. */
static bool add_special(struct value *y, struct value *a, struct value *b) {
    if (a->kind == VALUE_NAN || b->kind == VALUE_NAN)
        value_set_kind(y, VALUE_NAN, false);
    else if (a->kind == VALUE_UNKNOWN || b->kind == VALUE_UNKNOWN)
        value_set_kind(y, VALUE_UNKNOWN, false);
    else if (a->kind == VALUE_INFINITE && b->kind == VALUE_INFINITE)
        value_set_kind(y, a->negative == b->negative ? VALUE_INFINITE : VALUE_NAN, a->negative);
    else if (a->kind == VALUE_INFINITE || b->kind == VALUE_INFINITE)
        value_set(y, a->kind == VALUE_INFINITE ? a : b);
    else if (a->kind == VALUE_ZERO && b->kind == VALUE_ZERO) {
        bool same = a->negative == b->negative;
        value_set_kind(y, VALUE_ZERO, same && a->negative);
        y->cancelled = !same;
    } else if (a->kind == VALUE_ZERO || b->kind == VALUE_ZERO)
        value_set(y, a->kind == VALUE_ZERO ? b : a);
    else
        return false;
    return true;
}

void value_add(struct value *y, struct value *a, struct value *b) {
    if (add_special(y, a, b))
        return;
    if (a->kind == VALUE_RATIONAL && b->kind == VALUE_RATIONAL) {
        mpq_add(y->rational, a->rational, b->rational);
        value_is_rational(y);
        y->cancelled = y->kind == VALUE_ZERO;
        return;
    }
    value_enclose(a);
    value_enclose(b);
    y->low.open =
        mpfr_add(y->low.at, a->low.at, b->low.at, MPFR_RNDD) != 0 || a->low.open || b->low.open;
    y->high.open = mpfr_add(y->high.at, a->high.at, b->high.at, MPFR_RNDU) != 0 || a->high.open ||
                   b->high.open;
    value_is_enclosed(y);
}

void value_subtract(struct value *y, struct value *a, struct value *b) {
    struct value negative;
    value_init(&negative, mpfr_get_prec(y->low.at));
    value_negate(&negative, b);
    value_add(y, a, &negative);
    value_clear(&negative);
}

/* The product of two ends, rounded outward. 0 times anything is 0, as in a limit. */
static void multiply_ends(struct value_end *y, const struct value_end *a, const struct value_end *b,
                          mpfr_rnd_t rounding) {
    bool zeros[] = {mpfr_zero_p(a->at) != 0, mpfr_zero_p(b->at) != 0};
    if (zeros[0] || zeros[1]) {
        mpfr_set_zero(y->at, 1);
        y->open = (!zeros[0] || a->open) && (!zeros[1] || b->open);
        return;
    }
    y->open = mpfr_mul(y->at, a->at, b->at, rounding) != 0 || a->open || b->open;
}

static void multiply_enclosures(struct value *y, const struct value *a, const struct value *b) {
    struct value_end end;
    mpfr_init2(end.at, mpfr_get_prec(y->low.at));
    const struct value_end *as[] = {&a->low, &a->high}, *bs[] = {&b->low, &b->high};
    for (int i = 0; i < 4; i++)
        for (int up = 0; up < 2; up++) {
            struct value_end *to = up ? &y->high : &y->low;
            multiply_ends(&end, as[i / 2], bs[i % 2], up ? MPFR_RNDU : MPFR_RNDD);
            if (!i || outer_end(&end, to, up ? 1 : -1) == &end)
                copy_end(to, &end);
        }
    mpfr_clear(end.at);
    value_is_enclosed(y);
}

/* The sign of a product or quotient whose operands have none that is 0, or 0 where it is not known. */
static int sign_with_zero(const struct value *x) {
    return x->kind == VALUE_ZERO ? (x->negative ? -1 : 1) : value_sign(x);
}

/* A zero or an infinity with the sign of a product. */
static void set_signed(struct value *y, enum value_kind kind, const struct value *a,
                       const struct value *b) {
    int sign = sign_with_zero(a) * sign_with_zero(b);
    value_set_kind(y, sign ? kind : VALUE_UNKNOWN, sign < 0);
}

void value_multiply(struct value *y, struct value *a, struct value *b) {
    if (value_any_kind(a, b, VALUE_NAN))
        value_set_kind(y, VALUE_NAN, false);
    else if (value_any_kind(a, b, VALUE_UNKNOWN))
        value_set_kind(y, VALUE_UNKNOWN, false);
    else if (value_any_kind(a, b, VALUE_INFINITE))
        if (value_any_kind(a, b, VALUE_ZERO))
            value_set_kind(y, VALUE_NAN, false);
        else
            set_signed(y, VALUE_INFINITE, a, b);
    else if (value_any_kind(a, b, VALUE_ZERO))
        set_signed(y, VALUE_ZERO, a, b);
    else if (a->kind == VALUE_RATIONAL && b->kind == VALUE_RATIONAL) {
        mpq_mul(y->rational, a->rational, b->rational);
        value_is_rational(y);
    } else {
        value_enclose(a);
        value_enclose(b);
        multiply_enclosures(y, a, b);
    }
}

/* y = 1/x for an enclosure without 0. */
static void invert(struct value *y, const struct value *x) {
    y->low.open = mpfr_ui_div(y->low.at, 1, x->high.at, MPFR_RNDD) != 0 || x->high.open;
    y->high.open = mpfr_ui_div(y->high.at, 1, x->low.at, MPFR_RNDU) != 0 || x->low.open;
    if (mpfr_zero_p(x->low.at))
        mpfr_set_inf(y->high.at, 1);
    if (mpfr_zero_p(x->high.at))
        mpfr_set_inf(y->low.at, -1);
    y->low.open = y->low.open || !mpfr_number_p(y->low.at) || !mpfr_number_p(x->high.at);
    y->high.open = y->high.open || !mpfr_number_p(y->high.at) || !mpfr_number_p(x->low.at);
    value_is_enclosed(y);
}

void value_divide(struct value *y, struct value *a, struct value *b) {
    if (value_any_kind(a, b, VALUE_NAN) ||
        (a->kind == b->kind && (a->kind == VALUE_ZERO || a->kind == VALUE_INFINITE)))
        value_set_kind(y, VALUE_NAN, false);
    else if (value_any_kind(a, b, VALUE_UNKNOWN))
        value_set_kind(y, VALUE_UNKNOWN, false);
    else if (a->kind == VALUE_INFINITE || b->kind == VALUE_ZERO)
        set_signed(y, VALUE_INFINITE, a, b);
    else if (a->kind == VALUE_ZERO || b->kind == VALUE_INFINITE)
        set_signed(y, VALUE_ZERO, a, b);
    else if (a->kind == VALUE_RATIONAL && b->kind == VALUE_RATIONAL) {
        mpq_div(y->rational, a->rational, b->rational);
        value_is_rational(y);
    } else if (!value_sign(b))
        value_set_kind(y, VALUE_UNKNOWN, false);
    else {
        struct value inverse;
        value_enclose(a);
        value_enclose(b);
        value_init(&inverse, mpfr_get_prec(y->low.at));
        invert(&inverse, b);
        multiply_enclosures(y, a, &inverse);
        value_clear(&inverse);
    }
}

/* y = x^n of the magnitude's ends, n > 0. */
static void raise_ends(struct value *y, const struct value *x, unsigned long n) {
    y->low.open = mpfr_pow_ui(y->low.at, x->low.at, n, MPFR_RNDD) != 0 || x->low.open;
    y->high.open = mpfr_pow_ui(y->high.at, x->high.at, n, MPFR_RNDU) != 0 || x->high.open;
    value_is_enclosed(y);
}

static bool raise_rational(struct value *y, const struct value *a, unsigned long n) {
    mpz_srcptr numerator = mpq_numref(a->rational), denominator = mpq_denref(a->rational);
    size_t bits = mpz_sizeinbase(numerator, 2);
    if (mpz_sizeinbase(denominator, 2) > bits)
        bits = mpz_sizeinbase(denominator, 2);
    if (a->kind != VALUE_RATIONAL || (bits > 1 && n > VALUE_RATIONAL_BITS / bits))
        return false;
    mpz_pow_ui(mpq_numref(y->rational), numerator, bits > 1 ? n : n & 1 ? 1 : 2);
    mpz_pow_ui(mpq_denref(y->rational), denominator, bits > 1 ? n : 1);
    value_is_rational(y);
    return true;
}

void value_power(struct value *y, struct value *a, long n) {
    unsigned long size = n < 0 ? 0 - (unsigned long)n : (unsigned long)n;
    struct value power, one;
    value_init(&power, mpfr_get_prec(y->low.at));
    value_init(&one, mpfr_get_prec(y->low.at));
    mpq_set_ui(one.rational, 1, 1);
    value_is_rational(&one);
    struct value *to = n < 0 ? &power : y;
    if (a->kind == VALUE_ENCLOSED || (a->kind == VALUE_RATIONAL && !raise_rational(to, a, size))) {
        struct value magnitude;
        value_enclose(a);
        value_init(&magnitude, mpfr_get_prec(y->low.at));
        if (size % 2)
            raise_ends(to, a, size); /* it rises everywhere */
        else {
            value_magnitude(&magnitude, a);
            value_enclose(&magnitude);
            raise_ends(to, &magnitude, size);
        }
        value_clear(&magnitude);
    } else if (a->kind != VALUE_RATIONAL) {
        value_set(to, a);
        to->negative = a->negative && size % 2;
        to->cancelled = to->cancelled && size % 2;
    }
    if (n < 0)
        value_divide(y, &one, &power);
    value_clear(&power);
    value_clear(&one);
}

bool value_root(struct value *y, const struct value *x, unsigned long n) {
    if (x->kind != VALUE_RATIONAL ||
        !mpz_root(mpq_numref(y->rational), mpq_numref(x->rational), n) ||
        !mpz_root(mpq_denref(y->rational), mpq_denref(x->rational), n))
        return false;
    value_is_rational(y);
    return true;
}

bool value_is_long(const struct value *x, long *n) {
    bool whole = x->kind == VALUE_RATIONAL && mpz_cmp_ui(mpq_denref(x->rational), 1) == 0 &&
                 mpz_fits_slong_p(mpq_numref(x->rational));
    *n = whole ? mpz_get_si(mpq_numref(x->rational)) : 0;
    return whole;
}
