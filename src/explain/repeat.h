/* Whether a side gives the same bits again: where it does not, no other cause can be told. */
#ifndef DETCHECK_EXPLAIN_REPEAT_H
#define DETCHECK_EXPLAIN_REPEAT_H

#include "explain/explain.h"

/* Makes calls again that gave differences, of which `everything` has the first, and fills in an
 * explanation for each side; the first side that gives other bits is a cause. Returns how many
 * explanations there are. Negative, with an error, for trouble. */
int repeat_explain(const struct explain_request *request, const struct set_count *everything,
                   struct explanation *explanations, struct error *error);

#endif
