/* Sums of products whose factors are cut into slices (Ozaki's schemes for products of matrices). */
#ifndef DETCHECK_ORDER_SLICES_H
#define DETCHECK_ORDER_SLICES_H

#include "order/term.h"

/* A factor: a code of a format. */
struct order_factor {
    const struct format *format;
    uint64_t code;
};

/* The code of the sum of products x[i] * y[i], by a node of ORDER_SLICES; `from_zero`: totals are added to +0. False: an infinity, a NaN, or only zeros are
 * among the factors, of which there is nothing to cut, or no memory. */
bool order_slices_add(const struct order_node *node, const struct order_factor *x,
                      const struct order_factor *y, size_t count, bool from_zero, uint64_t *sum);

#endif
