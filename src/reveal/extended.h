/* Sums in the long double of x87, 64 bits of significand, which no format here has: a tree all of whose additions round
 * to that. */
#ifndef DETCHECK_REVEAL_EXTENDED_H
#define DETCHECK_REVEAL_EXTENDED_H

#include "order/order.h"

/* Whether this machine's long double is that one. */
bool extended_is_here(void);

/* As order_plan_run, of terms and results in formats that fp64 holds; `totals` has room for all additions of the
 * tree. */
void extended_run(const struct order *order, const struct order_tree *tree, size_t count,
                  const struct order_terms *x, const struct order_terms *w, long double *totals,
                  void *results);

#endif
