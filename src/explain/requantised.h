/* What two requantisations do: which of the known conventions each side follows, and what it makes of numbers beyond the
 * ends. */
#ifndef DETCHECK_EXPLAIN_REQUANTISED_H
#define DETCHECK_EXPLAIN_REQUANTISED_H

#include "explain/sum_results.h"

/* Row number `index`; without a name beyond the last. */
struct hypothesis requantised_hypothesis(size_t index);

/* Holds each row against all results of each side, and names the causes. What a side does is kept apart from what is asked
 * for, so the rows say nothing where the two are the same. */
bool requantised_explain(const struct sum_results *results, struct explain_outcome *outcome,
                         struct error *error);

#endif
