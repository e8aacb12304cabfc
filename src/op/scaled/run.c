/* Running operations on scaled arrays by detmath's kernels. */
#include "op/scaled/rows.h"

#include "detmath/scaled_tensors.h"
#include "op/conversion.h"
#include "op/detmath_format.h"

#include <string.h>

static struct detmath_scale kernel_scale(struct scaled_scale scale) {
    return detmath_scale_of(scale.m, scale.e);
}

static enum detmath_scaled_compute compute_of(const struct scaled_call *call,
                                              struct detmath_scaled_plan plan) {
    int64_t compute = parameter_integer(call->call->parameters, PARAMETER_COMPUTE, 0);
    if (compute == SCALED_COMPUTE_AUTO)
        return detmath_scaled_softmax_compute(plan);
    return compute == SCALED_COMPUTE_FP16 ? DETMATH_SCALED_F16 : DETMATH_SCALED_F32;
}

static int find_exponent(const struct scaled_call *call, uint64_t row) {
    const struct array *data = &call->call->operands[0];
    int64_t by = parameter_integer(call->call->parameters, PARAMETER_BY, 0);
    return detmath_scaled_find(
        detmath_index_of(call->call->results[SCALED_DATA].format), detmath_index_of(data->format),
        (char *)data->codes + row * call->columns * format_bytes(data->format), call->columns,
        (enum detmath_scaled_target)by);
}

static struct detmath_scaled_plan plan_at(const struct scaled_call *call, uint64_t row,
                                          uint64_t column) {
    struct detmath_scale a = kernel_scale(scaled_scale_at(call, 0, row, column)), b = a;
    if (call->two)
        b = kernel_scale(scaled_scale_at(call, 1, row, column));
    switch (call->operation) {
    case SCALED_MATMUL:
        return detmath_scaled_plan_matmul(a, b,
                                          (enum detmath_scaled_strategy)parameter_integer(
                                              call->call->parameters, PARAMETER_STATIC, 0),
                                          (uint32_t)call->inner, call->is_power);
    case SCALED_REBALANCE:
        return detmath_scaled_plan_rebalance(a, find_exponent(call, row), call->is_power);
    default:
        return detmath_scaled_plan_one(a);
    }
}

static void *element_at(const struct array *array, uint64_t index) {
    return (char *)array->codes + index * format_bytes(array->format);
}

static struct detmath_scaled_line line_at(const struct array *array, uint64_t index) {
    return (struct detmath_scaled_line){element_at(array, index), detmath_index_of(array->format),
                                        1};
}

static void store_scale(const struct scaled_call *call, uint64_t row, uint64_t column,
                        struct detmath_scale scale) {
    scaled_scale_store(call, row, column, (struct scaled_scale){scale.m, scale.e, call->is_power});
}

/* An operand or a result as detmath has it: where shapes do not broadcast, of rows and columns. */
struct tensor {
    size_t extents[2][DETMATH_MOST_DIMENSIONS];
    struct detmath_scaled_tensor own;
};

static void set_extents(struct detmath_strided *array, size_t *extents, const struct shape *shape) {
    array->extents = extents;
    array->dimensions = shape->dimensions;
    for (int i = 0; i < shape->dimensions; i++)
        extents[i] = (size_t)shape->extents[i];
}

static void open_tensor(struct tensor *tensor, const struct scaled_call *call,
                        const struct array *arrays) {
    struct shape data = arrays[0].shape, scales = arrays[1].shape;
    if (!call->broadcasts) {
        data = (struct shape){2, {call->rows, call->columns}};
        scales.dimensions = call->per == SCALED_PER_ONE ? 0 : scales.dimensions;
    }
    tensor->own = (struct detmath_scaled_tensor){
        {.codes = arrays[0].codes, .format = detmath_index_of(arrays[0].format)},
        {.codes = arrays[1].codes, .format = call->is_power ? DETMATH_POWERS : DETMATH_F32}};
    set_extents(&tensor->own.data, tensor->extents[0], &data);
    set_extents(&tensor->own.scales, tensor->extents[1], &scales);
}

static const struct detmath_cast *cast_for(const struct scaled_call *call,
                                           struct detmath_cast *room) {
    const struct format *to = call->call->results[SCALED_DATA].format;
    const struct parameter_value *profile = &call->call->parameters->values[PARAMETER_PROFILE];
    if (!profile->present)
        return NULL;
    *room = detmath_cast_make(detmath_formats[detmath_index_of(to)],
                              conversion_rules(&profiles[profile->integer], to),
                              DETMATH_NEAREST_EVEN, 1);
    return room;
}

static bool det_each(const struct scaled_call *call, struct error *error) {
    static const enum detmath_scaled_operation kernels[] = {
        [SCALED_ADD] = DETMATH_SCALED_INDEX_add,
        [SCALED_SUB] = DETMATH_SCALED_INDEX_sub,
        [SCALED_MUL] = DETMATH_SCALED_INDEX_mul,
        [SCALED_DIV] = DETMATH_SCALED_INDEX_div,
        [SCALED_MAX] = DETMATH_SCALED_INDEX_max,
        [SCALED_MIN] = DETMATH_SCALED_INDEX_min,
        [SCALED_RELU] = DETMATH_SCALED_INDEX_relu,
        [SCALED_GELU] = DETMATH_SCALED_INDEX_gelu,
        [SCALED_EXP] = DETMATH_SCALED_INDEX_exp,
        [SCALED_LOG] = DETMATH_SCALED_INDEX_log,
        [SCALED_SIGMOID] = DETMATH_SCALED_INDEX_sigmoid,
        [SCALED_TANH] = DETMATH_SCALED_INDEX_tanh,
        [SCALED_RELU_GRADIENT] = DETMATH_SCALED_INDEX_relu_gradient,
        [SCALED_SIGMOID_GRADIENT] = DETMATH_SCALED_INDEX_sigmoid_gradient,
        [SCALED_TANH_GRADIENT] = DETMATH_SCALED_INDEX_tanh_gradient,
        [SCALED_CAST] = DETMATH_SCALED_INDEX_apply};
    const struct array_call *arrays = call->call;
    struct tensor a, b, c;
    struct detmath_cast room;
    const struct detmath_cast *cast = cast_for(call, &room);
    open_tensor(&a, call, &arrays->operands[0]);
    if (call->two)
        open_tensor(&b, call, &arrays->operands[2]);
    open_tensor(&c, call, arrays->results);
    if (call->operation == SCALED_RESCALE)
        memcpy(arrays->results[SCALED_SCALE].codes, arrays->operands[3].codes,
               shape_elements(&arrays->operands[3].shape) * sizeof(uint32_t));
    int trouble = call->operation == SCALED_RESCALE
                      ? detmath_scaled_rescale(&c.own, &a.own, cast)
                      : detmath_scaled_each(kernels[call->operation], &c.own, &a.own,
                                            call->two ? &b.own : NULL, cast);
    return !trouble || error_set(error, "detmath: %s", detmath_trouble_text(trouble));
}

static void det_rebalance(const struct scaled_call *call, uint64_t row) {
    uint64_t at = row * call->columns;
    struct detmath_scaled_plan plan = plan_at(call, row, 0);
    const struct detmath_scaled_line c = line_at(&call->call->results[SCALED_DATA], at),
                                     a = line_at(&call->call->operands[0], at);
    detmath_scaled_line(DETMATH_SCALED_INDEX_apply, &c, &a, NULL, call->columns, &plan, NULL);
    store_scale(call, row, 0, plan.scale);
}

static void det_products(const struct scaled_call *call, uint64_t row) {
    const struct array *operands = call->call->operands, *data = &call->call->results[SCALED_DATA];
    for (uint64_t column = 0; column < call->columns; column++) {
        struct detmath_scaled_plan plan = plan_at(call, row, column);
        uint32_t code = detmath_scaled_dot(
            detmath_index_of(data->format), element_at(&operands[0], row * call->inner),
            element_at(&operands[2], column), call->inner, call->columns, &plan);
        array_set_code(data, row * call->columns + column, code);
        store_scale(call, row, column, plan.scale);
    }
}

static void det_row(const struct scaled_call *call, uint64_t row) {
    const struct array *x = &call->call->operands[0], *data = &call->call->results[SCALED_DATA];
    struct detmath_scaled_plan plan = plan_at(call, row, 0);
    int format = detmath_index_of(x->format);
    const void *from = element_at(x, row * call->columns);
    if (call->operation == SCALED_REDUCE_MAX) {
        array_set_code(data, row, detmath_scaled_reduce_max(format, from, call->columns, &plan));
        store_scale(call, row, 0, plan.scale);
        return;
    }
    float scale = detmath_scaled_softmax(format, element_at(data, row * call->columns), from,
                                         call->columns, &plan, compute_of(call, plan));
    store_scale(call, row, 0, detmath_scale_of(scale, 0));
}

bool scaled_run_det(const struct array_call *call, const struct array_algorithm *algorithm,
                    struct error *error) {
    const struct scaled_call scaled = scaled_call_of(call);
    (void)algorithm;
    if (scaled_is_each(scaled.operation))
        return det_each(&scaled, error);
    for (uint64_t row = 0; row < scaled.rows; row++) {
        if (scaled.operation == SCALED_MATMUL)
            det_products(&scaled, row);
        else if (scaled.operation == SCALED_REDUCE_MAX || scaled.operation == SCALED_SOFTMAX)
            det_row(&scaled, row);
        else
            det_rebalance(&scaled, row);
    }
    return true;
}
