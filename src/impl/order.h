/* `order:FILE`: sums by an order of additions that a document names (detcheck-order(7)), of sum, mean, dot, matmul and
 * cumsum, whichever of them it was found in. Each element of cumsum is the sum of the elements up to it, by the tree of
 * that length. A mean by an order of sums divides the sum. */
#ifndef DETCHECK_IMPL_ORDER_H
#define DETCHECK_IMPL_ORDER_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_order;

#endif
