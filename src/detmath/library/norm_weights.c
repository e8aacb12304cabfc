/* The library's gradients of norms with respect to weights and biases, of arrays of any strides. */
#include "detmath/transformer.h"
#include "environment.h"
#include "norm_layout.h"
#include "places.h"
#include "training_list.h"

#include <stdint.h>
#include <stdlib.h>

struct call {
    const struct detmath_strided *weight, *bias, *x, *g; /* the first two: results, or NULL */
    enum detmath_norm which;
    float epsilon;
    struct detmath_norm_layout layout;
    struct detmath_places from, slopes;
    struct detmath_norm_line *lines;
    float *room[2]; /* of a line, or of all elements of a weight, and their gradients */
};
enum { X, GRADIENT };

/* Elements of each line that have one weight, and how many lines a weight is in. */
static size_t per_line(const struct call *call) {
    return call->layout.per;
}

static size_t lines_of(const struct call *call) {
    return call->layout.count / call->layout.groups;
}

/* Gathers what has that weight: element i is one of the line number i / per among those that have it. */
static void gather(const struct call *call, size_t weight) {
    const struct detmath_norm_layout *layout = &call->layout;
    const size_t each = layout->each ? layout->each : layout->length, group = weight / each,
                 first = weight % each * per_line(call);
    const int cast = (call->weight ? call->weight : call->bias)->format;
    size_t to = 0;
    for (size_t k = 0; layout->length && k < lines_of(call); k++) {
        const size_t start = detmath_norm_start(layout, k * layout->groups + group);
        for (size_t i = first; i < first + per_line(call); i++, to++) {
            const size_t at = detmath_norm_index(layout, start, i);
            call->room[X][to] = detmath_float_of(call->x, cast, detmath_place(&call->from, at));
            call->room[GRADIENT][to] =
                detmath_float_of(call->g, cast, detmath_place(&call->slopes, at));
        }
    }
}

/* What the lines share, those of each group of weights beside each other. */
static void find_lines(const struct call *call) {
    const struct detmath_norm_layout *layout = &call->layout;
    const int cast = (call->weight ? call->weight : call->bias)->format;
    for (size_t line = 0; layout->length && line < layout->count; line++) {
        const float *x = detmath_norm_load(layout, &call->from, cast,
                                           detmath_norm_start(layout, line), call->room[X]);
        call->lines[line % layout->groups * lines_of(call) + line / layout->groups] =
            detmath_reductions()->training->norm_line(x, layout->length, call->epsilon,
                                                      call->which);
    }
}

static void run_weights(const struct call *call, size_t weights) {
    const struct detmath_norm_layout *layout = &call->layout;
    const size_t each = layout->each ? layout->each : layout->length;
    struct detmath_places to[2] = {{.array = NULL}, {.array = NULL}};
    if (call->weight)
        to[0] = detmath_places_of(call->weight);
    if (call->bias)
        to[1] = detmath_places_of(call->bias);
    find_lines(call);
    for (size_t i = 0; i < weights; i++) {
        float bias;
        gather(call, i);
        const float weight = detmath_reductions()->training->norm_weight_gradient(
            call->room[X], call->room[GRADIENT], call->lines + i / each * lines_of(call),
            layout->length ? lines_of(call) * per_line(call) : 0, per_line(call), call->which,
            &bias);
        if (call->weight)
            detmath_put_float(&to[0], i, weight);
        if (call->bias)
            detmath_put_float(&to[1], i, bias);
    }
}

/* Operands have the same extents; results one dimension, of the number of weights. */
static int check(const struct call *call, size_t weights) {
    const struct detmath_strided *results[] = {call->weight, call->bias};
    int trouble = DETMATH_NO_TROUBLE, there = 0;
    if (call->g->dimensions != call->x->dimensions)
        return DETMATH_TROUBLE_EXTENTS;
    for (int i = 0; i < call->x->dimensions; i++)
        if (call->g->extents[i] != call->x->extents[i])
            return DETMATH_TROUBLE_EXTENTS;
    for (int k = 0; k < 2 && !trouble; k++) {
        const struct detmath_strided *y = results[k];
        if (!y)
            continue;
        there++;
        trouble = detmath_check_array(y, 1);
        if (!trouble && (y->dimensions != 1 || y->extents[0] != weights))
            trouble = DETMATH_TROUBLE_EXTENTS;
        if (!trouble && (!detmath_has_own_places(y) ||
                         (k && results[0] && detmath_check_overlap(y, results[0], 0))))
            trouble = DETMATH_TROUBLE_OVERLAP;
        trouble = trouble ? trouble : detmath_check_overlap(y, call->x, 0);
        trouble = trouble ? trouble : detmath_check_overlap(y, call->g, 0);
    }
    if (!trouble && there == 2 && call->weight->format != call->bias->format)
        return DETMATH_TROUBLE_FORMAT;
    return trouble ? trouble : there ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_OPTIONS;
}

static int run(struct call *call, size_t weights) {
    const struct detmath_norm_layout *layout = &call->layout;
    const int trouble = check(call, weights);
    if (trouble)
        return trouble;
    const size_t own = lines_of(call) * per_line(call),
                 room = own > layout->length ? own : layout->length;
    call->from = detmath_places_of(call->x);
    call->slopes = detmath_places_of(call->g);
    call->lines = calloc(layout->count + 1, sizeof *call->lines);
    call->room[X] = calloc(room + 1, sizeof **call->room);
    call->room[GRADIENT] = calloc(room + 1, sizeof **call->room);
    const int is_there = call->lines && call->room[X] && call->room[GRADIENT];
    if (is_there) {
        const uint64_t set = detmath_environment_enter();
        run_weights(call, weights);
        detmath_environment_leave(set);
    }
    free(call->lines);
    free(call->room[X]);
    free(call->room[GRADIENT]);
    return is_there ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_MEMORY;
}

static int check_operands(const struct call *call) {
    const int trouble = detmath_check_array(call->x, 0);
    return trouble ? trouble : detmath_check_array(call->g, 0);
}

static int run_channels(struct call *call, size_t groups) {
    int trouble = check_operands(call);
    trouble = trouble ? trouble : detmath_norm_lay_channels(&call->layout, call->x, groups);
    return trouble ? trouble : run(call, call->x->extents[1]);
}

#define CALL(WHICH)                                                                                \
    { .weight = weight, .bias = bias, .x = x, .g = g, .which = WHICH, .epsilon = epsilon }

int detmath_norm_weight_gradient_along(enum detmath_norm which,
                                       const struct detmath_strided *weight,
                                       const struct detmath_strided *bias,
                                       const struct detmath_strided *x,
                                       const struct detmath_strided *g, int axis, float epsilon) {
    struct call call = CALL(which);
    int trouble = check_operands(&call);
    trouble = trouble ? trouble : detmath_norm_lay_along(&call.layout, x, axis);
    return trouble ? trouble : run(&call, call.layout.length);
}

int detmath_group_norm_weight_gradient(const struct detmath_strided *weight,
                                       const struct detmath_strided *bias,
                                       const struct detmath_strided *x,
                                       const struct detmath_strided *g, size_t groups,
                                       float epsilon) {
    struct call call = CALL(DETMATH_LAYER_NORM);
    return groups ? run_channels(&call, groups) : DETMATH_TROUBLE_GROUPS;
}

int detmath_batch_norm_weight_gradient(const struct detmath_strided *weight,
                                       const struct detmath_strided *bias,
                                       const struct detmath_strided *x,
                                       const struct detmath_strided *g, float epsilon) {
    struct call call = CALL(DETMATH_LAYER_NORM);
    return run_channels(&call, DETMATH_NORM_OF_CHANNELS);
}
