/* Sums of products of scaled arrays: matrix products, convolutions, sums and means along an axis,
 * each a table of loops. */
#include "scaled_contraction.h"

static int check(const struct contraction *given) {
    int trouble = DETMATH_NO_TROUBLE;
    for (int array = A; array <= C; array++)
        if (!trouble && given->arrays[array])
            trouble = detmath_scaled_check(given->arrays[array]);
    return trouble ? trouble
                   : detmath_scaled_kinds(given->arrays[C], given->arrays[A], given->arrays[B]);
}

/* The extent of an array's dimension, and of its scales'. */
static size_t extent(const struct detmath_scaled_tensor *tensor, int i) {
    return tensor->data.extents[i];
}

static size_t scale_extent(const struct detmath_scaled_tensor *tensor, int i) {
    int own = i - (tensor->data.dimensions - tensor->scales.dimensions);
    return own < 0 ? 1 : tensor->scales.extents[own];
}

int detmath_scaled_matmul(const struct detmath_scaled_tensor *c,
                          const struct detmath_scaled_tensor *a,
                          const struct detmath_scaled_tensor *b,
                          enum detmath_scaled_strategy strategy, const struct detmath_cast *cast,
                          size_t first, size_t last) {
    struct contraction given = {.arrays = {a, b, c}, .strategy = strategy, .cast = cast};
    int trouble = check(&given), n = c->data.dimensions;
    int na = a->data.dimensions, nb = b->data.dimensions;
    if (trouble)
        return trouble;
    if (na < 2 || nb < 2 || n != (na > nb ? na : nb))
        return DETMATH_TROUBLE_DIMENSIONS;
    for (int i = 0; i < n - 2; i++) {
        int ia = i - (n - na), ib = i - (n - nb);
        size_t left = ia < 0 ? 1 : extent(a, ia), right = ib < 0 ? 1 : extent(b, ib);
        if ((left != right && left != 1 && right != 1) ||
            extent(c, i) != (left == 1 ? right : left))
            return DETMATH_TROUBLE_EXTENTS;
        if (scale_extent(c, i) != detmath_common_multiple(ia < 0 ? 1 : scale_extent(a, ia),
                                                          ib < 0 ? 1 : scale_extent(b, ib)))
            return DETMATH_TROUBLE_SCALES;
        detmath_contraction_add(&given, BATCH, extent(c, i), left == 1 ? NONE : ia, 1,
                                right == 1 ? NONE : ib, 1, i, 1);
    }
    if (extent(a, na - 1) != extent(b, nb - 2) || extent(c, n - 2) != extent(a, na - 2) ||
        extent(c, n - 1) != extent(b, nb - 1))
        return DETMATH_TROUBLE_EXTENTS;
    if (scale_extent(c, n - 2) != scale_extent(a, na - 2) ||
        scale_extent(c, n - 1) != scale_extent(b, nb - 1))
        return DETMATH_TROUBLE_SCALES;
    detmath_contraction_add(&given, ROW, extent(c, n - 2), na - 2, 1, NONE, 0, n - 2, 1);
    detmath_contraction_add(&given, COLUMN, extent(c, n - 1), NONE, 0, nb - 1, 1, n - 1, 1);
    detmath_contraction_add(&given, TERM, extent(a, na - 1), na - 1, 1, nb - 2, 1, NONE, 0);
    return detmath_contraction_run(&given, first, last);
}

size_t detmath_scaled_window_count(size_t extent_of_x, size_t taps,
                                   const struct detmath_scaled_windows *w) {
    size_t reach = taps ? (taps - 1) * w->dilation + 1 : 0, room = extent_of_x + 2 * w->padding;
    return !taps || room < reach ? 0 : (room - reach) / w->stride + 1;
}

int detmath_scaled_convolution(const struct detmath_scaled_tensor *c,
                               const struct detmath_scaled_tensor *x,
                               const struct detmath_scaled_tensor *w,
                               const struct detmath_scaled_windows *windows, size_t groups,
                               enum detmath_scaled_strategy strategy,
                               const struct detmath_cast *cast, size_t first, size_t last) {
    struct contraction given = {.arrays = {x, w, c}, .strategy = strategy, .cast = cast};
    int trouble = check(&given), n = x->data.dimensions;
    if (trouble)
        return trouble;
    if (n < 3 || w->data.dimensions != n || c->data.dimensions != n)
        return DETMATH_TROUBLE_DIMENSIONS;
    if (!groups || extent(x, 1) % groups || extent(w, 0) % groups ||
        extent(w, 1) != extent(x, 1) / groups || extent(c, 0) != extent(x, 0) ||
        extent(c, 1) != extent(w, 0))
        return DETMATH_TROUBLE_EXTENTS;
    size_t inputs = extent(x, 1) / groups, outputs = extent(w, 0) / groups;
    if (scale_extent(c, 0) != scale_extent(x, 0) || scale_extent(c, 1) != scale_extent(w, 0))
        return DETMATH_TROUBLE_SCALES;
    detmath_contraction_add(&given, BATCH, groups, 1, inputs, 0, outputs, 1, outputs);
    detmath_contraction_add(&given, ROW, extent(x, 0), 0, 1, NONE, 0, 0, 1);
    detmath_contraction_add(&given, COLUMN, outputs, NONE, 0, 0, 1, 1, 1);
    detmath_contraction_add(&given, TERM, inputs, 1, 1, 1, 1, NONE, 0);
    for (int i = 2; i < n; i++) {
        const struct detmath_scaled_windows *along = &windows[i - 2];
        if (!along->stride || !along->dilation ||
            extent(c, i) != detmath_scaled_window_count(extent(x, i), extent(w, i), along))
            return DETMATH_TROUBLE_EXTENTS;
        if (scale_extent(x, i) != 1 || scale_extent(w, i) != 1 || scale_extent(c, i) != 1)
            return DETMATH_TROUBLE_SCALES;
        given.before[i] = (ptrdiff_t)along->padding;
        detmath_contraction_add(&given, ROW, extent(c, i), i, along->stride, NONE, 0, i, 1);
        detmath_contraction_add(&given, TERM, extent(w, i), i, along->dilation, i, 1, NONE, 0);
    }
    return detmath_contraction_run(&given, first, last);
}

static int reduce(const struct detmath_scaled_tensor *c, const struct detmath_scaled_tensor *a,
                  int axis, enum detmath_scaled_strategy strategy, int mean,
                  const struct detmath_cast *cast) {
    struct contraction given = {
        .arrays = {a, NULL, c}, .strategy = strategy, .mean = mean, .cast = cast};
    int trouble = check(&given), n = a->data.dimensions;
    if (trouble)
        return trouble;
    if (c->data.dimensions != n)
        return DETMATH_TROUBLE_DIMENSIONS;
    if (axis != DETMATH_WHOLE_ARRAY && (axis < -n || axis >= n))
        return DETMATH_TROUBLE_AXIS;
    axis = axis < 0 && axis != DETMATH_WHOLE_ARRAY ? axis + n : axis;
    for (int i = 0; i < n; i++) {
        int along = axis == DETMATH_WHOLE_ARRAY || axis == i;
        if (extent(c, i) != (along ? 1 : extent(a, i)))
            return DETMATH_TROUBLE_EXTENTS;
        if (scale_extent(c, i) != (along ? 1 : scale_extent(a, i)))
            return DETMATH_TROUBLE_SCALES;
        detmath_contraction_add(&given, along ? TERM : ROW, extent(a, i), i, 1, NONE, 0,
                                along ? NONE : i, 1);
    }
    return detmath_contraction_run(&given, 0, (size_t)-1);
}

int detmath_scaled_sum(const struct detmath_scaled_tensor *c, const struct detmath_scaled_tensor *a,
                       int axis, enum detmath_scaled_strategy strategy,
                       const struct detmath_cast *cast) {
    return reduce(c, a, axis, strategy, 0, cast);
}

int detmath_scaled_mean(const struct detmath_scaled_tensor *c,
                        const struct detmath_scaled_tensor *a, int axis,
                        const struct detmath_cast *cast) {
    return reduce(c, a, axis, DETMATH_SCALED_STATIC_ONE, 1, cast);
}
