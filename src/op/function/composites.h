/* Operations that MPFR does not have as one function: enclosures and special values. */
#ifndef DETCHECK_OP_FUNCTION_COMPOSITES_H
#define DETCHECK_OP_FUNCTION_COMPOSITES_H

#include "op/operation.h"

bracket_function bracket_sigmoid, bracket_softplus, bracket_logsigmoid, bracket_silu, bracket_gelu,
    bracket_gelu_tanh, bracket_mish, bracket_logaddexp;
special_function special_sigmoid, special_softplus, special_logsigmoid, special_times_gate,
    special_logaddexp;

#endif
