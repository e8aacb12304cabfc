/* Which elements of the operands each element of a result is computed from: along an axis, in a
 * matrix product, in a convolution. */
#include "op/scaled/rows.h"

static uint64_t whole(const struct scaled_call *call, enum parameter_number number,
                      int64_t otherwise) {
    return (uint64_t)parameter_integer(call->call->parameters, number, otherwise);
}

static uint64_t windows(const struct scaled_call *call, uint64_t extent, uint64_t taps) {
    uint64_t reach = (taps - 1) * whole(call, PARAMETER_DILATION, 1) + 1;
    uint64_t room = extent + 2 * whole(call, PARAMETER_PADDING, 0);
    return room < reach ? 0 : (room - reach) / whole(call, PARAMETER_STRIDE, 1) + 1;
}

/* Extents of scales along a dimension of the data, which may have more of them. */
static uint64_t places(const struct scaled_call *call, int operand, int dimension) {
    return scaled_extent_from_end(&call->scales[operand],
                                  call->data[operand].dimensions - dimension);
}

static bool lay_out_convolution(struct scaled_call *call, struct error *error) {
    const struct shape *x = &call->data[0], *w = &call->data[1];
    uint64_t groups = whole(call, PARAMETER_GROUPS, 1);
    int n = x->dimensions;
    call->result.dimensions = call->result_scales.dimensions = n;
    if (n < 3 || w->dimensions != n || x->extents[1] % groups || w->extents[0] % groups ||
        w->extents[1] != x->extents[1] / groups)
        return error_set(error,
                         "scaled.convolution wants --shape of images, channels and one or "
                         "more axes, --second-shape of outputs, channels in a group and taps "
                         "along each axis, and --groups that divide channels and outputs");
    for (int i = 0; i < n; i++) {
        call->result.extents[i] = i == 0   ? x->extents[0]
                                  : i == 1 ? w->extents[0]
                                           : windows(call, x->extents[i], w->extents[i]);
        call->result_scales.extents[i] = i > 1 ? 1 : places(call, i, 0);
        if (!call->result.extents[i])
            return error_set(error, "scaled.convolution: the taps reach beyond the array; more "
                                    "--padding, or fewer taps");
        if (i > 1 && (places(call, 0, i) != 1 || places(call, 1, i) != 1))
            return error_set(error, "scaled.convolution: scales may differ by image, channel and "
                                    "output, and not along the axes of the windows");
    }
    return true;
}

bool scaled_lay_out_products(struct scaled_call *call, struct error *error) {
    if (call->operation == SCALED_CONVOLUTION)
        return lay_out_convolution(call, error);
    const struct shape *a = &call->data[0], *b = &call->data[1];
    int n = a->dimensions > b->dimensions ? a->dimensions : b->dimensions;
    bool good = a->dimensions > 1 && b->dimensions > 1 &&
                scaled_extent_from_end(a, 1) == scaled_extent_from_end(b, 2);
    call->result.dimensions = call->result_scales.dimensions = n;
    for (int back = 1; good && back <= n; back++) {
        uint64_t x = back == 1 ? 1 : scaled_extent_from_end(a, back),
                 y = back == 2 ? 1 : scaled_extent_from_end(b, back);
        uint64_t s = back == 1 ? 1 : scaled_extent_from_end(&call->scales[0], back),
                 r = back == 2 ? 1 : scaled_extent_from_end(&call->scales[1], back);
        good = x == y || x == 1 || y == 1;
        call->result.extents[n - back] = x == 1 ? y : x;
        call->result_scales.extents[n - back] = scaled_common_multiple(s, r);
    }
    return good || error_set(error, "scaled.matmul wants --shape and --second-shape of matrices "
                                    "that can be multiplied, with dimensions before the last two "
                                    "that are equal or 1");
}

uint64_t scaled_term_count(const struct scaled_call *call) {
    const struct shape *data = call->data;
    if (call->operation == SCALED_CONVOLUTION)
        return shape_elements(&data[1]) / data[1].extents[0];
    if (call->layout == SCALED_BY_PRODUCT)
        return scaled_extent_from_end(&data[0], 1);
    return shape_elements(&data[0]) / shape_elements(&call->lines);
}

/* Along the axis, or all elements. */
static struct scaled_term line_term(const struct scaled_call *call, uint64_t line,
                                    uint64_t number) {
    const struct shape *data = &call->data[0];
    uint64_t inner = 1, count = scaled_term_count(call);
    if (call->axis < 0)
        return (struct scaled_term){{number, 0}, false};
    for (int i = call->axis + 1; i < data->dimensions; i++)
        inner *= data->extents[i];
    return (struct scaled_term){{(line / inner * count + number) * inner + line % inner, 0}, false};
}

static struct scaled_term matrix_term(const struct scaled_call *call, uint64_t element,
                                      uint64_t number) {
    const struct shape *result = &call->result;
    struct scaled_term term = {{0, 0}, false};
    for (int operand = 0; operand < 2; operand++) {
        const struct shape *data = &call->data[operand];
        uint64_t rest = element, stride = 1;
        for (int back = 1; back <= result->dimensions; back++) {
            uint64_t at = rest % scaled_extent_from_end(result, back),
                     extent = scaled_extent_from_end(data, back);
            rest /= scaled_extent_from_end(result, back);
            if (back == (operand == 0 ? 1 : 2))
                at = number;
            term.index[operand] += (extent == 1 ? 0 : at) * stride;
            stride *= extent;
        }
    }
    return term;
}

static struct scaled_term window_term(const struct scaled_call *call, uint64_t element,
                                      uint64_t number) {
    const struct shape *x = &call->data[0], *w = &call->data[1], *result = &call->result;
    struct scaled_term term = {{0, 0}, false};
    uint64_t taps = 1, places_of_x = 1, at_x = 0;
    for (int i = x->dimensions - 1; i > 1; i--) {
        uint64_t tap = number / taps % w->extents[i], window = element % result->extents[i];
        int64_t at = (int64_t)(window * whole(call, PARAMETER_STRIDE, 1) +
                               tap * whole(call, PARAMETER_DILATION, 1)) -
                     (int64_t)whole(call, PARAMETER_PADDING, 0);
        bool inside = at >= 0 && at < (int64_t)x->extents[i];
        term.is_padding = term.is_padding || !inside;
        at_x += inside ? (uint64_t)at * places_of_x : 0;
        places_of_x *= x->extents[i];
        taps *= w->extents[i];
        element /= result->extents[i];
    }
    uint64_t output = element % result->extents[1], image = element / result->extents[1];
    uint64_t outputs = w->extents[0] / whole(call, PARAMETER_GROUPS, 1);
    uint64_t channel = output / outputs * w->extents[1] + number / taps;
    term.index[0] = (image * x->extents[1] + channel) * places_of_x + at_x;
    term.index[1] = output * scaled_term_count(call) + number;
    return term;
}

struct scaled_term scaled_term_at(const struct scaled_call *call, uint64_t element,
                                  uint64_t number) {
    if (call->operation == SCALED_CONVOLUTION)
        return window_term(call, element, number);
    return call->layout == SCALED_BY_PRODUCT ? matrix_term(call, element, number)
                                             : line_term(call, element, number);
}
