/* Whether the same mantissas differ in binade after binade. */
#ifndef DETCHECK_EXPLAIN_MANTISSAS_H
#define DETCHECK_EXPLAIN_MANTISSAS_H

#include "explain/explain.h"

/* Of the differences that none of the causes explains: 1 where they repeat, and `explanation` says
 * how; 0 where they do not, or where that cannot be told. Negative, with an error, for trouble. */
int mantissas_explain(const struct explain_request *request, hypothesis_set causes,
                      const struct set_count *left, struct explanation *explanation,
                      struct error *error);

#endif
