/* The rows of ONNX's quantisation. */
#include "op/families.h"
#include "op/onnx/rows.h"

#define ONNX_PARAMETERS                                                                            \
    (PARAMETER_BIT(TO) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) |                   \
     PARAMETER_BIT(AXIS) | PARAMETER_BIT(OPSET) | PARAMETER_BIT(SCALE_FORMAT) |                    \
     PARAMETER_BIT(BLOCK))

static const struct operation rows[] = {
    {.name = "onnx.quantise",
     .aliases = "onnx.quantize QuantizeLinear onnx.QuantizeLinear",
     .formula = "round(x / s) + z",
     .operands = 3,
     .results = 1,
     .parameters = ONNX_PARAMETERS | PARAMETER_BIT(PRECISION) | PARAMETER_BIT(UNSATURATED),
     .defaults = {{PARAMETER_TO, "uint8"}},
     .group = "onnx",
     .array = &onnx_quantise,
     .takes_kinds = true},
    {.name = "onnx.dequantise",
     .aliases = "onnx.dequantize DequantizeLinear onnx.DequantizeLinear",
     .formula = "(x - z) s",
     .operands = 3,
     .results = 1,
     .parameters = ONNX_PARAMETERS,
     .defaults = {{PARAMETER_TO, "fp32"}},
     .group = "onnx",
     .array = &onnx_dequantise,
     .format = "uint8",
     .takes_kinds = true},
};
OPERATION_FAMILY(onnx, rows);
