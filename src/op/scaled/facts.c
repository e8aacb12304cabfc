/* What is true of each operation on scaled arrays. */
#include "op/scaled/exact.h"

#include "detmath/scaled_arrays.h"

#define KERNEL(NAME)   .kernel = DETMATH_SCALED_INDEX_##NAME
#define PAIR(NAME)     .two = true, KERNEL(NAME)
#define SLOPE(NAME)    .derives = true, PAIR(NAME)
#define LINES          .layout = SCALED_BY_LINE
#define PRODUCTS       .layout = SCALED_BY_PRODUCT, .two = true
#define FUNCTION(FIND) .function = &scaled_##FIND

const struct scaled_facts scaled_facts[] = {
    [SCALED_ADD] = {PAIR(add), .in_article = true},
    [SCALED_SUB] = {PAIR(sub), .in_article = true},
    [SCALED_MUL] = {PAIR(mul), .in_article = true},
    [SCALED_DIV] = {PAIR(div), .in_article = true},
    [SCALED_MAX] = {PAIR(max), .in_article = true},
    [SCALED_MIN] = {PAIR(min), .in_article = true},
    [SCALED_STEP] = {PAIR(step)},
    [SCALED_DIV_GRADIENT] = {PAIR(div_gradient)},
    [SCALED_RESCALE] = {.two = true},
    [SCALED_CAST] = {KERNEL(apply), .in_article = true},
    [SCALED_RELU] = {KERNEL(relu), .in_article = true},
    [SCALED_GELU] = {KERNEL(gelu), FUNCTION(gelu_function)},
    [SCALED_EXP] = {KERNEL(exp), FUNCTION(exp_function)},
    [SCALED_LOG] = {KERNEL(log), FUNCTION(log_function)},
    [SCALED_SIGMOID] = {KERNEL(sigmoid), FUNCTION(sigmoid_function)},
    [SCALED_TANH] = {KERNEL(tanh), FUNCTION(tanh_function)},
    [SCALED_RELU_GRADIENT] = {SLOPE(relu_gradient)},
    [SCALED_SIGMOID_GRADIENT] = {SLOPE(sigmoid_gradient), FUNCTION(sigmoid_slope)},
    [SCALED_TANH_GRADIENT] = {SLOPE(tanh_gradient), FUNCTION(tanh_slope)},
    [SCALED_GELU_GRADIENT] = {SLOPE(gelu_gradient), FUNCTION(gelu_slope)},
    [SCALED_EXP_GRADIENT] = {SLOPE(exp_gradient), FUNCTION(exp_function)},
    [SCALED_REBALANCE] = {.layout = SCALED_BY_CELL, .in_article = true},
    [SCALED_REDUCE_MAX] = {LINES, .reduces = true, .in_article = true},
    [SCALED_SUM] = {LINES, .reduces = true},
    [SCALED_MEAN] = {LINES, .reduces = true},
    [SCALED_SOFTMAX] = {LINES, .one_scale = true, .in_article = true},
    [SCALED_SOFTMAX_GRADIENT] = {LINES, .two = true, .one_scale = true},
    [SCALED_MAX_ALONG_GRADIENT] = {LINES, .two = true},
    [SCALED_MATMUL] = {PRODUCTS, .in_article = true},
    [SCALED_CONVOLUTION] = {PRODUCTS, .windows = true},
    [SCALED_MUL_GRADIENT] = {PRODUCTS, .backward = true},
    [SCALED_MATMUL_GRADIENT] = {PRODUCTS, .backward = true},
    [SCALED_CONVOLUTION_GRADIENT] = {PRODUCTS, .backward = true, .windows = true},
};
