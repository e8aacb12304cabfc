/* Which elements of arrays of any strides are normed together. Not installed. */
#ifndef DETMATH_LIBRARY_NORM_LAYOUT_H
#define DETMATH_LIBRARY_NORM_LAYOUT_H

#include "detmath/strided.h"
#include "places.h"

/* Line l starts at index l / block * starts + l % block in row-major order; its element i lies i / inner * step +
 * i % inner * unit beyond that, and has the weight of index l % groups * each + i / per. */
struct detmath_norm_layout {
    size_t count, length, block, starts, inner, step, unit, groups, each, per;
};

static inline size_t detmath_norm_start(const struct detmath_norm_layout *layout, size_t line) {
    return line / layout->block * layout->starts + line % layout->block;
}

static inline size_t detmath_norm_index(const struct detmath_norm_layout *layout, size_t start,
                                        size_t i) {
    return start + i / layout->inner * layout->step + i % layout->inner * layout->unit;
}

/* A line where its elements lie beside each other; else NULL. */
static inline float *detmath_norm_line_at(const struct detmath_norm_layout *layout,
                                          const struct detmath_places *places, int cast,
                                          size_t start) {
    return layout->unit == 1 && layout->inner == layout->length
               ? detmath_floats_at(places, cast, start)
               : NULL;
}

/* The elements of a line, as they lie, or gathered in a room. */
static inline const float *detmath_norm_load(const struct detmath_norm_layout *layout,
                                             const struct detmath_places *places, int cast,
                                             size_t start, float *room) {
    const size_t run = layout->unit == 1 ? layout->inner : 1;
    if (run == layout->length)
        return detmath_floats_of(places, cast, start, run, room);
    for (size_t i = 0; i < layout->length; i += run) {
        const float *there =
            detmath_floats_of(places, cast, detmath_norm_index(layout, start, i), run, room + i);
        if (there != room + i)
            memcpy(room + i, there, run * sizeof *room);
    }
    return room;
}

/* Writes the line. */
static inline void detmath_norm_put(const struct detmath_norm_layout *layout,
                                    const struct detmath_places *places, size_t start,
                                    const float *y) {
    const size_t run = layout->unit == 1 ? layout->inner : 1;
    for (size_t i = 0; i < layout->length; i += run)
        detmath_put_floats(places, detmath_norm_index(layout, start, i), run, y + i);
}

/* Lines along an axis, or the whole array; an enum detmath_trouble. */
static inline int detmath_norm_lay_along(struct detmath_norm_layout *layout,
                                         const struct detmath_strided *x, int axis) {
    const int whole = axis == DETMATH_WHOLE_ARRAY;
    size_t stride = 1, count = 1, length = 1;
    if (!whole && (axis < -x->dimensions || axis >= x->dimensions))
        return DETMATH_TROUBLE_AXIS;
    axis = axis < 0 && !whole ? axis + x->dimensions : axis;
    for (int i = 0; i < x->dimensions; i++) {
        stride *= !whole && i > axis ? x->extents[i] : 1;
        *(whole || i == axis ? &length : &count) *= x->extents[i];
    }
    *layout = (struct detmath_norm_layout){.count = count,
                                           .length = length,
                                           .block = stride ? stride : 1,
                                           .starts = stride * length,
                                           .inner = length ? length : 1,
                                           .unit = stride,
                                           .groups = 1,
                                           .per = 1};
    return DETMATH_NO_TROUBLE;
}

/* The elements of a sample in each group of channels, or where `groups` is 0 of a channel in all samples. */
enum { DETMATH_NORM_OF_CHANNELS = 0 };
static inline int detmath_norm_lay_channels(struct detmath_norm_layout *layout,
                                            const struct detmath_strided *x, size_t groups) {
    const int joins = groups == DETMATH_NORM_OF_CHANNELS;
    size_t spots = 1;
    if (x->dimensions < 2)
        return DETMATH_TROUBLE_DIMENSIONS;
    if (!joins && x->extents[1] % groups)
        return DETMATH_TROUBLE_GROUPS;
    for (int i = 2; i < x->dimensions; i++)
        spots *= x->extents[i];
    const size_t channels = x->extents[1], each = joins ? 1 : channels / groups,
                 length = joins ? x->extents[0] * spots : each * spots,
                 inner = joins ? spots : length, per = joins ? length : spots;
    *layout = (struct detmath_norm_layout){.count = joins ? channels : x->extents[0] * groups,
                                           .length = length,
                                           .block = 1,
                                           .starts = inner,
                                           .inner = inner ? inner : 1,
                                           .step = channels * spots,
                                           .unit = 1,
                                           .groups = joins ? (channels ? channels : 1) : groups,
                                           .each = each,
                                           .per = per ? per : 1};
    return DETMATH_NO_TROUBLE;
}

#endif
