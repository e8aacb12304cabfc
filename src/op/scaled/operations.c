/* The rows of the operations on scaled arrays. */
#include "op/families.h"
#include "op/scaled/rows.h"

static const struct operation rows[] = {
    SCALED("add", 2, "x + y", add, SCALED_PAIR),
    SCALED("sub", 2, "x - y", sub, SCALED_PAIR),
    SCALED("mul", 2, "x y", mul, SCALED_PAIR),
    SCALED("div", 2, "x / y", div, SCALED_PAIR),
    SCALED("max", 2, "max(x, y)", max, SCALED_PAIR),
    SCALED("min", 2, "min(x, y)", min, SCALED_PAIR),
    SCALED("relu", 1, "max(x, 0)", relu, SCALED_EACH),
    SCALED("gelu", 1, "x/2 * (1 + erf(x / 2^(1/2)))", gelu, SCALED_EACH),
    SCALED("exp", 1, "e^x", exp, SCALED_EACH),
    SCALED("log", 1, "ln(x)", log, SCALED_EACH),
    SCALED("sigmoid", 1, "1 / (1 + e^-x)", sigmoid, SCALED_EACH),
    SCALED("tanh", 1, "(e^x - e^-x) / (e^x + e^-x)", tanh, SCALED_EACH),
    SCALED("reduce_max", 1, "max of x[i]", reduce_max, SCALED_ALONG),
    SCALED("softmax", 1, "e^x[i] / sum of e^x[j]", softmax, SCALED_ALONG | PARAMETER_BIT(COMPUTE)),
    SCALED("matmul", 2, "sum of x[i,k] y[k,j]", matmul, SCALED_PAIR | PARAMETER_BIT(STATIC)),
    SCALED("cast", 1, "x", cast, SCALED_EACH),
    SCALED("rebalance", 1, "x", rebalance, SCALED_EACH | PARAMETER_BIT(BY)),
    SCALED("relu_gradient", 2, "y where x > 0, else 0", relu_gradient, SCALED_PAIR),
    SCALED("sigmoid_gradient", 2, "y sigmoid'(x)", sigmoid_gradient, SCALED_PAIR),
    SCALED("tanh_gradient", 2, "y tanh'(x)", tanh_gradient, SCALED_PAIR),
    SCALED("gelu_gradient", 2, "y gelu'(x)", gelu_gradient, SCALED_PAIR),
    SCALED("exp_gradient", 2, "y e^x", exp_gradient, SCALED_PAIR),
    SCALED("rescale", 2, "x at the scale of y", rescale, SCALED_PAIR),
    SCALED("convolution", 2, "sum of x[c,i+k] y[o,c,k]", convolution, SCALED_WINDOWS),
    SCALED("mul_gradient", 2, "sum of x y", mul_gradient, SCALED_BACKWARD),
    SCALED("matmul_gradient", 2, "sum of x[k,j] y[i,j]", matmul_gradient, SCALED_BACKWARD),
    SCALED("convolution_gradient", 2, "sum of x[o,c,k] y[o,i-k]", convolution_gradient,
           SCALED_WINDOWS | SCALED_BACKWARD),
    SCALED("sum", 1, "sum of x[i]", sum, SCALED_ALONG | PARAMETER_BIT(STATIC)),
    SCALED("mean", 1, "sum of x[i] / n", mean, SCALED_ALONG),
};
OPERATION_FAMILY(scaled, rows);
