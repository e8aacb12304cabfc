/* The library's gated activations, of arrays of any strides. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"
#include "reduction_list.h"

/* Elements that are gathered at once. */
enum { STRIP = 256 };

static const float *load(const struct detmath_places *places, int cast, size_t first, size_t n,
                         float *room) {
    const float *there = detmath_floats_at(places, cast, first);
    for (size_t i = 0; !there && i < n; i++)
        room[i] = detmath_float_of(places->array, cast, detmath_place(places, first + i));
    return there ? there : room;
}

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
    for (size_t at = 0; at < count; at += STRIP) {
        float room[3][STRIP];
        const size_t n = count - at < STRIP ? count - at : STRIP;
        float *there = detmath_floats_at(&to, y->format, at), *result = there ? there : room[0];
        detmath_reductions()->gates[which](result, load(&by, y->format, at, n, room[1]),
                                           load(&with, y->format, at, n, room[2]), n);
        for (size_t i = 0; !there && i < n; i++)
            detmath_put_float(&to, at + i, result[i]);
    }
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}

int detmath_gate_along(enum detmath_gate which, const struct detmath_strided *y,
                       const struct detmath_strided *x, int axis, int reverse) {
    const int trouble = detmath_check_array(x, 0);
    ptrdiff_t strides[DETMATH_MOST_DIMENSIONS];
    size_t extents[DETMATH_MOST_DIMENSIONS];
    if (trouble)
        return trouble;
    if (axis < -x->dimensions || axis >= x->dimensions)
        return DETMATH_TROUBLE_AXIS;
    axis = axis < 0 ? axis + x->dimensions : axis;
    if (x->extents[axis] % 2)
        return DETMATH_TROUBLE_EXTENTS;
    detmath_settle_strides(x, strides);
    for (int i = 0; i < x->dimensions; i++)
        extents[i] = i == axis ? x->extents[i] / 2 : x->extents[i];
    struct detmath_strided halves[2] = {*x, *x};
    for (int i = 0; i < 2; i++) {
        halves[i].extents = extents;
        halves[i].strides = strides;
    }
    if (extents[axis])
        halves[1].codes = (char *)x->codes + (ptrdiff_t)extents[axis] * strides[axis] *
                                                 (ptrdiff_t)detmath_format_bytes(x->format);
    const int apart = detmath_check_array(y, 1);
    if (apart || detmath_check_overlap(y, x, 0))
        return apart ? apart : DETMATH_TROUBLE_OVERLAP;
    return detmath_gate(which, y, &halves[reverse ? 1 : 0], &halves[reverse ? 0 : 1]);
}
