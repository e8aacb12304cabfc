/* Which steps keep a form, and which come out even. */
#include "op/formula/known.h"

#include <stdlib.h>
#include <string.h>

static bool has_form(const struct value *x) {
    return x && x->kind == VALUE_ENCLOSED && x->form.kind != FORM_NONE;
}

static bool is_fraction(const struct value *x) {
    return x && x->kind == VALUE_RATIONAL;
}

static enum form_result combine_forms(const struct formula_node *node, const struct value *a,
                                      const struct value *b, struct form *form, mpq_t number) {
    switch (node->kind) {
    case FORMULA_ADD:
        return form_add(&a->form, &b->form, 1, form, number);
    case FORMULA_SUBTRACT:
        return form_add(&a->form, &b->form, -1, form, number);
    case FORMULA_MULTIPLY:
        return form_multiply(&a->form, &b->form, form, number);
    case FORMULA_DIVIDE:
        return form_divide(&a->form, &b->form, form, number);
    default:
        return FORM_UNKNOWN;
    }
}

/* A form and a fraction. */
static enum form_result scale_form(const struct formula_node *node, const struct value *a,
                                   const struct value *b, struct form *form, mpq_t number) {
    enum form_result result = FORM_FOUND;
    long n;
    if (node->kind == FORMULA_POWER && has_form(a) && value_is_long(b, &n))
        return form_power(&a->form, n, form, number);
    if (node->kind == FORMULA_POWER && has_form(a) && is_fraction(b))
        return form_power_of_fraction(&a->form, b->rational, form);
    if (node->kind == FORMULA_MULTIPLY && (is_fraction(a) || is_fraction(b)))
        form_scale(form, has_form(a) ? &a->form : &b->form,
                   is_fraction(a) ? a->rational : b->rational);
    else if (node->kind == FORMULA_DIVIDE && is_fraction(b)) {
        mpq_inv(number, b->rational);
        form_scale(form, &a->form, number);
    } else if (node->kind == FORMULA_DIVIDE && is_fraction(a)) {
        struct form inverse;
        form_init(&inverse);
        result = form_invert(&b->form, &inverse);
        if (result == FORM_FOUND)
            form_scale(form, &inverse, a->rational);
        form_clear(&inverse);
    } else
        result = FORM_UNKNOWN;
    return result;
}

/* Logarithms of a number, or of 1 more; NULL for other functions, and for none. */
struct logarithm {
    const char *name;
    enum form_kind kind;
    int plus;
};
static const struct logarithm *logarithm_of(const char *name) {
    static const struct logarithm logarithms[] = {
        {"log", FORM_LOG, 0},   {"log2", FORM_LOG2, 0},   {"log10", FORM_LOG10, 0},
        {"log1p", FORM_LOG, 1}, {"log2p1", FORM_LOG2, 1}, {"log10p1", FORM_LOG10, 1}};
    for (size_t i = 0; name && i < sizeof logarithms / sizeof *logarithms; i++)
        if (strcmp(name, logarithms[i].name) == 0)
            return &logarithms[i];
    return NULL;
}

/* What a function has at a fraction: log r, e^r, r^(1/2), and the angles of a half and of 1. */
static enum form_result form_at(const char *name, mpq_srcptr x, struct form *form, mpq_t number) {
    static const struct {
        const char *name;
        long numerator;
        unsigned long denominator;
        long turn;
        unsigned long part; /* the result is that part of pi */
    } angles[] = {{"atan", 1, 1, 1, 4},   {"atan", -1, 1, -1, 4}, {"asin", 1, 1, 1, 2},
                  {"asin", -1, 1, -1, 2}, {"asin", 1, 2, 1, 6},   {"asin", -1, 2, -1, 6},
                  {"acos", -1, 1, 1, 1},  {"acos", 0, 1, 1, 2},   {"acos", 1, 2, 1, 3},
                  {"acos", -1, 2, 2, 3}};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++)
        if (strcmp(name, angles[i].name) == 0 &&
            mpq_cmp_si(x, angles[i].numerator, angles[i].denominator) == 0) {
            form_set(form, FORM_PI, NULL);
            mpq_set_si(form->factor, angles[i].turn, angles[i].part);
            return FORM_FOUND;
        }
    const struct logarithm *logarithm = logarithm_of(name);
    if (logarithm) {
        mpq_set_ui(number, (unsigned long)logarithm->plus, 1);
        mpq_add(number, number, x);
        form_set(form, logarithm->kind, number);
        return mpq_sgn(number) > 0 ? FORM_FOUND : FORM_UNKNOWN;
    }
    mpq_abs(number, x);
    if (strcmp(name, "exp") == 0)
        form_set(form, FORM_EXP, x);
    else if (strcmp(name, "cbrt") == 0 && mpq_sgn(x) != 0) {
        form_set_root(form, number, 3);
        mpq_set_si(form->factor, mpq_sgn(x), 1);
    } else if (strcmp(name, "sqrt") == 0 && mpq_sgn(x) > 0)
        form_set_root(form, number, 2);
    else if (strcmp(name, "rsqrt") == 0 && mpq_sgn(x) > 0) {
        mpq_inv(number, x);
        form_set_root(form, number, 2);
    } else
        return FORM_UNKNOWN;
    return FORM_FOUND;
}

/* The angle of a point on an axis or as far from both. */
static enum form_result form_of_point(const struct value *y, const struct value *x,
                                      struct form *form) {
    bool level = y->kind == VALUE_ZERO, upright = x->kind == VALUE_ZERO;
    bool alike = is_fraction(y) && is_fraction(x) &&
                 mpz_cmpabs(mpq_numref(y->rational), mpq_numref(x->rational)) == 0 &&
                 mpz_cmp(mpq_denref(y->rational), mpq_denref(x->rational)) == 0;
    if (!alike && !(is_fraction(x) && level) && !(is_fraction(y) && upright))
        return FORM_UNKNOWN;
    bool left = !upright && value_sign(x) < 0, below = level ? y->negative : value_sign(y) < 0;
    form_set(form, FORM_PI, NULL);
    mpq_set_si(form->factor, (below ? -1 : 1) * (alike && left ? 3 : 1),
               alike     ? 4
               : upright ? 2
                         : 1);
    return FORM_FOUND;
}

/* What a function has at a form: log of a root or of a power of e. */
static enum form_result form_of_form(const char *name, const struct form *x, struct form *form,
                                     mpq_t number) {
    if (strcmp(name, "log") == 0 && x->kind == FORM_EXP && mpq_cmp_ui(x->factor, 1, 1) == 0) {
        mpq_set(number, x->base);
        return FORM_NUMBER;
    }
    const struct logarithm *logarithm = logarithm_of(name);
    if (logarithm && !logarithm->plus && x->kind == FORM_ROOT && mpq_sgn(x->factor) > 0) {
        form_set(form, logarithm->kind, x->base);
        mpq_set_ui(form->factor, 1, x->degree);
        return FORM_FOUND;
    }
    if (strcmp(name, "sqrt") == 0 && x->kind == FORM_EXP && mpq_cmp_ui(x->factor, 1, 1) == 0) {
        mpq_set_ui(number, 1, 2);
        mpq_mul(number, number, x->base);
        form_set(form, FORM_EXP, number);
        return FORM_FOUND;
    }
    return FORM_UNKNOWN;
}

static enum form_result find_form(const struct formula_node *node, const struct value *a,
                                  const struct value *b, struct form *form, mpq_t number) {
    if (node->kind == FORMULA_PI || node->kind == FORMULA_E) {
        mpq_set_ui(number, 1, 1);
        form_set(form, node->kind == FORMULA_PI ? FORM_PI : FORM_EXP, number);
        return FORM_FOUND;
    }
    if (node->kind == FORMULA_FUNCTION && node->count == 2)
        return strcmp(node->operation->name, "atan2") == 0 ? form_of_point(a, b, form)
                                                           : FORM_UNKNOWN;
    if (node->kind == FORMULA_FUNCTION && a->kind == VALUE_ZERO) {
        mpq_t zero;
        mpq_init(zero);
        enum form_result result = form_at(node->operation->name, zero, form, number);
        mpq_clear(zero);
        return result;
    }
    if (node->kind == FORMULA_FUNCTION)
        return is_fraction(a) ? form_at(node->operation->name, a->rational, form, number)
               : has_form(a)  ? form_of_form(node->operation->name, &a->form, form, number)
                              : FORM_UNKNOWN;
    if (node->kind == FORMULA_POWER && is_fraction(a) && is_fraction(b) &&
        mpq_sgn(a->rational) > 0 && mpz_fits_ulong_p(mpq_denref(b->rational)) &&
        mpz_fits_slong_p(mpq_numref(b->rational)) &&
        fraction_power(number, a->rational, mpz_get_si(mpq_numref(b->rational))))
        return form_set_root(form, number, mpz_get_ui(mpq_denref(b->rational))) ? FORM_FOUND
                                                                                : FORM_UNKNOWN;
    if ((node->kind == FORMULA_NEGATE || node->kind == FORMULA_MAGNITUDE) && has_form(a)) {
        mpq_set_si(number, node->kind == FORMULA_NEGATE ? -1 : value_sign(a), 1);
        form_scale(form, &a->form, number);
        return mpq_sgn(number) ? FORM_FOUND : FORM_UNKNOWN;
    }
    if (has_form(a) && has_form(b))
        return combine_forms(node, a, b, form, number);
    return has_form(a) || has_form(b) ? scale_form(node, a, b, form, number) : FORM_UNKNOWN;
}

/* sin, cos and tan of a part of pi, and sinpi and cospi of thirds and sixths, which MPFR has not exactly. */
static bool known_angle(struct stepper *stepper, const char *name, const struct value *x,
                        struct value *y) {
    static const struct {
        const char *name, *of_turn;
        unsigned long half; /* the denominator of the parts where it is 1/2 or -1/2 */
    } rows[] = {{"sin", "sinpi", 6}, {"cos", "cospi", 3}, {"tan", "tanpi", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool of_pi = strcmp(name, rows[i].name) == 0 && has_form(x) && x->form.kind == FORM_PI;
        if (!of_pi && !(strcmp(name, rows[i].of_turn) == 0 && is_fraction(x)))
            continue;
        struct value turn, *const operand[] = {&turn};
        value_init(&turn, stepper->precision);
        mpq_set(turn.rational, of_pi ? x->form.factor : x->rational);
        value_is_rational(&turn);
        bool half = rows[i].half && mpz_cmp_ui(mpq_denref(turn.rational), rows[i].half) == 0;
        if (of_pi || half)
            step_function(stepper, operation_row(rows[i].of_turn), operand, y);
        if (half && value_sign(y)) {
            mpq_set_si(y->rational, value_sign(y), 2);
            value_is_rational(y);
        }
        value_clear(&turn);
        return of_pi || half;
    }
    return false;
}

/* e^(f ln b) = b^f, and 2 and 10 likewise; less 1 of functions that take 1 away. */
static void raise_base(struct stepper *stepper, const struct form *form, int less,
                       struct value *y) {
    struct value base, exponent, power;
    value_init(&power, stepper->precision);
    value_init(&base, stepper->precision);
    value_init(&exponent, stepper->precision);
    mpq_set(base.rational, form->base);
    mpq_set(exponent.rational, form->factor);
    value_is_rational(&base);
    value_is_rational(&exponent);
    step_power(stepper, &base, &exponent, &power);
    mpq_set_si(base.rational, less, 1);
    value_is_rational(&base);
    if (less)
        value_subtract(y, &power, &base);
    else
        value_set(y, &power);
    value_clear(&power);
    value_clear(&base);
    value_clear(&exponent);
}

/* Powers of ten, which the rows of functions of base ten enclose: exp10(n) is 10^n, and log10 and the like undo it. */
static bool known_power_of_ten(const char *name, const struct value *x, struct value *y) {
    static const struct {
        const char *name, *inverse;
        int minus; /* what is taken from the power */
    } rows[] = {{"exp10", "log10", 0}, {"exp10m1", "log10p1", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool raises = strcmp(name, rows[i].name) == 0, known = false;
        if (!is_fraction(x) || (!raises && strcmp(name, rows[i].inverse) != 0))
            continue;
        mpq_t ten, minus;
        long n;
        mpq_inits(ten, minus, (mpq_ptr)0);
        mpq_set_ui(ten, 10, 1);
        mpq_set_si(minus, rows[i].minus, 1);
        if (raises && value_is_long(x, &n)) {
            known = fraction_power(y->rational, ten, n);
            mpq_sub(y->rational, y->rational, minus);
        } else if (!raises) {
            mpq_add(minus, minus, x->rational);
            known = mpq_sgn(minus) > 0 && fraction_log(minus, ten, y->rational);
        }
        mpq_clears(ten, minus, (mpq_ptr)0);
        if (known)
            value_is_rational(y);
        return known;
    }
    return false;
}

bool known_result(struct stepper *stepper, const struct formula_node *node, struct value *a,
                  struct value *b, struct value *y) {
    bool function = node->kind == FORMULA_FUNCTION && node->count == 1;
    const struct logarithm *logarithm =
        function && has_form(a) ? logarithm_of(function_inverse(node->operation->name)) : NULL;
    if (logarithm && a->form.kind == logarithm->kind) {
        raise_base(stepper, &a->form, logarithm->plus, y);
        return true;
    }
    if (function && known_power_of_ten(node->operation->name, a, y))
        return true;
    if (function && known_angle(stepper, node->operation->name, a, y))
        return true;
    if (!has_form(a) && !has_form(b))
        return false;
    struct form form;
    form_init(&form);
    bool known = find_form(node, a, b, &form, y->rational) == FORM_NUMBER;
    form_clear(&form);
    if (known) {
        value_is_rational(y);
        y->cancelled = y->kind == VALUE_ZERO;
    }
    return known;
}

void known_form(const struct formula_node *node, const struct value *a, const struct value *b,
                struct value *y) {
    struct form form;
    mpq_t number;
    if (y->kind != VALUE_ENCLOSED)
        return;
    mpq_init(number);
    form_init(&form);
    if (find_form(node, a, b, &form, number) == FORM_FOUND)
        form_copy(&y->form, &form);
    form_clear(&form);
    mpq_clear(number);
}
