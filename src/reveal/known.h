/* Orders that libraries are known to have, by name. */
#ifndef DETCHECK_REVEAL_KNOWN_H
#define DETCHECK_REVEAL_KNOWN_H

#include "order/order.h"

/* The name of the order that has all these trees, whatever the arithmetic; NULL where none is known, or where all are
 * too short to tell it from others. */
const char *known_order(const struct order_tree *const *trees, size_t count);

#endif
