/* Why two sums of arrays differ: in which order the terms are added, whether products are rounded before, and in which
 * format that is done. A cause predicts every result of a side. */
#ifndef DETCHECK_EXPLAIN_SUMS_H
#define DETCHECK_EXPLAIN_SUMS_H

#include "explain/explain.h"

/* Whether the operation is one of those whose sums are known here: sum, mean, dot, matmul. */
bool sums_are_known(const struct operation *operation);

/* A row as hypotheses have them, number `index`; without a name beyond the last. */
struct hypothesis sums_hypothesis(size_t index);

/* Runs both sides over the calls of the domain. `first`, with room for as much, says where they differ first. */
enum { SUMS_TEXT = 256 };
bool sums_explain(const struct explain_request *request, struct explain_outcome *outcome,
                  char first[SUMS_TEXT], struct error *error);

#endif
