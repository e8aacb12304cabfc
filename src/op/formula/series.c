/* Coefficients by Arb's arithmetic of polynomials: those of functions that are fractions with a power of two come out
 * exact, so that what cancels is known to be 0. Let M bound |f| on the square of half-width r around 0, where f is analytic
 * (op/formula/analytic.h). Then the coefficient of x^k is at most M / r^k by Cauchy's estimate, and beyond the first N terms
 * there is at most M (|x| / r)^N / (1 - |x| / r). */
#include "op/formula/series.h"

#include "op/formula/analytic.h"

#include <arb_hypgeom.h>
#include <arb_poly.h>
#include <stdlib.h>
#include <string.h>

enum {
    TERMS = 12, /* N */
    BITS = 256,
    MOST_RADIUS_LOG2 = 20,
    NEAR_LOG2 = 8 /* |x| is at most r 2^-8 */
};

struct series {
    const struct formula *formula;
    struct real leading[MAX_OPERANDS];
    bool begun, known;
    int radius_log2; /* r = 2^-radius_log2 */
    mag_t bound;     /* M */
    arb_poly_t coefficients;
};

struct series *series_open(const struct formula *formula) {
    struct series *series = calloc(1, sizeof *series);
    if (!series)
        return NULL;
    series->formula = formula;
    mag_init(series->bound);
    arb_poly_init(series->coefficients);
    return series;
}

void series_close(struct series *series) {
    if (!series)
        return;
    mag_clear(series->bound);
    arb_poly_clear(series->coefficients);
    free(series);
}

/* The steps of one tree; `known` is false once one of them has no series. */
struct expansion {
    const struct formula *formula;
    arb_poly_struct *nodes;
    bool known;
};

static bool expand(const struct formula *formula, const arb_poly_struct *operands, arb_poly_t y);

/* Quotients, coefficient by coefficient: 27/27 is 1, where Arb would multiply by 1/27. */
static void divide(arb_poly_t y, const arb_poly_t a, const arb_poly_t b) {
    arb_ptr quotient = _arb_vec_init(TERMS);
    arb_t first, other;
    arb_init(first);
    arb_init(other);
    arb_poly_get_coeff_arb(first, b, 0);
    for (slong k = 0; k < TERMS; k++) {
        arb_poly_get_coeff_arb(quotient + k, a, k);
        for (slong j = 0; j < k; j++) {
            arb_poly_get_coeff_arb(other, b, k - j);
            arb_submul(quotient + k, quotient + j, other, BITS);
        }
        arb_div(quotient + k, quotient + k, first, BITS);
    }
    arb_poly_zero(y);
    for (slong k = TERMS - 1; k >= 0; k--)
        arb_poly_set_coeff_arb(y, k, quotient + k);
    _arb_vec_clear(quotient, TERMS);
    arb_clear(first);
    arb_clear(other);
}

typedef void expand_function(arb_poly_t y, const arb_poly_t x, slong terms, slong bits);

static void expand_expm1(arb_poly_t y, const arb_poly_t x, slong terms, slong bits) {
    arb_poly_exp_series(y, x, terms, bits);
    arb_poly_add_si(y, y, -1, bits);
}

static void expand_tanh(arb_poly_t y, const arb_poly_t x, slong terms, slong bits) {
    arb_poly_t below;
    arb_poly_init(below);
    arb_poly_sinh_cosh_series(y, below, x, terms, bits);
    divide(y, y, below);
    arb_poly_clear(below);
}

static void expand_inverse(arb_poly_t y, const arb_poly_t x, slong terms, slong bits) {
    arb_poly_t one;
    (void)terms;
    (void)bits;
    arb_poly_init(one);
    arb_poly_one(one);
    divide(y, one, x);
    arb_poly_clear(one);
}

static void expand_sigmoid(arb_poly_t y, const arb_poly_t x, slong terms, slong bits) {
    arb_poly_neg(y, x);
    arb_poly_exp_series(y, y, terms, bits);
    arb_poly_add_si(y, y, 1, bits);
    expand_inverse(y, y, terms, bits);
}

static const struct {
    const char *name;
    expand_function *expand;
} functions[] = {{"exp", arb_poly_exp_series},      {"expm1", expand_expm1},
                 {"log", arb_poly_log_series},      {"log1p", arb_poly_log1p_series},
                 {"sin", arb_poly_sin_series},      {"cos", arb_poly_cos_series},
                 {"tan", arb_poly_tan_series},      {"sinh", arb_poly_sinh_series},
                 {"cosh", arb_poly_cosh_series},    {"tanh", expand_tanh},
                 {"asin", arb_poly_asin_series},    {"acos", arb_poly_acos_series},
                 {"atan", arb_poly_atan_series},    {"sqrt", arb_poly_sqrt_series},
                 {"rsqrt", arb_poly_rsqrt_series},  {"erf", arb_hypgeom_erf_series},
                 {"erfc", arb_hypgeom_erfc_series}, {"sigmoid", expand_sigmoid},
                 {"recip", expand_inverse}};

static void set_number(arb_t y, mpq_srcptr number) {
    fmpq_t fraction;
    fmpq_init(fraction);
    fmpq_set_mpq(fraction, number);
    arb_set_fmpq(y, fraction, BITS);
    fmpq_clear(fraction);
}

static void set_constant(const struct formula_node *node, arb_poly_t y) {
    arb_t number;
    arb_init(number);
    if (node->kind == FORMULA_NUMBER)
        set_number(number, node->number);
    else if (node->kind == FORMULA_PI)
        arb_const_pi(number, BITS);
    else
        arb_const_e(number, BITS);
    arb_poly_set_coeff_arb(y, 0, number);
    arb_clear(number);
}

static void call(struct expansion *expansion, const struct formula_node *node, arb_poly_t y) {
    arb_poly_struct operands[MAX_OPERANDS];
    for (int i = 0; i < node->count; i++)
        operands[i] = expansion->nodes[node->arguments[i]]; /* looked at alone */
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, node->operation->name) == 0) {
            functions[i].expand(y, operands, TERMS, BITS);
            return;
        }
    expansion->known = node->rewriting && expand(node->rewriting, operands, y);
}

/* Whole powers. */
static void raise_power(struct expansion *expansion, const struct formula_node *node,
                        arb_poly_t y) {
    const struct formula_node *exponent = &expansion->formula->nodes[node->arguments[1]];
    const arb_poly_struct *base = &expansion->nodes[node->arguments[0]];
    expansion->known =
        exponent->kind == FORMULA_NUMBER && mpz_cmp_ui(mpq_denref(exponent->number), 1) == 0 &&
        mpz_fits_slong_p(mpq_numref(exponent->number)) && mpz_sgn(mpq_numref(exponent->number)) > 0;
    if (expansion->known)
        arb_poly_pow_ui_trunc_binexp(y, base, mpz_get_ui(mpq_numref(exponent->number)), TERMS,
                                     BITS);
}

/* 1 or -1 where the constant term of a - b has that sign, else 0. */
static int compare(const arb_poly_struct *a, const arb_poly_struct *b) {
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    arb_poly_get_coeff_arb(x, a, 0);
    if (b)
        arb_poly_get_coeff_arb(y, b, 0);
    arb_sub(x, x, y, BITS);
    int sign = arb_is_positive(x) - arb_is_negative(x);
    arb_clear(x);
    arb_clear(y);
    return sign;
}

/* Choices, by the constant terms: they fall alike in all of the square. */
static void choose(struct expansion *expansion, const struct formula_node *node, arb_poly_t y) {
    const arb_poly_struct *a = &expansion->nodes[node->arguments[0]];
    const arb_poly_struct *b = node->count > 1 ? &expansion->nodes[node->arguments[1]] : NULL;
    int order = compare(a, b);
    expansion->known = order != 0;
    if (node->kind == FORMULA_MAGNITUDE)
        (order > 0 ? arb_poly_set : arb_poly_neg)(y, a);
    else if (node->kind == FORMULA_SELECT)
        arb_poly_set(
            y, &expansion->nodes[node->arguments[formula_holds(node->relation, order) ? 2 : 3]]);
    else
        arb_poly_set(y, (order > 0) == (node->kind == FORMULA_GREATER) ? a : b);
}

static void step(struct expansion *expansion, const struct formula_node *node, arb_poly_t y) {
    const arb_poly_struct *a = &expansion->nodes[node->arguments[0]];
    const arb_poly_struct *b = &expansion->nodes[node->arguments[1]];
    switch (node->kind) {
    case FORMULA_NUMBER:
    case FORMULA_PI:
    case FORMULA_E:
        set_constant(node, y);
        break;
    case FORMULA_NEGATE:
        arb_poly_neg(y, a);
        break;
    case FORMULA_ADD:
        arb_poly_add_series(y, a, b, TERMS, BITS);
        break;
    case FORMULA_SUBTRACT:
        arb_poly_sub_series(y, a, b, TERMS, BITS);
        break;
    case FORMULA_MULTIPLY:
        arb_poly_mullow(y, a, b, TERMS, BITS);
        break;
    case FORMULA_DIVIDE:
        divide(y, a, b);
        break;
    case FORMULA_FUSED:
        arb_poly_mullow(y, a, b, TERMS, BITS);
        arb_poly_add_series(y, y, &expansion->nodes[node->arguments[2]], TERMS, BITS);
        break;
    case FORMULA_POWER:
        raise_power(expansion, node, y);
        break;
    case FORMULA_MAGNITUDE:
    case FORMULA_LESSER:
    case FORMULA_GREATER:
    case FORMULA_SELECT:
        choose(expansion, node, y);
        break;
    case FORMULA_FUNCTION:
        call(expansion, node, y);
        break;
    default:
        expansion->known = false; /* inf, nan, roundings */
        break;
    }
}

static bool expand(const struct formula *formula, const arb_poly_struct *operands, arb_poly_t y) {
    struct expansion expansion = {formula, calloc((size_t)formula->count, sizeof *expansion.nodes),
                                  true};
    if (!expansion.nodes)
        return false;
    for (int i = 0; i < formula->count; i++)
        arb_poly_init(&expansion.nodes[i]);
    for (int i = 0; i < formula->count && expansion.known; i++) {
        const struct formula_node *node = &formula->nodes[i];
        if (node->kind == FORMULA_OPERAND)
            arb_poly_set(&expansion.nodes[i], &operands[node->arguments[0]]);
        else
            step(&expansion, node, &expansion.nodes[i]);
    }
    if (expansion.known)
        arb_poly_set(y, &expansion.nodes[formula->count - 1]);
    for (int i = 0; i < formula->count; i++)
        arb_poly_clear(&expansion.nodes[i]);
    free(expansion.nodes);
    return expansion.known;
}

/* The largest square on which a bound is found. */
static bool find_radius(struct series *series, acb_srcptr leading) {
    acb_t square, image;
    bool found = false;
    acb_init(square);
    acb_init(image);
    for (series->radius_log2 = 0; !found && series->radius_log2 < MOST_RADIUS_LOG2;) {
        series->radius_log2 += 2;
        mag_set_ui_2exp_si(arb_radref(acb_realref(square)), 1, -series->radius_log2);
        mag_set_ui_2exp_si(arb_radref(acb_imagref(square)), 1, -series->radius_log2);
        formula_analytic(series->formula, image, leading, square, 64);
        found = acb_is_finite(image);
    }
    acb_get_mag(series->bound, image);
    acb_clear(square);
    acb_clear(image);
    return found;
}

static bool is_same(const struct real *a, const struct real *b) {
    return a->kind == b->kind && a->negative == b->negative &&
           (a->kind != REAL_FINITE ||
            (a->exponent == b->exponent && a->significand.high == b->significand.high &&
             a->significand.low == b->significand.low));
}

/* Expands the formula, unless it is expanded. */
static bool begin(struct series *series, const struct real *leading) {
    int last = series->formula->operands - 1;
    bool same = series->begun, numbers = true;
    for (int i = 0; i < last; i++) {
        same = same && is_same(&series->leading[i], &leading[i]);
        numbers = numbers && (leading[i].kind == REAL_FINITE || leading[i].kind == REAL_ZERO);
    }
    if (same)
        return series->known;
    acb_struct values[MAX_OPERANDS];
    arb_poly_struct operands[MAX_OPERANDS];
    for (int i = 0; i <= last; i++) {
        acb_init(&values[i]);
        arb_poly_init(&operands[i]);
        if (i == last)
            arb_poly_set_coeff_si(&operands[i], 1, 1);
        else if (numbers) {
            acb_set_d(&values[i], real_to_double(&leading[i]));
            arb_poly_set_coeff_arb(&operands[i], 0, acb_realref(&values[i]));
            series->leading[i] = leading[i];
        }
    }
    series->begun = numbers;
    arb_poly_zero(series->coefficients);
    series->known = numbers && find_radius(series, values) &&
                    expand(series->formula, operands, series->coefficients);
    for (int i = 0; i <= last; i++) {
        acb_clear(&values[i]);
        arb_poly_clear(&operands[i]);
    }
    return series->known;
}

static arb_srcptr coefficient(const struct series *series, slong k) {
    return arb_poly_get_coeff_ptr((arb_poly_struct *)series->coefficients, k);
}

/* The first coefficient from k on that is not exactly 0; TERMS where there is none. */
static slong next_term(const struct series *series, slong k) {
    while (k < TERMS && (!coefficient(series, k) || arb_is_zero(coefficient(series, k))))
        k++;
    return k;
}

/* The sum of all terms from that of x^k on, over x^k, for all |x| <= 2^reach_log2: a number whose sign is known, or
 * false. */
static bool enclose_rest(const struct series *series, slong k, slong reach_log2, struct value *y) {
    arb_t sum;
    mag_t rest;
    arb_init(sum);
    mag_init(rest);
    for (slong i = k; i < TERMS; i++) {
        arb_srcptr at = coefficient(series, i);
        if (at && i == k)
            arb_set(sum, at);
        else if (at) {
            arb_get_mag(rest, at);
            mag_mul_2exp_si(rest, rest, (i - k) * reach_log2);
            arb_add_error_mag(sum, rest);
        }
    }
    /* 1 - |x| / r is more than a half. */
    mag_mul_2exp_si(rest, series->bound,
                    (TERMS - k) * reach_log2 + TERMS * series->radius_log2 + 1);
    arb_add_error_mag(sum, rest);
    arb_get_interval_mpfr(y->low.at, y->high.at, sum);
    y->low.open = y->high.open = false;
    bool known = arb_is_positive(sum) || arb_is_negative(sum);
    value_is_enclosed(y);
    arb_clear(sum);
    mag_clear(rest);
    return known;
}

/* y = the exact coefficient of x^k. */
static bool take_exact(const struct series *series, slong k, struct value *y) {
    arb_srcptr at = coefficient(series, k);
    fmpq_t fraction;
    if (!arb_is_exact(at))
        return false;
    fmpq_init(fraction);
    arf_get_fmpq(fraction, arb_midref(at));
    fmpq_get_mpq(y->rational, fraction);
    fmpq_clear(fraction);
    value_is_rational(y);
    return true;
}

/* y = x^n. */
static void take_power(struct value *y, struct value *x, slong n) {
    mpq_set_ui(y->rational, 1, 1);
    value_is_rational(y);
    if (n)
        value_power(y, x, (long)n);
}

bool series_enclose(struct series *series, const struct real *leading, struct value *x,
                    struct value *y, struct value *slope) {
    mpfr_srcptr far = mpfr_cmpabs(x->low.at, x->high.at) > 0 ? x->low.at : x->high.at;
    if (!begin(series, leading) || !mpfr_regular_p(far))
        return false;
    slong reach = mpfr_get_exp(far), first = next_term(series, 0);
    if (reach > -series->radius_log2 - NEAR_LOG2 || first == TERMS)
        return false;
    struct value power, product;
    mpfr_prec_t precision = mpfr_get_prec(y->low.at);
    value_init(&power, precision);
    value_init(&product, precision);
    bool exact = take_exact(series, first, slope), known;
    slong next = exact ? next_term(series, first + 1) : first;
    /* y = x^first (exact + x^(next - first) rest) */
    known = next < TERMS && enclose_rest(series, next, reach, y);
    if (known && exact) {
        take_power(&power, x, next - first);
        value_multiply(&product, &power, y);
        value_add(y, slope, &product);
    }
    if (known) {
        value_set(&product, y);
        take_power(&power, x, first);
        value_multiply(y, &power, &product);
        if (first) {
            take_power(&power, x, first - 1);
            value_multiply(slope, &power, &product);
        } else
            value_divide(slope, y, x);
    }
    value_clear(&power);
    value_clear(&product);
    return known;
}
