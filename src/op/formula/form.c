/* Arithmetic on closed forms. */
#include "op/formula/form.h"

#include "op/formula/value.h"

#include <math.h>
#include <stdlib.h>

/* Longer powers are not looked at. */
enum { MOST_BITS = VALUE_RATIONAL_BITS, MOST_DENOMINATOR = 64, MOST_DEGREE = 64 };

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

bool form_set_root(struct form *form, mpq_srcptr base, unsigned long degree) {
    form_set(form, FORM_ROOT, base);
    form->degree = degree;
    return degree <= MOST_DEGREE;
}

void form_copy(struct form *y, const struct form *x) {
    y->kind = x->kind;
    y->degree = x->degree;
    mpq_set(y->factor, x->factor);
    mpq_set(y->base, x->base);
}

static void raise(mpq_t y, mpq_srcptr x, unsigned long n) {
    mpz_pow_ui(mpq_numref(y), mpq_numref(x), n);
    mpz_pow_ui(mpq_denref(y), mpq_denref(x), n);
}

void form_scale(struct form *y, const struct form *x, mpq_srcptr number) {
    mpq_t by;
    mpq_init(by);
    mpq_set(by, number);
    form_copy(y, x);
    if (x->kind == FORM_ROOT) {
        int sign = mpq_sgn(by);
        mpq_abs(by, by);
        raise(by, by, x->degree);
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
    raise(y, number, size);
    if (n < 0)
        mpq_inv(y, y);
    return true;
}

static double log_of(mpz_srcptr number) {
    long exponent;
    double fraction = mpz_get_d_2exp(&exponent, number);
    return log(fraction) + (double)exponent * 0x1.62e42fefa39efp-1;
}

/* The exponent of a power of two; false for other fractions. */
static bool is_power_of_two(mpq_srcptr x, long *exponent) {
    mpz_srcptr parts[] = {mpq_numref(x), mpq_denref(x)};
    long exponents[2];
    for (int i = 0; i < 2; i++) {
        exponents[i] = (long)mpz_sizeinbase(parts[i], 2) - 1;
        if (mpz_sgn(parts[i]) <= 0 || (long)mpz_scan1(parts[i], 0) != exponents[i])
            return false;
    }
    *exponent = exponents[0] - exponents[1];
    return true;
}

/* p/q where a^q = b^p. */
bool fraction_log(mpq_srcptr a, mpq_srcptr b, mpq_t ratio) {
    double logs[] = {log_of(mpq_numref(a)) - log_of(mpq_denref(a)),
                     log_of(mpq_numref(b)) - log_of(mpq_denref(b))};
    double guess = logs[0] / logs[1];
    mpq_t left, right;
    bool found = false;
    long exponents[2];
    if (is_power_of_two(a, &exponents[0]) && is_power_of_two(b, &exponents[1]) && exponents[1]) {
        mpz_set_si(mpq_numref(ratio), exponents[0]);
        mpz_set_si(mpq_denref(ratio), exponents[1]);
        mpq_canonicalize(ratio);
        return true;
    }
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

/* The root of a fraction above 0 that is a power. */
static bool root_of(mpq_t y, mpq_srcptr power, unsigned long degree) {
    return mpz_root(mpq_numref(y), mpq_numref(power), degree) &&
           mpz_root(mpq_denref(y), mpq_denref(power), degree);
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
        known = a->degree == b->degree && root_of(part, part, a->degree);
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

/* ln a / ln b and ln a log2 b are what another logarithm has, where ln b or log2 b is one of 2 or 10. */
static enum form_result change_base(const struct form *a, const struct form *b, bool divides,
                                    struct form *y) {
    static const struct {
        enum form_kind kind;
        unsigned long base;
    } logarithms[] = {{FORM_LOG2, 2}, {FORM_LOG10, 10}};
    bool found = false;
    mpq_t base, power;
    mpq_inits(base, power, (mpq_ptr)0);
    for (size_t i = 0; i < sizeof logarithms / sizeof *logarithms && !found; i++) {
        mpq_set_ui(base, logarithms[i].base, 1);
        if (b->kind != FORM_LOG || a->kind != (divides ? FORM_LOG : logarithms[i].kind) ||
            !fraction_log(b->base, base, power))
            continue;
        found = true;
        form_copy(y, a);
        y->kind = divides ? logarithms[i].kind : FORM_LOG;
        mpq_mul(power, power, b->factor);
        (divides ? mpq_div : mpq_mul)(y->factor, a->factor, power);
    }
    mpq_clears(base, power, (mpq_ptr)0);
    return found ? FORM_FOUND : FORM_UNKNOWN;
}

/* Both roots made ones of the least degree that both have. */
static bool multiply_roots(const struct form *a, const struct form *b, struct form *y) {
    unsigned long degree = a->degree, least;
    mpq_t other;
    while (degree % b->degree != 0)
        degree += a->degree;
    least = degree / a->degree;
    if (degree > MOST_DEGREE)
        return false;
    mpq_init(other);
    raise(y->base, a->base, least);
    raise(other, b->base, degree / b->degree);
    mpq_mul(y->base, y->base, other);
    y->degree = degree;
    mpq_clear(other);
    return true;
}

enum form_result form_multiply(const struct form *a, const struct form *b, struct form *y,
                               mpq_t number) {
    if (a->kind == FORM_LOG || b->kind == FORM_LOG)
        return change_base(a->kind == FORM_LOG ? b : a, a->kind == FORM_LOG ? a : b, false, y);
    bool same = a->kind == b->kind && (a->kind == FORM_ROOT || a->kind == FORM_EXP);
    if (!same)
        return FORM_UNKNOWN;
    form_copy(y, a);
    mpq_mul(y->factor, a->factor, b->factor);
    if (a->kind == FORM_ROOT) {
        if (!multiply_roots(a, b, y))
            return FORM_UNKNOWN;
        if (!root_of(number, y->base, y->degree))
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
    if (b->kind == FORM_LOG)
        return change_base(a, b, true, y);
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
    bool negative = mpq_sgn(x->factor) < 0 && n % 2 != 0;
    if (x->kind == FORM_ROOT && n % (long)x->degree == 0) {
        bool known = fraction_power(number, x->base, n / (long)x->degree);
        if (negative)
            mpq_neg(number, number);
        return known ? FORM_NUMBER : FORM_UNKNOWN;
    }
    form_copy(y, x);
    mpq_set_si(number, n, 1);
    if (x->kind == FORM_EXP) {
        mpq_mul(y->base, x->base, number);
        return fraction_power(y->factor, x->factor, n) ? FORM_FOUND : FORM_UNKNOWN;
    }
    mpq_set_si(y->factor, negative ? -1 : 1, 1);
    return fraction_power(y->base, x->base, n) ? FORM_FOUND : FORM_UNKNOWN;
}

enum form_result form_power_of_fraction(const struct form *x, mpq_srcptr exponent, struct form *y) {
    mpz_srcptr numerator = mpq_numref(exponent), denominator = mpq_denref(exponent);
    if ((x->kind != FORM_ROOT && x->kind != FORM_EXP) || mpq_cmp_ui(x->factor, 1, 1) != 0)
        return FORM_UNKNOWN;
    form_copy(y, x);
    if (x->kind == FORM_EXP) {
        mpq_mul(y->base, x->base, exponent);
        return FORM_FOUND;
    }
    if (!mpz_fits_slong_p(numerator) || mpz_cmp_ui(denominator, MOST_DEGREE / x->degree) > 0 ||
        !fraction_power(y->base, x->base, mpz_get_si(numerator)))
        return FORM_UNKNOWN;
    y->degree *= mpz_get_ui(denominator);
    return FORM_FOUND;
}
