/* The library's norms: where lines lie in arrays of any strides, and the loop over them. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"
#include "reduction_list.h"

#include <stdint.h>
#include <stdlib.h>

/* Line l starts at index l / block * starts + l % block in row-major order; its element i lies i / inner * step +
 * i % inner * unit beyond that, and has the weight of index l % groups * each + i / per. */
struct layout {
    size_t count, length, block, starts, inner, step, unit, groups, each, per;
};

struct call {
    const struct detmath_strided *y, *x, *weight, *bias;
    enum detmath_norm which;
    float epsilon;
    struct layout layout;
    struct detmath_places to, from;
    float *room[4]; /* of lines, where they have to be gathered */
};
enum { Y, X, WEIGHT, BIAS };

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

static void run_line(const struct call *call, size_t line) {
    const struct layout *layout = &call->layout;
    const size_t start = start_of(layout, line);
    const float *weight = load_weights(call, WEIGHT, line), *bias = load_weights(call, BIAS, line);
    const float *x = line_at(call, &call->from, start);
    float *y = line_at(call, &call->to, start);
    for (size_t i = 0; !x && i < layout->length; i++)
        call->room[X][i] = detmath_float_of(call->x, call->y->format,
                                            detmath_place(&call->from, index_of(layout, start, i)));
    detmath_reductions()->norm(y ? y : call->room[Y], x ? x : call->room[X], weight, bias,
                               layout->length, call->epsilon, call->which);
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
    float *room = layout->length <= SIZE_MAX / (4 * sizeof *room)
                      ? malloc(layout->length * 4 * sizeof *room)
                      : NULL;
    if (!room)
        return DETMATH_TROUBLE_MEMORY;
    for (int k = Y; k <= BIAS; k++)
        call->room[k] = room + (size_t)k * layout->length;
    const uint64_t set = detmath_environment_enter();
    for (size_t line = 0; line < layout->count; line++)
        run_line(call, line);
    detmath_environment_leave(set);
    free(room);
    return DETMATH_NO_TROUBLE;
}

int detmath_norm_along(enum detmath_norm which, const struct detmath_strided *y,
                       const struct detmath_strided *x, const struct detmath_strided *weight,
                       const struct detmath_strided *bias, int axis, float epsilon) {
    struct call call = {
        .y = y, .x = x, .weight = weight, .bias = bias, .which = which, .epsilon = epsilon};
    const int trouble = detmath_check_pair(y, x), whole = axis == DETMATH_WHOLE_ARRAY;
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
    call.layout = (struct layout){.count = count,
                                  .length = length,
                                  .block = stride ? stride : 1,
                                  .starts = stride * length,
                                  .inner = length ? length : 1,
                                  .unit = stride,
                                  .groups = 1,
                                  .per = 1};
    return run(&call, length);
}

/* The channels of x, and the elements of one of a sample. */
static int count_spots(const struct detmath_strided *x, size_t *spots) {
    *spots = 1;
    for (int i = 2; i < x->dimensions; i++)
        *spots *= x->extents[i];
    return x->dimensions < 2 ? DETMATH_TROUBLE_DIMENSIONS : DETMATH_NO_TROUBLE;
}

int detmath_group_norm(const struct detmath_strided *y, const struct detmath_strided *x,
                       const struct detmath_strided *weight, const struct detmath_strided *bias,
                       size_t groups, float epsilon) {
    struct call call = {.y = y,
                        .x = x,
                        .weight = weight,
                        .bias = bias,
                        .which = DETMATH_LAYER_NORM,
                        .epsilon = epsilon};
    size_t spots;
    int trouble = detmath_check_pair(y, x);
    trouble = trouble ? trouble : count_spots(x, &spots);
    if (trouble)
        return trouble;
    if (!groups || x->extents[1] % groups)
        return DETMATH_TROUBLE_GROUPS;
    const size_t each = x->extents[1] / groups, length = each * spots;
    call.layout = (struct layout){.count = x->extents[0] * groups,
                                  .length = length,
                                  .block = 1,
                                  .starts = length,
                                  .inner = length ? length : 1,
                                  .unit = 1,
                                  .groups = groups,
                                  .each = each,
                                  .per = spots ? spots : 1};
    return run(&call, x->extents[1]);
}

int detmath_batch_norm(const struct detmath_strided *y, const struct detmath_strided *x,
                       const struct detmath_strided *weight, const struct detmath_strided *bias,
                       float epsilon) {
    struct call call = {.y = y,
                        .x = x,
                        .weight = weight,
                        .bias = bias,
                        .which = DETMATH_LAYER_NORM,
                        .epsilon = epsilon};
    size_t spots;
    int trouble = detmath_check_pair(y, x);
    trouble = trouble ? trouble : count_spots(x, &spots);
    if (trouble)
        return trouble;
    const size_t channels = x->extents[1], length = x->extents[0] * spots;
    call.layout = (struct layout){.count = channels,
                                  .length = length,
                                  .block = 1,
                                  .starts = spots,
                                  .inner = spots ? spots : 1,
                                  .step = channels * spots,
                                  .unit = 1,
                                  .groups = channels ? channels : 1,
                                  .each = 1,
                                  .per = length ? length : 1};
    return run(&call, channels);
}
