/* Sums and quotients of one inner node and numbers: (e^(2x) - 1) / (e^(2x) + 1) is 1 - 2 / (e^(2x) + 1). Enclosures of
 * the numerator and of the denominator lose what they share, and the rearranged quotient keeps it: it lies below 1
 * however large x is, which no number of bits would tell otherwise. */
#ifndef DETCHECK_OP_FORMULA_AFFINE_H
#define DETCHECK_OP_FORMULA_AFFINE_H

#include "op/formula/tree.h"

/* A node of a tree as whole + rest / below, or with `by_atom` whole + rest atom / below; without `below` (-1) as
 * whole + rest atom. */
struct affine {
    int atom, below;
    mpq_t whole, rest;             /* for a large atom, and for sums */
    mpq_t other_whole, other_rest; /* for a small one, by_atom; where `has_other` */
    bool has_other;
};

/* Sets, for each node of the tree, affine[node]: NULL where it is nothing of the kind, or memory is out. */
void affine_find(const struct formula *formula, struct affine **affine);
void affine_free(struct affine *affine);

#endif
