/* The rows of the operations on scaled arrays. */
#include "op/families.h"
#include "op/scaled/rows.h"

#include "detmath/scaled_arrays.h"

#define ONE  (2, "x", "x_scale")
#define TWO  (4, "x", "x_scale", "y", "y_scale")
#define ONTO (4, "x", "x_scale", "y", "y_scale", "c")
#define SCALED(NAME, OPERANDS, FORMULA, WHICH, SHAPES, PARAMETERS, ...)                            \
    {                                                                                              \
        .name = "scaled." NAME, .formula = FORMULA, .operands = OPERAND_COUNT OPERANDS,            \
        .results = 2, .parameters = SCALED_ONE | (PARAMETERS), .group = "scaled",                  \
        .result = {{.name = "data"}, {.name = "scale"}}, .format = "fp16",                         \
        .defaults = {{PARAMETER_PROFILE, ""}}, .array = &(const struct array_rule) {               \
            .data = &(const struct scaled_facts){.operation = SCALED_##WHICH,                      \
                                                 .two = OPERAND_COUNT OPERANDS == 4,               \
                                                 __VA_ARGS__},                                     \
            .takes_addend = SCALED_##WHICH == SCALED_MATMUL,                                       \
            .operand_names = OPERAND_NAMES OPERANDS, .operand_shapes = scaled_operands,            \
            .result_shapes = scaled_results, .exact = scaled_exact, .unrounded = scaled_unrounded, \
            .own_scale = scaled_own_scale, .want = scaled_want, .algorithms = scaled_algorithms,   \
            .families = scaled_families, .shapes = scaled_##SHAPES                                 \
        }                                                                                          \
    }
/* What is true of it, beside the number of its operands (struct scaled_facts). */
#define KERNEL(NAME)   .kernel = DETMATH_SCALED_INDEX_##NAME
#define FUNCTION(FIND) .function = &scaled_##FIND
#define SLOPE          .derives = true
#define LINES          .layout = SCALED_BY_LINE
#define PRODUCTS       .layout = SCALED_BY_PRODUCT
#define ARTICLE        .in_article = true

static const struct operation rows[] = {
    SCALED("add", TWO, "x + y", ADD, pair_shapes, SCALED_PAIR, KERNEL(add), ARTICLE),
    SCALED("sub", TWO, "x - y", SUB, pair_shapes, SCALED_PAIR, KERNEL(sub), ARTICLE),
    SCALED("mul", TWO, "x y", MUL, pair_shapes, SCALED_PAIR | PARAMETER_BIT(SCALAR_IN_DATA),
           KERNEL(mul), ARTICLE),
    SCALED("div", TWO, "x / y", DIV, pair_shapes, SCALED_PAIR, KERNEL(div), ARTICLE),
    SCALED("max", TWO, "max(x, y)", MAX, pair_shapes, SCALED_PAIR, KERNEL(max), ARTICLE),
    SCALED("min", TWO, "min(x, y)", MIN, pair_shapes, SCALED_PAIR, KERNEL(min), ARTICLE),
    SCALED("relu", ONE, "max(x, 0)", RELU, shapes, SCALED_EACH, KERNEL(relu), ARTICLE),
    SCALED("gelu", ONE, "x/2 * (1 + erf(x / 2^(1/2)))", GELU, shapes, SCALED_COMPUTED, KERNEL(gelu),
           FUNCTION(gelu_function)),
    SCALED("exp", ONE, "e^x", EXP, shapes, SCALED_COMPUTED, KERNEL(exp), FUNCTION(exp_function)),
    SCALED("log", ONE, "ln(x)", LOG, shapes, SCALED_COMPUTED, KERNEL(log), FUNCTION(log_function)),
    SCALED("sigmoid", ONE, "1 / (1 + e^-x)", SIGMOID, shapes, SCALED_COMPUTED, KERNEL(sigmoid),
           FUNCTION(sigmoid_function)),
    SCALED("tanh", ONE, "(e^x - e^-x) / (e^x + e^-x)", TANH, shapes, SCALED_COMPUTED, KERNEL(tanh),
           FUNCTION(tanh_function)),
    SCALED("reduce_max", ONE, "max of x[i]", REDUCE_MAX, shapes, SCALED_ALONG, LINES,
           .reduces = true, ARTICLE),
    SCALED("softmax", ONE, "e^x[i] / sum of e^x[j]", SOFTMAX, shapes,
           SCALED_ALONG | PARAMETER_BIT(COMPUTE), LINES, .one_scale = true, ARTICLE),
    SCALED("matmul", ONTO, "sum of x[i,k] y[k,j], with --addend plus c[i,j]", MATMUL,
           product_shapes,
           SCALED_PAIR | PARAMETER_BIT(STATIC) | PARAMETER_BIT(ADDEND) | PARAMETER_BIT(ACCUMULATE),
           PRODUCTS, ARTICLE),
    SCALED("cast", ONE, "x", CAST, shapes, SCALED_EACH, KERNEL(apply), ARTICLE),
    SCALED("rebalance", ONE, "x", REBALANCE, shapes,
           SCALED_EACH | PARAMETER_BIT(BY) | PARAMETER_BIT(MARGIN), .layout = SCALED_BY_CELL,
           ARTICLE),
    SCALED("relu_gradient", TWO, "y where x > 0, else 0", RELU_GRADIENT, pair_shapes, SCALED_PAIR,
           SLOPE, KERNEL(relu_gradient)),
    SCALED("sigmoid_gradient", TWO, "y sigmoid'(x)", SIGMOID_GRADIENT, shapes, SCALED_PAIR, SLOPE,
           KERNEL(sigmoid_gradient), FUNCTION(sigmoid_slope)),
    SCALED("tanh_gradient", TWO, "y tanh'(x)", TANH_GRADIENT, shapes, SCALED_PAIR, SLOPE,
           KERNEL(tanh_gradient), FUNCTION(tanh_slope)),
    SCALED("gelu_gradient", TWO, "y gelu'(x)", GELU_GRADIENT, shapes, SCALED_PAIR, SLOPE,
           KERNEL(gelu_gradient), FUNCTION(gelu_slope)),
    SCALED("exp_gradient", TWO, "y e^x", EXP_GRADIENT, shapes, SCALED_PAIR, SLOPE,
           KERNEL(exp_gradient), FUNCTION(exp_function)),
    SCALED("rescale", TWO, "x at the scale of y", RESCALE, pair_shapes, SCALED_PAIR,
           .layout = SCALED_BY_ELEMENT),
    SCALED("div_gradient", TWO, "-x / y^2", DIV_GRADIENT, pair_shapes, SCALED_PAIR,
           KERNEL(div_gradient)),
    SCALED("step", TWO, "1 where x > y, 1/2 where x = y, else 0", STEP, pair_shapes, SCALED_PAIR,
           KERNEL(step)),
    SCALED("convolution", TWO, "sum of x[c,i+k] y[o,c,k]", CONVOLUTION, image_shapes,
           SCALED_WINDOWS, PRODUCTS, .windows = true),
    SCALED("mul_gradient", TWO, "sum of x y", MUL_GRADIENT, shapes, SCALED_BACKWARD, PRODUCTS,
           .backward = true),
    SCALED("matmul_gradient", TWO, "sum of x[k,j] y[i,j]", MATMUL_GRADIENT, product_shapes,
           SCALED_BACKWARD, PRODUCTS, .backward = true),
    SCALED("convolution_gradient", TWO, "sum of x[o,c,k] y[o,i-k]", CONVOLUTION_GRADIENT,
           image_shapes, SCALED_WINDOWS | SCALED_BACKWARD, PRODUCTS, .backward = true,
           .windows = true),
    SCALED("reduce_max_gradient", TWO, "y / ties where x is the largest", MAX_ALONG_GRADIENT,
           shapes, SCALED_BACK_ALONG, LINES),
    SCALED("softmax_gradient", TWO, "p[i] (y[i] - sum of p[j] y[j]), p = softmax(x)",
           SOFTMAX_GRADIENT, shapes, SCALED_BACK_ALONG, LINES, .one_scale = true),
    SCALED("sum", ONE, "sum of x[i]", SUM, shapes, SCALED_ALONG | PARAMETER_BIT(STATIC), LINES,
           .reduces = true),
    SCALED("mean", ONE, "sum of x[i] / n", MEAN, shapes, SCALED_ALONG, LINES, .reduces = true),
};
OPERATION_FAMILY(scaled, rows);
