/* Where the differences lie that no hypothesis about bits explains: in one interval, beyond a bound,
 * at the same mantissas in several binades, or only where the input stands in an array. */
#ifndef DETCHECK_EXPLAIN_WHERE_H
#define DETCHECK_EXPLAIN_WHERE_H

#include "explain/explain.h"

/* Fills in the explanations of these differences, of those that none of the causes explains; the
 * first that is credible is the cause. Where the causes leave none, position is held against
 * `everything`, all differences: it may explain them as well. Returns how many. Negative, with an
 * error, for trouble. */
int where_explain(const struct explain_request *request, hypothesis_set causes,
                  const struct set_count *left, const struct set_count *everything, uint64_t tested,
                  struct explanation *explanations, struct error *error);

#endif
