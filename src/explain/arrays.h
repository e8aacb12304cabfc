/* Why two results of arrays differ. Both orders of sums are revealed, and each part in which they are not the same is held
 * against the differences; where one is not revealed, a few ways of adding that are known by themselves are. Matrix units are
 * named, and of a requantisation the conventions by which it rounds, and of a kernel its form (explain/forms.h). */
#ifndef DETCHECK_EXPLAIN_ARRAYS_H
#define DETCHECK_EXPLAIN_ARRAYS_H

#include "explain/explain.h"

/* Whether causes of the operation are known here: of sum, mean, dot, matmul, requantise, packed.quantise, and of kernels that have forms. */
bool arrays_are_known(const struct operation *operation);

/* The family of inputs that tells implementations apart, and of how many calls of a shape, where the options name none: NULL
 * for the operation's own. */
const char *arrays_family(const struct operation *operation, unsigned *calls);

/* A row as hypotheses have them, number `index`, of sums and kernels, and of all; without a name beyond the last. */
struct hypothesis sums_hypothesis(size_t index);
struct hypothesis arrays_hypothesis(size_t index);

/* Runs both sides over the calls of the domain. `note`, with room for as much, says where they differ first, and what was not
 * judged. */
enum { ARRAYS_TEXT = 768 };
bool arrays_explain(const struct explain_request *request, struct explain_outcome *outcome,
                    char note[ARRAYS_TEXT], struct error *error);

#endif
