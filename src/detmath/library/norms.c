/* The library's norms and their gradients: the loop over lines of arrays of any strides. */
#include "detmath/transformer.h"
#include "environment.h"
#include "norm_layout.h"
#include "places.h"
#include "training_list.h"

#include <stdint.h>
#include <stdlib.h>

struct call {
    const struct detmath_strided *y, *x, *weight, *bias, *g; /* g: of a gradient */
    enum detmath_norm which;
    float epsilon;
    struct detmath_norm_layout layout;
    struct detmath_places to, from, slopes;
    float *room[5]; /* of lines, where they have to be gathered */
};
enum { Y, X, WEIGHT, BIAS, GRADIENT, ROOMS };

/* The weights of a line, or the biases; NULL where there are none. */
static const float *load_weights(const struct call *call, int which, size_t line) {
    const struct detmath_strided *array = which == WEIGHT ? call->weight : call->bias;
    const struct detmath_norm_layout *layout = &call->layout;
    const size_t first = line % layout->groups * layout->each;
    if (!array)
        return NULL;
    const struct detmath_places places = detmath_places_of(array);
    const float *there = detmath_floats_at(&places, call->y->format, first);
    if (there && layout->per == 1)
        return there;
    if (line == 0 || layout->groups > 1)
        for (size_t i = 0; i < layout->length; i += layout->per) {
            const float weight = detmath_float_of(array, call->y->format,
                                                  detmath_place(&places, first + i / layout->per));
            for (size_t j = i; j < i + layout->per; j++)
                call->room[which][j] = weight;
        }
    return call->room[which];
}

static void run_line(const struct call *call, size_t line) {
    const struct detmath_norm_layout *layout = &call->layout;
    const int cast = call->y->format;
    const size_t start = detmath_norm_start(layout, line);
    const float *weight = load_weights(call, WEIGHT, line), *bias = load_weights(call, BIAS, line);
    const float *x = detmath_norm_load(layout, &call->from, cast, start, call->room[X]);
    float *y = detmath_norm_line_at(layout, &call->to, cast, start), *to = y ? y : call->room[Y];
    if (call->g)
        detmath_reductions()->training->norm_gradient(
            to, x, detmath_norm_load(layout, &call->slopes, cast, start, call->room[GRADIENT]),
            weight, layout->length, call->epsilon, call->which);
    else
        detmath_reductions()->lines->norm(to, x, weight, bias, layout->length, call->epsilon,
                                          call->which);
    if (!y)
        detmath_norm_put(layout, &call->to, start, call->room[Y]);
}

static int check_weights(const struct call *call, const struct detmath_strided *array, size_t n) {
    const int trouble = array ? detmath_check_array(array, 0) : DETMATH_NO_TROUBLE;
    if (!array || trouble)
        return trouble;
    if (array->dimensions != 1 || array->extents[0] != n)
        return DETMATH_TROUBLE_EXTENTS;
    return detmath_check_overlap(call->y, array, 0);
}

static int check_gradient(const struct call *call) {
    const struct detmath_strided *g = call->g, *x = call->x;
    int trouble = g ? detmath_check_array(g, 0) : DETMATH_NO_TROUBLE;
    if (!g || trouble)
        return trouble;
    if (g->dimensions != x->dimensions)
        return DETMATH_TROUBLE_EXTENTS;
    for (int i = 0; i < x->dimensions; i++)
        trouble = g->extents[i] == x->extents[i] ? trouble : DETMATH_TROUBLE_EXTENTS;
    return trouble ? trouble : detmath_check_overlap(call->y, g, 0);
}

/* All lines, of weights of n elements. */
static int run(struct call *call, size_t n) {
    const struct detmath_norm_layout *layout = &call->layout;
    int trouble = check_gradient(call);
    trouble = trouble ? trouble : check_weights(call, call->weight, n);
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
    int trouble = detmath_check_pair(call->y, call->x);
    trouble = trouble ? trouble : detmath_norm_lay_along(&call->layout, call->x, axis);
    return trouble ? trouble : run(call, call->layout.length);
}

static int run_channels(struct call *call, size_t groups) {
    int trouble = detmath_check_pair(call->y, call->x);
    trouble = trouble ? trouble : detmath_norm_lay_channels(&call->layout, call->x, groups);
    return trouble ? trouble : run(call, call->x->extents[1]);
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
    return run_along(&call, axis);
}

#define CHANNELS_CALL(...)                                                                         \
    {                                                                                              \
        .y = y, .x = x, .weight = weight, .which = DETMATH_LAYER_NORM, .epsilon = epsilon,         \
        __VA_ARGS__                                                                                \
    }

int detmath_group_norm(const struct detmath_strided *y, const struct detmath_strided *x,
                       const struct detmath_strided *weight, const struct detmath_strided *bias,
                       size_t groups, float epsilon) {
    struct call call = CHANNELS_CALL(.bias = bias);
    return groups ? run_channels(&call, groups) : DETMATH_TROUBLE_GROUPS;
}

int detmath_batch_norm(const struct detmath_strided *y, const struct detmath_strided *x,
                       const struct detmath_strided *weight, const struct detmath_strided *bias,
                       float epsilon) {
    struct call call = CHANNELS_CALL(.bias = bias);
    return run_channels(&call, DETMATH_NORM_OF_CHANNELS);
}

int detmath_group_norm_gradient(const struct detmath_strided *y, const struct detmath_strided *x,
                                const struct detmath_strided *g,
                                const struct detmath_strided *weight, size_t groups,
                                float epsilon) {
    struct call call = CHANNELS_CALL(.g = g);
    return groups ? run_channels(&call, groups) : DETMATH_TROUBLE_GROUPS;
}

int detmath_batch_norm_gradient(const struct detmath_strided *y, const struct detmath_strided *x,
                                const struct detmath_strided *g,
                                const struct detmath_strided *weight, float epsilon) {
    struct call call = CHANNELS_CALL(.g = g);
    return run_channels(&call, DETMATH_NORM_OF_CHANNELS);
}
