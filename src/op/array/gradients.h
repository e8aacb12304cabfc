/* logcumsumexp_gradient: exact results, and det's. */
#ifndef DETCHECK_OP_ARRAY_GRADIENTS_H
#define DETCHECK_OP_ARRAY_GRADIENTS_H

#include "op/array.h"

bool exact_gradient(const struct array_call *call, int result, int precision, struct real *y,
                    struct error *error);

bool run_gradient(const struct array_call *call, const struct array_algorithm *algorithm,
                  struct error *error);

#endif
