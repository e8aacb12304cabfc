/* Looking for the rule of samples. */
#ifndef DETCHECK_ORDER_INFER_H
#define DETCHECK_ORDER_INFER_H

#include "order/sample.h"

/* The shortest rule that gives all samples; false where none was found. */
bool infer_shortest(const struct samples *samples, struct order_rules *rules);
/* Whether a rule gives the tree that has that hash. */
bool infer_gives(const struct order_rules *rules, size_t terms, uint64_t hash);
/* Puts the rows of a part behind those of a rule, and returns the first; 0 where the part goes without saying: from the
 * left, by the node of row 0. */
uint8_t infer_append(struct order_rules *rules, const struct order_rules *part);

#endif
