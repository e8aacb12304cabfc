/* Matrix units: what a GPU's or a processor's instruction returns for c + a[0] b[0] + ... + a[k-1] b[k-1].
 *
 * A unit is a row for each format of its operands and of its accumulator: the node of its products (order/node.h), how
 * many products one call of the instruction takes, and in which shape they meet. A new unit is a new row. */
#ifndef DETCHECK_ORDER_UNITS_H
#define DETCHECK_ORDER_UNITS_H

#include "order/node.h"

/* How the products of one call meet; `node` adds products, and `last`, where there is one, two numbers of the result's
 * format. */
enum unit_shape {
    UNIT_AT_ONCE,         /* c and all products in one node */
    UNIT_CHAIN,           /* one product after another onto c */
    UNIT_CHAIN_ODD_FIRST, /* likewise, of each pair of neighbours the second one first */
    UNIT_PAIRS,           /* neighbours are added, then sums of neighbours, and last the sum to c */
    UNIT_EVEN_ODD,        /* even and odd products are chains from zero; their sum is added to c */
    UNIT_REGISTER_HALVES, /* products 0, 1, 4, 5 ... at once, 2, 3, 6, 7 ... at once onto that, the sum to c: 8-bit
                             operands that a unit of 16 bits takes, two of each register of four at a time */
};

struct unit {
    const char *name;
    const struct format *format; /* of a and b; c and the result have that of the node */
    enum unit_shape shape;
    unsigned call; /* products of one call; more are more calls, one onto another */
    const struct order_node *node,
        *last;          /* `terms` of the node is left open: it is `call`, or half of that */
    const char *source; /* where the parameters are from */
};

extern const struct unit units[];
extern const size_t unit_count;

/* The row of that name (any case) for these formats; NULL and one line that says what there is. */
const struct unit *unit_find(const char *name, const struct format *format,
                             const struct format *accumulator, struct error *error);
/* Whether there is a unit of that name at all; else one line with the names. */
bool unit_exists(const char *name, struct error *error);
/* The name of unit number `index`, each once; NULL beyond the last. */
const char *unit_name(size_t index);

/* c + the sum of `count` products, in calls one onto another; c NULL: none comes in, and the first sum begins with the
 * products. By the definition of the nodes. */
uint64_t unit_dot(const struct unit *unit, const uint64_t *a, const uint64_t *b, size_t count,
                  const uint64_t *c);

/* d = a b of matrices, in calls along the inner dimension from zero: products `first` to `first + count` of each element. b
 * is by columns: `columns` lines of `inner`, as a has `rows` of them; d is by rows. */
struct unit_product {
    const struct unit *unit;
    size_t rows, inner, columns, first, count;
    const uint64_t *a, *b;
    uint64_t *d;
};

/* By what is fastest on this machine; the bits are those of unit_dot. False: no memory. */
bool unit_multiply(const struct unit_product *product);

#endif
