/* The rows of the operations on arrays of real numbers. */
#include "op/array/algorithms.h"
#include "op/array/exponentials.h"
#include "op/array/families.h"
#include "op/array/gradients.h"
#include "op/array/slices.h"
#include "op/array/sums.h"
#include "op/families.h"
#include "op/kernels/norms.h"

/* What every operation on arrays takes, and more. */
#define ARRAYS                                                                                     \
    (PARAMETER_BIT(DTYPE) | PARAMETER_BIT(ACCUMULATE) | PARAMETER_BIT(SHAPE_OF) |                  \
     PARAMETER_BIT(DISTRIBUTION))
#define ALONG (ARRAYS | PARAMETER_BIT(AXIS))
#define SCANS (ALONG | PARAMETER_BIT(EXCLUSIVE) | PARAMETER_BIT(REVERSE))

#define ONE (1, "x")
/* Two, and c with --addend. */
#define ONTO (2, "x", "y", "c")
/* A gradient that comes back beside what the forward operation had. */
#define BACK (2, "x", "g")

/* How operands lie, and what becomes of their lines. */
#define LINES(KIND, RESULTS)                                                                       \
    .lines = LINES_##KIND, .operand_shapes = shapes_equal, .result_shapes = RESULTS,               \
    .shapes = slice_shapes
#define REDUCED LINES(REDUCED, shapes_reduced)
#define SCANNED LINES(SCANNED, shapes_same)
#define PLACED  LINES(PLACED, shapes_same)
#define MAPPED  LINES(MAPPED, shapes_same), .last_axis = true
#define PER_LINE                                                                                   \
    .operand_shapes = shapes_given_reduced, .result_shapes = shapes_same, .shapes = slice_shapes
#define PRODUCT                                                                                    \
    .lines = LINES_PRODUCT, .shape_of_many = true, .operand_shapes = shapes_matrices,              \
    .result_shapes = shapes_product, .shapes = matrix_shapes

/* The last operand may be absent. */
#define ADDEND .takes_addend = true, .roles = {OPERAND_LINES, OPERAND_LINES, OPERAND_PER_LINE}

/* The exact value, and inputs at which it tells something. */
#define SUM(EXACT) .exact = EXACT, .families = sum_families
#define EXPONENTIAL(RULE)                                                                          \
    .exact = exact_exponentials, .families = exponential_families, .data = &RULE
#define GRADIENT .exact = exact_gradient, .families = exponential_families

#define ARRAY(NAME, ALIASES, OPERANDS, FORMULA, PARAMETERS, ...)                                   \
    {                                                                                              \
        .name = #NAME, .aliases = ALIASES, .formula = FORMULA, .operands = OPERAND_COUNT OPERANDS, \
        .results = 1, .parameters = PARAMETERS, .group = "arrays",                                 \
        .array = &(const struct array_rule) {                                                      \
            .operand_names = OPERAND_NAMES OPERANDS, .algorithms = algorithms_##NAME, __VA_ARGS__  \
        }                                                                                          \
    }

/* A kernel among the rest of its group: op/kernels has the others. */
#define NORM(NAME, ALIASES, FORMULA, PARAMETERS)                                                   \
    {                                                                                              \
        .name = #NAME, .aliases = ALIASES, .formula = FORMULA, .operands = 3, .results = 1,        \
        .parameters = PARAMETERS, .group = "arrays", .second_group = "kernels",                    \
        .array = &(const struct array_rule) {                                                      \
            .algorithms = algorithms_##NAME, .families = sum_families, MAPPED, NORM_OPERANDS(RMS), \
            .keeps_zeros = true                                                                    \
        }                                                                                          \
    }

static const struct operation rows[] = {
    ARRAY(sum, "reduce_sum", ONE, "x[0] + ... + x[n-1]", ALONG, REDUCED, SUM(exact_reduction)),
    ARRAY(mean, "reduce_mean", ONE, "(x[0] + ... + x[n-1]) / n", ALONG, REDUCED,
          SUM(exact_reduction), .data = exact_mean),
    ARRAY(cumsum, NULL, ONE, "y[i] = x[0] + ... + x[i]", SCANS, SCANNED, SUM(exact_cumsum)),
    ARRAY(dot, NULL, ONTO, "x[0] y[0] + ... + x[n-1] y[n-1], with --addend plus c",
          ALONG | PARAMETER_BIT(ADDEND), REDUCED, SUM(exact_reduction), ADDEND),
    ARRAY(matmul, NULL, ONTO,
          "z[i,j] = x[i,0] y[0,j] + ... + x[i,n-1] y[n-1,j], with --addend plus c[i,j]",
          ARRAYS | PARAMETER_BIT(ADDEND), PRODUCT, SUM(exact_matmul), ADDEND),
    ARRAY(logsumexp, "reduce_logsumexp", ONE, "ln(e^x[0] + ... + e^x[n-1])", ALONG, REDUCED,
          EXPONENTIAL(exponential_sum)),
    ARRAY(logcumsumexp, "cumulative_logsumexp", ONE, "y[i] = ln(e^x[0] + ... + e^x[i])", SCANS,
          SCANNED, EXPONENTIAL(exponential_scan), .starts_at_infinity = true),
    ARRAY(logcumsumexp_gradient, NULL, BACK,
          "y[i] = e^x[i] (g[i] / s[i] + ... + g[n-1] / s[n-1]), s[j] = e^x[0] + ... + e^x[j]",
          SCANS, PLACED, GRADIENT),
    ARRAY(logsumexp_gradient, NULL, BACK, "y[i] = g e^x[i] / (e^x[0] + ... + e^x[n-1])", ALONG,
          PER_LINE, GRADIENT),
    ARRAY(softmax, NULL, ONE, "y[i] = e^x[i] / (e^x[0] + ... + e^x[n-1])", ALONG, MAPPED,
          EXPONENTIAL(exponential_share)),
    ARRAY(log_softmax, NULL, ONE, "y[i] = x[i] - ln(e^x[0] + ... + e^x[n-1])", ALONG, MAPPED,
          EXPONENTIAL(exponential_log_share)),
    NORM(rms_norm, "rms_normalization",
         "y[i] = weight[i] x[i] / ((x[0]^2 + ... + x[n-1]^2) / n + epsilon)^(1/2) + bias[i]",
         ALONG | NORMS),
    ARRAY(log_softmax_gradient, NULL, BACK,
          "y[i] = g[i] - (g[0] + ... + g[n-1]) e^x[i] / (e^x[0] + ... + e^x[n-1])", ALONG, MAPPED,
          EXPONENTIAL(exponential_share_gradient)),
};
OPERATION_FAMILY(array, rows);
