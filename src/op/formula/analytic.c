/* Balls of complex numbers, step by step. */
#include "op/formula/analytic.h"

#include "op/formula/functions.h"
#include "op/formula/step.h"
#include "op/function/arb_rule.h"

#include <stdlib.h>
#include <string.h>

/* One walk over a tree. */
struct walk {
    const struct formula *formula;
    acb_srcptr const *operands;
    acb_ptr values;
    bool *done;
    slong precision;
};

static bool is_analytic_step(const struct formula_node *node) {
    const struct function_rule *rule = node->operation ? function_rule(node->operation) : NULL;
    const struct arb_rule *arb = node->operation ? node->operation->result[0].arb : NULL;
    return node->kind != FORMULA_FUNCTION || (node->count == 1 && arb && arb->analytic) ||
           (rule && (rule->rewriting || rule->shape == SHAPE_STEPS));
}

static bool are_steps_analytic(const struct formula *formula) {
    for (int i = 0; i < formula->count; i++) {
        const struct formula_node *node = &formula->nodes[i];
        if (!is_analytic_step(node) || (node->rewriting && !are_steps_analytic(node->rewriting)))
            return false;
    }
    return true;
}

bool formula_is_analytic(const struct formula *formula) {
    return are_steps_analytic(formula);
}

static acb_srcptr walk_to(struct walk *walk, int node);

static void walk_all(const struct formula *formula, acb_srcptr const *operands, acb_t y,
                     slong precision) {
    struct walk walk = {.formula = formula,
                        .operands = operands,
                        .values = _acb_vec_init(formula->count),
                        .done = calloc((size_t)formula->count, sizeof(bool)),
                        .precision = precision};
    if (walk.done)
        acb_set(y, walk_to(&walk, formula->count - 1));
    else
        acb_indeterminate(y);
    _acb_vec_clear(walk.values, formula->count);
    free(walk.done);
}

void formula_analytic(const struct formula *formula, acb_t y, acb_srcptr leading, const acb_t z,
                      slong precision) {
    acb_srcptr operands[MAX_OPERANDS];
    for (int i = 0; i < MAX_OPERANDS; i++)
        operands[i] = i + 1 < formula->operands ? leading + i : z;
    walk_all(formula, operands, y, precision);
}

static void set_number(arb_t y, mpq_srcptr number, slong precision) {
    fmpz_t part;
    arb_t denominator;
    fmpz_init(part);
    arb_init(denominator);
    fmpz_set_mpz(part, mpq_numref(number));
    arb_set_round_fmpz(y, part, precision);
    fmpz_set_mpz(part, mpq_denref(number));
    arb_set_round_fmpz(denominator, part, precision);
    arb_div(y, y, denominator, precision);
    fmpz_clear(part);
    arb_clear(denominator);
}

/* -1, 0 or 1 where that holds of all real numbers of the ball, else VALUE_OPEN. */
static int compare(acb_srcptr a, acb_srcptr b, slong precision) {
    arb_t difference;
    arb_init(difference);
    arb_sub(difference, acb_realref(a), acb_realref(b), precision);
    int order = !acb_is_finite(a) || !acb_is_finite(b) ? VALUE_OPEN
                : arb_is_positive(difference)          ? 1
                : arb_is_negative(difference)          ? -1
                : arb_is_zero(difference)              ? 0
                                                       : VALUE_OPEN;
    arb_clear(difference);
    return order;
}

/* 1 or -1 of inf and -inf, else 0. */
static int infinite_sign(const struct formula *formula, int node) {
    const struct formula_node *at = &formula->nodes[node];
    if (at->kind == FORMULA_NEGATE)
        return -infinite_sign(formula, at->arguments[0]);
    return at->kind == FORMULA_INFINITY ? 1 : 0;
}

static void choose(struct walk *walk, const struct formula_node *node, acb_t y) {
    int a = node->arguments[0], b = node->arguments[1], infinite = infinite_sign(walk->formula, b);
    int order;
    if (a == b || infinite) /* of what is finite where the ball is */
        order = !acb_is_finite(walk_to(walk, a)) ? VALUE_OPEN : -infinite;
    else
        order = compare(walk_to(walk, a), walk_to(walk, b), walk->precision);
    if (order == VALUE_OPEN)
        acb_indeterminate(y);
    else
        acb_set(y, walk_to(walk, node->arguments[formula_holds(node->relation, order) ? 2 : 3]));
}

static void take_extremum(struct walk *walk, const struct formula_node *node, acb_t y) {
    acb_srcptr a = walk_to(walk, node->arguments[0]), b = walk_to(walk, node->arguments[1]);
    int order = compare(a, b, walk->precision);
    if (order == VALUE_OPEN)
        acb_indeterminate(y);
    else
        acb_set(y, (order > 0) == (node->kind == FORMULA_GREATER) ? a : b);
}

/* The power series of z^n is entire for n >= 0; other powers are those of a base with a real part above 0. */
static void raise_power(struct walk *walk, const struct formula_node *node, acb_t y) {
    const struct formula_node *exponent = &walk->formula->nodes[node->arguments[1]];
    acb_srcptr a = walk_to(walk, node->arguments[0]), b = walk_to(walk, node->arguments[1]);
    slong n = 0;
    bool whole = arb_is_exact(acb_realref(b)) && acb_is_real(b) && arb_is_int(acb_realref(b)) &&
                 arf_cmpabs_2exp_si(arb_midref(acb_realref(b)), 30) < 0;
    if (whole)
        n = arf_get_si(arb_midref(acb_realref(b)), ARF_RND_DOWN);
    if (whole && exponent->kind != FORMULA_OPERAND)
        acb_pow_si(y, a, n, walk->precision);
    else if (!arb_is_positive(acb_realref(a)))
        acb_indeterminate(y);
    else {
        acb_log(y, a, walk->precision);
        acb_mul(y, y, b, walk->precision);
        acb_exp(y, y, walk->precision);
    }
}

/* The one integer, or number of a format, to which all real numbers of the ball round. */
static void round_all(const struct formula_node *node, acb_srcptr a, acb_t y) {
    struct value x, rounded;
    value_init(&x, 128);
    value_init(&rounded, 128);
    arb_get_interval_mpfr(x.low.at, x.high.at, acb_realref(a));
    x.low.open = x.high.open = false;
    value_is_enclosed(&x);
    if (acb_is_finite(a)) {
        if (node->kind == FORMULA_ROUND)
            step_round(node->format, &x, &rounded);
        else
            step_to_integer(&x, function_rule(node->operation)->rounding, &rounded);
    }
    if (rounded.kind == VALUE_ZERO)
        acb_zero(y);
    else if (rounded.kind == VALUE_RATIONAL) {
        acb_zero(y);
        set_number(acb_realref(y), rounded.rational, 128);
    } else
        acb_indeterminate(y);
    value_clear(&x);
    value_clear(&rounded);
}

static void call(struct walk *walk, const struct formula_node *node, acb_t y) {
    const struct arb_rule *arb = node->operation->result[0].arb;
    const struct function_rule *rule = function_rule(node->operation);
    acb_srcptr arguments[MAX_OPERANDS] = {NULL};
    for (int i = 0; i < node->count; i++) {
        arguments[i] = walk_to(walk, node->arguments[i]);
        if (!acb_is_finite(arguments[i])) {
            acb_indeterminate(y);
            return;
        }
    }
    if (rule && rule->shape == SHAPE_STEPS)
        round_all(node, arguments[0], y);
    else if (node->count == 1 && arb && arb->analytic)
        arb->analytic(y, arguments[0], walk->precision);
    else if (node->rewriting)
        walk_all(node->rewriting, arguments, y, walk->precision);
    else
        acb_indeterminate(y);
}

static void take_magnitude(acb_srcptr a, acb_t y) {
    if (arb_is_positive(acb_realref(a)))
        acb_set(y, a);
    else if (arb_is_negative(acb_realref(a)))
        acb_neg(y, a);
    else
        acb_indeterminate(y);
}

static void combine(struct walk *walk, const struct formula_node *node, acb_t y) {
    acb_srcptr a = walk_to(walk, node->arguments[0]);
    acb_srcptr b = node->count > 1 ? walk_to(walk, node->arguments[1]) : NULL;
    switch (node->kind) {
    case FORMULA_NEGATE:
        acb_neg(y, a);
        break;
    case FORMULA_MAGNITUDE:
        take_magnitude(a, y);
        break;
    case FORMULA_ADD:
        acb_add(y, a, b, walk->precision);
        break;
    case FORMULA_SUBTRACT:
        acb_sub(y, a, b, walk->precision);
        break;
    case FORMULA_MULTIPLY:
        acb_mul(y, a, b, walk->precision);
        break;
    case FORMULA_DIVIDE:
        acb_div(y, a, b, walk->precision);
        break;
    default: /* FORMULA_FUSED */
        acb_mul(y, a, b, walk->precision);
        acb_add(y, y, walk_to(walk, node->arguments[2]), walk->precision);
        break;
    }
}

static void evaluate(struct walk *walk, const struct formula_node *node, acb_t y) {
    switch (node->kind) {
    case FORMULA_NUMBER:
        acb_zero(y);
        set_number(acb_realref(y), node->number, walk->precision);
        break;
    case FORMULA_PI:
        acb_const_pi(y, walk->precision);
        break;
    case FORMULA_E:
        acb_zero(y);
        arb_const_e(acb_realref(y), walk->precision);
        break;
    case FORMULA_INFINITY:
    case FORMULA_NAN:
        acb_indeterminate(y);
        break;
    case FORMULA_OPERAND:
        acb_set(y, walk->operands[node->arguments[0]]);
        break;
    case FORMULA_POWER:
        raise_power(walk, node, y);
        break;
    case FORMULA_LESSER:
    case FORMULA_GREATER:
        take_extremum(walk, node, y);
        break;
    case FORMULA_SELECT:
        choose(walk, node, y);
        break;
    case FORMULA_ROUND:
        round_all(node, walk_to(walk, node->arguments[0]), y);
        break;
    case FORMULA_FUNCTION:
        call(walk, node, y);
        break;
    default:
        combine(walk, node, y);
        break;
    }
}

/* The functions of rows want balls whose centre is real. A formula is real on real numbers, so its values at
 * conjugates are conjugates, and the ball may be one of those. */
static void centre(acb_t y) {
    arb_ptr part = acb_imagref(y);
    mag_t middle;
    mag_init(middle);
    arf_get_mag(middle, arb_midref(part));
    mag_add(arb_radref(part), arb_radref(part), middle);
    arf_zero(arb_midref(part));
    mag_clear(middle);
}

static acb_srcptr walk_to(struct walk *walk, int node) {
    acb_ptr y = walk->values + node;
    if (!walk->done[node]) {
        evaluate(walk, &walk->formula->nodes[node], y);
        if (acb_is_finite(y))
            centre(y);
        walk->done[node] = true;
    }
    return y;
}
