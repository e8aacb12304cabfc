/* Parts of a model of how terms are added: the order of additions, what is done between them and around, and what nodes have
 * member by member. */
#ifndef DETCHECK_EXPLAIN_SUM_PARTS_H
#define DETCHECK_EXPLAIN_SUM_PARTS_H

#include "explain/hypothesis.h"
#include "order/node.h"

enum {
    SUM_PART_ORDER,
    SUM_PART_SPILLS,
    SUM_PART_SCALE,
    SUM_PART_FIRST_OF_NODES,
    SUM_PART_ALIGNED_BITS = SUM_PART_FIRST_OF_NODES + 4,
    SUM_PART_ALIGNMENT,
    SUM_PARTS = SUM_PART_FIRST_OF_NODES + 11
};
/* Part number i is bit i. */
typedef uint32_t sum_part_set;

/* A part as hypotheses have it, number `index`; without a name beyond the last. */
struct hypothesis sum_part(size_t index);

/* Whether two nodes have the same part, and taking it from one. How many terms are added at once goes with the order. */
bool sum_part_same(const struct order_node *a, const struct order_node *b, size_t part);
void sum_part_take(struct order_node *node, const struct order_node *from, size_t part);

/* "adds in", and how a node has it: "fp64". */
const char *sum_part_verb(size_t part);
void sum_part_value(const struct order_node *node, size_t part, char *text, size_t room);

#endif
