/* The windows of a call: what --stride, --padding and --dilation make of the axes after the second. */
#ifndef DETCHECK_OP_KERNELS_WINDOWS_H
#define DETCHECK_OP_KERNELS_WINDOWS_H

#include "op/array.h"

#include "detmath/transformer.h"

/* The shape of the result for an array x; false with the reason where there are no such windows. `taps` has a number for each
 * axis. */
bool windows_lay_out(const struct array_call *call, const struct shape *x, const uint64_t *taps,
                     uint64_t outputs, struct shape *y, struct error *error);
/* The windows along each axis of x, for detmath. */
void windows_of(const struct array_call *call, const struct shape *x, const uint64_t *taps,
                struct detmath_windows *windows);

/* A walk through the taps of a window, the last axis fastest, by a way of its own: places are counted from the start of the
 * plane, and `inside` is false in the padding. Or `is_back`, through the taps at which windows have a spot of x: `spot` is
 * the window then, and `inside` is false where there is none. */
struct window_walk {
    int axes;
    bool is_back, inside;
    uint64_t spot;    /* where it is inside */
    uint64_t spots;   /* elements of a plane of x */
    uint64_t windows; /* and of the result */
    uint64_t extents[MOST_DIMENSIONS], made[MOST_DIMENSIONS], taps[MOST_DIMENSIONS];
    uint64_t starts[MOST_DIMENSIONS], at[MOST_DIMENSIONS];
    uint64_t stride, padding, dilation;
};
/* Begins to walk over an array x and the result of its windows, y. */
void window_walk_open(struct window_walk *walk, const struct array_call *call,
                      const struct shape *x, const struct shape *y, const uint64_t *taps);
/* To the first tap of that window, or spot; and to the next one, false beyond the last. */
void window_walk_start(struct window_walk *walk, uint64_t number);
bool window_walk_next(struct window_walk *walk);
/* How many elements a window of dilation 1 has, or elements and padding. */
uint64_t window_walk_count(const struct window_walk *walk, uint64_t window, bool counts_padding);

#endif
