/* Trees as samples of a rule that is looked for: what is added up below, and parts as trees of their own. */
#ifndef DETCHECK_ORDER_SAMPLE_H
#define DETCHECK_ORDER_SAMPLE_H

#include "order/order.h"

/* How long the next block of ORDER_BLOCKS or ORDER_SPLIT is, where `left` of `count` items are left and `number` blocks
 * are done. */
size_t order_block_size(const struct order_rule *row, size_t count, size_t left, size_t number);

/* Of ORDER_LANES: how many of `count` items are in whole rows. */
size_t order_lanes_whole(const struct order_rule *row, size_t count);

/* Of rows that have the items in another sequence: which of `count` items is number `at`. */
size_t order_item_at(const struct order_rule *row, size_t count, size_t at);

/* A tree without zeros and additions of one child, in which no term is twice. Its lists are one piece of memory, from `sum`
 * on. */
struct sample {
    struct order_tree tree;
    uint64_t hash;
    int32_t *term_parent, *parent; /* the addition that terms and additions are part of; -1: none */
    uint32_t *count;               /* terms below each addition */
    uint64_t *sum;                 /* and a hash of their set */
    uint64_t *before;              /* the hash of all terms before each */
    int32_t *as, *term_as,
        *list; /* room to take parts out; ORDER_NONE everywhere, but in the list */
};

/* What the whole is: an addition, a term, or ORDER_NONE. */
int32_t sample_root(const struct sample *sample);
/* The child that has exactly these terms below it; ORDER_NONE: none has. */
int32_t sample_find(const struct sample *sample, const int32_t *terms, size_t count);
/* Whether some child has exactly `count` successive terms below it. */
bool sample_has_range(const struct sample *sample, size_t from, size_t count);
/* The tree of a child over some below it, which become its terms by their place in `groups`. False where others are
 * below it, too. */
bool sample_extract(const struct sample *sample, int32_t child, const int32_t *groups, size_t count,
                    struct order_tree *tree);

/* Samples of one rule; no two are the same. */
struct samples {
    struct sample *at;
    size_t count, room;
    bool conflict; /* two of one length differ, or there is no memory */
};
enum { MOST_SAMPLES = 48 };
void samples_close(struct samples *samples);
/* Of more than MOST_SAMPLES none is kept. */
void samples_add(struct samples *samples, const struct order_tree *tree);
/* sample_extract, and adds it. */
bool samples_add_part(struct samples *samples, const struct sample *sample, int32_t child,
                      const int32_t *groups, size_t count);

#endif
