/* Finding the inner node, once for each formula. */
#include "op/formula/affine.h"

#include <stdlib.h>

enum { NO_ATOM = -1 };

/* offset + factor atom. */
struct sum {
    int atom;
    mpq_t factor, offset;
};

static void sum_init(struct sum *sum) {
    mpq_init(sum->factor);
    mpq_init(sum->offset);
    sum->atom = NO_ATOM;
}

static void sum_clear(struct sum *sum) {
    mpq_clear(sum->factor);
    mpq_clear(sum->offset);
}

static void scale(struct sum *sum, mpq_srcptr by) {
    mpq_mul(sum->factor, sum->factor, by);
    mpq_mul(sum->offset, sum->offset, by);
}

static void take(const struct formula *formula, int number, struct sum *sum);

/* A node with two operands, in `sum` where it is of the kind. */
static bool take_binary(const struct formula_node *node, struct sum *a, struct sum *b,
                        struct sum *sum) {
    bool minus = node->kind == FORMULA_SUBTRACT;
    bool constant[] = {a->atom == NO_ATOM, b->atom == NO_ATOM};
    if (node->kind == FORMULA_ADD || minus) {
        if (!constant[0] && !constant[1] && a->atom != b->atom)
            return false;
        (minus ? mpq_sub : mpq_add)(sum->factor, a->factor, b->factor);
        (minus ? mpq_sub : mpq_add)(sum->offset, a->offset, b->offset);
        sum->atom = constant[0] ? b->atom : a->atom;
        return true;
    }
    bool divides = node->kind == FORMULA_DIVIDE;
    if ((!divides && node->kind != FORMULA_MULTIPLY) || !(constant[1] || (constant[0] && !divides)))
        return false;
    struct sum *from = constant[1] ? a : b, *by = constant[1] ? b : a;
    if (mpq_sgn(by->offset) == 0)
        return false;
    if (divides)
        mpq_inv(by->offset, by->offset);
    scale(from, by->offset);
    mpq_set(sum->factor, from->factor);
    mpq_set(sum->offset, from->offset);
    sum->atom = from->atom;
    return true;
}

static bool is_arithmetic(enum formula_kind kind) {
    return kind == FORMULA_ADD || kind == FORMULA_SUBTRACT || kind == FORMULA_MULTIPLY ||
           kind == FORMULA_DIVIDE;
}

static void take(const struct formula *formula, int number, struct sum *sum) {
    const struct formula_node *node = &formula->nodes[number];
    bool found = node->kind == FORMULA_NUMBER;
    if (found)
        mpq_set(sum->offset, node->number);
    else if (node->kind == FORMULA_NEGATE) {
        take(formula, node->arguments[0], sum);
        mpq_neg(sum->factor, sum->factor);
        mpq_neg(sum->offset, sum->offset);
        found = true;
    } else if (is_arithmetic(node->kind)) {
        struct sum a, b;
        sum_init(&a);
        sum_init(&b);
        take(formula, node->arguments[0], &a);
        take(formula, node->arguments[1], &b);
        found = take_binary(node, &a, &b, sum);
        sum_clear(&a);
        sum_clear(&b);
    }
    if (found)
        return;
    sum->atom = number;
    mpq_set_ui(sum->factor, 1, 1);
    mpq_set_ui(sum->offset, 0, 1);
}

void affine_free(struct affine *affine) {
    if (!affine)
        return;
    mpq_clear(affine->whole);
    mpq_clear(affine->rest);
    mpq_clear(affine->other_whole);
    mpq_clear(affine->other_rest);
    free(affine);
}

/* whole = a / b, and rest = c - whole d; b is not 0. */
static void split(mpq_srcptr a, mpq_srcptr b, mpq_srcptr c, mpq_srcptr d, mpq_t whole, mpq_t rest) {
    mpq_div(whole, a, b);
    mpq_mul(rest, whole, d);
    mpq_sub(rest, c, rest);
}

static void split_quotient(struct affine *affine, const struct sum *a, const struct sum *b) {
    split(a->factor, b->factor, a->offset, b->offset, affine->whole, affine->rest);
    affine->has_other = mpq_sgn(b->offset) != 0;
    if (affine->has_other)
        split(a->offset, b->offset, a->factor, b->factor, affine->other_whole, affine->other_rest);
}

struct affine *affine_find(const struct formula *formula, int number) {
    const struct formula_node *node = &formula->nodes[number];
    bool divides = node->kind == FORMULA_DIVIDE;
    struct sum a, b;
    if (!divides && node->kind != FORMULA_ADD && node->kind != FORMULA_SUBTRACT)
        return NULL;
    sum_init(&a);
    sum_init(&b);
    take(formula, node->arguments[0], &a);
    take(formula, node->arguments[1], &b);
    struct affine *affine = NULL;
    if (a.atom != NO_ATOM && a.atom == b.atom && mpq_sgn(b.factor) != 0 &&
        node->arguments[0] != node->arguments[1])
        affine = calloc(1, sizeof *affine);
    if (affine) {
        mpq_inits(affine->whole, affine->rest, affine->other_whole, affine->other_rest, (mpq_ptr)0);
        affine->atom = a.atom;
        affine->below = divides ? node->arguments[1] : -1;
        if (divides)
            split_quotient(affine, &a, &b);
        else {
            bool minus = node->kind == FORMULA_SUBTRACT;
            (minus ? mpq_sub : mpq_add)(affine->rest, a.factor, b.factor);
            (minus ? mpq_sub : mpq_add)(affine->whole, a.offset, b.offset);
        }
    }
    sum_clear(&a);
    sum_clear(&b);
    return affine;
}
