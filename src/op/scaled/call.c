/* A call as rows and columns, and its scales by broadcasting. */
#include "op/scaled/rows.h"

#include "detmath/scaled_arrays.h"

struct scaled_call scaled_call_of(const struct array_call *call) {
    const enum scaled_operation operation = (enum scaled_operation)call->rule->which;
    const struct shape *shape = &call->operands[0].shape;
    struct scaled_call scaled = {
        .call = call,
        .operation = operation,
        .two = scaled_has_two(operation),
        .is_power = parameter_integer(call->parameters, PARAMETER_SCALE, 0) == SCALED_KIND_POWER,
        .per = (int)parameter_integer(call->parameters, PARAMETER_PER, 0),
        .columns = scaled_extent_from_end(shape, 1),
        .divisor = 1};
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

/* For matmul --per row stands for the rows of a and the columns of b. */
static uint64_t operand_scale_index(const struct scaled_call *call, int operand, uint64_t row,
                                    uint64_t column) {
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
