/* Walking the tree. */
#include "op/formula/evaluate_parts.h"

#include "op/formula/known.h"
#include "op/formula/step.h"
#include "op/formula/undo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct formula_work *formula_work_open(const struct formula *formula) {
    struct formula_work *work = calloc(1, sizeof *work);
    size_t count = (size_t)formula->count;
    if (!work)
        return NULL;
    work->values = calloc(count, sizeof *work->values);
    work->done = calloc(count, sizeof *work->done);
    work->inner = calloc(count, sizeof *work->inner);
    work->affine = calloc(count, sizeof *work->affine);
    if (!work->values || !work->done || !work->inner || !work->affine) {
        free(work->affine);
        free(work->values);
        free(work->done);
        free(work->inner);
        free(work);
        return NULL;
    }
    work->formula = formula;
    work->precision = 2 * FORMULA_FIRST_BITS;
    stepper_open(&work->stepper, work->precision);
    for (int i = 0; i < formula->count; i++)
        value_init(&work->values[i], work->precision);
    affine_find(formula, work->affine);
    value_init(&work->spare, work->precision);
    value_init(&work->other_spare, work->precision);
    for (int i = 0; i < MAX_OPERANDS; i++) {
        value_init(&work->own[i], work->precision);
        work->operands[i] = &work->own[i];
    }
    mpfr_init2(work->other, work->precision);
    return work;
}

void formula_work_close(struct formula_work *work) {
    if (!work)
        return;
    stepper_close(&work->stepper);
    series_close(work->series);
    for (int i = 0; i < work->formula->count; i++) {
        value_clear(&work->values[i]);
        formula_work_close(work->inner[i]);
        affine_free(work->affine[i]);
    }
    value_clear(&work->spare);
    value_clear(&work->other_spare);
    for (int i = 0; i < MAX_OPERANDS; i++)
        value_clear(&work->own[i]);
    mpfr_clear(work->other);
    free(work->values);
    free(work->done);
    free(work->inner);
    free(work->affine);
    free(work);
}

void formula_work_begin(struct formula_work *work, mpfr_prec_t precision) {
    memset(work->done, 0, (size_t)work->formula->count * sizeof *work->done);
    if (work->precision == precision)
        return;
    work->precision = precision;
    stepper_set_precision(&work->stepper, precision);
    for (int i = 0; i < work->formula->count; i++)
        value_set_precision(&work->values[i], precision);
    value_set_precision(&work->spare, precision);
    value_set_precision(&work->other_spare, precision);
}

/* A constant that MPFR has. */
static void set_constant(struct formula_work *work, enum formula_kind kind, struct value *y) {
    mpfr_ptr at = work->stepper.result;
    int ternary = 1;
    if (kind == FORMULA_PI)
        ternary = mpfr_const_pi(at, MPFR_RNDZ);
    else {
        mpfr_set_ui(at, 1, MPFR_RNDN);
        ternary = mpfr_exp(at, at, MPFR_RNDZ);
    }
    value_set_truncated(y, at, ternary);
}

static void choose(struct formula_work *work, const struct formula_node *node, struct value *y) {
    struct value *a = formula_value_of(work, node->arguments[0]),
                 *b = formula_value_of(work, node->arguments[1]);
    int order = value_compare(a, b);
    if (order == VALUE_OPEN && node->arguments[0] == node->arguments[1] && a->kind != VALUE_UNKNOWN)
        order = 0;
    if (order == VALUE_OPEN)
        value_set_kind(y, VALUE_UNKNOWN, false);
    else
        value_set(y, formula_value_of(
                         work, node->arguments[formula_holds(node->relation, order) ? 2 : 3]));
}

/* The function by what it is in terms of others. */
static void rewrite(struct formula_work *work, const struct formula_node *node, int number,
                    struct value *const *arguments, struct value *y) {
    struct formula_work *inner = work->inner[number];
    value_set_kind(y, VALUE_UNKNOWN, false);
    if (!node->rewriting)
        return;
    if (!inner)
        inner = work->inner[number] = formula_work_open(node->rewriting);
    if (!inner)
        return;
    formula_work_begin(inner, work->precision);
    for (int i = 0; i < node->count; i++)
        inner->operands[i] = arguments[i];
    value_set(y, formula_value_of(inner, node->rewriting->count - 1));
}

static void call(struct formula_work *work, const struct formula_node *node, int number,
                 struct value *y) {
    struct value *arguments[MAX_OPERANDS] = {NULL};
    struct value *inside = undo_function(work, formula_value_of, node);
    for (int i = 0; i < node->count; i++)
        arguments[i] = formula_value_of(work, node->arguments[i]);
    if (inside)
        value_set(y, inside);
    else if (!undo_product(work, formula_value_of, node, y) &&
             !step_function(&work->stepper, node->operation, arguments, y))
        rewrite(work, node, number, arguments, y);
}

/* The root's operand, where a power is taken of sqrt or cbrt that undoes it; else NULL. */
static struct value *under_root(struct formula_work *work, const struct formula_node *node,
                                long power) {
    const struct formula_node *base = &work->formula->nodes[node->arguments[0]];
    int root = base->kind == FORMULA_FUNCTION ? base->operation->result[0].root : 0;
    if (!root || power % root != 0)
        return NULL;
    struct value *under = formula_value_of(work, base->arguments[0]);
    int sign = value_sign(under);
    return sign > 0 || (root == 3 && sign < 0) ? under : NULL;
}

/* (u^p)^q of a u above 0 and fractions p and q is u^(p q). */
static bool raise_twice(struct formula_work *work, const struct formula_node *node,
                        struct value *exponent, struct value *y) {
    const struct formula_node *base = &work->formula->nodes[node->arguments[0]];
    struct value *u =
        base->kind == FORMULA_POWER ? formula_value_of(work, base->arguments[0]) : NULL;
    struct value *inner = u ? formula_value_of(work, base->arguments[1]) : NULL;
    if (!u || value_sign(u) <= 0 || u->kind == VALUE_INFINITE || inner->kind != VALUE_RATIONAL ||
        exponent->kind != VALUE_RATIONAL)
        return false;
    value_multiply(&work->spare, inner, exponent);
    step_power(&work->stepper, u, &work->spare, y);
    return true;
}

static void raise_power(struct formula_work *work, const struct formula_node *node,
                        struct value *y) {
    struct value *exponent = formula_value_of(work, node->arguments[1]);
    long power;
    struct value *under = value_is_long(exponent, &power) ? under_root(work, node, power) : NULL;
    const struct formula_node *base = &work->formula->nodes[node->arguments[0]];
    struct value *inside = undo_function(work, formula_value_of, node);
    if (inside)
        value_set(y, inside);
    else if (under)
        value_power(y, under, power / base->operation->result[0].root);
    else if (!raise_twice(work, node, exponent, y))
        step_power(&work->stepper, formula_value_of(work, node->arguments[0]), exponent, y);
}

/* u - u, u / u and u u, which say more of u than two enclosures; false for other steps. */
static bool combine_same(struct formula_work *work, const struct formula_node *node,
                         struct value *y) {
    struct value *a = formula_value_of(work, node->arguments[0]);
    if (node->arguments[0] != node->arguments[1] || a->kind != VALUE_ENCLOSED)
        return false;
    if (node->kind == FORMULA_SUBTRACT) {
        value_set_kind(y, VALUE_ZERO, false);
        y->cancelled = true;
    } else if (node->kind == FORMULA_DIVIDE && value_sign(a)) {
        mpq_set_ui(y->rational, 1, 1);
        value_is_rational(y);
    } else if (node->kind == FORMULA_MULTIPLY) {
        struct value *under = under_root(work, node, 2);
        if (under)
            value_set(y, under);
        else
            value_power(y, a, 2);
    } else
        return false;
    return true;
}

static void combine(struct formula_work *work, const struct formula_node *node, struct value *y) {
    struct value *a = formula_value_of(work, node->arguments[0]);
    struct value *b = node->count > 1 ? formula_value_of(work, node->arguments[1]) : NULL;
    if (b && combine_same(work, node, y))
        return;
    switch (node->kind) {
    case FORMULA_NEGATE:
        value_negate(y, a);
        break;
    case FORMULA_MAGNITUDE:
        value_magnitude(y, a);
        break;
    case FORMULA_ADD:
        value_add(y, a, b);
        break;
    case FORMULA_SUBTRACT:
        value_subtract(y, a, b);
        break;
    case FORMULA_MULTIPLY:
        value_multiply(y, a, b);
        break;
    case FORMULA_DIVIDE:
        value_divide(y, a, b);
        break;
    case FORMULA_LESSER:
    case FORMULA_GREATER:
        step_extremum(a, b, node->kind == FORMULA_LESSER ? -1 : 1, y);
        break;
    default:
        step_round(node->format, a, y);
        break;
    }
}

static void fuse(struct formula_work *work, const struct formula_node *node, struct value *y) {
    struct value *factors[] = {formula_value_of(work, node->arguments[0]),
                               formula_value_of(work, node->arguments[1])};
    struct value *term = formula_value_of(work, node->arguments[2]);
    if (!combine_same(work,
                      &(struct formula_node){.kind = FORMULA_MULTIPLY,
                                             .arguments = {node->arguments[0], node->arguments[1]}},
                      &work->spare))
        value_multiply(&work->spare, factors[0], factors[1]);
    value_add(y, &work->spare, term);
}

static void compute(struct formula_work *work, int number, struct value *y) {
    const struct formula_node *node = &work->formula->nodes[number];
    switch (node->kind) {
    case FORMULA_NUMBER:
        mpq_set(y->rational, node->number);
        value_is_rational(y);
        break;
    case FORMULA_PI:
    case FORMULA_E:
        set_constant(work, node->kind, y);
        break;
    case FORMULA_INFINITY:
        value_set_kind(y, VALUE_INFINITE, false);
        break;
    case FORMULA_NAN:
        value_set_kind(y, VALUE_NAN, false);
        break;
    case FORMULA_OPERAND:
        value_set(y, work->operands[node->arguments[0]]);
        break;
    case FORMULA_POWER:
        raise_power(work, node, y);
        break;
    case FORMULA_SELECT:
        choose(work, node, y);
        break;
    case FORMULA_FUSED:
        fuse(work, node, y);
        break;
    case FORMULA_FUNCTION:
        call(work, node, number, y);
        break;
    default:
        combine(work, node, y);
        break;
    }
}

/* A sum or quotient rearranged around an enclosed inner node; false where the steps as they stand will do. */
static bool rearrange(struct formula_work *work, int number, struct value *y) {
    const struct affine *affine = work->affine[number];
    struct value *atom = affine ? formula_value_of(work, affine->atom) : NULL;
    if (!affine || atom->kind != VALUE_ENCLOSED)
        return false;
    struct value *below = affine->below < 0 ? NULL : formula_value_of(work, affine->below);
    bool large = mpfr_cmp_ui(atom->low.at, 1) >= 0 || mpfr_cmp_si(atom->high.at, -1) <= 0;
    bool by_atom = !below || (!large && affine->has_other);
    bool other = below && by_atom;
    if (below && (!value_sign(below) || (!large && !other)))
        return false;
    mpq_set(work->spare.rational, other ? affine->other_rest : affine->rest);
    value_is_rational(&work->spare);
    if (by_atom && work->spare.kind != VALUE_ZERO)
        value_multiply(&work->other_spare, &work->spare, atom);
    else
        value_set(&work->other_spare, &work->spare);
    if (below && work->spare.kind != VALUE_ZERO)
        value_divide(&work->spare, &work->other_spare, below);
    else
        value_set(&work->spare, &work->other_spare);
    mpq_set(work->other_spare.rational, other ? affine->other_whole : affine->whole);
    value_is_rational(&work->other_spare);
    bool nothing = work->spare.kind == VALUE_ZERO && work->other_spare.kind == VALUE_ZERO;
    value_add(y, &work->other_spare, &work->spare);
    y->cancelled = nothing;
    return true;
}

/* Where closed forms of the operands say what the result is, nothing is computed. */
static void evaluate(struct formula_work *work, int number, struct value *y) {
    const struct formula_node *node = &work->formula->nodes[number];
    bool one = node->kind == FORMULA_PI || node->kind == FORMULA_E;
    bool steps = node->kind != FORMULA_SELECT && node->kind != FORMULA_ROUND && node->count > 0 &&
                 node->count <= 2;
    struct value *a = steps ? formula_value_of(work, node->arguments[0]) : NULL;
    struct value *b = steps && node->count > 1 ? formula_value_of(work, node->arguments[1]) : NULL;
    if (steps && known_result(&work->stepper, node, a, b, y))
        return;
    if (!rearrange(work, number, y))
        compute(work, number, y);
    if (steps || one)
        known_form(node, a, b, y);
}

struct value *formula_value_of(struct formula_work *work, int node) {
    if (!work->done[node]) {
        evaluate(work, node, &work->values[node]);
        work->done[node] = true;
    }
    return &work->values[node];
}

enum { MOST_BITS = VALUE_RATIONAL_BITS, MOST_BITS_OF_SLOW = 1 << 12 };

/* Functions that MPFR has at 2^16 bits within milliseconds. */
static bool is_quick(const struct operation *operation) {
    const struct function_rule *rule = function_rule(operation);
    const enum reduction_kind reduction = operation->result[0].reduction;
    if (reduction == REDUCTION_SIN || reduction == REDUCTION_COS || reduction == REDUCTION_TAN)
        return true;
    return rule && rule->shape != SHAPE_OTHER && strncmp(operation->name, "erf", 3) != 0 &&
           (rule->shape == SHAPE_STEPS || operation->result[0].mpfr1);
}

int formula_most_precision(const struct formula *formula) {
    for (int i = 0; i < formula->count; i++) {
        const struct formula_node *node = &formula->nodes[i];
        bool quick = node->kind != FORMULA_FUNCTION || is_quick(node->operation) ||
                     (node->rewriting && formula_most_precision(node->rewriting) == MOST_BITS);
        if (!quick)
            return MOST_BITS_OF_SLOW;
    }
    return MOST_BITS;
}

struct formula_exponents formula_widen_exponents(void) {
    struct formula_exponents before = {mpfr_get_emin(), mpfr_get_emax()};
    mpfr_set_emin(-FORMULA_EXPONENT_RANGE);
    mpfr_set_emax(FORMULA_EXPONENT_RANGE);
    return before;
}

void formula_restore_exponents(struct formula_exponents before) {
    mpfr_set_emin(before.least);
    mpfr_set_emax(before.most);
}

enum { TRIES_OF_FEWER = 16 };

bool formula_truncate(struct formula_work *work, const struct real *operands, mpfr_ptr result,
                      int *ternary, struct real *special, bool *is_special) {
    const struct formula_exponents before = formula_widen_exponents();
    int most = formula_most_precision(work->formula);
    bool decided = false;
    mpfr_set_prec(work->other, mpfr_get_prec(result));
    for (int i = 0; i < work->formula->operands; i++)
        value_set_real(&work->own[i], &operands[i]);
    /* The next input mostly takes as many bits as this one. That changes no result: what is decided is proved. */
    mpfr_prec_t precision = mpfr_get_prec(result) + FORMULA_FIRST_BITS, last = 0;
    if (work->enough > precision && ++work->inputs % TRIES_OF_FEWER)
        precision = work->enough;
    for (; !decided && last < most; precision *= 2) {
        last = precision < most ? precision : most;
        work->enough = last;
        formula_work_begin(work, last);
        decided = value_truncate(formula_value_of(work, work->formula->count - 1), result,
                                 work->other, ternary, special, is_special);
    }
    formula_restore_exponents(before);
    return decided;
}
