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

/* The extent of an array's dimension. */
static size_t extent(const struct detmath_scaled_tensor *tensor, int i) {
    return tensor->data.extents[i];
}

int detmath_scaled_contract(const struct detmath_scaled_tensor *c,
                            const struct detmath_scaled_tensor *a,
                            const struct detmath_scaled_tensor *b,
                            enum detmath_scaled_strategy strategy, const struct detmath_cast *cast,
                            size_t first, size_t last) {
    struct contraction given = {.arrays = {a, b, c}, .strategy = strategy, .cast = cast};
    int trouble = check(&given), n = 0;
    for (int array = A; array <= C; array++)
        n = n < given.arrays[array]->data.dimensions ? given.arrays[array]->data.dimensions : n;
    for (int i = 0; !trouble && i < n; i++) {
        size_t extents[ARRAYS], places[ARRAYS];
        int at[ARRAYS];
        for (int array = A; array <= C; array++) {
            const struct detmath_scaled_tensor *tensor = given.arrays[array];
            int own = i - (n - tensor->data.dimensions);
            extents[array] = own < 0 ? 1 : extent(tensor, own);
            places[array] = own < 0 ? 1 : detmath_scale_extent(tensor, own);
            at[array] = extents[array] == 1 ? NONE : own;
        }
        size_t left = extents[A], right = extents[B], whole = left == 1 ? right : left;
        size_t common = extents[C] == 1 ? 1 : detmath_common_multiple(places[A], places[B]);
        if ((left != right && left != 1 && right != 1) || (extents[C] != whole && extents[C] != 1))
            return DETMATH_TROUBLE_EXTENTS;
        if (places[C] != common)
            return DETMATH_TROUBLE_SCALES;
        if (whole == 1)
            continue;
        int kind = extents[C] == 1 ? TERM : right == 1 ? ROW : left == 1 ? COLUMN : BATCH;
        detmath_contraction_add(&given, kind, whole, at[A], 1, at[B], 1, at[C], 1);
    }
    return trouble ? trouble : detmath_contraction_run(&given, first, last);
}

/* An array of matrices with a dimension of extent 1 more, `back` dimensions from the last. */
struct widened {
    size_t extents[2][DETMATH_MOST_DIMENSIONS];
    ptrdiff_t strides[2][DETMATH_MOST_DIMENSIONS];
    struct detmath_scaled_tensor own;
};

static void widen_one(struct detmath_strided *array, size_t *extents, ptrdiff_t *strides,
                      int back) {
    int n = array->dimensions, at = n - back;
    if (at < 0) /* scales that do not vary there */
        return;
    for (int i = 0; i <= n; i++) {
        int own = i - (i > at);
        extents[i] = i == at ? 1 : array->extents[own];
        strides[i] = i == at || !array->strides ? 0 : array->strides[own];
    }
    array->dimensions = n + 1;
    array->extents = extents;
    if (array->strides)
        array->strides = strides;
}

static const struct detmath_scaled_tensor *
widen(struct widened *room, const struct detmath_scaled_tensor *array, int back) {
    room->own = *array;
    widen_one(&room->own.data, room->extents[0], room->strides[0], back);
    widen_one(&room->own.scales, room->extents[1], room->strides[1], back);
    return &room->own;
}

/* x of rows and terms, y of terms and columns, z of rows and columns, all with three dimensions at
 * the end: one of them is a sum of products of the others. */
enum { OF_X = 0, OF_Z = 1, OF_Y = 2 };
static int multiply(const struct detmath_scaled_tensor *c, int of_c,
                    const struct detmath_scaled_tensor *a, int of_a,
                    const struct detmath_scaled_tensor *b, int of_b,
                    enum detmath_scaled_strategy strategy, const struct detmath_cast *cast,
                    size_t first, size_t last) {
    struct widened wide[ARRAYS];
    const struct detmath_scaled_tensor *arrays[ARRAYS] = {a, b, c};
    struct contraction given = {.arrays = {a, b, c}};
    int trouble = check(&given);
    for (int i = A; !trouble && i <= C; i++) {
        int n = arrays[i]->data.dimensions;
        if (n < 2 || n >= DETMATH_MOST_DIMENSIONS)
            trouble = DETMATH_TROUBLE_DIMENSIONS;
    }
    if (trouble)
        return trouble;
    return detmath_scaled_contract(widen(&wide[C], c, of_c), widen(&wide[A], a, of_a),
                                   widen(&wide[B], b, of_b), strategy, cast, first, last);
}

int detmath_scaled_matmul(const struct detmath_scaled_tensor *c,
                          const struct detmath_scaled_tensor *a,
                          const struct detmath_scaled_tensor *b,
                          enum detmath_scaled_strategy strategy, const struct detmath_cast *cast,
                          size_t first, size_t last) {
    int n = c->data.dimensions, na = a->data.dimensions, nb = b->data.dimensions;
    if (n != (na > nb ? na : nb))
        return DETMATH_TROUBLE_DIMENSIONS;
    return multiply(c, OF_Z, a, OF_X, b, OF_Y, strategy, cast, first, last);
}

int detmath_scaled_matmul_gradient(const struct detmath_scaled_tensor *c,
                                   const struct detmath_scaled_tensor *other,
                                   const struct detmath_scaled_tensor *g,
                                   enum detmath_scaled_operand of,
                                   enum detmath_scaled_strategy strategy,
                                   const struct detmath_cast *cast, size_t first, size_t last) {
    return of == DETMATH_SCALED_FIRST
               ? multiply(c, OF_X, g, OF_Z, other, OF_Y, strategy, cast, first, last)
               : multiply(c, OF_Y, other, OF_X, g, OF_Z, strategy, cast, first, last);
}

/* Whether windows have a step forward, and all places in an axis with its padding are numbers that a ptrdiff_t holds. */
static int are_windows(size_t extent_of_x, const struct detmath_scaled_windows *w) {
    const size_t most = PTRDIFF_MAX;
    return w->stride && w->stride <= most && w->dilation && w->dilation <= most &&
           extent_of_x <= most && w->padding <= (most - extent_of_x) / 2;
}

size_t detmath_scaled_window_count(size_t extent_of_x, size_t taps,
                                   const struct detmath_scaled_windows *w) {
    const size_t room = are_windows(extent_of_x, w) ? extent_of_x + 2 * w->padding : 0;
    if (!taps || !room || taps - 1 > (room - 1) / w->dilation)
        return 0;
    return (room - 1 - (taps - 1) * w->dilation) / w->stride + 1;
}

/* Channels of x and w, and what c has of them. */
static int check_groups(const struct detmath_scaled_tensor *c,
                        const struct detmath_scaled_tensor *x,
                        const struct detmath_scaled_tensor *w, size_t groups) {
    if (!groups || extent(x, 1) % groups || extent(w, 0) % groups)
        return DETMATH_TROUBLE_GROUPS;
    return extent(w, 1) != extent(x, 1) / groups || extent(c, 0) != extent(x, 0) ||
                   extent(c, 1) != extent(w, 0)
               ? DETMATH_TROUBLE_EXTENTS
               : DETMATH_NO_TROUBLE;
}

/* Along axis i, along which scales do not vary. */
static int check_windows(const struct detmath_scaled_tensor *c,
                         const struct detmath_scaled_tensor *x,
                         const struct detmath_scaled_tensor *w, int i,
                         const struct detmath_scaled_windows *along) {
    if (!are_windows(extent(x, i), along))
        return DETMATH_TROUBLE_WINDOWS;
    if (extent(c, i) != detmath_scaled_window_count(extent(x, i), extent(w, i), along))
        return DETMATH_TROUBLE_EXTENTS;
    return detmath_scale_extent(x, i) != 1 || detmath_scale_extent(w, i) != 1 ||
                   detmath_scale_extent(c, i) != 1
               ? DETMATH_TROUBLE_SCALES
               : DETMATH_NO_TROUBLE;
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
    trouble = check_groups(c, x, w, groups);
    if (trouble)
        return trouble;
    size_t inputs = extent(x, 1) / groups, outputs = extent(w, 0) / groups;
    size_t parts =
        detmath_scale_extent(x, 1) == 1 ? 1 : groups; /* each of which has scales of its own */
    if (detmath_scale_extent(c, 0) != detmath_scale_extent(x, 0) ||
        detmath_scale_extent(c, 1) != detmath_common_multiple(detmath_scale_extent(w, 0), parts))
        return DETMATH_TROUBLE_SCALES;
    detmath_contraction_add(&given, BATCH, groups, 1, inputs, 0, outputs, 1, outputs);
    detmath_contraction_add(&given, ROW, extent(x, 0), 0, 1, NONE, 0, 0, 1);
    detmath_contraction_add(&given, COLUMN, outputs, NONE, 0, 0, 1, 1, 1);
    detmath_contraction_add(&given, TERM, inputs, 1, 1, 1, 1, NONE, 0);
    for (int i = 2; i < n; i++) {
        const struct detmath_scaled_windows *along = &windows[i - 2];
        trouble = check_windows(c, x, w, i, along);
        if (trouble)
            return trouble;
        given.before[i] = (ptrdiff_t)along->padding;
        detmath_contraction_add(&given, ROW, extent(c, i), i, along->stride, NONE, 0, i, 1);
        detmath_contraction_add(&given, TERM, extent(w, i), i, along->dilation, i, 1, NONE, 0);
    }
    return detmath_contraction_run(&given, first, last);
}

/* Extents of x, w and g as in the convolution itself, whose results g's extents are; scales that
 * differ along the windows, or along channels of groups, have no place in a gradient. */
static int check_gradient(const struct contraction *given, const struct detmath_scaled_tensor *x,
                          const struct detmath_scaled_tensor *w,
                          const struct detmath_scaled_tensor *g,
                          const struct detmath_scaled_windows *windows, size_t groups) {
    int trouble = check(given), n = x->data.dimensions;
    if (trouble)
        return trouble;
    if (n < 3 || w->data.dimensions != n || g->data.dimensions != n)
        return DETMATH_TROUBLE_DIMENSIONS;
    trouble = check_groups(g, x, w, groups);
    for (int i = 2; !trouble && i < n; i++)
        trouble = check_windows(g, x, w, i, &windows[i - 2]);
    return trouble;
}

/* c of x's extents: each window's g goes back to where its taps were. */
static int gradient_of_x(struct contraction *given, const struct detmath_scaled_tensor *w,
                         const struct detmath_scaled_windows *windows, size_t groups, size_t first,
                         size_t last) {
    const struct detmath_scaled_tensor *c = given->arrays[C], *g = given->arrays[A];
    size_t inputs = extent(w, 1), outputs = extent(w, 0) / groups;
    if (detmath_scale_extent(c, 0) != detmath_scale_extent(g, 0) ||
        detmath_scale_extent(c, 1) != detmath_scale_extent(w, 1) ||
        (groups > 1 && (detmath_scale_extent(g, 1) != 1 || detmath_scale_extent(w, 0) != 1 ||
                        detmath_scale_extent(w, 1) != 1)))
        return DETMATH_TROUBLE_SCALES;
    detmath_contraction_add(given, BATCH, groups, 1, outputs, 0, outputs, 1, inputs);
    detmath_contraction_add(given, ROW, extent(c, 0), 0, 1, NONE, 0, 0, 1);
    detmath_contraction_add(given, COLUMN, inputs, NONE, 0, 1, 1, 1, 1);
    detmath_contraction_add(given, TERM, outputs, 1, 1, 0, 1, NONE, 0);
    for (int i = 2; i < c->data.dimensions; i++) {
        const struct detmath_scaled_windows *along = &windows[i - 2];
        given->before[i] = -(ptrdiff_t)along->padding;
        given->every[i] = along->stride;
        detmath_contraction_add(given, ROW, extent(c, i), i, 1, NONE, 0, i, 1);
        /* Modulo the range of size_t this is a step back. */
        detmath_contraction_add(given, TERM, extent(w, i), i, 0 - along->dilation, i, 1, NONE, 0);
    }
    return detmath_contraction_run(given, first, last);
}

/* c of w's extents: each tap has the sum over windows of g by what it was multiplied by. */
static int gradient_of_w(struct contraction *given, const struct detmath_scaled_tensor *x,
                         const struct detmath_scaled_windows *windows, size_t groups, size_t first,
                         size_t last) {
    const struct detmath_scaled_tensor *c = given->arrays[C], *g = given->arrays[B];
    size_t inputs = extent(c, 1), outputs = extent(c, 0) / groups;
    if (detmath_scale_extent(c, 0) != detmath_scale_extent(g, 1) ||
        detmath_scale_extent(c, 1) != detmath_scale_extent(x, 1) ||
        (groups > 1 && detmath_scale_extent(x, 1) != 1))
        return DETMATH_TROUBLE_SCALES;
    detmath_contraction_add(given, BATCH, groups, 1, inputs, 1, outputs, 0, outputs);
    detmath_contraction_add(given, ROW, inputs, 1, 1, NONE, 0, 1, 1);
    detmath_contraction_add(given, COLUMN, outputs, NONE, 0, 1, 1, 0, 1);
    detmath_contraction_add(given, TERM, extent(x, 0), 0, 1, 0, 1, NONE, 0);
    for (int i = 2; i < c->data.dimensions; i++) {
        const struct detmath_scaled_windows *along = &windows[i - 2];
        given->before[i] = (ptrdiff_t)along->padding;
        detmath_contraction_add(given, ROW, extent(c, i), i, along->dilation, NONE, 0, i, 1);
        detmath_contraction_add(given, TERM, extent(g, i), i, along->stride, i, 1, NONE, 0);
    }
    return detmath_contraction_run(given, first, last);
}

int detmath_scaled_convolution_gradient(
    const struct detmath_scaled_tensor *c, const struct detmath_scaled_tensor *other,
    const struct detmath_scaled_tensor *g, const struct detmath_scaled_windows *windows,
    size_t groups, enum detmath_scaled_operand of, enum detmath_scaled_strategy strategy,
    const struct detmath_cast *cast, size_t first, size_t last) {
    const int of_x = of == DETMATH_SCALED_FIRST;
    struct contraction given = {
        .arrays = {of_x ? g : other, of_x ? other : g, c}, .strategy = strategy, .cast = cast};
    int trouble = check_gradient(&given, of_x ? c : other, of_x ? other : c, g, windows, groups);
    if (trouble)
        return trouble;
    return of_x ? gradient_of_x(&given, other, windows, groups, first, last)
                : gradient_of_w(&given, other, windows, groups, first, last);
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
        if (detmath_scale_extent(c, i) != (along ? 1 : detmath_scale_extent(a, i)))
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
