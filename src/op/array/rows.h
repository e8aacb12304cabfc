/* What the rows of operations on arrays are made of. */
#ifndef DETCHECK_OP_ARRAY_ROWS_H
#define DETCHECK_OP_ARRAY_ROWS_H

#include "op/array.h"

extern const struct array_rule array_sum, array_mean, array_cumsum, array_dot, array_matmul,
    array_logsumexp, array_logcumsumexp, array_softmax, array_log_softmax,
    array_logcumsumexp_gradient, array_logsumexp_gradient, array_log_softmax_gradient,
    array_rms_norm;

/* What every operation on arrays takes, and more. */
#define ARRAY_PARAMETERS                                                                           \
    (PARAMETER_BIT(DTYPE) | PARAMETER_BIT(ACCUMULATE) | PARAMETER_BIT(SHAPE_OF) |                  \
     PARAMETER_BIT(DISTRIBUTION))
#define REDUCTION_PARAMETERS (ARRAY_PARAMETERS | PARAMETER_BIT(AXIS))
#define SCAN_PARAMETERS      (REDUCTION_PARAMETERS | PARAMETER_BIT(EXCLUSIVE) | PARAMETER_BIT(REVERSE))

#define ARRAY(NAME, ALIASES, OPERANDS, FORMULA, RULE, PARAMETERS)                                  \
    {                                                                                              \
        .name = NAME, .aliases = ALIASES, .formula = FORMULA, .operands = OPERANDS, .results = 1,  \
        .parameters = PARAMETERS, .group = "arrays", .array = &array_##RULE                        \
    }

#endif
