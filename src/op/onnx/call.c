/* A call of ONNX's quantisation: which element has which scale, and what it is divided in. */
#include "op/onnx/rows.h"

bool onnx_takes_zero_points(const struct format *narrow) {
    return narrow->is_integer && narrow->width <= 16;
}

int onnx_axis(const struct array_call *call, const struct shape *shape) {
    int64_t axis = parameter_integer(call->parameters, PARAMETER_AXIS, 1);
    axis = axis < 0 ? axis + shape->dimensions : axis;
    return axis < 0 || axis > shape->dimensions ? shape->dimensions : (int)axis;
}

bool onnx_is_along(const struct parameters *given) {
    return parameter_flag(given, PARAMETER_AXIS) || parameter_flag(given, PARAMETER_BLOCK);
}

static const struct format *precision_of(const struct array_call *call) {
    const struct format *scale = call->operands[ONNX_SCALE].format,
                        *x = call->operands[ONNX_X].format;
    if (scale == &formats[FORMAT_FP8_E8M0FNU])
        scale = x->is_integer ? &formats[FORMAT_FP32] : x;
    const struct parameter_value *given = &call->parameters->values[PARAMETER_PRECISION];
    return given->present ? given->format : scale;
}

struct onnx_call onnx_call_of(const struct array_call *call) {
    const struct parameters *given = call->parameters;
    const struct shape *shape = &call->operands[ONNX_X].shape;
    struct onnx_call onnx = {.call = call,
                             .axis = 1,
                             .inner = 1,
                             .block = (uint64_t)parameter_integer(given, PARAMETER_BLOCK, 1),
                             .per_axis = !parameter_flag(given, PARAMETER_BLOCK),
                             .narrow = call->operands[ONNX_ZERO].format,
                             .precision = precision_of(call)};
    const int axis = onnx_is_along(given) ? onnx_axis(call, shape) : shape->dimensions;
    for (int i = axis; i < shape->dimensions; i++)
        *(i == axis ? &onnx.axis : &onnx.inner) *= shape->extents[i];
    return onnx;
}

uint64_t onnx_scale_at(const struct onnx_call *onnx, uint64_t element) {
    uint64_t inner = element % onnx->inner, along = element / onnx->inner % onnx->axis,
             outer = element / onnx->inner / onnx->axis;
    uint64_t blocks = (onnx->axis + onnx->block - 1) / onnx->block, at = along / onnx->block;
    return onnx->per_axis ? at : (outer * blocks + at) * onnx->inner + inner;
}
