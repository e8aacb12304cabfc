/* Matrix units: what a GPU's or a processor's instruction returns for c + a[0] b[0] + ... + a[k-1] b[k-1].
 *
 * A unit is a row for each format of its operands and of its accumulator: the node of its products (order/node.h), how
 * many products one call of the instruction takes, and in which shape they meet. A new unit is a new row. */
#ifndef DETCHECK_ORDER_UNITS_H
#define DETCHECK_ORDER_UNITS_H

#include "order/term.h"

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
    UNIT_SHAPES
};

extern const char *const unit_shape_names[UNIT_SHAPES];

/* Factors in blocks that have a scale each (MX, NVFP4). */
struct unit_scales {
    const struct format *format; /* whose sign, if it has one, does not count */
    unsigned block;              /* products for which one scale of a and one of b are */
    unsigned group;              /* products that are added exactly before they meet their scales */
};

struct unit {
    const char *name;
    const struct format *format; /* of a and b; c and the result have that of the node */
    enum unit_shape shape;
    unsigned call; /* products of one call; more are more calls, one onto another */
    const struct order_node *node,
        *last;          /* `terms` of the node is left open: it is `call`, or half of that */
    const char *source; /* where the parameters are from */
    const struct unit_scales *scales; /* NULL: there are none; else the shape is UNIT_AT_ONCE */
    const struct format *second;      /* of b, where that has another; of a row NULL */
};

extern const struct unit units[];
extern const size_t unit_count;

/* The row of that name (any case) for these formats; NULL and one line that says what there is. */
const struct unit *unit_find(const char *name, const struct format *format,
                             const struct format *accumulator, struct error *error);
/* The same of factors in blocks with scales, whatever the group. */
const struct unit *unit_find_scaled(const char *name, const struct format *format,
                                    const struct format *scales, unsigned block,
                                    const struct format *accumulator, struct error *error);
/* Whether there is a unit of that name at all; else one line with the names. */
bool unit_exists(const char *name, struct error *error);
/* The name of unit number `index`, each once; NULL beyond the last. */
const char *unit_name(size_t index);

/* The row with shorter calls of `tile` products, as an instruction has shorter forms; false and one line where it has none. */
bool unit_shorten(const struct unit *unit, size_t tile, struct unit *shorter, struct error *error);

/* The row with factors b of another format, as one instruction has them; false and one line where there is none. Where the
 * unit widens its factors both have the wider format then, and `second` is NULL. */
bool unit_mix(const struct unit *unit, const struct format *second, struct unit *mixed,
              struct error *error);

/* The row as its instruction with .satfinite has it; false and one line where there is none. */
bool unit_saturate(const struct unit *unit, struct unit *saturating, struct error *error);

/* c + the sum of `count` products, in calls one onto another; c NULL: none comes in, and the first sum begins with the
 * products. By the definition of the nodes. */
uint64_t unit_dot(const struct unit *unit, const uint64_t *a, const uint64_t *b, size_t count,
                  const uint64_t *c);

/* The same of factors with scales: one of each for every scales->block products. */
uint64_t unit_scaled_dot(const struct unit *unit, const uint64_t *a, const uint64_t *a_scales,
                         const uint64_t *b, const uint64_t *b_scales, size_t count,
                         const uint64_t *c);

/* Up to scales->group products that have the same scales, as one term. Its exponent is that of the scales, and of a single
 * product that too. A sum of 0 still has it, products with a scale of 0 have none. More than one product: of formats whose
 * exponents lie within 6 of each other. */
struct order_term unit_scaled_term(const struct unit *unit, const uint64_t *a, const uint64_t *b,
                                   size_t count, uint64_t a_scale, uint64_t b_scale);

/* d = c + a b of matrices, in calls along the inner dimension: products `first` to `first + count` of each element. b
 * is by columns: `columns` lines of `inner`, as a has `rows` of them; d is by rows. */
struct unit_product {
    const struct unit *unit;
    size_t rows, inner, columns, first, count;
    const uint64_t *a, *b;
    const uint64_t *a_scales,
        *b_scales; /* lines likewise, a scale for each block of `inner`; or NULL */
    uint64_t *d;
    bool has_c;   /* d holds what comes in; else that is +0 */
    bool plainly; /* by the definition, where there are lanes too */
};

/* By what is fastest on this machine; the bits are those of unit_dot. False: no memory. */
bool unit_multiply(const struct unit_product *product);

/* How the inner dimension is cut: not at all; in `number` parts, or after every `number` products, of whole calls each.
 * Every part is summed from zero, and their sums are added from the left by plain additions. */
enum unit_cut { UNIT_CUT_NONE, UNIT_CUT_PARTS, UNIT_CUT_LENGTH };

/* All products of each element, cut so, whatever `first` and `count` are. What comes in goes into the first part. */
bool unit_multiply_cut(const struct unit_product *product, enum unit_cut cut, size_t number);

#endif
