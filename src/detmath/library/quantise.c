/* ONNX's quantisation: which types each operator set has, and which element has which scale. */
#include "detmath/quantise.h"
#include "environment.h"
#include "geometry.h"
#include "kernels.h"
#include "overlap.h"
#include "quantise_elements.h"

#include <stdint.h>
#include <string.h>

/* Since which operator set a format is one of each kind; 0: it never is. `wide`: of x when it is
 * quantised; `narrow`: of what it becomes. */
static const struct {
    int format, wide, scale, narrow;
} types[] = {{DETMATH_F32, 10, 10, 0},     {DETMATH_INT32, 10, 0, 0},    {DETMATH_F16, 19, 19, 0},
             {DETMATH_BF16, 19, 19, 0},    {DETMATH_INT8, 0, 0, 10},     {DETMATH_UINT8, 0, 0, 10},
             {DETMATH_E4M3FN, 0, 0, 19},   {DETMATH_E4M3FNUZ, 0, 0, 19}, {DETMATH_E5M2, 0, 0, 19},
             {DETMATH_E5M2FNUZ, 0, 0, 19}, {DETMATH_INT16, 0, 0, 21},    {DETMATH_UINT16, 0, 0, 21},
             {DETMATH_INT4, 0, 0, 21},     {DETMATH_UINT4, 0, 0, 21},    {DETMATH_E2M1FN, 0, 0, 23},
             {DETMATH_E8M0FNU, 0, 24, 0},  {DETMATH_INT2, 0, 0, 25},     {DETMATH_UINT2, 0, 0, 25},
             {DETMATH_E2M3FN, 0, 0, 28},   {DETMATH_E3M2FN, 0, 0, 28}};
enum kind { WIDE, SCALE, NARROW };

static int has_type(int opset, int format, enum kind kind) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int since = kind == WIDE ? types[i].wide : kind == SCALE ? types[i].scale : types[i].narrow;
        if (types[i].format == format)
            return since && opset >= since;
    }
    return 0;
}

/* Extents before, along and behind the axis. */
static int place(struct detmath_linear_plan *plan, const struct detmath_linear *rule) {
    int axis = rule->axis < 0 ? rule->axis + rule->dimensions : rule->axis;
    plan->outer = plan->axis = plan->inner = 1;
    if (rule->dimensions < 0 || rule->dimensions > DETMATH_MOST_DIMENSIONS)
        return DETMATH_TROUBLE_DIMENSIONS;
    if (!detmath_is_countable(rule->extents, rule->dimensions))
        return DETMATH_TROUBLE_COUNT;
    if (rule->granularity == DETMATH_PER_ARRAY)
        axis = rule->dimensions;
    else if (axis < 0 || axis >= rule->dimensions)
        return DETMATH_TROUBLE_AXIS;
    for (int i = 0; i < rule->dimensions; i++)
        *(i < axis ? &plan->outer : i == axis ? &plan->axis : &plan->inner) *= rule->extents[i];
    plan->block = 1;
    plan->per_axis = rule->granularity != DETMATH_PER_BLOCK;
    if (rule->granularity == DETMATH_PER_BLOCK) {
        if (!rule->block)
            return DETMATH_TROUBLE_BLOCK;
        plan->block = rule->block;
    }
    plan->blocks = plan->axis / plan->block + (plan->axis % plan->block != 0);
    return DETMATH_NO_TROUBLE;
}

static int check(struct detmath_linear_plan *plan, const struct detmath_linear *rule, int wide,
                 int narrow, int is_source) {
    int opset = rule->opset;
    int same = is_source && wide == DETMATH_INT32 ? DETMATH_F32 : wide;
    static const int since[] = {10, 13, 21};
    if ((unsigned)rule->granularity > DETMATH_PER_BLOCK || opset < since[rule->granularity])
        return DETMATH_TROUBLE_OPSET;
    if (rule->unsaturated && opset < 19)
        return DETMATH_TROUBLE_OPSET;
    if (rule->precision != -1 &&
        (!is_source || opset < 23 || rule->precision < 0 || rule->precision > DETMATH_BF16))
        return DETMATH_TROUBLE_OPSET;
    int source_is_integer = !is_source && narrow == DETMATH_INT32;
    if (!has_type(opset, wide, WIDE) || (!is_source && wide == DETMATH_INT32) ||
        !(has_type(opset, narrow, NARROW) || source_is_integer) ||
        !has_type(opset, plan->scale_format, SCALE) || (opset < 23 && plan->scale_format != same))
        return DETMATH_TROUBLE_FORMAT;
    return place(plan, rule);
}

static size_t scales_of(const struct detmath_linear_plan *plan) {
    return plan->per_axis ? plan->blocks : plan->outer * plan->blocks * plan->inner;
}

static int check_overlap(const struct detmath_linear_plan *plan) {
    const size_t n = plan->outer * plan->axis * plan->inner, count = scales_of(plan),
                 bytes = n * detmath_code_bytes(plan->y_format);
    return detmath_lie_apart(plan->y, bytes, plan->x, n * detmath_code_bytes(plan->x_format)) &&
                   detmath_lie_apart(plan->y, bytes, plan->scale,
                                     count * detmath_code_bytes(plan->scale_format)) &&
                   detmath_lie_apart(plan->y, bytes, plan->zero_point,
                                     count * detmath_code_bytes(plan->zero_format))
               ? DETMATH_NO_TROUBLE
               : DETMATH_TROUBLE_OVERLAP;
}

/* Zero points of formats of floating point, and of int32. */
static int check_zero_points(const struct detmath_linear_plan *plan) {
    const size_t count = scales_of(plan);
    const int format = plan->zero_format;
    const struct detmath_integer integer = detmath_integer_of(format);
    if (!plan->zero_point || (integer.bits && integer.bits < 32))
        return DETMATH_NO_TROUBLE;
    for (size_t i = 0; i < count; i++) {
        int32_t code = ((const uint8_t *)plan->zero_point)[integer.bits ? 0 : i];
        if (integer.bits)
            memcpy(&code, (const char *)plan->zero_point + i * sizeof code, sizeof code);
        else /* -0 is 0 too, where there is one */
            code = (int32_t)(detmath_widen((uint32_t)code, detmath_formats[format]) & 0x7fffffffu);
        if (code)
            return DETMATH_TROUBLE_ZERO_POINT;
    }
    return DETMATH_NO_TROUBLE;
}

/* The profile that has ONNX's tables of that operator set. */
static const char *profile_of(const struct detmath_linear *rule, int format) {
    if (format == DETMATH_E2M3FN || format == DETMATH_E3M2FN)
        return "onnx-reference"; /* no table has them */
    if (rule->opset < 24 && format != DETMATH_E2M1FN)
        return rule->unsaturated ? "onnx-19-unsaturated" : "onnx-19";
    return rule->unsaturated ? "onnx-24-unsaturated" : "onnx-24";
}

int detmath_quantise_linear(const struct detmath_linear *rule, void *y, int y_format, const void *x,
                            int x_format, const void *scale, int scale_format,
                            const void *zero_point) {
    struct detmath_linear_plan plan = {.x = x,
                                       .scale = scale,
                                       .zero_point = zero_point,
                                       .y = y,
                                       .x_format = x_format,
                                       .y_format = y_format,
                                       .scale_format = scale_format,
                                       .zero_format = y_format,
                                       .cast = detmath_best_level()->cast};
    int trouble = check(&plan, rule, x_format, y_format, 1);
    trouble = trouble ? trouble : check_overlap(&plan);
    trouble = trouble ? trouble : check_zero_points(&plan);
    if (trouble)
        return trouble;
    int own = x_format == DETMATH_INT32 ? DETMATH_F32 : x_format;
    plan.precision = rule->precision != -1             ? rule->precision
                     : scale_format == DETMATH_E8M0FNU ? own
                                                       : scale_format;
    if (!detmath_integer_of(y_format).bits &&
        !detmath_profile_conversion(&plan.conversion,
                                    detmath_profile_find(profile_of(rule, y_format)), DETMATH_F32,
                                    y_format, DETMATH_NEAREST_EVEN, 0))
        return DETMATH_TROUBLE_FORMAT;
    uint64_t set = detmath_environment_enter();
    detmath_best_level()->linear->quantise(&plan);
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}

int detmath_dequantise_linear(const struct detmath_linear *rule, void *y, int y_format,
                              const void *x, int x_format, const void *scale, int scale_format,
                              const void *zero_point) {
    struct detmath_linear_plan plan = {.x = x,
                                       .scale = scale,
                                       .zero_point = zero_point,
                                       .y = y,
                                       .x_format = x_format,
                                       .y_format = y_format,
                                       .scale_format = scale_format,
                                       .zero_format = x_format};
    int trouble = check(&plan, rule, y_format, x_format, 0);
    trouble = trouble ? trouble : check_overlap(&plan);
    trouble = trouble ? trouble : check_zero_points(&plan);
    if (trouble)
        return trouble;
    uint64_t set = detmath_environment_enter();
    detmath_best_level()->linear->dequantise(&plan);
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}
