/* Exact results of logsumexp, logcumsumexp, softmax, log_softmax and its gradient. */
#ifndef DETCHECK_OP_ARRAY_EXPONENTIALS_H
#define DETCHECK_OP_ARRAY_EXPONENTIALS_H

#include "op/array.h"

/* By the row's data, which is one of these. */
bool exact_exponentials(const struct array_call *call, int result, int precision, struct real *y,
                        struct error *error);
extern const struct exponential_rule exponential_sum, exponential_scan, exponential_share,
    exponential_log_share, exponential_share_gradient;

#endif
