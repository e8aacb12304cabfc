/* Nodes with a memory: sums of a chain of terms that keep more than the total. */
#ifndef DETCHECK_ORDER_CHAIN_H
#define DETCHECK_ORDER_CHAIN_H

#include "order/term.h"

/* The code of the sum of the terms by a node of any kind, in their order; c may be NULL, and comes first.
 *
 * Kahan: y = x - e, t = s + y, e = (t - s) - y, s = t. Neumaier: t = s + x, e += s - t + x or x - t + s where x is the
 * larger, s = t; at the end s + e. Double-double: (s, r) = s + x exactly, r += e, (s, e) = s + r exactly. Each step is
 * rounded by the node. */
uint64_t order_chain_add(const struct order_node *node, const struct order_term *terms,
                         size_t count, const uint64_t *c);

#endif
