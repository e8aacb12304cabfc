/* Totals that are rounded alone, as rules have them: every so many items, or in the end. */
#ifndef DETCHECK_REVEAL_SPILLS_H
#define DETCHECK_REVEAL_SPILLS_H

#include "order/order.h"

/* Rules that may round totals as a tree does, whose additions they give: from number 0 on, the first one without any.
 * False: there are no more, or there is no room. */
bool spilled_rules(const struct order_rules *rules, const struct order_tree *tree, unsigned number,
                   struct order_rules *spilled);

#endif
