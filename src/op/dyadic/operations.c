/* The rows of the operations on dyadic integers. */
#include "op/dyadic/rows.h"
#include "op/families.h"

static const struct operation rows[] = {
    DYADIC("align", 1, "x 2^(t-s)", align, DYADIC_ONE | DYADIC_TO),
    DYADIC("add", 2, "x 2^(t-s1) + y 2^(t-s2)", add, DYADIC_TWO | PARAMETER_BIT(ALIGN)),
    DYADIC("sub", 2, "x 2^(t-s1) - y 2^(t-s2)", sub, DYADIC_TWO | PARAMETER_BIT(ALIGN)),
    DYADIC("mul", 2, "x y 2^-q", mul, DYADIC_TWO | PARAMETER_BIT(Q)),
    DYADIC("div", 2, "x 2^p / y", div, DYADIC_TWO | PARAMETER_BIT(P)),
    DYADIC("equal", 2, "x 2^-s1 = y 2^-s2", equal, DYADIC_TWO & ~PARAMETER_BIT(STOCHASTIC)),
    {.name = "dyadic.from_real",
     .formula = "clip(x 2^t)",
     .operands = 1,
     .results = 2,
     .parameters = DYADIC_FROM,
     .group = "dyadic",
     .result = {{.name = "mantissa"}, {.name = "scale"}},
     .array = &dyadic_from_real},
    {.name = "dyadic.to_real",
     .formula = "x 2^-s",
     .operands = 1,
     .results = 1,
     .parameters = PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) | PARAMETER_BIT(S1) |
                   PARAMETER_BIT(TO),
     .defaults = {{PARAMETER_TO, "fp32"}},
     .group = "dyadic",
     .array = &dyadic_to_real,
     .format = "int8"},
    DYADIC("requantise", 1, "clip(x 2^(t-s))", requantise, DYADIC_ONE | DYADIC_TO | DYADIC_CLIP),
    DYADIC("gradient", 2, "g where x 2^(t-s) is in bounds, else 0", gradient,
           DYADIC_TWO | DYADIC_TO | DYADIC_CLIP),
};
OPERATION_FAMILY(dyadic, rows);
