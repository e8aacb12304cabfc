/* How a call lies: extents of its data and scales, and where the scale of a datum is. */
#include "op/scaled/rows.h"

#include "detmath/scaled_arrays.h"

/* The extents of a result and of its scales where operands broadcast. */
static bool broadcast(struct scaled_call *call) {
    int other = call->facts->two ? 1 : 0;
    const struct shape *a = &call->data[0], *b = &call->data[other];
    int n = a->dimensions > b->dimensions ? a->dimensions : b->dimensions;
    call->result.dimensions = call->result_scales.dimensions = n;
    for (int back = 1; back <= n; back++) {
        uint64_t x = scaled_extent_from_end(a, back), y = scaled_extent_from_end(b, back);
        if (x != y && x != 1 && y != 1)
            return false;
        call->result.extents[n - back] = x == 1 ? y : x;
        call->result_scales.extents[n - back] =
            scaled_common_multiple(scaled_extent_from_end(&call->scales[0], back),
                                   scaled_extent_from_end(&call->scales[other], back));
    }
    if (call->operation == SCALED_RESCALE)
        call->result_scales = call->scales[1];
    return true;
}

static bool scales_fit(const struct scaled_call *call, int operand) {
    const struct shape *data = &call->data[operand], *scales = &call->scales[operand];
    bool fit = scales->dimensions <= data->dimensions;
    for (int back = 1; fit && back <= scales->dimensions; back++)
        fit = scaled_extent_from_end(data, back) % scaled_extent_from_end(scales, back) == 0;
    return fit;
}

/* Of lines: an extent of 1 along the axis, of the data and of the scales. */
static bool reduce(struct scaled_call *call) {
    struct shape *lines = &call->lines, *places = &call->result_scales;
    *lines = call->data[0];
    places->dimensions = lines->dimensions;
    for (int i = 0; i < lines->dimensions; i++) {
        int back = lines->dimensions - i;
        bool along = call->axis < 0 || call->axis == i;
        places->extents[i] = along ? 1 : scaled_extent_from_end(&call->scales[0], back);
        lines->extents[i] = along ? 1 : lines->extents[i];
    }
    call->result = call->facts->reduces ? *lines : call->data[0];
    if (call->operation == SCALED_SOFTMAX)
        call->result_scales = *lines;
    return call->axis < call->data[0].dimensions;
}

static struct shape with_dimensions(const struct shape *shape, int dimensions) {
    struct shape all = {.dimensions = dimensions};
    for (int i = 0; i < dimensions; i++)
        all.extents[i] = scaled_extent_from_end(shape, dimensions - i);
    return all;
}

static bool lay_out_lines(struct scaled_call *call, struct error *error) {
    if (!reduce(call))
        return error_set(error, "--axis: the array has only %d dimensions",
                         call->data[0].dimensions);
    const int along = call->data[0].dimensions - call->axis;
    const bool two = call->facts->two;
    if (two)
        call->result_scales = with_dimensions(&call->scales[1], call->data[0].dimensions);
    if ((call->facts->one_scale && scaled_extent_from_end(&call->scales[0], along) != 1) ||
        (two && call->axis >= 0 && scaled_extent_from_end(&call->scales[1], along) != 1))
        return error_set(error, "scales of softmax must not differ along its axis; "
                                "scaled.rescale brings them to one");
    return true;
}

static bool lay_out(struct scaled_call *call, struct error *error) {
    bool good = scales_fit(call, 0) && (!call->facts->two || scales_fit(call, 1));
    call->result = call->data[0];
    call->result_scales = call->scales[0];
    if (call->facts->backward)
        call->result = call->call->results[SCALED_DATA].shape; /* scaled_forward's caller set it */
    if (good && call->facts->layout == SCALED_BY_PRODUCT)
        return scaled_lay_out_products(call, error);
    if (good && call->facts->layout == SCALED_BY_LINE)
        return lay_out_lines(call, error);
    if (good && call->facts->layout == SCALED_BY_ELEMENT)
        good = broadcast(call);
    return good ||
           error_set(error, "shapes are matched from the last dimension backwards: extents of "
                            "operands are equal or 1, and those of scales 1 or divisors of "
                            "their data's");
}

/* Rows and columns, as --per has it: all dimensions but the last are rows. */
static struct shape rows_and_columns(const struct shape *shape) {
    uint64_t columns = scaled_extent_from_end(shape, 1);
    return (struct shape){2, {shape_elements(shape) / columns, columns}};
}

bool scaled_is_shaped(const struct parameters *given) {
    return parameter_flag(given, PARAMETER_SCALES) ||
           parameter_flag(given, PARAMETER_SECOND_SHAPE) ||
           parameter_flag(given, PARAMETER_SECOND_SCALES) || parameter_flag(given, PARAMETER_AXIS);
}

bool scaled_call_make(const struct array_call *arrays, struct scaled_call *call,
                      struct error *error) {
    const struct parameters *given = arrays->parameters;
    const struct scaled_facts *facts = arrays->rule->data;
    const enum scaled_operation operation = facts->operation;
    const int64_t per = parameter_integer(given, PARAMETER_PER, 0);
    *call = (struct scaled_call){.call = arrays,
                                 .operation = operation,
                                 .facts = facts,
                                 .is_power = parameter_integer(given, PARAMETER_SCALE, 0) ==
                                             SCALED_KIND_POWER,
                                 .axis = -1,
                                 .divisor = 1,
                                 .scalar = -1};
    bool as_rows = !scaled_is_shaped(given) && call->facts->layout != SCALED_BY_PRODUCT &&
                   !scaled_is_line_gradient(call->facts);
    for (int i = 0; i < 1 + call->facts->two; i++) {
        const struct shape *shape = &arrays->operands[2 * i].shape;
        call->data[i] = as_rows ? rows_and_columns(shape) : *shape;
        call->scales[i] = arrays->operands[2 * i + 1].shape;
    }
    if (parameter_flag(given, PARAMETER_AXIS)) {
        int64_t axis = given->values[PARAMETER_AXIS].integer;
        call->axis = (int)(axis < 0 ? axis + call->data[0].dimensions : axis);
        if (call->axis < 0)
            call->axis = MOST_DIMENSIONS;
    } else if (call->facts->one_scale || (as_rows && per == SCALED_PER_ROW))
        call->axis = call->data[0].dimensions - 1;
    if (!lay_out(call, error))
        return false;
    if (operation == SCALED_MUL && !parameter_flag(given, PARAMETER_SCALAR_IN_DATA)) {
        const uint64_t counts[2] = {shape_elements(&call->data[0]), shape_elements(&call->data[1])};
        call->scalar = counts[0] == counts[1] ? -1 : counts[0] == 1 ? 0 : counts[1] == 1 ? 1 : -1;
    }
    if (call->facts->layout == SCALED_BY_PRODUCT || operation == SCALED_SUM)
        call->divisor = detmath_scaled_static(
            (enum detmath_scaled_strategy)parameter_integer(given, PARAMETER_STATIC, 0),
            (uint32_t)scaled_term_count(call));
    return true;
}

struct scaled_call scaled_call_of(const struct array_call *arrays) {
    struct scaled_call call;
    struct error unused;
    scaled_call_make(arrays, &call, &unused);
    return call;
}

/* The index in an array matched from the last dimension backwards, for element `flat` of `of`: of
 * extents that broadcast, or that cut `by`'s into blocks. */
static uint64_t matched_index(const struct shape *of, uint64_t flat, const struct shape *by,
                              const struct shape *array) {
    uint64_t index = 0, stride = 1;
    for (int back = 1; back <= of->dimensions; back++) {
        uint64_t extent = scaled_extent_from_end(of, back), at = flat % extent;
        uint64_t whole = scaled_extent_from_end(by, back),
                 own = scaled_extent_from_end(array, back);
        index += (whole == 1 ? 0 : at) / (whole / own) * stride;
        stride *= own;
        flat /= extent;
    }
    return index;
}

uint64_t scaled_data_index(const struct scaled_call *call, int operand, uint64_t element) {
    const struct shape *shape = &call->data[operand];
    return matched_index(&call->result, element, shape, shape);
}

uint64_t scaled_place(const struct scaled_call *call, int operand, uint64_t index) {
    return matched_index(&call->data[operand], index, &call->data[operand], &call->scales[operand]);
}

uint64_t scaled_result_place(const struct scaled_call *call, uint64_t element) {
    return matched_index(&call->result, element, &call->result, &call->result_scales);
}

struct real scaled_scalar(const struct scaled_call *call) {
    return array_number(&call->call->operands[2 * call->scalar], 0);
}

struct scaled_scale scaled_scale_at(const struct scaled_call *call, int operand, uint64_t index) {
    const struct array *scales = &call->call->operands[2 * operand + 1];
    uint32_t code = (uint32_t)array_code(scales, scaled_place(call, operand, index));
    if (call->is_power)
        return (struct scaled_scale){1, (int32_t)code, true};
    return (struct scaled_scale){detmath_from_bits_f32(code), 0, false};
}

void scaled_scale_store(const struct scaled_call *call, uint64_t place, struct scaled_scale scale) {
    const struct array *scales = &call->call->results[SCALED_SCALE];
    bool as_exponent = scales->format->is_integer;
    array_set_code(scales, place, as_exponent ? (uint32_t)scale.e : detmath_bits_f32(scale.m));
}
