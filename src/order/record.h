/* The members of nodes, of a rule's rows and of orders in documents: a row each. */
#ifndef DETCHECK_ORDER_RECORD_H
#define DETCHECK_ORDER_RECORD_H

#include "order/order.h"
#include "record/kinds.h"

extern const struct record order_node_record, order_rule_record, order_record;

extern const struct record_wire order_wire;

/* A rule as an object in objects, and trees as an array. */
extern const struct record_kind order_rule_member, order_trees_member;

/* A whole number of `bytes` bytes; absent where it is the usual one. */
struct order_whole_of {
    size_t bytes;
    int64_t usual, least, most;
};
extern const struct record_kind order_whole;
/* A format by its name; a choice and a truth that are absent where they are the first one and false. */
extern const struct record_kind order_format, order_choice, order_truth;

#endif
