/* The windows of a pool or a convolution. */
#include "op/kernels/windows.h"

#include <string.h>

static uint64_t whole(const struct array_call *call, enum parameter_number number,
                      uint64_t otherwise) {
    return (uint64_t)parameter_integer(call->parameters, number, (int64_t)otherwise);
}

/* The windows of a pool lie side by side, where nobody says otherwise. */
static uint64_t stride_of(const struct array_call *call, uint64_t taps) {
    return whole(call, PARAMETER_STRIDE, taps);
}

bool windows_lay_out(const struct array_call *call, const struct shape *x, const uint64_t *taps,
                     uint64_t outputs, struct shape *y, struct error *error) {
    *y = *x;
    y->extents[1] = outputs;
    for (int i = 2; i < x->dimensions; i++) {
        const uint64_t of_axis = taps[i - 2];
        y->extents[i] = detmath_window_count(x->extents[i], of_axis, stride_of(call, of_axis),
                                             whole(call, PARAMETER_PADDING, 0),
                                             whole(call, PARAMETER_DILATION, 1),
                                             parameter_flag(call->parameters, PARAMETER_CEIL_MODE));
        if (!y->extents[i])
            return error_set(error, "the windows reach beyond the array; more --padding, or "
                                    "smaller windows");
    }
    return true;
}

void windows_of(const struct array_call *call, const struct shape *x, const uint64_t *taps,
                struct detmath_windows *windows) {
    for (int i = 0; i < x->dimensions - 2; i++)
        windows[i] =
            (struct detmath_windows){.taps = (size_t)taps[i],
                                     .stride = (size_t)stride_of(call, taps[i]),
                                     .padding = (size_t)whole(call, PARAMETER_PADDING, 0),
                                     .dilation = (size_t)whole(call, PARAMETER_DILATION, 1)};
}

void window_walk_open(struct window_walk *walk, const struct array_call *call,
                      const struct shape *x, const struct shape *y, const uint64_t *taps) {
    *walk = (struct window_walk){.axes = x->dimensions - 2,
                                 .spots = 1,
                                 .windows = 1,
                                 .stride = stride_of(call, taps[0]),
                                 .padding = whole(call, PARAMETER_PADDING, 0),
                                 .dilation = whole(call, PARAMETER_DILATION, 1)};
    for (int i = 0; i < walk->axes; i++) {
        walk->extents[i] = x->extents[i + 2];
        walk->made[i] = y->extents[i + 2];
        walk->taps[i] = taps[i];
        walk->spots *= walk->extents[i];
        walk->windows *= walk->made[i];
    }
}

/* Finds where the walk stands along axis i: a spot of x, or a window. */
static void find_axis(struct window_walk *walk, int i) {
    const uint64_t reach = walk->at[i] * walk->dilation;
    if (walk->is_back) {
        const uint64_t place = walk->starts[i] - reach, window = place / walk->stride;
        walk->inside = walk->inside && walk->starts[i] >= reach && place % walk->stride == 0 &&
                       window < walk->made[i];
        walk->spot = walk->spot * walk->made[i] + window;
        return;
    }
    const uint64_t place = walk->starts[i] + reach;
    walk->inside =
        walk->inside && place >= walk->padding && place - walk->padding < walk->extents[i];
    walk->spot = walk->spot * walk->extents[i] + place - walk->padding;
}

static void find_spot(struct window_walk *walk) {
    walk->inside = true;
    walk->spot = 0;
    for (int i = 0; i < walk->axes; i++)
        find_axis(walk, i);
}

void window_walk_start(struct window_walk *walk, uint64_t number) {
    const uint64_t *extents = walk->is_back ? walk->extents : walk->made;
    memset(walk->at, 0, sizeof walk->at);
    for (int i = walk->axes - 1; i >= 0; i--) {
        const uint64_t at = number % extents[i];
        walk->starts[i] = walk->is_back ? at + walk->padding : at * walk->stride;
        number /= extents[i];
    }
    find_spot(walk);
}

bool window_walk_next(struct window_walk *walk) {
    int i = walk->axes - 1;
    while (i >= 0 && ++walk->at[i] == walk->taps[i])
        walk->at[i--] = 0;
    find_spot(walk);
    return i >= 0;
}

uint64_t window_walk_count(const struct window_walk *walk, uint64_t window, bool counts_padding) {
    uint64_t count = 1;
    for (int i = walk->axes - 1; i >= 0; i--) {
        const uint64_t start = window % walk->made[i] * walk->stride,
                       first = counts_padding ? 0 : walk->padding,
                       last =
                           walk->extents[i] + walk->padding + (counts_padding ? walk->padding : 0);
        uint64_t there = 0;
        for (uint64_t tap = 0; tap < walk->taps[i]; tap++)
            there += start + tap >= first && start + tap < last;
        count *= there;
        window /= walk->made[i];
    }
    return count;
}
