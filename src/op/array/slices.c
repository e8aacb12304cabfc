/* Slices of arrays, and the shapes of operands and results. */
#include "op/array/slices.h"

#include "format/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct parameter_value *axis_of(const struct array_call *call) {
    const struct parameter_value *axis = &call->parameters->values[PARAMETER_AXIS];
    return axis->present ? axis : NULL;
}

bool slices_check(const struct array_call *call, struct error *error) {
    const struct parameter_value *axis = axis_of(call);
    int64_t dimensions = call->operands[0].shape.dimensions;
    if (axis && (axis->integer < -dimensions || axis->integer >= dimensions))
        return error_set(error,
                         "--axis %" PRId64 " is none of an array of %" PRId64 " dimension%s; there "
                         "%s %" PRId64 " to %" PRId64,
                         axis->integer, dimensions, dimensions == 1 ? "" : "s",
                         dimensions == 1 ? "is" : "are", -dimensions, dimensions - 1);
    return true;
}

static int axis_number(const struct array_call *call) {
    const struct parameter_value *axis = axis_of(call);
    int dimensions = call->operands[0].shape.dimensions;
    if (!axis)
        return call->rule->last_axis ? dimensions - 1 : -1;
    return (int)(axis->integer < 0 ? axis->integer + dimensions : axis->integer);
}

struct slices slices_of(const struct array_call *call) {
    const struct shape *shape = &call->operands[0].shape;
    uint64_t elements = shape_elements(shape);
    int axis = axis_number(call);
    struct slices slices = {1, elements, 1, parameter_flag(call->parameters, PARAMETER_REVERSE)};
    if (axis < 0)
        return slices;
    slices.length = shape->extents[axis];
    slices.count = elements / slices.length;
    for (int i = axis + 1; i < shape->dimensions; i++)
        slices.stride *= shape->extents[i];
    return slices;
}

struct shape slices_shape(const struct array_call *call) {
    const struct shape *shape = &call->operands[0].shape;
    struct shape reduced = {0};
    int axis = axis_number(call);
    for (int i = 0; axis >= 0 && i < shape->dimensions; i++)
        if (i != axis)
            reduced.extents[reduced.dimensions++] = shape->extents[i];
    return reduced.dimensions ? reduced : shape_of(1);
}

int rule_operands(const struct array_rule *rule, const struct parameters *parameters) {
    int count = 0;
    while (count < MAX_ARRAY_OPERANDS && rule->operand_names[count])
        count++;
    if (rule->takes_addend && !parameter_flag(parameters, PARAMETER_ADDEND))
        count--;
    return rule->operand_count ? rule->operand_count(parameters) : count;
}

bool shapes_equal(struct array_call *call, const struct format *format, const struct shape *shape,
                  struct error *error) {
    const int operands = rule_operands(call->rule, call->parameters);
    for (int i = 0; i < operands; i++)
        call->operands[i] = (struct array){.format = format, .shape = *shape};
    if (!slices_check(call, error))
        return false;
    for (int i = 1; i < operands; i++)
        if (call->rule->roles[i] != OPERAND_LINES)
            call->operands[i].shape = call->rule->roles[i] == OPERAND_SHARED
                                          ? shape_of(slices_of(call).length)
                                          : slices_shape(call);
    return true;
}

bool shapes_given_reduced(struct array_call *call, const struct format *format,
                          const struct shape *shape, struct error *error) {
    if (!shapes_equal(call, format, shape, error))
        return false;
    call->operands[1].shape = slices_shape(call);
    return true;
}

bool shapes_matrices(struct array_call *call, const struct format *format,
                     const struct shape *shape, struct error *error) {
    if (shape->dimensions != 3)
        return error_set(error, "matmul needs --shape ROWSxINNERxCOLUMNS, such as 4x256x8: the "
                                "operands are ROWSxINNER and INNERxCOLUMNS");
    for (int i = 0; i < 2; i++) {
        struct shape matrix = {2, {shape->extents[i], shape->extents[i + 1]}};
        call->operands[i] = (struct array){.format = format, .shape = matrix};
    }
    return true;
}

const struct format *least_accumulation(const struct format *format) {
    const struct format *fp32 = &formats[FORMAT_FP32];
    return format_is_within(format, fp32) ? fp32 : &formats[FORMAT_FP64];
}

struct real array_epsilon(const struct array_call *call) {
    return format_decode(&formats[FORMAT_FP32],
                         (uint64_t)parameter_integer(call->parameters, PARAMETER_EPSILON, 0));
}

const struct format *accumulation_format(const struct array_call *call) {
    const struct parameter_value *given = &call->parameters->values[PARAMETER_ACCUMULATE];
    return given->present ? given->format : least_accumulation(call->results[0].format);
}

/* Whether it holds the results; an error that names those that do. */
static bool check_accumulation(const struct format *accumulation, const struct format *results,
                               struct error *error) {
    static const enum format_number all[] = {FORMAT_FP16, FORMAT_BF16, FORMAT_FP32, FORMAT_FP64};
    enum { COUNT = sizeof all / sizeof *all };
    char names[64] = "";
    for (int i = 0; i < COUNT; i++) {
        if (!format_is_within(results, &formats[all[i]]))
            continue;
        if (accumulation == &formats[all[i]])
            return true;
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s",
                 !length          ? ""
                 : i == COUNT - 1 ? " or "
                                  : ", ",
                 formats[all[i]].name);
    }
    return error_set(error, "--accumulate needs %s for results in %s, not %s", names, results->name,
                     accumulation->name);
}

static bool set_result(struct array_call *call, struct shape shape, struct error *error) {
    call->results[0].format = parameters_result_format(call->parameters, call->operands[0].format);
    call->results[0].shape = shape;
    return check_accumulation(accumulation_format(call), call->results[0].format, error);
}

bool shapes_same(struct array_call *call, struct error *error) {
    return set_result(call, call->operands[0].shape, error);
}

bool shapes_reduced(struct array_call *call, struct error *error) {
    return set_result(call, slices_shape(call), error);
}

bool shapes_product(struct array_call *call, struct error *error) {
    struct shape product = {
        2, {call->operands[0].shape.extents[0], call->operands[1].shape.extents[1]}};
    return set_result(call, product, error);
}

#define SLICE(EXTENT)                                                                              \
    {                                                                                              \
        1, {                                                                                       \
            EXTENT                                                                                 \
        }                                                                                          \
    }
const struct shape slice_shapes[] = {
    SLICE(1),    SLICE(2),    SLICE(3),    SLICE(7),    SLICE(8),    SLICE(9),    SLICE(31),
    SLICE(32),   SLICE(33),   SLICE(127),  SLICE(128),  SLICE(129),  SLICE(251),  SLICE(255),
    SLICE(256),  SLICE(257),  SLICE(1021), SLICE(1023), SLICE(1024), SLICE(1025), SLICE(4095),
    SLICE(4096), SLICE(4097), SLICE(8191), {0}};

const struct shape matrix_shapes[] = {{3, {1, 1, 1}},    {3, {2, 3, 2}},    {3, {7, 5, 3}},
                                      {3, {8, 16, 8}},   {3, {9, 31, 17}},  {3, {4, 257, 5}},
                                      {3, {3, 1023, 2}}, {3, {2, 1025, 3}}, {0}};

uint64_t element_cast(const struct format *from, const struct format *to, uint64_t code) {
    if (from == to)
        return code;
    struct real value = format_decode(from, code);
    return format_encode(to, &value, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

uint64_t element_load(const struct array *array, const struct format *wanted, uint64_t index) {
    return element_cast(array->format, wanted, array_code(array, index));
}

void slice_load(const struct array_call *call, int operand, const struct slices *slices,
                uint64_t slice, uint64_t *to) {
    const struct array *array = &call->operands[operand];
    const struct format *wanted = call->results[0].format;
    const size_t bytes = format_bytes(array->format);
    const uint64_t start = slice_start(slices, slice);
    for (uint64_t i = 0; i < slices->length; i++) {
        const uint64_t at = slices->reverse ? slices->length - 1 - i : i;
        to[i] = code_load(array->codes, bytes, (size_t)(start + at * slices->stride));
    }
    for (uint64_t i = 0; array->format != wanted && i < slices->length; i++)
        to[i] = element_cast(array->format, wanted, to[i]);
}
