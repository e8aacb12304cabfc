/* Orders that libraries are known to have, by name. */
#ifndef DETCHECK_REVEAL_KNOWN_H
#define DETCHECK_REVEAL_KNOWN_H

#include "order/order.h"

/* Row number `index`: its rule, or NULL where it has none, as a scan; the name is NULL beyond the last. */
const struct order_rules *known_order_at(size_t index, const char **name);

/* The name of the order that has all these trees, whatever the arithmetic; NULL where none is known, or where all are
 * too short to tell it from others. `prefixes`: they are of the elements of a scan. */
const char *known_order(const struct order_tree *const *trees, size_t count, bool prefixes);

#endif
