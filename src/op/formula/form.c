/* Arithmetic on closed forms. */
#include "op/formula/form.h"

#include "op/formula/value.h"

#include <math.h>
#include <stdlib.h>

/* Longer powers are not looked at. */
enum { MOST_BITS = VALUE_RATIONAL_BITS, MOST_DENOMINATOR = 64 };

void form_init(struct form *form) {
    form->kind = FORM_NONE;
    mpq_init(form->factor);
    mpq_init(form->base);
}

void form_clear(struct form *form) {
    mpq_clear(form->factor);
    mpq_clear(form->base);
}

void form_set(struct form *form, enum form_kind kind, mpq_srcptr base) {
    form->kind = kind;
    mpq_set_ui(form->factor, 1, 1);
    if (base)
        mpq_set(form->base, base);
}

void form_copy(struct form *y, const struct form *x) {
    y->kind = x->kind;
    mpq_set(y->factor, x->factor);
    mpq_set(y->base, x->base);
}

void form_scale(struct form *y, const struct form *x, mpq_srcptr number) {
    mpq_t by;
    mpq_init(by);
    mpq_set(by, number);
    form_copy(y, x);
    if (x->kind == FORM_ROOT) {
        int sign = mpq_sgn(by);
        mpq_mul(by, by, by);
        mpq_mul(y->base, y->base, by);
        mpq_set_si(by, sign, 1);
    }
    mpq_mul(y->factor, y->factor, by);
    mpq_clear(by);
}

static size_t bits_of_fraction(mpq_srcptr number) {
    size_t a = mpz_sizeinbase(mpq_numref(number), 2), b = mpz_sizeinbase(mpq_denref(number), 2);
    return a > b ? a : b;
}

bool fraction_power(mpq_t y, mpq_srcptr number, long n) {
    unsigned long size = n < 0 ? 0 - (unsigned long)n : (unsigned long)n;
    if (mpq_sgn(number) == 0 || size > MOST_BITS / bits_of_fraction(number))
        return false;
    mpz_pow_ui(mpq_numref(y), mpq_numref(number), size);
    mpz_pow_ui(mpq_denref(y), mpq_denref(number), size);
    if (n < 0)
        mpq_inv(y, y);
    return true;
}

static double log_of(mpz_srcptr number) {
    long exponent;
    double fraction = mpz_get_d_2exp(&exponent, number);
    return log(fraction) + (double)exponent * 0x1.62e42fefa39efp-1;
}

/* p/q where a^q = b^p. */
bool fraction_log(mpq_srcptr a, mpq_srcptr b, mpq_t ratio) {
    double logs[] = {log_of(mpq_numref(a)) - log_of(mpq_denref(a)),
                     log_of(mpq_numref(b)) - log_of(mpq_denref(b))};
    double guess = logs[0] / logs[1];
    mpq_t left, right;
    bool found = false;
    if (!(fabs(guess) < MOST_BITS))
        return false;
    mpq_init(left);
    mpq_init(right);
    for (long q = 1; q <= MOST_DENOMINATOR && !found; q++) {
        double p = guess * (double)q, whole = floor(p + 0.5);
        if (fabs(p - whole) > 1e-6 * (double)q * (1 + fabs(guess)))
            continue;
        found = fraction_power(left, a, q) && fraction_power(right, b, (long)whole) &&
                mpq_equal(left, right);
        if (found)
            mpq_set_si(ratio, (long)whole, (unsigned long)q);
    }
    mpq_canonicalize(ratio);
    mpq_clear(left);
    mpq_clear(right);
    return found;
}

/* The root of a fraction that is a square. */
static bool root_of(mpq_t y, mpq_srcptr square) {
    if (mpq_sgn(square) < 0 || !mpz_perfect_square_p(mpq_numref(square)) ||
        !mpz_perfect_square_p(mpq_denref(square)))
        return false;
    mpz_sqrt(mpq_numref(y), mpq_numref(square));
    mpz_sqrt(mpq_denref(y), mpq_denref(square));
    return true;
}

/* a / b, where that is a fraction. */
static bool ratio_of(const struct form *a, const struct form *b, mpq_t ratio) {
    bool known = a->kind == b->kind;
    mpq_t part;
    if (!known)
        return false;
    mpq_init(part);
    mpq_set_ui(part, 1, 1);
    if (a->kind == FORM_LOG || a->kind == FORM_LOG2 || a->kind == FORM_LOG10)
        known = fraction_log(a->base, b->base, part);
    else if (a->kind == FORM_ROOT) {
        mpq_div(part, a->base, b->base);
        known = root_of(part, part);
    } else if (a->kind == FORM_EXP)
        known = mpq_equal(a->base, b->base);
    if (known) {
        mpq_div(ratio, a->factor, b->factor);
        mpq_mul(ratio, ratio, part);
    }
    mpq_clear(part);
    return known;
}

enum form_result form_add(const struct form *a, const struct form *b, int sign, struct form *y,
                          mpq_t number) {
    mpq_t one;
    if (!a->kind || !ratio_of(a, b, number))
        return FORM_UNKNOWN;
    mpq_init(one);
    mpq_set_si(one, sign, 1);
    mpq_add(number, number, one);
    mpq_clear(one);
    if (mpq_sgn(number) == 0)
        return FORM_NUMBER;
    form_scale(y, b, number);
    return FORM_FOUND;
}

enum form_result form_multiply(const struct form *a, const struct form *b, struct form *y,
                               mpq_t number) {
    bool same = a->kind == b->kind && (a->kind == FORM_ROOT || a->kind == FORM_EXP);
    if (!same)
        return FORM_UNKNOWN;
    form_copy(y, a);
    mpq_mul(y->factor, a->factor, b->factor);
    if (a->kind == FORM_ROOT) {
        mpq_mul(y->base, a->base, b->base);
        if (!root_of(number, y->base))
            return FORM_FOUND;
        mpq_mul(number, number, y->factor);
        return FORM_NUMBER;
    }
    mpq_add(y->base, a->base, b->base);
    mpq_set(number, y->factor);
    return mpq_sgn(y->base) == 0 ? FORM_NUMBER : FORM_FOUND;
}

enum form_result form_invert(const struct form *x, struct form *y) {
    if (x->kind != FORM_ROOT && x->kind != FORM_EXP)
        return FORM_UNKNOWN;
    form_copy(y, x);
    mpq_inv(y->factor, x->factor);
    if (x->kind == FORM_ROOT)
        mpq_inv(y->base, x->base);
    else
        mpq_neg(y->base, x->base);
    return FORM_FOUND;
}

enum form_result form_divide(const struct form *a, const struct form *b, struct form *y,
                             mpq_t number) {
    struct form inverse;
    if (!a->kind || !b->kind)
        return FORM_UNKNOWN;
    if (ratio_of(a, b, number))
        return FORM_NUMBER;
    form_init(&inverse);
    enum form_result result = form_invert(b, &inverse);
    if (result == FORM_FOUND)
        result = form_multiply(a, &inverse, y, number);
    form_clear(&inverse);
    return result;
}

enum form_result form_power(const struct form *x, long n, struct form *y, mpq_t number) {
    if ((x->kind != FORM_ROOT && x->kind != FORM_EXP) || n == 0)
        return FORM_UNKNOWN;
    if (x->kind == FORM_ROOT && n % 2 == 0)
        return fraction_power(number, x->base, n / 2) ? FORM_NUMBER : FORM_UNKNOWN;
    form_copy(y, x);
    mpq_set_si(number, n, 1);
    if (x->kind == FORM_EXP) {
        mpq_mul(y->base, x->base, number);
        return fraction_power(y->factor, x->factor, n) ? FORM_FOUND : FORM_UNKNOWN;
    }
    return fraction_power(y->base, x->base, n) ? FORM_FOUND : FORM_UNKNOWN;
}
