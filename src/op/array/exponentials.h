/* Exact results of what is made of sums of exponentials: logsumexp, logcumsumexp, softmax,
 * log_softmax. */
#ifndef DETCHECK_OP_ARRAY_EXPONENTIALS_H
#define DETCHECK_OP_ARRAY_EXPONENTIALS_H

#include "op/array.h"

bool exact_logsumexp(const struct array_call *call, int result, int precision, struct real *y,
                     struct error *error);
bool exact_logcumsumexp(const struct array_call *call, int result, int precision, struct real *y,
                        struct error *error);
bool exact_softmax(const struct array_call *call, int result, int precision, struct real *y,
                   struct error *error);
bool exact_log_softmax(const struct array_call *call, int result, int precision, struct real *y,
                       struct error *error);

#endif
