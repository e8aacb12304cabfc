/* Sums in the orders that others use, of terms or of products that are fused with the addition or rounded before it, in any
 * of the formats that are accumulated in. Numbers are held as doubles. */
#ifndef DETCHECK_EXPLAIN_SUM_ORDERS_H
#define DETCHECK_EXPLAIN_SUM_ORDERS_H

#include "format/format.h"

#include <stddef.h>

struct exact_total;

enum order { ORDER_SEQUENTIAL, ORDER_PAIRWISE, ORDER_BLOCKED, ORDER_OF_ROW };

/* Terms of a sum, in a format that is accumulated in. */
struct terms {
    const struct format *format;
    const double *x, *w; /* w is NULL where there are no products */
    bool rounds_products;
    struct exact_total *total; /* sum_in_order's own */
};

double sum_in_order(const struct terms *terms, enum order order, size_t count);

/* A code as a double, and back, rounded to nearest-even; the same code in fp64. */
double sum_value(const struct format *format, uint64_t code);
uint64_t sum_code(const struct format *format, double value);

/* Sums, products and quotients of numbers of a narrow format, held as doubles, are rounded to it twice, which is as
 * good as once (op/array/orders.c); fp32 has arithmetic of its own. */
double sum_keep(const struct format *format, double value);

#endif
