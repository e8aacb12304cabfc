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

/* Whether a list of so many formats names one for each operand; of blocks, for each block. A list of equal formats is one
 * format (format/compound.h), which does not tell their number. */
bool p3109_takes_count(const struct operation *operation, const char *name, int listed,
                       struct error *error);

/* Whether BlockOp may have it as Op (5.4), so that its result may be put into a block by --result-scale. A conversion to a
 * block is p3109.to_block. */
bool p3109_has_block_form(const struct operation *operation);

#endif
