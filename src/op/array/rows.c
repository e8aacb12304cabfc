/* The rules of the operations on arrays. */
#include "op/array/rows.h"

#include "op/array/algorithms.h"
#include "op/array/exponentials.h"
#include "op/array/families.h"
#include "op/array/gradients.h"
#include "op/array/slices.h"
#include "op/array/sums.h"

#define RULE(NAME, WHICH, EXACT, OPERANDS, RESULTS, SHAPES, FAMILIES, ...)                         \
    const struct array_rule array_##NAME = {.which = WHICH,                                        \
                                            .operand_names = {__VA_ARGS__},                        \
                                            .operand_shapes = OPERANDS,                            \
                                            .result_shapes = RESULTS,                              \
                                            .exact = EXACT,                                        \
                                            .algorithms = algorithms_##NAME,                       \
                                            .families = FAMILIES,                                  \
                                            .shapes = SHAPES}
#define SUM(NAME, WHICH, EXACT, RESULTS, ...)                                                      \
    RULE(NAME, WHICH, EXACT, shapes_equal, RESULTS, slice_shapes, sum_families, __VA_ARGS__)
#define EXPONENTIAL(NAME, WHICH, RESULTS)                                                          \
    RULE(NAME, WHICH, exact_exponentials, shapes_equal, RESULTS, slice_shapes,                     \
         exponential_families, "x")

SUM(sum, ARRAY_SUM, exact_reduction, shapes_reduced, "x");
SUM(mean, ARRAY_MEAN, exact_reduction, shapes_reduced, "x");
SUM(cumsum, ARRAY_CUMSUM, exact_cumsum, shapes_same, "x");
SUM(dot, ARRAY_DOT, exact_reduction, shapes_reduced, "x", "y");
RULE(matmul, ARRAY_MATMUL, exact_matmul, shapes_matrices, shapes_product, matrix_shapes,
     sum_families, "x", "y");
EXPONENTIAL(logsumexp, ARRAY_LOGSUMEXP, shapes_reduced);
EXPONENTIAL(logcumsumexp, ARRAY_LOGCUMSUMEXP, shapes_same);
EXPONENTIAL(softmax, ARRAY_SOFTMAX, shapes_same);
EXPONENTIAL(log_softmax, ARRAY_LOG_SOFTMAX, shapes_same);
RULE(logsumexp_gradient, ARRAY_LOGSUMEXP_GRADIENT, exact_gradient, shapes_given_reduced,
     shapes_same, slice_shapes, exponential_families, "x", "g");
RULE(log_softmax_gradient, ARRAY_LOG_SOFTMAX_GRADIENT, exact_share_gradient, shapes_equal,
     shapes_same, slice_shapes, exponential_families, "x", "g");
RULE(logcumsumexp_gradient, ARRAY_LOGCUMSUMEXP_GRADIENT, exact_gradient, shapes_equal, shapes_same,
     slice_shapes, exponential_families, "x", "g");
