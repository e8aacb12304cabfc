/* The library's gated activations and their gradients, of arrays of any strides. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"
#include "training_list.h"

/* Elements that are gathered at once. */
enum { STRIP = 256 };

int detmath_gate(enum detmath_gate which, const struct detmath_strided *y,
                 const struct detmath_strided *x, const struct detmath_strided *u) {
    const int trouble = detmath_check_pair(y, x),
              other = trouble ? trouble : detmath_check_pair(y, u);
    size_t count = 1;
    if (other)
        return other;
    const struct detmath_places to = detmath_places_of(y), by = detmath_places_of(x),
                                with = detmath_places_of(u);
    for (int i = 0; i < y->dimensions; i++)
        count *= y->extents[i];
    const uint64_t set = detmath_environment_enter();
    const size_t strip = detmath_floats_at(&to, y->format, 0) &&
                                 detmath_floats_at(&by, y->format, 0) &&
                                 detmath_floats_at(&with, y->format, 0)
                             ? count
                             : STRIP;
    for (size_t at = 0; at < count; at += strip) {
        float room[3][STRIP];
        const size_t n = count - at < strip ? count - at : strip;
        float *there = detmath_floats_at(&to, y->format, at), *result = there ? there : room[0];
        detmath_reductions()->lines->gates[which](
            result, detmath_floats_of(&by, y->format, at, n, room[1]),
            detmath_floats_of(&with, y->format, at, n, room[2]), n);
        if (!there)
            detmath_put_floats(&to, at, n, result);
    }
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}

int detmath_gate_gradient(enum detmath_gate which, const struct detmath_strided *dx,
                          const struct detmath_strided *du, const struct detmath_strided *x,
                          const struct detmath_strided *u, const struct detmath_strided *g) {
    const struct detmath_strided *arrays[] = {dx, du, x, u, g};
    struct detmath_places places[5];
    size_t count = 1;
    for (int i = 1; i < 5; i++)
        for (int result = 0; result < 2 && result < i; result++) {
            const int trouble = detmath_check_pair(arrays[result], arrays[i]);
            if (trouble || (i == 1 && detmath_check_overlap(dx, du, 0)))
                return trouble ? trouble : DETMATH_TROUBLE_OVERLAP;
        }
    if (dx->format != du->format)
        return DETMATH_TROUBLE_FORMAT;
    for (int i = 0; i < dx->dimensions; i++)
        count *= dx->extents[i];
    for (int i = 0; i < 5; i++)
        places[i] = detmath_places_of(arrays[i]);
    const uint64_t set = detmath_environment_enter();
    for (size_t at = 0; at < count; at += STRIP) {
        float room[5][STRIP], *results[2];
        const float *from[5];
        const size_t n = count - at < STRIP ? count - at : STRIP;
        for (int i = 2; i < 5; i++)
            from[i] = detmath_floats_of(&places[i], dx->format, at, n, room[i]);
        for (int i = 0; i < 2; i++)
            results[i] = room[i];
        detmath_reductions()->training->gate_gradients[which](results[0], results[1], from[2],
                                                              from[3], from[4], n);
        for (int i = 0; i < 2; i++)
            detmath_put_floats(&places[i], at, n, results[i]);
    }
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}

/* The two halves of each line along an axis; an enum detmath_trouble. */
struct halves {
    struct detmath_strided arrays[2];
    size_t extents[DETMATH_MOST_DIMENSIONS];
    ptrdiff_t strides[DETMATH_MOST_DIMENSIONS];
};
static int halve(struct halves *halves, const struct detmath_strided *x, int axis) {
    if (axis < -x->dimensions || axis >= x->dimensions)
        return DETMATH_TROUBLE_AXIS;
    axis = axis < 0 ? axis + x->dimensions : axis;
    if (x->extents[axis] % 2)
        return DETMATH_TROUBLE_EXTENTS;
    detmath_settle_strides(x, halves->strides);
    for (int i = 0; i < x->dimensions; i++)
        halves->extents[i] = i == axis ? x->extents[i] / 2 : x->extents[i];
    for (int i = 0; i < 2; i++) {
        halves->arrays[i] = *x;
        halves->arrays[i].extents = halves->extents;
        halves->arrays[i].strides = halves->strides;
    }
    if (halves->extents[axis])
        halves->arrays[1].codes = (char *)x->codes + (ptrdiff_t)halves->extents[axis] *
                                                         halves->strides[axis] *
                                                         (ptrdiff_t)detmath_format_bytes(x->format);
    return DETMATH_NO_TROUBLE;
}

int detmath_gate_along(enum detmath_gate which, const struct detmath_strided *y,
                       const struct detmath_strided *x, int axis, int reverse) {
    struct halves halves;
    int trouble = detmath_check_array(x, 0);
    trouble = trouble ? trouble : halve(&halves, x, axis);
    trouble = trouble ? trouble : detmath_check_array(y, 1);
    if (!trouble && detmath_check_overlap(y, x, 0))
        trouble = DETMATH_TROUBLE_OVERLAP;
    const int first = reverse ? 1 : 0;
    return trouble ? trouble
                   : detmath_gate(which, y, &halves.arrays[first], &halves.arrays[1 - first]);
}

int detmath_gate_gradient_along(enum detmath_gate which, const struct detmath_strided *dx,
                                const struct detmath_strided *x, const struct detmath_strided *g,
                                int axis, int reverse) {
    struct halves to, from;
    int trouble = detmath_check_pair(dx, x);
    trouble = trouble ? trouble : halve(&to, dx, axis);
    trouble = trouble ? trouble : halve(&from, x, axis);
    trouble = trouble ? trouble : detmath_check_array(g, 0);
    if (!trouble && detmath_check_overlap(dx, g, 0))
        trouble = DETMATH_TROUBLE_OVERLAP;
    const int first = reverse ? 1 : 0;
    return trouble ? trouble
                   : detmath_gate_gradient(which, &to.arrays[first], &to.arrays[1 - first],
                                           &from.arrays[first], &from.arrays[1 - first], g);
}
