/* Steps on power series, by Arb's arithmetic of polynomials. */
#include "op/formula/series_parts.h"

#include <arb_hypgeom.h>
#include <stdlib.h>
#include <string.h>

/* The steps of one tree; `known` is false once one of them has no series. */
struct expansion {
    const struct formula *formula;
    arb_poly_struct *nodes;
    bool known;
};

/* Quotients, coefficient by coefficient: 27/27 is 1, where Arb would multiply by 1/27. */
static void divide(arb_poly_t y, const arb_poly_t a, const arb_poly_t b) {
    arb_ptr quotient = _arb_vec_init(SERIES_TERMS);
    arb_t first, other;
    arb_init(first);
    arb_init(other);
    arb_poly_get_coeff_arb(first, b, 0);
    for (slong k = 0; k < SERIES_TERMS; k++) {
        arb_poly_get_coeff_arb(quotient + k, a, k);
        for (slong j = 0; j < k; j++) {
            arb_poly_get_coeff_arb(other, b, k - j);
            arb_submul(quotient + k, quotient + j, other, SERIES_BITS);
        }
        arb_div(quotient + k, quotient + k, first, SERIES_BITS);
    }
    arb_poly_zero(y);
    for (slong k = SERIES_TERMS - 1; k >= 0; k--)
        arb_poly_set_coeff_arb(y, k, quotient + k);
    _arb_vec_clear(quotient, SERIES_TERMS);
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
    arb_set_fmpq(y, fraction, SERIES_BITS);
    fmpq_clear(fraction);
}

static void set_constant(const struct formula_node *node, arb_poly_t y) {
    arb_t number;
    arb_init(number);
    if (node->kind == FORMULA_NUMBER)
        set_number(number, node->number);
    else if (node->kind == FORMULA_PI)
        arb_const_pi(number, SERIES_BITS);
    else
        arb_const_e(number, SERIES_BITS);
    arb_poly_set_coeff_arb(y, 0, number);
    arb_clear(number);
}

static void call(struct expansion *expansion, const struct formula_node *node, arb_poly_t y) {
    arb_poly_struct operands[MAX_OPERANDS];
    for (int i = 0; i < node->count; i++)
        operands[i] = expansion->nodes[node->arguments[i]]; /* looked at alone */
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, node->operation->name) == 0) {
            functions[i].expand(y, operands, SERIES_TERMS, SERIES_BITS);
            return;
        }
    expansion->known = node->rewriting && series_expand(node->rewriting, operands, y);
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
        arb_poly_pow_ui_trunc_binexp(y, base, mpz_get_ui(mpq_numref(exponent->number)),
                                     SERIES_TERMS, SERIES_BITS);
}

/* 1 or -1 where the constant term of a - b has that sign, else 0. */
static int compare(const arb_poly_struct *a, const arb_poly_struct *b) {
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    arb_poly_get_coeff_arb(x, a, 0);
    if (b)
        arb_poly_get_coeff_arb(y, b, 0);
    arb_sub(x, x, y, SERIES_BITS);
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
        arb_poly_add_series(y, a, b, SERIES_TERMS, SERIES_BITS);
        break;
    case FORMULA_SUBTRACT:
        arb_poly_sub_series(y, a, b, SERIES_TERMS, SERIES_BITS);
        break;
    case FORMULA_MULTIPLY:
        arb_poly_mullow(y, a, b, SERIES_TERMS, SERIES_BITS);
        break;
    case FORMULA_DIVIDE:
        divide(y, a, b);
        break;
    case FORMULA_FUSED:
        arb_poly_mullow(y, a, b, SERIES_TERMS, SERIES_BITS);
        arb_poly_add_series(y, y, &expansion->nodes[node->arguments[2]], SERIES_TERMS, SERIES_BITS);
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

bool series_expand(const struct formula *formula, const arb_poly_struct *operands, arb_poly_t y) {
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
