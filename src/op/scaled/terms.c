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

static int of(const struct scaled_call *call) {
    return (int)whole(call, PARAMETER_OF, 0);
}

/* The extents of x and w of a convolution, whose operands and result, forward or backward, are two of
 * three. */
static const struct shape *image(const struct scaled_call *call) {
    return call->operation == SCALED_CONVOLUTION || of(call) == SCALED_OF_SECOND ? &call->data[0]
                                                                                 : &call->result;
}
static const struct shape *taps(const struct scaled_call *call) {
    return call->operation == SCALED_CONVOLUTION ? &call->data[1]
           : of(call) == SCALED_OF_FIRST         ? &call->data[0]
                                                 : &call->result;
}

static bool windows_of(const struct scaled_call *call, const struct shape *x, const struct shape *w,
                       struct shape *result, struct error *error) {
    uint64_t groups = whole(call, PARAMETER_GROUPS, 1);
    int n = result->dimensions = x->dimensions;
    if (n < 3 || w->dimensions != n || x->extents[1] % groups || w->extents[0] % groups ||
        w->extents[1] != x->extents[1] / groups)
        return error_set(error,
                         "scaled.convolution needs --shape of images, channels and one or "
                         "more axes, --second-shape of outputs, channels in a group and taps "
                         "along each axis, and --groups that divide channels and outputs");
    for (int i = 0; i < n; i++) {
        result->extents[i] = i == 0   ? x->extents[0]
                             : i == 1 ? w->extents[0]
                                      : windows(call, x->extents[i], w->extents[i]);
        if (!result->extents[i])
            return error_set(error, "scaled.convolution: the taps reach beyond the array; more "
                                    "--padding, or fewer taps");
    }
    return true;
}

static bool lay_out_convolution(struct scaled_call *call, struct error *error) {
    uint64_t groups = whole(call, PARAMETER_GROUPS, 1),
             parts = places(call, 0, 1) == 1 ? 1 : groups;
    int n = call->data[0].dimensions;
    bool backward = call->operation == SCALED_CONVOLUTION_GRADIENT, good = true;
    if (!backward && !windows_of(call, &call->data[0], &call->data[1], &call->result, error))
        return false;
    struct shape *made = &call->result_scales;
    made->dimensions = n;
    for (int i = 2; i < n; i++) {
        made->extents[i] = 1;
        good = good && places(call, 0, i) == 1 && places(call, 1, i) == 1;
    }
    made->extents[0] = backward && of(call) == SCALED_OF_SECOND ? places(call, 1, 1)
                       : backward                               ? places(call, 1, 0)
                                                                : places(call, 0, 0);
    made->extents[1] =
        backward ? places(call, 0, 1) : scaled_common_multiple(places(call, 1, 0), parts);
    if (backward && groups > 1) /* groups of x's channels have no scales of their own */
        good =
            good && places(call, 0, 1) == 1 &&
            (of(call) == SCALED_OF_SECOND || (places(call, 0, 0) == 1 && places(call, 1, 1) == 1));
    return good || error_set(error, "scaled.convolution: scales may differ by image, channel and "
                                    "output, not along the axes of the windows, and of gradients "
                                    "not by channel in groups");
}

/* With `dimensions`, and one of extent 1 more, so many before the end (-1: none). */
static struct shape view_of(const struct shape *shape, int dimensions, int back) {
    struct shape view = {.dimensions = dimensions + (back >= 0)};
    for (int i = view.dimensions; i > 0; i--)
        view.extents[view.dimensions - i] = back < 0 || i <= back ? scaled_extent_from_end(shape, i)
                                            : i == back + 1       ? 1
                                                            : scaled_extent_from_end(shape, i - 1);
    return view;
}

/* A view of so many dimensions again as an array. */
static struct shape array_of(const struct shape *view, int dimensions, int back) {
    struct shape shape = {.dimensions = dimensions};
    for (int i = dimensions; i > 0; i--)
        shape.extents[dimensions - i] =
            scaled_extent_from_end(view, back >= 0 && i > back ? i + 1 : i);
    return shape;
}

/* Rows, terms and columns: x lacks the last of these three dimensions, y the first, z the second. */
enum { OF_X = 0, OF_Z = 1, OF_Y = 2 };

bool scaled_lay_out_products(struct scaled_call *call, struct error *error) {
    if (call->facts->windows)
        return lay_out_convolution(call, error);
    int backs[3] = {OF_X, OF_Y, OF_Z}, n = call->data[0].dimensions;
    bool forward = call->operation == SCALED_MATMUL, good = true;
    if (call->operation == SCALED_MATMUL_GRADIENT) {
        backs[0] = of(call) == SCALED_OF_FIRST ? OF_Y : OF_X;
        backs[1] = OF_Z;
        backs[2] = of(call) == SCALED_OF_FIRST ? OF_X : OF_Y;
    } else if (!forward)
        backs[0] = backs[1] = backs[2] = -1;
    n = n < call->data[1].dimensions ? call->data[1].dimensions : n;
    struct shape *views = call->views, made = {0};
    for (int i = 0; i < 2; i++)
        views[i] = view_of(&call->data[i], n, backs[i]);
    views[2] = view_of(forward ? &call->data[0] : &call->result, n, backs[2]);
    made.dimensions = views[2].dimensions;
    for (int i = 0; good && i < made.dimensions; i++) {
        uint64_t x = views[0].extents[i], y = views[1].extents[i], common = x == 1 ? y : x;
        good = x == y || x == 1 || y == 1;
        if (forward)
            views[2].extents[i] = i == made.dimensions - 2 ? 1 : common;
        good = good && (views[2].extents[i] == common || views[2].extents[i] == 1);
        made.extents[i] = 1;
        for (int k = 0; k < 2 && views[2].extents[i] != 1; k++) {
            const struct shape scales = view_of(&call->scales[k], n, backs[k]);
            made.extents[i] = scaled_common_multiple(made.extents[i], scales.extents[i]);
        }
    }
    if (!good || (backs[2] >= 0 && (call->data[0].dimensions < 2 || call->data[1].dimensions < 2)))
        return error_set(error, "scaled.matmul needs --shape and --second-shape of matrices "
                                "that can be multiplied, with dimensions before the last two "
                                "that are equal or 1");
    int dimensions = forward ? n : call->result.dimensions;
    call->result = array_of(&views[2], dimensions, backs[2]);
    call->result_scales = array_of(&made, dimensions, backs[2]);
    return true;
}

bool scaled_forward(const struct array_call *arrays, const struct shape of_two[2],
                    struct shape *result, struct error *error) {
    static const struct scaled_facts product = {
        .operation = SCALED_MATMUL, .layout = SCALED_BY_PRODUCT, .two = true};
    const struct scaled_facts *backward = arrays->rule->data;
    struct scaled_call call = {.call = arrays,
                               .operation = SCALED_MATMUL,
                               .facts = &product,
                               .data = {of_two[0], of_two[1]},
                               .scales = {shape_of(1), shape_of(1)}};
    bool good = true;
    if (backward->operation == SCALED_CONVOLUTION_GRADIENT)
        good = windows_of(&call, &of_two[0], &of_two[1], &call.result, error);
    else if (backward->operation == SCALED_MATMUL_GRADIENT)
        good = scaled_lay_out_products(&call, error);
    else {
        const struct shape *x = &of_two[0], *y = &of_two[1];
        int n = x->dimensions > y->dimensions ? x->dimensions : y->dimensions;
        call.result.dimensions = n;
        for (int back = 1; back <= n; back++) {
            uint64_t p = scaled_extent_from_end(x, back), q = scaled_extent_from_end(y, back);
            good = good && (p == q || p == 1 || q == 1);
            call.result.extents[n - back] = p == 1 ? q : p;
        }
        if (!good)
            error_set(error, "--shape and --second-shape are matched from the last dimension "
                             "backwards: their extents are equal or 1");
    }
    *result = call.result;
    return good;
}

/* Of a view that is summed: how many of a dimension there are for each element. */
static uint64_t summed(const struct scaled_call *call, int i) {
    const struct shape *views = call->views;
    uint64_t extent = views[0].extents[i] == 1 ? views[1].extents[i] : views[0].extents[i];
    return views[2].extents[i] == 1 ? extent : 1;
}

uint64_t scaled_term_count(const struct scaled_call *call) {
    uint64_t count = 1;
    if (call->operation == SCALED_CONVOLUTION)
        return shape_elements(&call->data[1]) / call->data[1].extents[0];
    if (call->operation == SCALED_CONVOLUTION_GRADIENT) {
        const struct shape *w = taps(call), *g = &call->data[1];
        return of(call) == SCALED_OF_FIRST
                   ? shape_elements(w) / w->extents[1] / whole(call, PARAMETER_GROUPS, 1)
                   : shape_elements(g) / g->extents[1];
    }
    for (int i = 0; call->facts->layout == SCALED_BY_PRODUCT && i < call->views[2].dimensions; i++)
        count *= summed(call, i);
    if (call->facts->layout == SCALED_BY_PRODUCT)
        return count;
    return shape_elements(&call->data[0]) / shape_elements(&call->lines);
}

/* Along the axis, or all elements. */
static struct scaled_term line_term(const struct scaled_call *call, uint64_t line,
                                    uint64_t number) {
    const struct shape *data = &call->data[0];
    uint64_t inner = 1, count = scaled_term_count(call);
    uint64_t index = number;
    for (int i = call->axis + 1; call->axis >= 0 && i < data->dimensions; i++)
        inner *= data->extents[i];
    if (call->axis >= 0)
        index = (line / inner * count + number) * inner + line % inner;
    uint64_t second = call->operation == SCALED_MAX_ALONG_GRADIENT ? line : index;
    return (struct scaled_term){{index, call->facts->two ? second : 0}, {false, false}};
}

static struct scaled_term product_term(const struct scaled_call *call, uint64_t element,
                                       uint64_t number) {
    struct scaled_term term = {{0, 0}, {false, false}};
    uint64_t strides[2] = {1, 1};
    for (int i = call->views[2].dimensions - 1; i >= 0; i--) {
        uint64_t kept = call->views[2].extents[i], at = element % kept + number % summed(call, i);
        element /= kept;
        number /= summed(call, i);
        for (int operand = 0; operand < 2; operand++) {
            uint64_t extent = call->views[operand].extents[i];
            term.index[operand] += (extent == 1 ? 0 : at) * strides[operand];
            strides[operand] *= extent;
        }
    }
    return term;
}

/* Takes `count` off the number. */
static uint64_t take(uint64_t *number, uint64_t count) {
    uint64_t taken = *number % count;
    *number /= count;
    return taken;
}

/* Of a convolution, an index of x, of w or of its result, and whether it is in the padding: from
 * image, output, channel in the group, windows and taps. For a gradient a window may be asked for by
 * where its tap lies in x. */
static struct scaled_term window_term(const struct scaled_call *call, uint64_t element,
                                      uint64_t number) {
    const struct shape *x = image(call), *w = taps(call);
    const bool forward = call->operation == SCALED_CONVOLUTION;
    const bool by_x = !forward && of(call) == SCALED_OF_FIRST;
    const struct shape *z = forward ? &call->result : &call->data[1];
    const int64_t stride = (int64_t)whole(call, PARAMETER_STRIDE, 1),
                  dilation = (int64_t)whole(call, PARAMETER_DILATION, 1),
                  padding = (int64_t)whole(call, PARAMETER_PADDING, 0);
    uint64_t at_x = 0, at_w = 0, at_z = 0, of_x = 1, of_w = 1, of_z = 1;
    bool outside = false;
    for (int i = x->dimensions - 1; i > 1; i--) {
        int64_t tap, window, at;
        if (by_x) {
            at = (int64_t)take(&element, x->extents[i]);
            tap = (int64_t)take(&number, w->extents[i]);
            window = at + padding - tap * dilation;
            outside = outside || window < 0 || window % stride;
            window /= stride;
        } else {
            tap = (int64_t)take(forward ? &number : &element, w->extents[i]);
            window = (int64_t)take(forward ? &element : &number, z->extents[i]);
            at = window * stride + tap * dilation - padding;
        }
        outside = outside || at < 0 || at >= (int64_t)x->extents[i] || window < 0 ||
                  window >= (int64_t)z->extents[i];
        at_x += (uint64_t)(outside && !by_x ? 0 : at) * of_x;
        at_w += (uint64_t)tap * of_w;
        at_z += (uint64_t)(outside && by_x ? 0 : window) * of_z;
        of_x *= x->extents[i];
        of_w *= w->extents[i];
        of_z *= z->extents[i];
    }
    const uint64_t inputs = w->extents[1],
                   outputs = w->extents[0] / whole(call, PARAMETER_GROUPS, 1);
    uint64_t number_of_image, output, channel; /* the channel in its group */
    if (forward) {
        output = take(&element, w->extents[0]);
        channel = number;
        number_of_image = element;
    } else if (by_x) {
        uint64_t whose = take(&element, x->extents[1]);
        channel = whose % inputs;
        output = whose / inputs * outputs + number;
        number_of_image = element;
    } else {
        channel = take(&element, inputs);
        output = element;
        number_of_image = number;
    }
    at_x += (number_of_image * x->extents[1] + output / outputs * inputs + channel) * of_x;
    at_w += (output * inputs + channel) * of_w;
    at_z += (number_of_image * z->extents[1] + output) * of_z;
    if (forward)
        return (struct scaled_term){{at_x, at_w}, {outside, false}};
    return (struct scaled_term){{by_x ? at_w : at_x, at_z}, {!by_x && outside, by_x && outside}};
}

struct scaled_term scaled_term_at(const struct scaled_call *call, uint64_t element,
                                  uint64_t number) {
    if (call->facts->windows)
        return window_term(call, element, number);
    return call->facts->layout == SCALED_BY_PRODUCT ? product_term(call, element, number)
                                                    : line_term(call, element, number);
}
