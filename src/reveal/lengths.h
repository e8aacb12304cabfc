/* Many lengths: each is revealed, or replayed by the rule of those before it, and the trees are folded into a rule. */
#ifndef DETCHECK_REVEAL_LENGTHS_H
#define DETCHECK_REVEAL_LENGTHS_H

#include "reveal/reveal.h"

struct lengths {
    /* Of those that were revealed, as it may be written: the rule is for the longest row of lengths that follow each other, by
     * their step, and lengths beyond it, or that break it, have trees. Of no such row there are trees alone. */
    struct order order;
    struct through_choice through; /* of sums inside of an operation */
    struct order_rules rules;      /* that of all lengths, each step apart */
    struct revealed *revealed;     /* of each length */
    uint64_t *held;                /* arrays of each by which the rule was held to it */
    uint32_t
        *tried; /* nodes of the longest that were tried for those that it has alone, a bit each */
    size_t count;
    size_t proven; /* that are revealed */
    size_t broken; /* of these, lengths that the rule does not give */
    size_t given;  /* the last lengths in a row that it gives */
    bool *breaks;
    bool has_rule;
    bool is_folded;   /* the rule is that of all trees so far */
    size_t next_fold; /* lengths at which they are folded again */
    /* Additions are x87's, or terms are sorted first: there is no document of the order. */
    bool is_extended, is_sorted;
    const char *known; /* a library's order that all revealed trees have; NULL: none */
    uint64_t calls;
};

/* Lengths from `least` to `most`, every `step`th. False with an error where the environment fails; lengths_close when
 * done, in any case. */
bool reveal_lengths(const struct reveal_request *request, size_t least, size_t most, size_t step,
                    struct lengths *lengths, struct error *error);
void lengths_close(struct lengths *lengths);

/* Whether no term of a tree is dropped, nor added twice. */
bool lengths_adds_all_once(const struct order_tree *tree);

#endif
