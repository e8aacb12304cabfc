/* Two models of how the same terms are added, the parts in which they are not the same, and what lies between: one model with
 * some parts of the other. */
#ifndef DETCHECK_EXPLAIN_SUM_MIX_H
#define DETCHECK_EXPLAIN_SUM_MIX_H

#include "explain/sum_parts.h"
#include "reveal/replay.h"

/* Both models made ready: without zeros, each addition that has a memory as one after the other; and which additions of one
 * add the same as some of the other. */
struct sum_model {
    const struct model *model;
    struct order_tree tree;
    uint64_t *hashes;  /* of what each addition adds, whatever it rounds to */
    size_t *there;     /* the addition of the other that adds the same, SIZE_MAX: none */
    size_t *spilled;   /* and the one that only rounds that sum */
    unsigned node;     /* that most additions have */
    size_t most_terms; /* that one addition takes at once */
};
struct sum_pair {
    struct sum_model sides[2]; /* A and B */
    sum_part_set parts;        /* in which they differ */
};
bool sum_pair_open(struct sum_pair *pair, const struct model *a, const struct model *b,
                   struct error *error);
void sum_pair_close(struct sum_pair *pair);

/* The model of A with those parts of B. False where there is none; order_tree_close in any case. */
bool sum_mix(const struct sum_pair *pair, sum_part_set of_b, struct order *order,
             struct order_tree *tree);

/* Additions of a side that have another part on the other one; `first` is one of them, or SIZE_MAX. */
struct sum_others {
    size_t count, all, first;
};
struct sum_others sum_count_others(const struct sum_pair *pair, int side, size_t part);
/* The node of an addition of a side, and by what the other one adds the same, or else most of what it adds. */
const struct order_node *sum_node_of(const struct sum_pair *pair, int side, size_t at);
const struct order_node *sum_node_there(const struct sum_pair *pair, int side, size_t at);

/* "adds in fp64 (A: fp32) in 3 of 63 additions": how B's part is, and how A's. */
enum { SUM_PART_TEXT = 400 };
void sum_part_words(const struct sum_pair *pair, size_t part, char text[SUM_PART_TEXT]);

#endif
