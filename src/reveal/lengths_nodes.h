/* The nodes of many lengths, which one order has. */
#ifndef DETCHECK_REVEAL_LENGTHS_NODES_H
#define DETCHECK_REVEAL_LENGTHS_NODES_H

#include "reveal/lengths.h"

/* Whether the length of that number is revealed by a tree of its terms as they stand. */
bool lengths_have(const struct lengths *lengths, size_t index);

/* Gives the additions of a model the numbers of the same nodes in the order of all lengths. False: it has too many. */
bool lengths_share_nodes(struct order *order, struct model *model);

/* A short length may be revealed by several nodes alike: such as one whose products are fused, where none is added to a
 * sum. It gets those of the longest length, as far as no array differs. */
bool lengths_take_nodes(struct lengths *lengths, const struct reveal_request *request,
                        struct error *error);

/* Leaves out nodes that no tree has any more, and numbers the others anew. */
void lengths_drop_nodes(struct lengths *lengths);

#endif
