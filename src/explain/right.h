/* What explain holds an implementation against to say why its outputs are wrong. */
#ifndef DETCHECK_EXPLAIN_RIGHT_H
#define DETCHECK_EXPLAIN_RIGHT_H

#include "impl/implementation.h"

/* Whether explain knows causes for it. */
bool explain_knows(const struct operation *operation);

/* The name of the implementation whose outputs are correctly rounded: cr, or exact if cr does not compute this. NULL if neither
 * does, or if explain knows no causes for the operation. */
const char *explain_right(const struct binding_request *computed);

#endif
