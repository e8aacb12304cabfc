/* The library's norms: where lines lie in arrays of any strides, and the loop over them. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"
#include "training_list.h"

#include <stdint.h>
#include <stdlib.h>

/* Line l starts at index l / block * starts + l % block in row-major order; its element i lies i / inner * step +
 * i % inner * unit beyond that, and has the weight of index l % groups * each + i / per. */
struct layout {
    size_t count, length, block, starts, inner, step, unit, groups, each, per;
};

struct call {
    const struct detmath_strided *y, *x, *weight, *bias, *g; /* g: of a gradient */
    enum detmath_norm which;
    float epsilon;
    struct layout layout;
    struct detmath_places to, from, slopes;
    float *room[5]; /* of lines, where they have to be gathered */
};
enum { Y, X, WEIGHT, BIAS, GRADIENT, ROOMS };

static size_t start_of(const struct layout *layout, size_t line) {
    return line / layout->block * layout->starts + line % layout->block;
}

static size_t index_of(const struct layout *layout, size_t start, size_t i) {
    return start + i / layout->inner * layout->step + i % layout->inner * layout->unit;
}

/* A line where its elements lie beside each other; else NULL. */
static float *line_at(const struct call *call, const struct detmath_places *places, size_t start) {
    const struct layout *layout = &call->layout;
    return layout->unit == 1 && layout->inner == layout->length
               ? detmath_floats_at(places, call->y->format, start)
               : NULL;
}

/* The weights of a line, or the biases; NULL where there are none. */
static const float *load_weights(const struct call *call, int which, size_t line) {
    const struct detmath_strided *array = which == WEIGHT ? call->weight : call->bias;
    const struct layout *layout = &call->layout;
    const size_t first = line % layout->groups * layout->each;
    if (!array)
        return NULL;
    const struct detmath_places places = detmath_places_of(array);
    const float *there = detmath_floats_at(&places, call->y->format, first);
    if (there && layout->per == 1)
        return there;
    if (line == 0 || layout->groups > 1)
        for (size_t i = 0; i < layout->length; i++)
            call->room[which][i] = detmath_float_of(
                array, call->y->format, detmath_place(&places, first + i / layout->per));
    return call->room[which];
}

/* The elements of a line, as they lie or gathered. */
static const float *load_line(const struct call *call, const struct detmath_places *places,
                              size_t start, int room) {
    const struct layout *layout = &call->layout;
    const float *there = line_at(call, places, start);
    for (size_t i = 0; !there && i < layout->length; i++)
        call->room[room][i] = detmath_float_of(places->array, call->y->format,
                                               detmath_place(places, index_of(layout, start, i)));
    return there ? there : call->room[room];
}

static void run_line(const struct call *call, size_t line) {
    const struct layout *layout = &call->layout;
    const size_t start = start_of(layout, line);
    const float *weight = load_weights(call, WEIGHT, line), *bias = load_weights(call, BIAS, line);
    const float *x = load_line(call, &call->from, start, X);
    float *y = line_at(call, &call->to, start), *to = y ? y : call->room[Y];
    if (call->g)
        detmath_reductions()->training->norm_gradient(
            to, x, load_line(call, &call->slopes, start, GRADIENT), weight, layout->length,
            call->epsilon, call->which);
    else
        detmath_reductions()->norm(to, x, weight, bias, layout->length, call->epsilon, call->which);
    for (size_t i = 0; !y && i < layout->length; i++)
        detmath_put_float(&call->to, index_of(layout, start, i), call->room[Y][i]);
}

static int check_weights(const struct call *call, const struct detmath_strided *array, size_t n) {
    const int trouble = array ? detmath_check_array(array, 0) : DETMATH_NO_TROUBLE;
    if (!array || trouble)
        return trouble;
    if (array->dimensions != 1 || array->extents[0] != n)
        return DETMATH_TROUBLE_EXTENTS;
    return detmath_check_overlap(call->y, array, 0);
}

/* All lines, of weights of n elements. */
static int run(struct call *call, size_t n) {
    const struct layout *layout = &call->layout;
    int trouble = check_weights(call, call->weight, n);
    trouble = trouble ? trouble : check_weights(call, call->bias, n);
    if (trouble || !layout->count || !layout->length)
        return trouble;
    call->to = detmath_places_of(call->y);
    call->from = detmath_places_of(call->x);
    if (call->g)
        call->slopes = detmath_places_of(call->g);
    float *room = layout->length <= SIZE_MAX / (ROOMS * sizeof *room)
                      ? malloc(layout->length * ROOMS * sizeof *room)
                      : NULL;
    if (!room)
        return DETMATH_TROUBLE_MEMORY;
    for (int k = Y; k < ROOMS; k++)
        call->room[k] = room + (size_t)k * layout->length;
    const uint64_t set = detmath_environment_enter();
    for (size_t line = 0; line < layout->count; line++)
        run_line(call, line);
    detmath_environment_leave(set);
    free(room);
    return DETMATH_NO_TROUBLE;
}

static int run_along(struct call *call, int axis) {
    const struct detmath_strided *x = call->x;
    const int trouble = detmath_check_pair(call->y, x), whole = axis == DETMATH_WHOLE_ARRAY;
    size_t stride = 1, count = 1, length = 1;
    if (trouble)
        return trouble;
    if (!whole && (axis < -x->dimensions || axis >= x->dimensions))
        return DETMATH_TROUBLE_AXIS;
    axis = axis < 0 && !whole ? axis + x->dimensions : axis;
    for (int i = 0; i < x->dimensions; i++) {
        stride *= !whole && i > axis ? x->extents[i] : 1;
        *(whole || i == axis ? &length : &count) *= x->extents[i];
    }
    call->layout = (struct layout){.count = count,
                                   .length = length,
                                   .block = stride ? stride : 1,
                                   .starts = stride * length,
                                   .inner = length ? length : 1,
                                   .unit = stride,
                                   .groups = 1,
                                   .per = 1};
    return run(call, length);
}

int detmath_norm_along(enum detmath_norm which, const struct detmath_strided *y,
                       const struct detmath_strided *x, const struct detmath_strided *weight,
                       const struct detmath_strided *bias, int axis, float epsilon) {
    struct call call = {
        .y = y, .x = x, .weight = weight, .bias = bias, .which = which, .epsilon = epsilon};
    return run_along(&call, axis);
}

int detmath_norm_gradient_along(enum detmath_norm which, const struct detmath_strided *y,
                                const struct detmath_strided *x, const struct detmath_strided *g,
                                const struct detmath_strided *weight, int axis, float epsilon) {
    struct call call = {
        .y = y, .x = x, .weight = weight, .g = g, .which = which, .epsilon = epsilon};
    int trouble = which == DETMATH_L2_NORM ? DETMATH_TROUBLE_OPTIONS : detmath_check_array(g, 0);
    if (!trouble && g->dimensions != x->dimensions)
        trouble = DETMATH_TROUBLE_EXTENTS;
    for (int i = 0; !trouble && i < x->dimensions; i++)
        trouble = g->extents[i] == x->extents[i] ? trouble : DETMATH_TROUBLE_EXTENTS;
    trouble = trouble ? trouble : detmath_check_overlap(y, g, 0);
    return trouble ? trouble : run_along(&call, axis);
}

/* A layer norm of the elements of a sample in each group of channels, or where `joins` of a channel in all samples. */
static int run_channels(struct call *call, size_t groups, int joins) {
    const struct detmath_strided *x = call->x;
    size_t spots = 1;
    int trouble = detmath_check_pair(call->y, x);
    if (!trouble && x->dimensions < 2)
        trouble = DETMATH_TROUBLE_DIMENSIONS;
    if (!trouble && !joins && (!groups || x->extents[1] % groups))
        trouble = DETMATH_TROUBLE_GROUPS;
    if (trouble)
        return trouble;
    for (int i = 2; i < x->dimensions; i++)
        spots *= x->extents[i];
    const size_t channels = x->extents[1], each = joins ? 1 : channels / groups,
                 length = joins ? x->extents[0] * spots : each * spots,
                 inner = joins ? spots : length, per = joins ? length : spots;
    call->layout = (struct layout){.count = joins ? channels : x->extents[0] * groups,
                                   .length = length,
                                   .block = 1,
                                   .starts = inner,
                                   .inner = inner ? inner : 1,
                                   .step = channels * spots,
                                   .unit = 1,
                                   .groups = joins ? (channels ? channels : 1) : groups,
                                   .each = each,
                                   .per = per ? per : 1};
    return run(call, channels);
}

#define CHANNELS_CALL                                                                              \
    {                                                                                              \
        .y = y, .x = x, .weight = weight, .bias = bias, .which = DETMATH_LAYER_NORM,               \
        .epsilon = epsilon                                                                         \
    }

int detmath_group_norm(const struct detmath_strided *y, const struct detmath_strided *x,
                       const struct detmath_strided *weight, const struct detmath_strided *bias,
                       size_t groups, float epsilon) {
    struct call call = CHANNELS_CALL;
    return run_channels(&call, groups, 0);
}

int detmath_batch_norm(const struct detmath_strided *y, const struct detmath_strided *x,
                       const struct detmath_strided *weight, const struct detmath_strided *bias,
                       float epsilon) {
    struct call call = CHANNELS_CALL;
    return run_channels(&call, 1, 1);
}
