/* Running operations on scaled arrays by detmath's kernels. */
#include "op/scaled/rows.h"

#include "detmath/cast_arrays.h"
#include "detmath/scaled_tensors.h"
#include "format/profile.h"
#include "op/detmath_format.h"

#include <string.h>

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
                        const struct array *arrays, const struct shape *data,
                        const struct shape *scales) {
    tensor->own = (struct detmath_scaled_tensor){
        {.codes = arrays[0].codes, .format = detmath_index_of(arrays[0].format)},
        {.codes = arrays[1].codes, .format = call->is_power ? DETMATH_POWERS : DETMATH_F32},
        NULL};
    set_extents(&tensor->own.data, tensor->extents[0], data);
    set_extents(&tensor->own.scales, tensor->extents[1], scales);
    if (shape_elements(scales) == 1)
        tensor->own.scales.dimensions = 0;
}

/* The operands, the result and what rounds it. */
struct opened {
    struct tensor a, b, c;
    struct detmath_cast room;
    const struct detmath_cast *cast;
};

/* The rows have refused a target that the profile says nothing of. */
static const struct detmath_cast *cast_for(const struct scaled_call *call,
                                           struct detmath_cast *room) {
    int to = detmath_index_of(call->call->results[SCALED_DATA].format);
    const struct parameter_value *value = &call->call->parameters->values[PARAMETER_PROFILE];
    struct detmath_conversion conversion;
    const struct detmath_profile *profile =
        value->present ? detmath_profile_find(profiles[value->integer].name) : NULL;
    if (!profile ||
        !detmath_profile_conversion(&conversion, profile, DETMATH_F32, to, DETMATH_NEAREST_EVEN, 0))
        return NULL;
    *room = conversion.cast;
    return room;
}

static void open_tensors(struct opened *opened, const struct scaled_call *call) {
    const struct array_call *arrays = call->call;
    open_tensor(&opened->a, call, &arrays->operands[0], &call->data[0], &call->scales[0]);
    if (call->facts->two)
        open_tensor(&opened->b, call, &arrays->operands[2], &call->data[1], &call->scales[1]);
    open_tensor(&opened->c, call, arrays->results, &call->result, &call->result_scales);
    opened->cast = cast_for(call, &opened->room);
}

static enum detmath_scaled_compute compute_of(const struct scaled_call *call) {
    static const enum detmath_scaled_compute computes[] = {
        [SCALED_COMPUTE_FP32] = DETMATH_SCALED_F32,
        [SCALED_COMPUTE_FP16] = DETMATH_SCALED_F16,
        [SCALED_COMPUTE_AUTO] = DETMATH_SCALED_AUTO};
    return computes[parameter_integer(call->call->parameters, PARAMETER_COMPUTE, 0)];
}

static int det_each(const struct scaled_call *call, const struct opened *opened) {
    const struct array *target = &call->call->operands[3];
    const struct detmath_scaled_tensor *c = &opened->c.own, *a = &opened->a.own;
    const bool is_in_data = call->operation == SCALED_MUL && call->scalar < 0;
    if (call->operation != SCALED_RESCALE)
        return detmath_scaled_each_in(
            is_in_data ? DETMATH_SCALED_INDEX_mul_data
                       : (enum detmath_scaled_operation)call->facts->kernel,
            compute_of(call), c, a, call->facts->two ? &opened->b.own : NULL, opened->cast);
    memcpy(call->call->results[SCALED_SCALE].codes, target->codes,
           shape_elements(&target->shape) * sizeof(uint32_t));
    return detmath_scaled_rescale(c, a, opened->cast);
}

static int det_sums(const struct scaled_call *call, const struct opened *opened) {
    const struct parameters *given = call->call->parameters;
    const enum detmath_scaled_strategy strategy =
        (enum detmath_scaled_strategy)parameter_integer(given, PARAMETER_STATIC, 0);
    const struct detmath_scaled_tensor *c = &opened->c.own, *a = &opened->a.own,
                                       *b = &opened->b.own;
    const int axis = call->axis < 0 ? DETMATH_WHOLE_ARRAY : call->axis;
    const struct detmath_scaled_windows along = {
        (size_t)parameter_integer(given, PARAMETER_STRIDE, 1),
        (size_t)parameter_integer(given, PARAMETER_PADDING, 0),
        (size_t)parameter_integer(given, PARAMETER_DILATION, 1)};
    struct detmath_scaled_windows windows[MOST_DIMENSIONS];
    for (int i = 0; i < MOST_DIMENSIONS; i++)
        windows[i] = along;
    if (call->operation == SCALED_MATMUL)
        return detmath_scaled_matmul(c, a, b, strategy, opened->cast, 0, SIZE_MAX);
    if (call->operation == SCALED_CONVOLUTION)
        return detmath_scaled_convolution(c, a, b, windows,
                                          (size_t)parameter_integer(given, PARAMETER_GROUPS, 1),
                                          strategy, opened->cast, 0, SIZE_MAX);
    const enum detmath_scaled_operand of =
        (enum detmath_scaled_operand)parameter_integer(given, PARAMETER_OF, 0);
    if (call->operation == SCALED_MUL_GRADIENT)
        return detmath_scaled_contract(c, a, b, strategy, opened->cast, 0, SIZE_MAX);
    if (call->operation == SCALED_MATMUL_GRADIENT)
        return detmath_scaled_matmul_gradient(c, a, b, of, strategy, opened->cast, 0, SIZE_MAX);
    if (call->operation == SCALED_CONVOLUTION_GRADIENT)
        return detmath_scaled_convolution_gradient(
            c, a, b, windows, (size_t)parameter_integer(given, PARAMETER_GROUPS, 1), of, strategy,
            opened->cast, 0, SIZE_MAX);
    return call->operation == SCALED_SUM ? detmath_scaled_sum(c, a, axis, strategy, opened->cast)
                                         : detmath_scaled_mean(c, a, axis, opened->cast);
}

static int det_lines(const struct scaled_call *call, const struct opened *opened) {
    const struct parameters *given = call->call->parameters;
    const struct detmath_scaled_tensor *a = &opened->a.own;
    const int axis = call->axis < 0 ? DETMATH_WHOLE_ARRAY : call->axis;
    struct detmath_scaled_tensor c = opened->c.own;
    if (call->operation == SCALED_REDUCE_MAX)
        return detmath_scaled_max_along(&c, a, axis, opened->cast);
    if (call->operation == SCALED_MAX_ALONG_GRADIENT)
        return detmath_scaled_max_gradient(&c, a, &opened->b.own, axis, opened->cast);
    if (call->operation == SCALED_SOFTMAX_GRADIENT)
        return detmath_scaled_softmax_gradient(&c, a, &opened->b.own, axis, opened->cast);
    if (call->operation == SCALED_REBALANCE)
        return detmath_scaled_rebalance_by(
            &c, a, (enum detmath_scaled_target)parameter_integer(given, PARAMETER_BY, 0),
            (int)parameter_integer(given, PARAMETER_MARGIN, 0), opened->cast);
    c.scales.format = DETMATH_F32;
    return detmath_scaled_softmax_along(&c, a, axis, compute_of(call), opened->cast);
}

/* A factor's number; 0 where its scale is. */
static double factor_of(const struct scaled_call *call, int operand, uint64_t index,
                        struct scaled_scale scale) {
    const struct real number = array_number(&call->call->operands[2 * operand], index);
    return scale.m == 0 ? 0 : real_to_double(&number);
}

/* c and then all products from the left, each times both scales, over the scale of the result. */
static double sum_onto(const struct scaled_call *call, const struct array *c, uint64_t element) {
    const struct real onto = array_number(c, element);
    double sum = real_to_double(&onto);
    for (uint64_t k = 0; k < scaled_term_count(call); k++) {
        const struct scaled_term term = scaled_term_at(call, element, k);
        const struct scaled_scale a = scaled_scale_at(call, 0, term.index[0]),
                                  b = scaled_scale_at(call, 1, term.index[1]);
        double product =
            factor_of(call, 0, term.index[0], a) * factor_of(call, 1, term.index[1], b);
        if (a.m != 0 && b.m != 0) {
            product = product * (double)a.m;
            product = product * (double)b.m;
        }
        sum = sum + product;
    }
    const struct real scale =
        array_number(&call->call->results[SCALED_SCALE], scaled_result_place(call, element));
    return sum / real_to_double(&scale);
}

/* The result's scales are there already: c has no part in them. */
static void add_onto(const struct scaled_call *call, const struct array *c) {
    const struct array *data = &call->call->results[SCALED_DATA];
    for (uint64_t i = 0; i < shape_elements(&data->shape); i++) {
        const struct real y = real_from_double(sum_onto(call, c, i));
        bool unused;
        array_set_code(data, i, array_want(call->call, SCALED_DATA, i, &y, &unused));
    }
}

bool scaled_run_det(const struct array_call *call, const struct array_algorithm *algorithm,
                    struct error *error) {
    const struct scaled_call scaled = scaled_call_of(call);
    const struct array *c = array_addend(call);
    struct opened opened;
    (void)algorithm;
    open_tensors(&opened, &scaled);
    int trouble = scaled.facts->layout == SCALED_BY_ELEMENT ? det_each(&scaled, &opened)
                  : scaled.operation == SCALED_REDUCE_MAX || scaled.operation == SCALED_SOFTMAX ||
                          scaled.operation == SCALED_REBALANCE ||
                          scaled_is_line_gradient(scaled.facts)
                      ? det_lines(&scaled, &opened)
                      : det_sums(&scaled, &opened);
    if (trouble)
        return error_set(error, "detmath: %s", detmath_trouble_text(trouble));
    if (c)
        add_onto(&scaled, c);
    return true;
}
