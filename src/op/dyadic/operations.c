/* The rows of the operations on dyadic integers. */
#include "op/dyadic/rows.h"
#include "op/families.h"

static const struct operation rows[] = {
    DYADIC("align", 1, "x 2^(t-s)", align, DYADIC_ONE | DYADIC_TO),
    DYADIC("add", 2, "x 2^(t-s1) + y 2^(t-s2)", add, DYADIC_TWO | PARAMETER_BIT(ALIGN)),
    DYADIC("sub", 2, "x 2^(t-s1) - y 2^(t-s2)", sub, DYADIC_TWO | PARAMETER_BIT(ALIGN)),
    DYADIC("mul", 2, "x y 2^-q", mul, DYADIC_TWO | PARAMETER_BIT(Q)),
    DYADIC("div", 2, "x 2^p / y", div, DYADIC_TWO | PARAMETER_BIT(P)),
    DYADIC("requantise", 1, "clip(x 2^(t-s))", requantise, DYADIC_ONE | DYADIC_TO | DYADIC_CLIP),
    DYADIC("gradient", 2, "g where x 2^(t-s) is in bounds, else 0", gradient,
           DYADIC_TWO | DYADIC_TO | DYADIC_CLIP),
};
OPERATION_FAMILY(dyadic, rows);
