/* Sums by bins: terms are cut into slices, and those of each bin are added exactly. */
#ifndef DETCHECK_ORDER_BINS_H
#define DETCHECK_ORDER_BINS_H

#include "order/term.h"

#include <gmp.h>

/* The code of the sum of the terms, all of them finite, by a node of ORDER_BINS; c may be NULL. */
uint64_t order_bins_add(const struct order_node *node, const struct order_term *terms, size_t count,
                        const uint64_t *c);

/* What is left of a factor or a term, in units of 2^point. */
struct order_rest {
    mpz_t whole;
    int point;
};
/* Cuts a slice off it: a multiple of 2^unit, as a whole number of these. */
void order_rest_cut(const struct order_node *node, struct order_rest *rest, int unit, mpz_t slice);

/* Totals as they are added: the code of a whole number of 2^unit, added to a sum that `begins` with it. */
uint64_t order_total_add(const struct order_node *node, bool begins, uint64_t sum,
                         const mpz_t total, int unit);

#endif
