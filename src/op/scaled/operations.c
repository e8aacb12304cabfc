/* The rows of the operations on scaled arrays. */
#include "op/families.h"
#include "op/scaled/rows.h"

static const struct operation rows[] = {
    SCALED("add", 2, "x + y", add, 0),
    SCALED("sub", 2, "x - y", sub, 0),
    SCALED("mul", 2, "x y", mul, 0),
    SCALED("div", 2, "x / y", div, 0),
    SCALED("max", 2, "max(x, y)", max, 0),
    SCALED("min", 2, "min(x, y)", min, 0),
    SCALED("relu", 1, "max(x, 0)", relu, 0),
    SCALED("gelu", 1, "x/2 * (1 + erf(x / 2^(1/2)))", gelu, 0),
    SCALED("reduce_max", 1, "max of x[i]", reduce_max, 0),
    SCALED("softmax", 1, "e^x[i] / sum of e^x[j]", softmax, PARAMETER_BIT(COMPUTE)),
    SCALED("matmul", 2, "sum of x[i,k] y[k,j]", matmul, PARAMETER_BIT(STATIC)),
    SCALED("cast", 1, "x", cast, PARAMETER_BIT(TO)),
    SCALED("rebalance", 1, "x", rebalance, PARAMETER_BIT(TO) | PARAMETER_BIT(BY)),
};
OPERATION_FAMILY(scaled, rows);
