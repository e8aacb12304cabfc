/* What the two ways of running a plan share. */
#ifndef DETCHECK_ORDER_PLAN_H
#define DETCHECK_ORDER_PLAN_H

#include "order/order.h"

struct order_fast;

struct order_plan {
    const struct order *order;
    struct order_tree tree; /* of its own, or empty */
    const struct order_tree *used;
    const struct format *last; /* of the last addition: the sum */
    struct order_fast *fast;   /* NULL: not in the machine's arithmetic */
    bool products;             /* for which that was compiled: terms are products */
    /* What the slow form works in: codes of all additions, and terms of one. */
    uint64_t *codes;
    struct order_term *terms;
};

/* Whether terms are products. */
bool order_is_product(const char *operation);

/* A code of a format divided by n as the order says; the result is one of the same format. */
uint64_t order_scaled(enum order_scale scale, const struct format *from,
                      const struct format *format, uint64_t code, size_t terms);

/* NULL where the tree is not made of additions that the machine has: then it is run node by node. */
struct order_fast *order_fast_open(const struct order *order, const struct order_tree *tree,
                                   bool products);
void order_fast_close(struct order_fast *fast);
/* False: no memory. */
bool order_fast_run(struct order_fast *fast, size_t count, const struct order_terms *x,
                    const struct order_terms *w, const void *c, void *results);

#endif
