/* Finding the inner node, once for each formula. */
#include "op/formula/affine.h"

#include <stdlib.h>

/* Sums of longer numbers count as inner nodes themselves. */
enum { NO_ATOM = -1, MOST_SUM_BITS = 1 << 16 };

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

/* A node with two operands, in `sum` where it is of the kind. */
static bool take_binary(const struct formula_node *node, const struct sum *a, const struct sum *b,
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
    const struct sum *from = constant[1] ? a : b, *by = constant[1] ? b : a;
    if (mpq_sgn(by->offset) == 0)
        return false;
    (divides ? mpq_div : mpq_mul)(sum->factor, from->factor, by->offset);
    (divides ? mpq_div : mpq_mul)(sum->offset, from->offset, by->offset);
    sum->atom = from->atom;
    return true;
}

static bool is_arithmetic(enum formula_kind kind) {
    return kind == FORMULA_ADD || kind == FORMULA_SUBTRACT || kind == FORMULA_MULTIPLY ||
           kind == FORMULA_DIVIDE;
}

static bool is_short(mpq_srcptr number) {
    return mpz_sizeinbase(mpq_numref(number), 2) + mpz_sizeinbase(mpq_denref(number), 2) <=
           MOST_SUM_BITS;
}

/* A node, from its arguments, which stand before it. */
static void take(const struct formula_node *node, int number, struct sum *sums) {
    const struct sum *a = &sums[node->arguments[0]], *b = &sums[node->arguments[1]];
    struct sum *sum = &sums[number];
    bool found = node->kind == FORMULA_NUMBER;
    if (found)
        mpq_set(sum->offset, node->number);
    else if (node->kind == FORMULA_NEGATE) {
        mpq_neg(sum->factor, a->factor);
        mpq_neg(sum->offset, a->offset);
        sum->atom = a->atom;
        found = true;
    } else if (is_arithmetic(node->kind))
        found = take_binary(node, a, b, sum);
    if (found && is_short(sum->factor) && is_short(sum->offset))
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

/* The node as one that can be rearranged; NULL where it is none. */
static struct affine *find(const struct formula_node *node, const struct sum *sums) {
    bool divides = node->kind == FORMULA_DIVIDE;
    if (!divides && node->kind != FORMULA_ADD && node->kind != FORMULA_SUBTRACT)
        return NULL;
    const struct sum *a = &sums[node->arguments[0]], *b = &sums[node->arguments[1]];
    struct affine *affine = NULL;
    if (a->atom != NO_ATOM && a->atom == b->atom && mpq_sgn(b->factor) != 0 &&
        node->arguments[0] != node->arguments[1])
        affine = calloc(1, sizeof *affine);
    if (!affine)
        return NULL;
    mpq_inits(affine->whole, affine->rest, affine->other_whole, affine->other_rest, (mpq_ptr)0);
    affine->atom = a->atom;
    affine->below = divides ? node->arguments[1] : -1;
    if (divides)
        split_quotient(affine, a, b);
    else {
        bool minus = node->kind == FORMULA_SUBTRACT;
        (minus ? mpq_sub : mpq_add)(affine->rest, a->factor, b->factor);
        (minus ? mpq_sub : mpq_add)(affine->whole, a->offset, b->offset);
    }
    return affine;
}

void affine_find(const struct formula *formula, struct affine **affine) {
    struct sum *sums = calloc((size_t)formula->count, sizeof *sums);
    for (int i = 0; sums && i < formula->count; i++) {
        sum_init(&sums[i]);
        take(&formula->nodes[i], i, sums);
        affine[i] = find(&formula->nodes[i], sums);
    }
    for (int i = 0; sums && i < formula->count; i++)
        sum_clear(&sums[i]);
    free(sums);
}
