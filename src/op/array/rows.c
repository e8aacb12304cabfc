/* The rules of the operations on arrays. */
#include "op/array/rows.h"

#include "op/array/algorithms.h"
#include "op/array/exponentials.h"
#include "op/array/families.h"
#include "op/array/gradients.h"
#include "op/array/slices.h"
#include "op/array/sums.h"

#define RULE(NAME, EXACT, LINES, OPERANDS, RESULTS, SHAPES, FAMILIES, ...)                         \
    const struct array_rule array_##NAME = {.lines = LINES,                                        \
                                            .operand_shapes = OPERANDS,                            \
                                            .result_shapes = RESULTS,                              \
                                            .exact = EXACT,                                        \
                                            .algorithms = algorithms_##NAME,                       \
                                            .families = FAMILIES,                                  \
                                            .shapes = SHAPES,                                      \
                                            __VA_ARGS__}
#define SUM(NAME, EXACT, LINES, RESULTS, ...)                                                      \
    RULE(NAME, EXACT, LINES, shapes_equal, RESULTS, slice_shapes, sum_families, __VA_ARGS__)
#define EXPONENTIAL(NAME, LINES, RESULTS, ...)                                                     \
    RULE(NAME, exact_exponentials, LINES, shapes_equal, RESULTS, slice_shapes,                     \
         exponential_families, __VA_ARGS__)

SUM(sum, exact_reduction, LINES_REDUCED, shapes_reduced, .operand_names = {"x"});
SUM(mean, exact_reduction, LINES_REDUCED, shapes_reduced, .operand_names = {"x"},
    .data = exact_mean);
SUM(cumsum, exact_cumsum, LINES_SCANNED, shapes_same, .operand_names = {"x"});
SUM(dot, exact_reduction, LINES_REDUCED, shapes_reduced, .operand_names = {"x", "y"});
RULE(matmul, exact_matmul, LINES_PRODUCT, shapes_matrices, shapes_product, matrix_shapes,
     sum_families, .operand_names = {"x", "y"});
SUM(rms_norm, exact_rms_norm, LINES_MAPPED, shapes_same, .operand_names = {"x"}, .last_axis = true,
    .keeps_zeros = true);
EXPONENTIAL(logsumexp, LINES_REDUCED, shapes_reduced, .operand_names = {"x"},
            .data = &exponential_sum);
EXPONENTIAL(logcumsumexp, LINES_SCANNED, shapes_same, .operand_names = {"x"},
            .data = &exponential_scan, .starts_at_infinity = true);
EXPONENTIAL(softmax, LINES_MAPPED, shapes_same, .operand_names = {"x"}, .data = &exponential_share,
            .last_axis = true);
EXPONENTIAL(log_softmax, LINES_MAPPED, shapes_same, .operand_names = {"x"},
            .data = &exponential_log_share, .last_axis = true);
EXPONENTIAL(log_softmax_gradient, LINES_MAPPED, shapes_same, .operand_names = {"x", "g"},
            .data = &exponential_share_gradient, .last_axis = true);
RULE(logsumexp_gradient, exact_gradient, LINES_NONE, shapes_given_reduced, shapes_same,
     slice_shapes, exponential_families, .operand_names = {"x", "g"});
RULE(logcumsumexp_gradient, exact_gradient, LINES_PLACED, shapes_equal, shapes_same, slice_shapes,
     exponential_families, .operand_names = {"x", "g"});
