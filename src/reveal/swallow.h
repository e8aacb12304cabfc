/* What three terms tell of a tree where none is below 0: one is so large that a small one is lost beside it, and two
 * small ones that were added to each other before are not. So two of them have met before the large one met either, or
 * they have not: with each of the three as the large one by turns, the calls say which two of them meet first. From
 * that the terms are sorted by when they join one of them. */
#ifndef DETCHECK_REVEAL_SWALLOW_H
#define DETCHECK_REVEAL_SWALLOW_H

#include "reveal/aim.h"
#include "reveal/pairs.h"

/* Chooses the numbers. False with an error where the environment fails, or none tell. */
bool swallow_open(struct pairs *pairs, struct error *error);
void swallow_close(struct swallow *swallow);

/* As pairs_within. `others` are all terms of a subtree but `first`, or a single one. */
bool swallow_within(struct pairs *pairs, size_t first, const size_t *others, size_t count,
                    size_t *within, struct error *error);

/* Of each addition, what it keeps beside the large number, and whether it rounds toward zero. */
bool swallow_aim(struct pairs *pairs, struct aim *aim, struct error *error);

/* Notes terms that count twice as pairs->weight 2 (swallow_weigh.c): they are in no tree that such calls show. */
bool swallow_weigh(struct pairs *pairs, struct error *error);

#endif
