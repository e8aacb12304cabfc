/* Which rule of a quantiser a side follows in another way (op/block/switches.h). */
#ifndef DETCHECK_EXPLAIN_QUANTISED_H
#define DETCHECK_EXPLAIN_QUANTISED_H

#include "explain/sum_results.h"

/* Row number `index`; without a name beyond the last. */
struct hypothesis quantised_hypothesis(size_t index);

/* Starts from the rule that --quantiser asks for. For each side it makes the change that leaves fewest bytes of the side
 * different, and goes on from there, until the bytes are equal or no change helps. These changes are the causes. False with an
 * error where the quantiser has no rules. */
bool quantised_explain(const struct sum_results *results, struct explain_outcome *outcome,
                       struct error *error);

#endif
