/* A tree of additions from what pairs of its terms tell. */
#ifndef DETCHECK_REVEAL_GROW_H
#define DETCHECK_REVEAL_GROW_H

#include "reveal/pairs.h"

struct grown {
    struct order_tree tree; /* all by node 0 */
    bool keeps;             /* additions of several terms lose nothing: exact, or compensated */
    /* Counts that no tree has: the order depends on the data, or terms are lost otherwise. The first of them. */
    size_t misfits;
    size_t first, second, within;
    /* Pairs that were not asked, since a sum from one end foretells what they say (foretell.h). */
    size_t foretold;
    bool from_right;
};

/* Of the terms that are in the result once; `asks_all`: nothing is foretold. False with an error where the environment fails. grown_close when done,
 * in any case. */
bool tree_grow(struct pairs *pairs, bool asks_all, struct grown *grown, struct error *error);
void grown_close(struct grown *grown);

#endif
