/* Running ONNX's quantisation: ours by the library's calls, and the formula as frameworks write it. */
#include "op/onnx/rows.h"

#include "detmath/quantise.h"
#include "op/detmath_format.h"

#include <math.h>

int onnx_index_of(const struct format *format) {
    int index = detmath_any_index_of(format);
    return index <= DETMATH_INT32 ? index : -1;
}

/* The call's rule; `extents` has room for the array's. */
static struct detmath_linear rule_of(const struct array_call *call, size_t *extents) {
    const struct parameters *given = call->parameters;
    const struct shape *shape = &call->operands[ONNX_X].shape;
    const struct parameter_value *precision = &given->values[PARAMETER_PRECISION];
    bool blocks = parameter_flag(given, PARAMETER_BLOCK);
    for (int i = 0; i < shape->dimensions; i++)
        extents[i] = (size_t)shape->extents[i];
    return (struct detmath_linear){
        .opset = (int)parameter_integer(given, PARAMETER_OPSET, 10),
        .dimensions = shape->dimensions,
        .extents = extents,
        .granularity = blocks                                  ? DETMATH_PER_BLOCK
                       : parameter_flag(given, PARAMETER_AXIS) ? DETMATH_PER_AXIS
                                                               : DETMATH_PER_ARRAY,
        .axis = (int)parameter_integer(given, PARAMETER_AXIS, 1),
        .block = (size_t)parameter_integer(given, PARAMETER_BLOCK, 1),
        .unsaturated = parameter_flag(given, PARAMETER_UNSATURATED),
        .precision = precision->present ? onnx_index_of(precision->format) : -1};
}

static int run(const struct array_call *call, const struct detmath_linear *rule) {
    const struct array *x = &call->operands[ONNX_X], *scale = &call->operands[ONNX_SCALE],
                       *zero = &call->operands[ONNX_ZERO], *y = &call->results[0];
    const struct onnx_row *row = call->rule->data;
    return row->run(rule, y->codes, onnx_index_of(y->format), x->codes, onnx_index_of(x->format),
                    scale->codes, onnx_index_of(scale->format), zero->codes);
}

bool onnx_allowed(const struct array_call *call, struct error *error) {
    const struct format *x = call->operands[ONNX_X].format, *y = call->results[0].format;
    const struct onnx_row *row = call->rule->data;
    size_t extents[MOST_DIMENSIONS];
    struct detmath_linear rule = rule_of(call, extents);
    extents[0] = 0;
    if (x->is_element || y->is_element)
        return error_set(error, "%s is not of formats of blocks", row->name);
    int trouble = run(call, &rule);
    if (trouble == DETMATH_TROUBLE_FORMAT)
        return error_set(error,
                         "%s: operator set %d has no %s to %s with scales in %s; "
                         "detcheck-onnx(7) says what it has",
                         row->name, rule.opset, x->name, y->name,
                         call->operands[ONNX_SCALE].format->name);
    if (trouble == DETMATH_TROUBLE_OPSET)
        return error_set(error,
                         "%s: operator set %d has no such option: --axis is from 13 on, "
                         "--unsaturated from 19, --block from 21, --precision from 23 in fp32, "
                         "fp16 or bf16",
                         row->name, rule.opset);
    return !trouble || error_set(error, "%s: %s", row->name, detmath_trouble_text(trouble));
}

/* The library writes integers of less than 8 bits as bytes. */
bool onnx_run_det(const struct array_call *call, const struct array_algorithm *algorithm,
                  struct error *error) {
    const struct array *y = &call->results[0];
    size_t extents[MOST_DIMENSIONS];
    struct detmath_linear rule = rule_of(call, extents);
    (void)algorithm;
    int trouble = run(call, &rule);
    for (uint64_t i = 0; !trouble && y->format->width < 8 && i < shape_elements(&y->shape); i++)
        array_set_code(y, i, array_code(y, i) & format_mask(y->format));
    return !trouble || error_set(error, "detmath: %s", detmath_trouble_text(trouble));
}

static float number_at(const struct array *array, uint64_t index) {
    struct real x = array_number(array, index);
    return (float)real_to_double(&x);
}

/* As frameworks that keep 1 / scale do it. */
bool onnx_run_naive(const struct array_call *call, const struct array_algorithm *algorithm,
                    struct error *error) {
    const struct onnx_call onnx = onnx_call_of(call);
    const struct format *to = call->results[0].format;
    const float most = (float)to->max_finite, least = -(float)format_most(to, true);
    (void)algorithm;
    (void)error;
    for (uint64_t i = 0; i < shape_elements(&call->results[0].shape); i++) {
        uint64_t at = onnx_scale_at(&onnx, i);
        float inverse = 1.0f / number_at(&call->operands[ONNX_SCALE], at);
        float y = rintf(number_at(&call->operands[ONNX_X], i) * inverse) +
                  number_at(&call->operands[ONNX_ZERO], at);
        y = y > least ? y : least; /* NaN too */
        y = y < most ? y : most;
        array_set_code(&call->results[0], i, (uint64_t)(int64_t)y & format_mask(to));
    }
    return true;
}
