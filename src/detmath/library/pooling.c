/* The library's average pools and their gradients, of arrays of any strides. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"
#include "windows.h"

/* How many elements a window has, with padding, or without it. */
static size_t count_of(const struct detmath_window_axes *axes, size_t window, int counts_padding) {
    size_t count = 1;
    for (int i = axes->count - 1; i >= 0; i--) {
        const struct detmath_windows *w = &axes->windows[i];
        const size_t start = window % axes->made[i] * w->stride,
                     from = counts_padding || start > w->padding ? start : w->padding,
                     end = axes->extents[i] + (counts_padding ? 2 : 1) * w->padding;
        count *= (start + w->taps < end ? start + w->taps : end) - from;
        window /= axes->made[i];
    }
    return count;
}

static float element_of(const struct detmath_places *places, int cast, size_t number) {
    return detmath_float_of(places->array, cast, detmath_place(places, number));
}

static float mean_of(const struct detmath_window_axes *axes, const struct detmath_places *from,
                     int cast, size_t plane, size_t window, int counts_padding) {
    const size_t taps = detmath_window_taps(axes);
    struct detmath_pool pool = detmath_pool_of_none();
    for (size_t tap = 0; tap < taps; tap++) {
        const ptrdiff_t spot = detmath_window_spot(axes, window, tap);
        if (spot >= 0)
            pool =
                detmath_pool_add(pool, element_of(from, cast, plane * axes->spots + (size_t)spot),
                                 1.0f, 0, DETMATH_POOL_MEAN);
    }
    return detmath_pool_rounded(pool, count_of(axes, window, counts_padding), DETMATH_POOL_MEAN);
}

/* The windows of a spot, from the first to the last, are those of its taps from the last to the first. */
static float slope_of(const struct detmath_window_axes *axes, const struct detmath_places *from,
                      int cast, size_t plane, size_t spot, int counts_padding) {
    struct detmath_pool pool = detmath_pool_of_none();
    for (size_t tap = detmath_window_taps(axes); tap-- > 0;) {
        const ptrdiff_t window = detmath_window_with(axes, spot, tap);
        if (window >= 0)
            pool = detmath_pool_add_share(
                pool, element_of(from, cast, plane * axes->all + (size_t)window),
                count_of(axes, (size_t)window, counts_padding));
    }
    return detmath_pool_rounded(pool, 1, DETMATH_POOL_SUM);
}

/* Finds the axes that the windows move along, or what is wrong with them. */
static int check(struct detmath_window_axes *axes, const struct detmath_strided *y,
                 const struct detmath_strided *x, const struct detmath_windows *windows,
                 int is_cut) {
    const int trouble = detmath_window_axes_of(axes, y, x, windows, is_cut);
    if (trouble)
        return trouble;
    for (int i = 0; i < axes->count; i++)
        if (windows[i].dilation != 1 || windows[i].padding >= windows[i].taps)
            return DETMATH_TROUBLE_WINDOWS;
    if (y->extents[0] != x->extents[0] || y->extents[1] != x->extents[1])
        return DETMATH_TROUBLE_EXTENTS;
    return DETMATH_NO_TROUBLE;
}

/* y of x, or the gradient of x of that of y. */
static int run(const struct detmath_strided *result, const struct detmath_strided *operand,
               const struct detmath_windows *windows, int counts_padding, int is_cut, int is_back) {
    struct detmath_window_axes axes;
    int trouble = detmath_check_array(result, 1);
    trouble = trouble ? trouble : detmath_check_array(operand, 0);
    trouble = trouble ? trouble
                      : check(&axes, is_back ? operand : result, is_back ? result : operand,
                              windows, is_cut);
    if (!trouble && !detmath_has_own_places(result))
        trouble = DETMATH_TROUBLE_OVERLAP;
    trouble = trouble ? trouble : detmath_check_overlap(result, operand, 0);
    if (trouble)
        return trouble;
    const struct detmath_places to = detmath_places_of(result), from = detmath_places_of(operand);
    const size_t planes = result->extents[0] * result->extents[1],
                 each = is_back ? axes.spots : axes.all;
    const uint64_t set = detmath_environment_enter();
    for (size_t plane = 0; plane < planes; plane++)
        for (size_t i = 0; i < each; i++)
            detmath_put_float(&to, plane * each + i,
                              (is_back ? slope_of : mean_of)(&axes, &from, result->format, plane, i,
                                                             counts_padding));
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}

int detmath_average_pool(const struct detmath_strided *y, const struct detmath_strided *x,
                         const struct detmath_windows *windows, int counts_padding, int is_cut) {
    return run(y, x, windows, counts_padding, is_cut, 0);
}

int detmath_average_pool_gradient(const struct detmath_strided *dx, const struct detmath_strided *g,
                                  const struct detmath_windows *windows, int counts_padding,
                                  int is_cut) {
    return run(dx, g, windows, counts_padding, is_cut, 1);
}
