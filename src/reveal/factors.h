/* What becomes of terms, or of the factors of products, before anything is added: they are rounded, or cut into slices. */
#ifndef DETCHECK_REVEAL_FACTORS_H
#define DETCHECK_REVEAL_FACTORS_H

#include "reveal/aim.h"

bool aim_factors(struct aim *aim, struct error *error);
/* Whether factors are rounded to so few bits that no probe sees more of their products. */
bool factors_keep_products(const struct aim *aim);

/* A way to cut what is kept into slices, and to add the totals of their products. */
struct slices_cut {
    unsigned bins, width;
    enum order_totals totals;
};
unsigned slices_cuts(const struct aimed_slices *slices);
/* False where there is no such one; the other one puts it into a node. */
bool slices_cut_of(const struct aimed_slices *slices, unsigned row, struct slices_cut *cut);
void aimed_slices_of(const struct aimed_slices *slices, unsigned row, struct order_node *node);

/* Formats of as many bits as were found: how many; that of a row from 1 on, into a node. */
unsigned operands_rows(const struct aim *aim);
void operands_of(const struct aim *aim, unsigned row, struct order_node *node);

#endif
