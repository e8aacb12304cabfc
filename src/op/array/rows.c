/* The rules of the operations on arrays. */
#include "op/array/rows.h"

#include "op/array/algorithms.h"
#include "op/array/exponentials.h"
#include "op/array/families.h"
#include "op/array/slices.h"
#include "op/array/sums.h"

#define RULE(NAME, OPERANDS, RESULTS, SHAPES, FAMILIES, ...)                                       \
    const struct array_rule array_##NAME = {.operand_names = {__VA_ARGS__},                        \
                                            .operand_shapes = OPERANDS,                            \
                                            .result_shapes = RESULTS,                              \
                                            .exact = exact_##NAME,                                 \
                                            .algorithms = algorithms_##NAME,                       \
                                            .families = FAMILIES,                                  \
                                            .shapes = SHAPES}

RULE(sum, shapes_one_operand, shapes_reduced, slice_shapes, sum_families, "x");
RULE(mean, shapes_one_operand, shapes_reduced, slice_shapes, sum_families, "x");
RULE(cumsum, shapes_one_operand, shapes_same, slice_shapes, sum_families, "x");
RULE(dot, shapes_two_operands, shapes_reduced, slice_shapes, sum_families, "x", "y");
RULE(matmul, shapes_matrices, shapes_product, matrix_shapes, sum_families, "x", "y");
RULE(logsumexp, shapes_one_operand, shapes_reduced, slice_shapes, exponential_families, "x");
RULE(logcumsumexp, shapes_one_operand, shapes_same, slice_shapes, exponential_families, "x");
RULE(softmax, shapes_one_operand, shapes_same, slice_shapes, exponential_families, "x");
RULE(log_softmax, shapes_one_operand, shapes_same, slice_shapes, exponential_families, "x");
