/* The rows of the operations on scaled arrays. */
#include "op/families.h"
#include "op/scaled/rows.h"

#define ONE                                                                                        \
    2, {                                                                                           \
        "x", "x_scale"                                                                             \
    }
#define TWO                                                                                        \
    4, {                                                                                           \
        "x", "x_scale", "y", "y_scale"                                                             \
    }
#define NAMES_OF(COUNT, ...) __VA_ARGS__
#define COUNT_OF(COUNT, ...) COUNT
#define SCALED(NAME, OPERANDS, FORMULA, WHICH, SHAPES, PARAMETERS)                                 \
    {                                                                                              \
        .name = "scaled." NAME, .formula = FORMULA, .operands = COUNT_OF(OPERANDS), .results = 2,  \
        .parameters = SCALED_ONE | (PARAMETERS), .group = "scaled",                                \
        .result = {{.name = "data"}, {.name = "scale"}}, .format = "fp16",                         \
        .defaults = {{PARAMETER_PROFILE, ""}}, .array = &(const struct array_rule) {               \
            .which = SCALED_##WHICH, .operand_names = NAMES_OF(OPERANDS),                          \
            .operand_shapes = scaled_operands, .result_shapes = scaled_results,                    \
            .exact = scaled_exact, .unrounded = scaled_unrounded, .own_scale = scaled_own_scale,   \
            .want = scaled_want, .algorithms = scaled_algorithms, .families = scaled_families,     \
            .shapes = scaled_##SHAPES                                                              \
        }                                                                                          \
    }

static const struct operation rows[] = {
    SCALED("add", TWO, "x + y", ADD, pair_shapes, SCALED_PAIR),
    SCALED("sub", TWO, "x - y", SUB, pair_shapes, SCALED_PAIR),
    SCALED("mul", TWO, "x y", MUL, pair_shapes, SCALED_PAIR | PARAMETER_BIT(SCALAR_IN_DATA)),
    SCALED("div", TWO, "x / y", DIV, pair_shapes, SCALED_PAIR),
    SCALED("max", TWO, "max(x, y)", MAX, pair_shapes, SCALED_PAIR),
    SCALED("min", TWO, "min(x, y)", MIN, pair_shapes, SCALED_PAIR),
    SCALED("relu", ONE, "max(x, 0)", RELU, shapes, SCALED_EACH),
    SCALED("gelu", ONE, "x/2 * (1 + erf(x / 2^(1/2)))", GELU, shapes, SCALED_COMPUTED),
    SCALED("exp", ONE, "e^x", EXP, shapes, SCALED_COMPUTED),
    SCALED("log", ONE, "ln(x)", LOG, shapes, SCALED_COMPUTED),
    SCALED("sigmoid", ONE, "1 / (1 + e^-x)", SIGMOID, shapes, SCALED_COMPUTED),
    SCALED("tanh", ONE, "(e^x - e^-x) / (e^x + e^-x)", TANH, shapes, SCALED_COMPUTED),
    SCALED("reduce_max", ONE, "max of x[i]", REDUCE_MAX, shapes, SCALED_ALONG),
    SCALED("softmax", ONE, "e^x[i] / sum of e^x[j]", SOFTMAX, shapes,
           SCALED_ALONG | PARAMETER_BIT(COMPUTE)),
    SCALED("matmul", TWO, "sum of x[i,k] y[k,j]", MATMUL, product_shapes,
           SCALED_PAIR | PARAMETER_BIT(STATIC)),
    SCALED("cast", ONE, "x", CAST, shapes, SCALED_EACH),
    SCALED("rebalance", ONE, "x", REBALANCE, shapes,
           SCALED_EACH | PARAMETER_BIT(BY) | PARAMETER_BIT(MARGIN)),
    SCALED("relu_gradient", TWO, "y where x > 0, else 0", RELU_GRADIENT, pair_shapes, SCALED_PAIR),
    SCALED("sigmoid_gradient", TWO, "y sigmoid'(x)", SIGMOID_GRADIENT, shapes, SCALED_PAIR),
    SCALED("tanh_gradient", TWO, "y tanh'(x)", TANH_GRADIENT, shapes, SCALED_PAIR),
    SCALED("gelu_gradient", TWO, "y gelu'(x)", GELU_GRADIENT, shapes, SCALED_PAIR),
    SCALED("exp_gradient", TWO, "y e^x", EXP_GRADIENT, shapes, SCALED_PAIR),
    SCALED("rescale", TWO, "x at the scale of y", RESCALE, pair_shapes, SCALED_PAIR),
    SCALED("div_gradient", TWO, "-x / y^2", DIV_GRADIENT, pair_shapes, SCALED_PAIR),
    SCALED("step", TWO, "1 where x > y, 1/2 where x = y, else 0", STEP, pair_shapes, SCALED_PAIR),
    SCALED("convolution", TWO, "sum of x[c,i+k] y[o,c,k]", CONVOLUTION, image_shapes,
           SCALED_WINDOWS),
    SCALED("mul_gradient", TWO, "sum of x y", MUL_GRADIENT, shapes, SCALED_BACKWARD),
    SCALED("matmul_gradient", TWO, "sum of x[k,j] y[i,j]", MATMUL_GRADIENT, product_shapes,
           SCALED_BACKWARD),
    SCALED("convolution_gradient", TWO, "sum of x[o,c,k] y[o,i-k]", CONVOLUTION_GRADIENT,
           image_shapes, SCALED_WINDOWS | SCALED_BACKWARD),
    SCALED("reduce_max_gradient", TWO, "y / ties where x is the largest", MAX_ALONG_GRADIENT,
           shapes, SCALED_BACK_ALONG),
    SCALED("softmax_gradient", TWO, "p[i] (y[i] - sum of p[j] y[j]), p = softmax(x)",
           SOFTMAX_GRADIENT, shapes, SCALED_BACK_ALONG),
    SCALED("sum", ONE, "sum of x[i]", SUM, shapes, SCALED_ALONG | PARAMETER_BIT(STATIC)),
    SCALED("mean", ONE, "sum of x[i] / n", MEAN, shapes, SCALED_ALONG),
};
OPERATION_FAMILY(scaled, rows);
