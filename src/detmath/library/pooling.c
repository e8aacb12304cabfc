/* The library's embedding bags and average pools, of arrays of any strides. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"
#include "windows.h"

#include <stdlib.h>

struct bags {
    struct detmath_places to, table, weights;
    const int64_t *indices, *padding;
    size_t length, rows, width;
    int which, has_weights;
};

static float element_of(const struct detmath_places *places, int cast, size_t number) {
    return detmath_float_of(places->array, cast, detmath_place(places, number));
}

static void run_bag(const struct bags *bags, size_t bag) {
    const int64_t *indices = bags->indices + bag * bags->length;
    const int cast = bags->to.array->format;
    int is_bad = 0;
    for (size_t i = 0; i < bags->length; i++)
        is_bad |= !(bags->padding && indices[i] == *bags->padding) &&
                  (indices[i] < 0 || (uint64_t)indices[i] >= bags->rows);
    for (size_t column = 0; column < bags->width; column++) {
        struct detmath_pool pool = detmath_pool_of_none();
        for (size_t i = 0; !is_bad && i < bags->length; i++)
            if (!bags->padding || indices[i] != *bags->padding)
                pool = detmath_pool_add(
                    pool, element_of(&bags->table, cast, (size_t)indices[i] * bags->width + column),
                    bags->has_weights ? element_of(&bags->weights, cast, bag * bags->length + i)
                                      : 1.0f,
                    bags->has_weights, bags->which);
        detmath_put_float(&bags->to, bag * bags->width + column,
                          is_bad ? detmath_from_bits_f32(DETMATH_NAN_BITS)
                                 : detmath_pool_rounded(pool, pool.count, bags->which));
    }
}

static int check_bags(enum detmath_pooling which, const struct detmath_strided *y,
                      const struct detmath_strided *table, size_t length,
                      const struct detmath_strided *weights) {
    int trouble = detmath_check_array(y, 1);
    trouble = trouble ? trouble : detmath_check_array(table, 0);
    trouble = trouble || !weights ? trouble : detmath_check_array(weights, 0);
    if (trouble)
        return trouble;
    if (y->dimensions != 2 || table->dimensions != 2)
        return DETMATH_TROUBLE_DIMENSIONS;
    if (which < DETMATH_POOL_SUM || which > DETMATH_POOL_MAX ||
        (weights && which != DETMATH_POOL_SUM))
        return DETMATH_TROUBLE_OPTIONS;
    if (y->extents[1] != table->extents[1] || (length && y->extents[0] > SIZE_MAX / length))
        return DETMATH_TROUBLE_EXTENTS;
    size_t count = 1;
    for (int i = 0; weights && i < weights->dimensions; i++)
        count *= weights->extents[i];
    if (weights && count != y->extents[0] * length)
        return DETMATH_TROUBLE_EXTENTS;
    if (!detmath_has_own_places(y))
        return DETMATH_TROUBLE_OVERLAP;
    trouble = detmath_check_overlap(y, table, 0);
    return trouble || !weights ? trouble : detmath_check_overlap(y, weights, 0);
}

int detmath_embedding_bag(enum detmath_pooling which, const struct detmath_strided *y,
                          const struct detmath_strided *table, const int64_t *indices,
                          size_t length, const struct detmath_strided *weights,
                          const int64_t *padding) {
    const int trouble = check_bags(which, y, table, length, weights);
    if (trouble)
        return trouble;
    struct bags bags = {.to = detmath_places_of(y),
                        .table = detmath_places_of(table),
                        .indices = indices,
                        .padding = padding,
                        .length = length,
                        .rows = table->extents[0],
                        .width = table->extents[1],
                        .which = (int)which,
                        .has_weights = weights != NULL};
    if (weights)
        bags.weights = detmath_places_of(weights);
    const uint64_t set = detmath_environment_enter();
    for (size_t bag = 0; bag < y->extents[0]; bag++)
        run_bag(&bags, bag);
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}

/* How many elements a window has, with padding. */
static size_t count_of(const struct detmath_window_axes *axes, size_t window) {
    size_t count = 1;
    for (int i = axes->count - 1; i >= 0; i--) {
        const struct detmath_windows *w = &axes->windows[i];
        const size_t start = window % axes->made[i] * w->stride,
                     end = axes->extents[i] + 2 * w->padding;
        count *= start + w->taps < end ? w->taps : end - start;
        window /= axes->made[i];
    }
    return count;
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
    return detmath_pool_rounded(pool, counts_padding ? count_of(axes, window) : pool.count,
                                DETMATH_POOL_MEAN);
}

int detmath_average_pool(const struct detmath_strided *y, const struct detmath_strided *x,
                         const struct detmath_windows *windows, int counts_padding, int is_cut) {
    struct detmath_window_axes axes;
    int trouble = detmath_check_array(y, 1);
    trouble = trouble ? trouble : detmath_check_array(x, 0);
    trouble = trouble ? trouble : detmath_window_axes_of(&axes, y, x, windows, is_cut);
    if (trouble)
        return trouble;
    for (int i = 0; i < axes.count; i++)
        if (windows[i].dilation != 1 || windows[i].padding >= windows[i].taps)
            return DETMATH_TROUBLE_WINDOWS;
    if (y->extents[0] != x->extents[0] || y->extents[1] != x->extents[1])
        return DETMATH_TROUBLE_EXTENTS;
    if (!detmath_has_own_places(y))
        return DETMATH_TROUBLE_OVERLAP;
    if ((trouble = detmath_check_overlap(y, x, 0)))
        return trouble;
    const struct detmath_places to = detmath_places_of(y), from = detmath_places_of(x);
    const uint64_t set = detmath_environment_enter();
    for (size_t plane = 0; plane < y->extents[0] * y->extents[1]; plane++)
        for (size_t window = 0; window < axes.all; window++)
            detmath_put_float(&to, plane * axes.all + window,
                              mean_of(&axes, &from, y->format, plane, window, counts_padding));
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}
