/* The rows of the operations on arrays of real numbers. */
#include "op/array/rows.h"
#include "op/families.h"

static const struct operation rows[] = {
    ARRAY("sum", "reduce_sum", 1, "x[0] + ... + x[n-1]", sum, REDUCTION_PARAMETERS),
    ARRAY("mean", "reduce_mean", 1, "(x[0] + ... + x[n-1]) / n", mean, REDUCTION_PARAMETERS),
    ARRAY("cumsum", NULL, 1, "y[i] = x[0] + ... + x[i]", cumsum, SCAN_PARAMETERS),
    ARRAY("dot", NULL, 2, "x[0] y[0] + ... + x[n-1] y[n-1]", dot, REDUCTION_PARAMETERS),
    ARRAY("matmul", NULL, 2, "z[i,j] = x[i,0] y[0,j] + ... + x[i,n-1] y[n-1,j]", matmul,
          ARRAY_PARAMETERS),
    ARRAY("logsumexp", "reduce_logsumexp", 1, "ln(e^x[0] + ... + e^x[n-1])", logsumexp,
          REDUCTION_PARAMETERS),
    ARRAY("logcumsumexp", "cumulative_logsumexp", 1, "y[i] = ln(e^x[0] + ... + e^x[i])",
          logcumsumexp, SCAN_PARAMETERS),
    ARRAY("logcumsumexp_gradient", NULL, 2,
          "y[i] = e^x[i] (g[i] / s[i] + ... + g[n-1] / s[n-1]), s[j] = e^x[0] + ... + e^x[j]",
          logcumsumexp_gradient, SCAN_PARAMETERS),
    ARRAY("logsumexp_gradient", NULL, 2, "y[i] = g e^x[i] / (e^x[0] + ... + e^x[n-1])",
          logsumexp_gradient, REDUCTION_PARAMETERS),
    ARRAY("softmax", NULL, 1, "y[i] = e^x[i] / (e^x[0] + ... + e^x[n-1])", softmax,
          REDUCTION_PARAMETERS),
    ARRAY("log_softmax", NULL, 1, "y[i] = x[i] - ln(e^x[0] + ... + e^x[n-1])", log_softmax,
          REDUCTION_PARAMETERS),
    ARRAY("rms_norm", NULL, 1, "y[i] = x[i] / ((x[0]^2 + ... + x[n-1]^2) / n + epsilon)^(1/2)",
          rms_norm, REDUCTION_PARAMETERS | PARAMETER_BIT(EPSILON)),
    ARRAY("log_softmax_gradient", NULL, 2,
          "y[i] = g[i] - (g[0] + ... + g[n-1]) e^x[i] / (e^x[0] + ... + e^x[n-1])",
          log_softmax_gradient, REDUCTION_PARAMETERS),
};
OPERATION_FAMILY(array, rows);
