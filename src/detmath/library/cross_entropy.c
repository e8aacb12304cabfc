/* The library's cross entropy, of arrays of any strides. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"
#include "training_list.h"

#include <stdlib.h>

struct call {
    struct detmath_places to, from, gradient;
    const int64_t *targets;
    const struct detmath_cross_entropy_options *options;
    size_t count, length, stride;
    float *room;    /* of a line */
    float *weights; /* of classes; NULL: none */
};

static size_t start_of(const struct call *call, size_t line) {
    return line / call->stride * call->stride * call->length + line % call->stride;
}

/* The elements of a line, where they can be used as they are, or gathered. */
static const float *load_line(const struct call *call, size_t line) {
    const size_t start = start_of(call, line);
    const int cast = call->to.array->format;
    const float *there = call->stride == 1 ? detmath_floats_at(&call->from, cast, start) : NULL;
    for (size_t i = 0; !there && i < call->length; i++)
        call->room[i] = detmath_float_of(call->from.array, cast,
                                         detmath_place(&call->from, start + i * call->stride));
    return there ? there : call->room;
}

static int is_class(const struct call *call, int64_t target) {
    return target >= 0 && (uint64_t)target < call->length;
}

static struct detmath_parts loss_of(const struct call *call, size_t line) {
    const int64_t target = call->targets[line];
    if (!is_class(call, target))
        return detmath_parts_of(detmath_from_bits_f32(DETMATH_NAN_BITS));
    return detmath_reductions()->training->cross_entropy(load_line(call, line), call->weights,
                                                         call->length, (size_t)target,
                                                         call->options->smoothing);
}

/* A line of the gradient, by way of the room. */
static void run_gradient(const struct call *call, size_t line) {
    const int64_t target = call->targets[line];
    const float g = detmath_float_of(call->gradient.array, call->to.array->format,
                                     detmath_place(&call->gradient, line));
    const size_t start = start_of(call, line);
    if (target == call->options->ignored || !is_class(call, target))
        for (size_t i = 0; i < call->length; i++)
            call->room[i] =
                target == call->options->ignored ? 0.0f : detmath_from_bits_f32(DETMATH_NAN_BITS);
    else
        detmath_reductions()->training->cross_entropy_gradient(
            call->room, load_line(call, line), call->weights, call->length, (size_t)target, g,
            call->options->smoothing);
    for (size_t i = 0; i < call->length; i++)
        detmath_put_float(&call->to, start + i * call->stride, call->room[i]);
}

static void run(const struct call *call, struct detmath_parts *losses) {
    const int joins = call->options->reduction != DETMATH_LOSS_NONE;
    size_t counted = 0;
    for (size_t line = 0; line < call->count; line++) {
        const int is_ignored = call->targets[line] == call->options->ignored;
        const struct detmath_parts loss = is_ignored ? detmath_parts_of(0.0f) : loss_of(call, line);
        if (!joins)
            detmath_put_float(&call->to, line, detmath_loss_rounded(loss));
        else if (!is_ignored) {
            if (call->weights && is_class(call, call->targets[line]))
                losses[call->count + counted] =
                    detmath_parts_of(call->weights[call->targets[line]]);
            else
                losses[call->count + counted] = detmath_parts_of(0.0f); /* the loss is NaN */
            losses[counted++] = loss;
        }
    }
    if (!joins)
        return;
    struct detmath_parts total =
        counted ? detmath_parts_total(losses, counted) : detmath_parts_of(0.0f);
    if (call->options->reduction == DETMATH_LOSS_MEAN)
        total = call->weights && counted
                    ? detmath_mean_weighted_loss(total,
                                                 detmath_parts_total(losses + call->count, counted))
                    : detmath_mean_loss(total, counted);
    detmath_put_float(&call->to, 0, detmath_loss_rounded(total));
}

/* y has x's extents without the axis, or one element. */
static int check_extents(const struct detmath_strided *y, const struct detmath_strided *x, int axis,
                         int joins) {
    for (int i = 0; joins && i < y->dimensions; i++)
        if (y->extents[i] != 1)
            return DETMATH_TROUBLE_EXTENTS;
    if (!joins && y->dimensions != x->dimensions - 1)
        return DETMATH_TROUBLE_EXTENTS;
    for (int i = 0; !joins && i < y->dimensions; i++)
        if (y->extents[i] != x->extents[i + (i >= axis)])
            return DETMATH_TROUBLE_EXTENTS;
    if (!detmath_has_own_places(y))
        return DETMATH_TROUBLE_OVERLAP;
    return detmath_check_overlap(y, x, 0);
}

static int check(const struct detmath_strided *y, const struct detmath_strided *x, int axis,
                 const struct detmath_cross_entropy_options *options) {
    int trouble = detmath_check_array(y, 1);
    trouble = trouble ? trouble : detmath_check_array(x, 0);
    if (trouble)
        return trouble;
    if (axis < -x->dimensions || axis >= x->dimensions)
        return DETMATH_TROUBLE_AXIS;
    if (!(options->smoothing >= 0.0f && options->smoothing <= 1.0f) ||
        options->reduction < DETMATH_LOSS_NONE || options->reduction > DETMATH_LOSS_MEAN)
        return DETMATH_TROUBLE_OPTIONS;
    return check_extents(y, x, axis < 0 ? axis + x->dimensions : axis,
                         options->reduction != DETMATH_LOSS_NONE);
}

/* Weights are one for each class, of any strides. */
static int check_weights(const struct call *call, const struct detmath_strided *y) {
    const struct detmath_strided *weights = call->options->weights;
    if (!weights)
        return DETMATH_NO_TROUBLE;
    const int trouble = detmath_check_array(weights, 0);
    if (trouble)
        return trouble;
    if (weights->dimensions != 1 || weights->extents[0] != call->length)
        return DETMATH_TROUBLE_EXTENTS;
    return detmath_check_overlap(y, weights, 0);
}

/* Room for a line, and the weights behind it. */
static int open_room(struct call *call) {
    const struct detmath_strided *weights = call->options->weights;
    call->room = malloc((2 * call->length + 1) * sizeof *call->room);
    if (!call->room)
        return 0;
    if (!weights)
        return 1;
    const struct detmath_places places = detmath_places_of(weights);
    call->weights = call->room + call->length;
    for (size_t i = 0; i < call->length; i++)
        call->weights[i] =
            detmath_float_of(weights, call->to.array->format, detmath_place(&places, i));
    return 1;
}

static struct call call_of(const struct detmath_strided *y, const struct detmath_strided *x,
                           const int64_t *targets, int axis,
                           const struct detmath_cross_entropy_options *options) {
    struct call call = {.to = detmath_places_of(y),
                        .from = detmath_places_of(x),
                        .targets = targets,
                        .options = options,
                        .count = 1,
                        .stride = 1};
    axis = axis < 0 ? axis + x->dimensions : axis;
    call.length = x->extents[axis];
    for (int i = 0; i < x->dimensions; i++) {
        call.count *= i == axis ? 1 : x->extents[i];
        call.stride *= i > axis ? x->extents[i] : 1;
    }
    return call;
}

int detmath_cross_entropy(const struct detmath_strided *y, const struct detmath_strided *x,
                          const int64_t *targets, int axis,
                          const struct detmath_cross_entropy_options *options) {
    int trouble = check(y, x, axis, options);
    if (trouble)
        return trouble;
    struct call call = call_of(y, x, targets, axis, options);
    if ((trouble = check_weights(&call, y)))
        return trouble;
    const int joins = options->reduction != DETMATH_LOSS_NONE;
    struct detmath_parts *losses = malloc((joins ? 2 * call.count + 1 : 1) * sizeof *losses);
    const int room = open_room(&call) && losses;
    if (room) {
        const uint64_t set = detmath_environment_enter();
        run(&call, losses);
        detmath_environment_leave(set);
    }
    free(losses);
    free(call.room);
    return room ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_MEMORY;
}

int detmath_cross_entropy_gradient(const struct detmath_strided *y, const struct detmath_strided *x,
                                   const int64_t *targets, const struct detmath_strided *g,
                                   int axis, const struct detmath_cross_entropy_options *options) {
    int trouble = detmath_check_pair(y, x);
    trouble = trouble ? trouble : detmath_check_array(g, 0);
    if (trouble)
        return trouble;
    if (axis < -x->dimensions || axis >= x->dimensions)
        return DETMATH_TROUBLE_AXIS;
    if (!(options->smoothing >= 0.0f && options->smoothing <= 1.0f))
        return DETMATH_TROUBLE_OPTIONS;
    struct call call = call_of(y, x, targets, axis, options);
    size_t count = 1;
    for (int i = 0; i < g->dimensions; i++)
        count *= g->extents[i];
    if (count != call.count)
        return DETMATH_TROUBLE_EXTENTS;
    trouble = detmath_check_overlap(y, g, 0);
    trouble = trouble ? trouble : check_weights(&call, y);
    if (trouble)
        return trouble;
    call.gradient = detmath_places_of(g);
    if (!open_room(&call))
        return DETMATH_TROUBLE_MEMORY;
    const uint64_t set = detmath_environment_enter();
    for (size_t line = 0; call.length && line < call.count; line++)
        run_gradient(&call, line);
    detmath_environment_leave(set);
    free(call.room);
    return DETMATH_NO_TROUBLE;
}
