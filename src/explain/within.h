/* Hypotheses about bits that hold in one place: "computes in fp16 for |x| < 10". */
#ifndef DETCHECK_EXPLAIN_WITHIN_H
#define DETCHECK_EXPLAIN_WITHIN_H

#include "explain/inquiry.h"

/* Finds where a hypothesis holds that is wrong elsewhere, of those that explain some of what `causes` leave: one stretch
 * of each sign, which ends where the domain does or next to an input that it predicts wrongly. Sets the limits of its
 * bit, in an array of HYPOTHESIS_BITS, and returns how many there are. Negative, with an error, for trouble. */
int within_find(const struct inquiry *inquiry, hypothesis_set candidates, hypothesis_set causes,
                struct stretch *limits, struct error *error);

#endif
