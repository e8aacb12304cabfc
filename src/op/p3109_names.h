/* What IEEE P3109 4.0 calls operations, and which operands it gives them. */
#ifndef DETCHECK_OP_P3109_NAMES_H
#define DETCHECK_OP_P3109_NAMES_H

#include "op/operation.h"

/* "ExpMinusOne" for expm1; NULL: the report has no such operation. */
const char *p3109_name(const struct operation *operation);

/* Whether operands can have formats of their own, or a scale (format/compound.h): an error says why not. Comparisons
 * have no scaled form (5.4), predicates and neighbours none, and one operand no list. */
bool p3109_takes_compound(const struct operation *operation, const struct format *format,
                          struct error *error);

#endif
