/* Running operations on scaled arrays by detmath's kernels. */
#include "op/scaled/rows.h"

#include "detmath/library/scaled_kernels.h"
#include "op/detmath_format.h"

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
    case SCALED_ADD:
    case SCALED_SUB:
    case SCALED_MAX:
    case SCALED_MIN:
        return detmath_scaled_plan_sum(a, b);
    case SCALED_MUL:
        return detmath_scaled_plan_product(a, b);
    case SCALED_DIV:
        return detmath_scaled_plan_quotient(a, b);
    case SCALED_MATMUL:
        return detmath_scaled_plan_matmul(a, b,
                                          (enum detmath_scaled_strategy)parameter_integer(
                                              call->call->parameters, PARAMETER_STATIC, 0),
                                          (uint32_t)call->inner, call->is_power);
    case SCALED_CAST:
        return detmath_scaled_plan_cast(a);
    case SCALED_REBALANCE:
        return detmath_scaled_plan_rebalance(a, find_exponent(call, row), call->is_power);
    default:
        return detmath_scaled_plan_one(a);
    }
}

static void *element_at(const struct array *array, uint64_t index) {
    return (char *)array->codes + index * format_bytes(array->format);
}

static void store_scale(const struct scaled_call *call, uint64_t row, uint64_t column,
                        struct detmath_scale scale) {
    scaled_scale_store(call, row, column, (struct scaled_scale){scale.m, scale.e, call->is_power});
}

/* Rows of elements by the array forms; where each column has a scale, one by one. */
static void det_elements(const struct scaled_call *call, uint64_t row) {
    static const enum detmath_scaled_operation kernels[] = {
        [SCALED_ADD] = DETMATH_SCALED_INDEX_add,
        [SCALED_SUB] = DETMATH_SCALED_INDEX_sub,
        [SCALED_MUL] = DETMATH_SCALED_INDEX_mul,
        [SCALED_DIV] = DETMATH_SCALED_INDEX_div,
        [SCALED_MAX] = DETMATH_SCALED_INDEX_max,
        [SCALED_MIN] = DETMATH_SCALED_INDEX_min,
        [SCALED_RELU] = DETMATH_SCALED_INDEX_relu,
        [SCALED_GELU] = DETMATH_SCALED_INDEX_gelu,
        [SCALED_CAST] = DETMATH_SCALED_INDEX_apply,
        [SCALED_REBALANCE] = DETMATH_SCALED_INDEX_apply};
    const struct array *operands = call->call->operands, *data = &call->call->results[SCALED_DATA];
    uint64_t step = call->per == SCALED_PER_COLUMN ? 1 : call->columns;
    for (uint64_t column = 0; column < call->columns; column += step) {
        uint64_t at = row * call->columns + column;
        struct detmath_scaled_plan plan = plan_at(call, row, column);
        const void *b = call->two ? element_at(&operands[2], at) : NULL;
        detmath_scaled_kernels(kernels[call->operation])
            ->fill(detmath_index_of(data->format), element_at(data, at),
                   detmath_index_of(operands[0].format), element_at(&operands[0], at), b, step,
                   &plan);
        store_scale(call, row, column, plan.scale);
    }
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
    (void)error;
    for (uint64_t row = 0; row < scaled.rows; row++) {
        if (scaled.operation == SCALED_MATMUL)
            det_products(&scaled, row);
        else if (scaled.operation == SCALED_REDUCE_MAX || scaled.operation == SCALED_SOFTMAX)
            det_row(&scaled, row);
        else
            det_elements(&scaled, row);
    }
    return true;
}
