/* Sums by bins: terms are cut into slices, and those of each bin are added exactly. */
#ifndef DETCHECK_ORDER_BINS_H
#define DETCHECK_ORDER_BINS_H

#include "order/term.h"

/* The code of the sum of the terms, all of them finite, by a node of ORDER_BINS; c may be NULL. */
uint64_t order_bins_add(const struct order_node *node, const struct order_term *terms, size_t count,
                        const uint64_t *c);

#endif
