/* Results that are wrong only next to where rounding changes, as those of an approximation that is rounded. */
#ifndef DETCHECK_EXPLAIN_NEARNESS_H
#define DETCHECK_EXPLAIN_NEARNESS_H

#include "explain/explain.h"

/* Whether the differences that `causes` leave are such results of one side: fills in the explanation. Returns 1 if they
 * are, 0 if not; negative, with an error, for trouble. */
int nearness_explain(const struct explain_request *request, hypothesis_set causes,
                     const struct set_count *left, struct explanation *explanation,
                     struct error *error);

#endif
