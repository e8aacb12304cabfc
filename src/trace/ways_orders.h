/* Orders of sums that ways are made of: those that are usual, a grid of others, and those that libraries are known to have. */
#ifndef DETCHECK_TRACE_WAYS_ORDERS_H
#define DETCHECK_TRACE_WAYS_ORDERS_H

#include "order/order.h"

enum { TRACE_ORDER_TEXT = 176 };

struct trace_order {
    char says[TRACE_ORDER_TEXT]; /* of one side, named before it: "sums two halves of 2,048" */
    struct order_rules rules;
    uint64_t hash; /* of its tree */
    bool
        is_usual; /* tried in every format, and with changes on top; others as sums are mostly computed alone */
};

struct trace_orders {
    struct trace_order *items;
    size_t count, room;
    size_t length;
    bool out_of_memory;
};

/* Those that add so many terms, each in a way that none before it does. Of many terms there are fewer of the grid. */
bool trace_orders_open(struct trace_orders *orders, size_t length);
void trace_orders_close(struct trace_orders *orders);

#endif
