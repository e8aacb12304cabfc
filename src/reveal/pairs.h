/* What a pair of terms tells of a tree: all terms are a unit, but one is a number so large that units added to it are
 * lost, and another is its negative. The result counts the units that were added outside of the smallest subtree that
 * holds both. (FPRev, arXiv 2411.00442. A sum that is exact, or keeps what it loses, loses none.) */
#ifndef DETCHECK_REVEAL_PAIRS_H
#define DETCHECK_REVEAL_PAIRS_H

#include "reveal/subject.h"

struct pairs {
    struct subject *subject;
    double large, unit;
    size_t count; /* of the terms that count: `terms` has their numbers */
    size_t *terms;
    uint8_t *
        weight; /* of each term: how often it is in the result: 0, 1 or 2; 3 stands for another number */
    size_t capacity; /* units that a result can count at once */
    double scale;    /* a result is times this in units: the length of a mean, else 1 */
    struct swallow *
        swallow; /* where no term is below 0, so that nothing takes the large number away (swallow.h) */
    bool is_weighed; /* else all terms together are as many, and each is taken to be there once */
    bool counts_all; /* one call has counted all of them */
    size_t other_calls; /* made before any pair was asked */
    size_t *known
        [2]; /* by term, what its pair with the first term, and with the last one, has said: or 0 */
};

/* Chooses the two numbers, and finds out which terms are in the result once: one by one, where all of them together
 * are not as many. False with an error where the environment
 * fails, or where the numbers of the format cannot tell: `why` says so. */
bool pairs_open(struct pairs *pairs, struct subject *subject, struct error *error);
void pairs_close(struct pairs *pairs);
/* Weighs each term alone, where that has not been done. */
bool pairs_weigh(struct pairs *pairs, struct error *error);

/* Of pairs (first, others[k]), for k below `count`: how many of the terms that count are within their subtree, these
 * two included. 2 where no unit was lost. 0 where the result is no count. */
bool pairs_within(struct pairs *pairs, size_t first, const size_t *others, size_t count,
                  size_t *within, struct error *error);

/* The same; of pairs with the first or the last term that were asked before, what they have said. */
bool pairs_recall(struct pairs *pairs, size_t first, const size_t *others, size_t count,
                  size_t *within, struct error *error);

/* The same of one pair by as many calls as there are other terms: each is a unit alone, and all others are 0. */
bool pairs_within_singly(struct pairs *pairs, size_t first, size_t second, size_t *within,
                         struct error *error);

#endif
