/* Exact results of logsumexp, logcumsumexp, softmax and log_softmax. */
#ifndef DETCHECK_OP_ARRAY_EXPONENTIALS_H
#define DETCHECK_OP_ARRAY_EXPONENTIALS_H

#include "op/array.h"

bool exact_exponentials(const struct array_call *call, int result, int precision, struct real *y,
                        struct error *error);

#endif
