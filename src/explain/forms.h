/* Why two implementations of a kernel differ: which form (impl/forms/forms.h) gives all bits of one of them, in all calls or
 * in some. */
#ifndef DETCHECK_EXPLAIN_FORMS_H
#define DETCHECK_EXPLAIN_FORMS_H

#include "explain/arrays.h"

/* Whether there are forms of the operation. */
bool forms_are_known(const struct operation *operation);

/* The row as hypotheses have it. */
extern const struct hypothesis forms_hypothesis;

/* As arrays_explain (explain/arrays.h). */
bool forms_explain(const struct explain_request *request, struct explain_outcome *outcome,
                   char note[ARRAYS_TEXT], struct error *error);

#endif
