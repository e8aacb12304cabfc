/* The windows of a pool or a convolution, of arrays of any strides. Not installed. */
#ifndef DETMATH_LIBRARY_WINDOWS_H
#define DETMATH_LIBRARY_WINDOWS_H

#include "detmath/transformer.h"
#include "places.h"

/* The axes after the second of x, and their windows. */
struct detmath_window_axes {
    int count;
    size_t extents[DETMATH_MOST_DIMENSIONS], made[DETMATH_MOST_DIMENSIONS];
    const struct detmath_windows *windows;
    size_t spots, all; /* products of the extents, and of the numbers of windows */
};

/* Whether these are windows that x has, and y the extents for them; an enum detmath_trouble. */
static inline int detmath_window_axes_of(struct detmath_window_axes *axes,
                                         const struct detmath_strided *y,
                                         const struct detmath_strided *x,
                                         const struct detmath_windows *windows, int is_cut) {
    const size_t most = (size_t)PTRDIFF_MAX / 4;
    *axes = (struct detmath_window_axes){
        .count = x->dimensions - 2, .windows = windows, .spots = 1, .all = 1};
    if (axes->count < 1 || y->dimensions != x->dimensions)
        return DETMATH_TROUBLE_DIMENSIONS;
    for (int i = 0; i < axes->count; i++) {
        const struct detmath_windows *w = &windows[i];
        axes->extents[i] = x->extents[i + 2];
        if (!w->taps || !w->stride || !w->dilation || w->stride > most || w->padding > most ||
            w->dilation > most / w->taps || axes->extents[i] > most)
            return DETMATH_TROUBLE_WINDOWS;
        axes->made[i] = (size_t)detmath_window_count(axes->extents[i], w->taps, w->stride,
                                                     w->padding, w->dilation, is_cut);
        if (y->extents[i + 2] != axes->made[i])
            return DETMATH_TROUBLE_EXTENTS;
        axes->spots *= axes->extents[i];
        axes->all *= axes->made[i];
    }
    return DETMATH_NO_TROUBLE;
}

/* Where tap number `tap` of window number `window` lies among the spots; -1 in the padding. */
static inline ptrdiff_t detmath_window_spot(const struct detmath_window_axes *axes, size_t window,
                                            size_t tap) {
    size_t spot = 0, unit = 1;
    for (int i = axes->count - 1; i >= 0; i--) {
        const struct detmath_windows *w = &axes->windows[i];
        const size_t at = window % axes->made[i] * w->stride + tap % w->taps * w->dilation;
        if (at < w->padding || at - w->padding >= axes->extents[i])
            return -1;
        spot += (at - w->padding) * unit;
        unit *= axes->extents[i];
        window /= axes->made[i];
        tap /= w->taps;
    }
    return (ptrdiff_t)spot;
}

/* The window whose tap number `tap` lies at that spot; -1 where there is none. */
static inline ptrdiff_t detmath_window_with(const struct detmath_window_axes *axes, size_t spot,
                                            size_t tap) {
    size_t window = 0, unit = 1;
    for (int i = axes->count - 1; i >= 0; i--) {
        const struct detmath_windows *w = &axes->windows[i];
        const size_t at = spot % axes->extents[i] + w->padding, reach = tap % w->taps * w->dilation;
        if (at < reach || (at - reach) % w->stride || (at - reach) / w->stride >= axes->made[i])
            return -1;
        window += (at - reach) / w->stride * unit;
        unit *= axes->made[i];
        spot /= axes->extents[i];
        tap /= w->taps;
    }
    return (ptrdiff_t)window;
}

static inline size_t detmath_window_taps(const struct detmath_window_axes *axes) {
    size_t taps = 1;
    for (int i = 0; i < axes->count; i++)
        taps *= axes->windows[i].taps;
    return taps;
}

#endif
