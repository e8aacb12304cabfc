/* Powers: whole ones of anything, roots of fractions that have them, and others of positive numbers. */
#include "op/formula/step.h"

#include <stdlib.h>

/* Roots of a higher degree are not looked for. */
enum { MOST_ROOT = 64 };

static bool is_whole(const struct value *x) {
    return x->kind == VALUE_RATIONAL && mpz_cmp_ui(mpq_denref(x->rational), 1) == 0;
}

static bool is_one(const struct value *x) {
    return x->kind == VALUE_RATIONAL && mpq_cmp_ui(x->rational, 1, 1) == 0;
}

/* The corners of a box of a base above 0 and an exponent: a power is monotone in each. At an end that is not the value a
 * power is not reached, but that 1 is any exponent's of 1 and any base's of 0. */
static void raise_corner(struct value *y, const struct value_end *a, const struct value_end *b,
                         bool first) {
    struct value_end end;
    mpfr_init2(end.at, mpfr_get_prec(y->low.at));
    bool of_one = mpfr_cmp_ui(a->at, 1) == 0;
    for (int up = 0; up < 2; up++) {
        struct value_end *to = up ? &y->high : &y->low;
        end.open = mpfr_pow(end.at, a->at, b->at, up ? MPFR_RNDU : MPFR_RNDD) != 0 ||
                   (a->open && !mpfr_zero_p(b->at)) || (b->open && !of_one);
        end.open = end.open || mpfr_inf_p(end.at);
        int order = first ? 1 : mpfr_cmp(end.at, to->at) * (up ? 1 : -1);
        if (order > 0 || (order == 0 && !end.open)) {
            mpfr_set(to->at, end.at, MPFR_RNDN);
            to->open = end.open;
        }
    }
    mpfr_clear(end.at);
}

/* An exact root of a fraction to a power, where there is one. */
static bool take_root(const struct value *a, const struct value *b, struct value *y) {
    mpz_srcptr degree = mpq_denref(b->rational);
    if (a->kind != VALUE_RATIONAL || b->kind != VALUE_RATIONAL ||
        mpz_cmp_ui(degree, MOST_ROOT) > 0 || !mpz_fits_slong_p(mpq_numref(b->rational)))
        return false;
    unsigned long n = mpz_get_ui(degree);
    struct value root;
    value_init(&root, mpfr_get_prec(y->low.at));
    bool exact = value_root(&root, a, n);
    if (exact)
        value_power(y, &root, mpz_get_si(mpq_numref(b->rational)));
    value_clear(&root);
    return exact;
}

/* Whether an enclosed exponent may be an integer. */
static bool may_be_whole(struct stepper *stepper, struct value *x) {
    struct value above;
    if (x->kind != VALUE_ENCLOSED)
        return false;
    value_init(&above, stepper->precision);
    step_to_integer(x, ROUND_DOWN, &stepper->magnitude);
    step_to_integer(x, ROUND_UP, &above);
    int order = value_compare(&stepper->magnitude, &above);
    value_clear(&above);
    return order != -1;
}

/* pow at special values, where the other operand is no binary fraction: by two numbers beside that. */
static void raise_special(struct stepper *stepper, struct value *a, struct value *b,
                          struct value *y) {
    const struct operation *pow = operation_row("pow");
    struct value first, *operands[] = {a, b};
    struct value near[2];
    for (int i = 0; i < 2; i++)
        value_init(&near[i], stepper->precision);
    value_init(&first, stepper->precision);
    int other = a->kind >= VALUE_RATIONAL ? 0 : 1;
    value_set_kind(y, VALUE_UNKNOWN, false);
    bool open = other && a->negative && may_be_whole(stepper, b);
    for (int i = 0; i < 2 && operands[other]->kind >= VALUE_RATIONAL && !open; i++) {
        struct value *x = operands[other];
        value_enclose(x);
        mpfr_srcptr end = i ? x->high.at : x->low.at;
        bool far = mpfr_regular_p(end) && labs(mpfr_get_exp(end)) > VALUE_HELD_BY_SIZE;
        if (!mpfr_regular_p(end) || (far && other && a->negative && mpfr_get_exp(end) > 0))
            break;
        if (far) /* of a base it matters on which side of 1 it lies, of an exponent its sign */
            mpq_set_si(near[i].rational, mpfr_sgn(end) * (mpfr_get_exp(end) > 0 ? 4 : 1), 2);
        else
            mpfr_get_q(near[i].rational, end);
        mpq_canonicalize(near[i].rational);
        value_is_rational(&near[i]);
        struct value *const pair[] = {other ? a : &near[i], other ? &near[i] : b};
        if (other && a->negative && !is_whole(b) && is_whole(&near[i]))
            break;
        step_function(stepper, pow, pair, i ? y : &first);
    }
    if (y->kind != first.kind || y->kind == VALUE_ENCLOSED || y->negative != first.negative)
        value_set_kind(y, VALUE_UNKNOWN, false);
    for (int i = 0; i < 2; i++)
        value_clear(&near[i]);
    value_clear(&first);
}

static bool is_number(const struct value *x) {
    return x->kind >= VALUE_RATIONAL;
}

/* Of a base below 0 and a whole exponent of more bits than a long. */
static void raise_negative(struct stepper *stepper, struct value *a, struct value *b,
                           struct value *y) {
    struct value magnitude, power;
    value_init(&magnitude, stepper->precision);
    value_init(&power, stepper->precision);
    value_magnitude(&magnitude, a);
    step_power(stepper, &magnitude, b, &power);
    if (mpz_odd_p(mpq_numref(b->rational)))
        value_negate(y, &power);
    else
        value_set(y, &power);
    value_clear(&magnitude);
    value_clear(&power);
}

void step_power(struct stepper *stepper, struct value *a, struct value *b, struct value *y) {
    struct value *const operands[] = {a, b};
    long n;
    if (b->kind == VALUE_ZERO || is_one(a)) { /* also of NaN */
        mpq_set_ui(y->rational, 1, 1);
        value_is_rational(y);
    } else if (a->kind == VALUE_UNKNOWN || b->kind == VALUE_UNKNOWN)
        value_set_kind(y, VALUE_UNKNOWN, false);
    else if (a->kind == VALUE_NAN || b->kind == VALUE_NAN)
        value_set_kind(y, VALUE_NAN, false);
    else if (value_is_long(b, &n))
        value_power(y, a, n);
    else if (!is_number(a) || !is_number(b)) {
        if (!step_function(stepper, operation_row("pow"), operands, y))
            raise_special(stepper, a, b, y);
    } else if (value_sign(a) < 0 && is_whole(b))
        raise_negative(stepper, a, b, y);
    else if (value_sign(a) < 0)
        value_set_kind(y, may_be_whole(stepper, b) ? VALUE_UNKNOWN : VALUE_NAN, false);
    else if (value_sign(a) == 0)
        value_set_kind(y, VALUE_UNKNOWN, false);
    else if (!take_root(a, b, y)) {
        value_enclose(a);
        value_enclose(b);
        raise_corner(y, &a->low, &b->low, true);
        raise_corner(y, &a->low, &b->high, false);
        raise_corner(y, &a->high, &b->low, false);
        raise_corner(y, &a->high, &b->high, false);
        value_is_enclosed(y);
    }
}
