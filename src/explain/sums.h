/* Why two sums of arrays differ. Both orders are revealed, and each part in which they are not the same is held against the
 * differences; where one is not revealed, a few ways of adding that are known by themselves are. Matrix units are named. */
#ifndef DETCHECK_EXPLAIN_SUMS_H
#define DETCHECK_EXPLAIN_SUMS_H

#include "explain/explain.h"

/* Whether the operation is one of those whose sums are known here: sum, mean, dot, matmul. */
bool sums_are_known(const struct operation *operation);

/* A row as hypotheses have them, number `index`; without a name beyond the last. */
struct hypothesis sums_hypothesis(size_t index);

/* Runs both sides over the calls of the domain. `note`, with room for as much, says where they differ first, and what was not
 * judged. */
enum { SUMS_TEXT = 768 };
bool sums_explain(const struct explain_request *request, struct explain_outcome *outcome,
                  char note[SUMS_TEXT], struct error *error);

#endif
