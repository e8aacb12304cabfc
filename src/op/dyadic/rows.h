/* The operations on dyadic integers as rows: what op/array.h asks for. */
#ifndef DETCHECK_OP_DYADIC_ROWS_H
#define DETCHECK_OP_DYADIC_ROWS_H

#include "op/array.h"

extern const struct array_rule dyadic_align, dyadic_add, dyadic_sub, dyadic_mul, dyadic_div,
    dyadic_requantise, dyadic_gradient;

#define DYADIC_ONE                                                                                 \
    (PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) | PARAMETER_BIT(S1) |                   \
     PARAMETER_BIT(ACCUMULATOR) | PARAMETER_BIT(ON_OVERFLOW) | PARAMETER_BIT(STOCHASTIC))
#define DYADIC_TWO  (DYADIC_ONE | PARAMETER_BIT(S2))
#define DYADIC_TO   PARAMETER_BIT(TARGET)
#define DYADIC_CLIP (PARAMETER_BIT(BITS) | PARAMETER_BIT(UNSIGNED))

#define DYADIC(NAME, OPERANDS, FORMULA, RULE, PARAMETERS)                                          \
    {                                                                                              \
        .name = "dyadic." NAME, .formula = FORMULA, .operands = OPERANDS, .results = 2,            \
        .parameters = PARAMETERS, .group = "dyadic",                                               \
        .result = {{.name = "mantissa"}, {.name = "scale"}}, .array = &dyadic_##RULE,              \
        .format = "int8"                                                                           \
    }

#endif
