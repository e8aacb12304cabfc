/* The rows of the operations on MX blocks. */
#include "op/families.h"
#include "op/mx/rows.h"

static const struct operation rows[] = {
    {.name = "mx.quantise",
     .aliases = "mx mx.quantize",
     .formula = "s = 2^n, e[i] = x[i] / s: blocks of 32 with one scale",
     .operands = 1,
     .results = 2,
     .parameters = MX_PARAMETERS | PARAMETER_BIT(PROFILE),
     .defaults = {{PARAMETER_TO, "mxfp8_e4m3"}, {PARAMETER_PROFILE, "ocp"}},
     .group = "blocks",
     .result = {{.name = "elements"}, {.name = "scales"}},
     .array = &mx_quantise},
    {.name = "mx.dequantise",
     .aliases = "mx.dequantize",
     .formula = "y[i] = s x[i], elements times the scale of their block",
     .operands = 2,
     .results = 1,
     .parameters = MX_PARAMETERS,
     .defaults = {{PARAMETER_TO, "fp32"}},
     .group = "blocks",
     .array = &mx_dequantise,
     .format = "mxfp8_e4m3"},
};
OPERATION_FAMILY(mx, rows);
