/* Which inputs are calls of C, where an operand is an integer there: op/operation.h, enum
 * c_signature. */
#ifndef DETCHECK_OP_CALLS_H
#define DETCHECK_OP_CALLS_H

#include "op/operation.h"

/* Which operand is an integer, and the least and the greatest of its type. */
struct integer_place {
    int operand;
    long long least, most;
};

/* False, and nothing stored, where no operand is one. */
bool operation_integer_place(const struct operation *operation, struct integer_place *place);

/* Whether C has this call: an operand of an integer type must be one of its integers. Where it has not,
 * no function is called, the result is NaN, and nothing is tested. */
bool operation_is_call(const struct operation *operation, const struct real *x);

/* The same of codes of a format. */
bool operation_is_call_of(const struct operation *operation, const struct format *format,
                          const uint64_t *codes);

#endif
