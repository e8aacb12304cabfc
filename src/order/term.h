/* What a node adds: numbers and products with the exponent that alignment goes by. */
#ifndef DETCHECK_ORDER_TERM_H
#define DETCHECK_ORDER_TERM_H

#include "order/node.h"

/* A term is significand * 2^(exponent - ORDER_TERM_POINT). The significand need not be normalised: that
 * of a product of two numbers of exponents e and f is in [1, 4) * 2^(e + f), and smaller for subnormal ones. The
 * exponent is what alignment goes by. The sum of a node's terms, each as if its exponent were the largest, stays below
 * 2^15. */
enum { ORDER_TERM_POINT = 112, ORDER_NO_EXPONENT = INT_MIN / 4 };
struct order_term {
    enum real_kind
        kind; /* REAL_ZERO: the exponent still says by what a zero counts, or ORDER_NO_EXPONENT */
    bool negative;
    int exponent;
    struct wide significand;
};

/* A number of a format, a product of two, and the accumulator, as the node takes them. */
struct order_term order_term_of(const struct order_node *node, const struct format *format,
                                uint64_t code);
struct order_term order_term_product(const struct order_node *node, const struct format *a_format,
                                     uint64_t a, const struct format *b_format, uint64_t b);
struct order_term order_term_accumulator(const struct order_node *node, uint64_t code);

/* The code of an operand, a number of a format, as the node takes it: rounded, of the format that is returned. */
const struct format *order_operand(const struct order_node *node, const struct format *format,
                                   uint64_t *code);

/* The exponent of a number that is not zero, normalised; how many zero bits stand in front of a significand. */
int order_term_exponent(const struct order_term *term);
unsigned order_leading_zeros(struct wide value);

/* The code of an exact value, rounded as the node rounds its sums. */
uint64_t order_node_rounded(const struct order_node *node, const struct real *value);

/* The code of c + the terms; c, a code of node->result, may be NULL. Of ORDER_SUM: the other kinds keep
 * what they know from one addition to the next, which whoever runs the order does. */
uint64_t order_node_add(const struct order_node *node, const struct order_term *terms, size_t count,
                        const uint64_t *c);

#endif
