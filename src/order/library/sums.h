/* Sums by an order: what a library's sum, dot product or matrix product returns, bit for bit, on any machine, once
 * 'detcheck reveal --output FILE' has found the order of its additions.
 *
 * Link with -ldetmath_order. detcheck-order(7) has the document. An order is not changed by what is computed by it: any
 * number of threads may share one.
 *
 * Numbers are codes, the bits of a number in as many bytes as its format takes: so an array of fp32 may be one of float.
 * Elements have the format of the order (detmath_order_format), results that of its results. */
#ifndef DETMATH_SUMS_H
#define DETMATH_SUMS_H

#include "error.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct detmath_order;

/* An order of a file, or of a text of `length` bytes, which detmath_order_free lets go of. NULL and a line that says what
 * is wrong, and where. */
struct detmath_order *detmath_order_read(const char *path, struct detmath_error *error);
struct detmath_order *detmath_order_parse(const char *text, size_t length,
                                          struct detmath_error *error);
/* NULL is none. */
void detmath_order_free(struct detmath_order *order);

/* What the document says: whose order it is, in which operation it was found, from which format ("fp32") to which; and the
 * 16 digits by which policies and reports name it (order_hash). All stay until the order is freed. */
const char *detmath_order_name(const struct detmath_order *order);
const char *detmath_order_operation(const struct detmath_order *order);
const char *detmath_order_format(const struct detmath_order *order);
const char *detmath_order_result(const struct detmath_order *order);
const char *detmath_order_hash(const struct detmath_order *order);

/* Whether it is known for so many terms. */
int detmath_order_knows(const struct detmath_order *order, size_t terms);

/* The order in words, with a drawing of a short sum. As snprintf: writes at most `room` bytes, the last of them 0, and
 * returns how many the whole has without that. 0: no memory. */
size_t detmath_order_words(const struct detmath_order *order, char *text, size_t room);

/* In the same way, where two orders part: nodes that differ, and at the shortest length at which their trees differ the
 * first addition that each has and the other has not; "" where none was found. *all, unless NULL: 1 where they are
 * the same at all lengths that both know, 0 where they differ or not all were looked at. 0 with *all = -1 and a line: there is no length that both
 * know, or no memory. */
size_t detmath_order_compare(const struct detmath_order *a, const struct detmath_order *b,
                             char *text, size_t room, int *all, struct detmath_error *error);

/* Where an array lies: the element of the indices i, j, ... is codes[i * strides[0] + j * strides[1] + ...]. A stride may
 * be 0 or negative; codes is then not the array's first place in memory. */
enum { DETMATH_ORDER_DIMENSIONS = 8 };
struct detmath_order_array {
    const void *codes;
    int dimensions;           /* 0 to 8; of 0 it is one element */
    const size_t *extents;    /* as many as dimensions */
    const ptrdiff_t *strides; /* in elements; NULL: row-major */
};

/* The axis for all of an array in row-major order, as one sum. Any other is from -dimensions to dimensions - 1, a negative
 * one counted from the last. */
#define DETMATH_ORDER_WHOLE (-2147483647 - 1)

/* Sums along an axis, one for each place that the other axes have, in their row-major order and close together: one result
 * code each, of which `sums` has room for `count`. It overlaps no operand. 0; or -1 and a line: the order does not know that
 * many terms, another count than there are results, no such axis, no memory. Then nothing has been written.
 *
 * A mean by an order that says nothing of scaling divides the sum by the number of terms, as it does of --impl order:FILE;
 * a sum by the order of a mean is the sum alone. */
int detmath_sum_by_order(const struct detmath_order *order, const struct detmath_order_array *x,
                         int axis, void *sums, size_t count, struct detmath_error *error);
int detmath_mean_by_order(const struct detmath_order *order, const struct detmath_order_array *x,
                          int axis, void *means, size_t count, struct detmath_error *error);

/* Sums of x[i] * y[i], likewise. Both have the same extents. */
int detmath_dot_by_order(const struct detmath_order *order, const struct detmath_order_array *x,
                         const struct detmath_order_array *y, int axis, void *sums, size_t count,
                         struct detmath_error *error);

/* The product of ROWSxINNER and INNERxCOLUMNS, ROWSxCOLUMNS = `count` results row by row. */
int detmath_matmul_by_order(const struct detmath_order *order, const struct detmath_order_array *a,
                            const struct detmath_order_array *b, void *results, size_t count,
                            struct detmath_error *error);

#ifdef __cplusplus
}
#endif

#endif
