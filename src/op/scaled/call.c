/* A call as rows and columns, and its scales by broadcasting. */
#include "op/scaled/rows.h"

#include "detmath/scaled_arrays.h"

bool scaled_broadcasts(const struct parameters *given) {
    return parameter_flag(given, PARAMETER_SCALES) ||
           parameter_flag(given, PARAMETER_SECOND_SHAPE) ||
           parameter_flag(given, PARAMETER_SECOND_SCALES);
}

static uint64_t common_multiple(uint64_t a, uint64_t b) {
    uint64_t x = a, y = b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

bool scaled_broadcast(const struct array_call *call, bool two, struct shape *data,
                      struct shape *scales) {
    const struct array *a = &call->operands[0], *b = &call->operands[two ? 2 : 0];
    int n = a->shape.dimensions > b->shape.dimensions ? a->shape.dimensions : b->shape.dimensions;
    struct shape unused;
    scales = scales ? scales : &unused;
    data->dimensions = scales->dimensions = n;
    for (int back = 1; back <= n; back++) {
        uint64_t x = scaled_extent_from_end(&a->shape, back),
                 y = scaled_extent_from_end(&b->shape, back);
        uint64_t s = scaled_extent_from_end(&a[1].shape, back),
                 r = scaled_extent_from_end(&b[1].shape, back);
        if ((x != y && x != 1 && y != 1) || x % s || y % r)
            return false;
        data->extents[n - back] = x == 1 ? y : x;
        scales->extents[n - back] = common_multiple(s, r);
    }
    return a[1].shape.dimensions <= a->shape.dimensions &&
           b[1].shape.dimensions <= b->shape.dimensions;
}

struct scaled_call scaled_call_of(const struct array_call *call) {
    const enum scaled_operation operation = (enum scaled_operation)call->rule->which;
    const struct shape *shape = &call->operands[0].shape;
    struct scaled_call scaled = {
        .call = call,
        .operation = operation,
        .two = scaled_has_two(operation),
        .is_power = parameter_integer(call->parameters, PARAMETER_SCALE, 0) == SCALED_KIND_POWER,
        .per = (int)parameter_integer(call->parameters, PARAMETER_PER, 0),
        .divisor = 1};
    struct shape result;
    scaled.broadcasts = scaled_broadcasts(call->parameters);
    if (scaled.broadcasts && scaled_broadcast(call, scaled.two, &result, NULL))
        shape = &result;
    scaled.columns = scaled_extent_from_end(shape, 1);
    scaled.rows = shape_elements(shape) / scaled.columns;
    /* What is found for each row is found once for all where there is one scale. */
    if (scaled.per == SCALED_PER_ONE &&
        (operation == SCALED_REBALANCE || operation == SCALED_REDUCE_MAX)) {
        scaled.columns *= scaled.rows;
        scaled.rows = 1;
    }
    if (operation == SCALED_MATMUL) {
        scaled.inner = scaled.columns;
        scaled.columns = scaled_extent_from_end(&call->operands[2].shape, 1);
        scaled.divisor = detmath_scaled_static(
            (enum detmath_scaled_strategy)parameter_integer(call->parameters, PARAMETER_STATIC, 0),
            (uint32_t)scaled.inner);
    }
    return scaled;
}

/* The index in an array matched from the last dimension backwards, for element `flat` of `of`: of
 * extents that broadcast (blocks false), or that cut `by`'s into blocks. */
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

uint64_t scaled_data_index(const struct scaled_call *call, int operand, uint64_t row,
                           uint64_t column) {
    const struct shape *shape = &call->call->operands[2 * operand].shape;
    uint64_t flat = row * call->columns + column;
    return call->broadcasts
               ? matched_index(&call->call->results[SCALED_DATA].shape, flat, shape, shape)
               : flat;
}

/* For matmul --per row stands for the rows of a and the columns of b. */
static uint64_t operand_scale_index(const struct scaled_call *call, int operand, uint64_t row,
                                    uint64_t column) {
    if (call->broadcasts)
        return matched_index(&call->call->results[SCALED_DATA].shape, row * call->columns + column,
                             &call->call->operands[2 * operand].shape,
                             &call->call->operands[2 * operand + 1].shape);
    if (call->per == SCALED_PER_ONE)
        return 0;
    bool by_column =
        call->operation == SCALED_MATMUL ? operand == 1 : call->per == SCALED_PER_COLUMN;
    return by_column ? column : row;
}

uint64_t scaled_scale_index(const struct scaled_call *call, uint64_t row, uint64_t column) {
    if (call->operation == SCALED_MATMUL && call->per != SCALED_PER_ONE)
        return row * call->columns + column;
    if (call->operation == SCALED_SOFTMAX)
        return row; /* found for each */
    if (call->broadcasts) {
        const struct shape *shape = &call->call->results[SCALED_DATA].shape;
        return matched_index(shape, row * call->columns + column, shape,
                             &call->call->results[SCALED_SCALE].shape);
    }
    return operand_scale_index(call, 0, row, column);
}

struct scaled_scale scaled_scale_at(const struct scaled_call *call, int operand, uint64_t row,
                                    uint64_t column) {
    const struct array *scales = &call->call->operands[2 * operand + 1];
    uint32_t code = (uint32_t)array_code(scales, operand_scale_index(call, operand, row, column));
    if (call->is_power)
        return (struct scaled_scale){1, (int32_t)code, true};
    return (struct scaled_scale){detmath_from_bits_f32(code), 0, false};
}

void scaled_scale_store(const struct scaled_call *call, uint64_t row, uint64_t column,
                        struct scaled_scale scale) {
    const struct array *scales = &call->call->results[SCALED_SCALE];
    bool as_exponent = scales->format->is_integer;
    array_set_code(scales, scaled_scale_index(call, row, column),
                   as_exponent ? (uint32_t)scale.e : detmath_bits_f32(scale.m));
}
