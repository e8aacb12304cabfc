/* The library's convolution and its gradients, of arrays of any strides: products of matrices. A column is what a result has
 * under the taps of its window: elements of x for y, and of g, the gradient of y, for that of x. For that of the weight it is
 * what a tap meets in all windows. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"
#include "reduction_list.h"
#include "windows.h"

#include <stdlib.h>
#include <string.h>

/* Elements of the matrix of columns, about. */
enum { MOST_COLUMNS_ROOM = 1 << 20 };

struct call {
    struct detmath_window_axes axes;
    struct detmath_places y, x, weight, bias, to;
    int has_bias, cast;
    size_t samples, groups, outputs, channels, taps; /* of a group; and of a channel */
    float *left, *right, *made;
    size_t *met; /* numbers of the taps that a column has */
    size_t most; /* columns at once */
};

static float element_of(const struct call *call, const struct detmath_places *places,
                        size_t number) {
    return detmath_float_of(places->array, call->cast, detmath_place(places, number));
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Where the tap of a column meets an element: of window `column` one of x; or of spot `column` of x one of y, if `is_back`. -1
 * where there is none. */
static ptrdiff_t meet(const struct call *call, int is_back, size_t column, size_t tap) {
    return is_back ? detmath_window_with(&call->axes, column, tap)
                   : detmath_window_spot(&call->axes, column, tap);
}

/* Writes the taps that count in a column, and returns how many these are: padding is zeros, which count, but a spot of x has
 * no more windows than there are. */
static size_t find_taps(const struct call *call, int is_back, size_t column) {
    size_t count = 0;
    for (size_t tap = 0; tap < call->taps; tap++)
        if (!is_back || meet(call, 1, column, tap) >= 0)
            call->met[count++] = tap;
    return count;
}

/* How many columns from `first` on, `n` at most, have those taps. */
static size_t alike(const struct call *call, int is_back, size_t first, size_t n, size_t count) {
    for (size_t i = 1; is_back && i < n; i++) {
        size_t same = 0;
        for (size_t tap = 0, at = 0; tap < call->taps; tap++) {
            const int has = at < count && call->met[at] == tap;
            same += (meet(call, 1, first + i, tap) >= 0) == has;
            at += (size_t)has;
        }
        if (same < call->taps)
            return i;
    }
    return n;
}

/* The weights of a group, of an output in each row, or of a channel if `is_back`. */
static void lay_weights(const struct call *call, int is_back, size_t group, size_t count) {
    const size_t rows = is_back ? call->channels : call->outputs,
                 terms = is_back ? call->outputs : call->channels;
    for (size_t row = 0; row < rows; row++)
        for (size_t term = 0; term < terms; term++) {
            const size_t output = group * call->outputs + (is_back ? term : row),
                         channel = is_back ? row : term;
            for (size_t k = 0; k < count; k++)
                call->left[(row * terms + term) * count + k] =
                    element_of(call, &call->weight,
                               (output * call->channels + channel) * call->taps + call->met[k]);
        }
}

/* The columns from `first` on of the planes from `plane` on. */
static void lay_columns(const struct call *call, int is_back, size_t plane, size_t first, size_t n,
                        size_t count) {
    const struct detmath_places *from = is_back ? &call->y : &call->x;
    const size_t terms = is_back ? call->outputs : call->channels,
                 size = is_back ? call->axes.all : call->axes.spots;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < n; i++) {
            const ptrdiff_t at = meet(call, is_back, first + i, call->met[k]);
            for (size_t term = 0; term < terms; term++)
                call->right[(term * count + k) * n + i] =
                    at < 0 ? 0.0f : element_of(call, from, (plane + term) * size + (size_t)at);
        }
}

/* y of a group of a sample, or the gradient of x. */
static void run_group(const struct call *call, int is_back, size_t pair) {
    const size_t group = pair % call->groups, rows = is_back ? call->channels : call->outputs,
                 terms = is_back ? call->outputs : call->channels,
                 all = is_back ? call->axes.spots : call->axes.all;
    size_t laid = 0;
    for (size_t first = 0, n; first < all; first += n) {
        const size_t count = find_taps(call, is_back, first), inner = terms * count;
        n = all - first < call->most ? all - first : call->most;
        n = alike(call, is_back, first, n, count);
        if (is_back || !laid++)
            lay_weights(call, is_back, group, count);
        lay_columns(call, is_back, pair * terms, first, n, count);
        memset(call->made, 0, rows * n * sizeof *call->made);
        if (inner)
            detmath_reductions()->matmul_f32(call->made, call->left, call->right, rows, inner, n);
        for (size_t row = 0; row < rows; row++) {
            const float bias =
                call->has_bias ? element_of(call, &call->bias, group * rows + row) : 0.0f;
            for (size_t i = 0; i < n; i++) {
                const float made = call->made[row * n + i];
                detmath_put_float(&call->to, (pair * rows + row) * all + first + i,
                                  call->has_bias ? detmath_canonicalf(made + bias) : made);
            }
        }
    }
}

/* The gradients of a group's weights, or of its biases: sums over samples and windows. */
static void run_weights(const struct call *call, const struct detmath_places *bias, size_t group) {
    const size_t all = call->axes.all, inner = call->samples * all, outputs = call->outputs,
                 columns = bias ? 0 : call->channels * call->taps;
    for (size_t row = 0; row < outputs; row++)
        for (size_t i = 0; i < inner; i++)
            call->left[row * inner + i] = element_of(
                call, &call->y, ((i / all * call->groups + group) * outputs + row) * all + i % all);
    for (size_t row = 0; bias && row < outputs; row++)
        detmath_put_float(bias, group * outputs + row,
                          detmath_reductions()->sum_f32(call->left + row * inner, inner));
    for (size_t first = 0, n; first < columns; first += n) {
        n = columns - first < call->most ? columns - first : call->most;
        for (size_t i = 0; i < inner; i++)
            for (size_t c = 0; c < n; c++) {
                const ptrdiff_t spot =
                    detmath_window_spot(&call->axes, i % all, (first + c) % call->taps);
                const size_t plane =
                    (i / all * call->groups + group) * call->channels + (first + c) / call->taps;
                call->right[i * n + c] =
                    spot < 0 ? 0.0f
                             : element_of(call, &call->x, plane * call->axes.spots + (size_t)spot);
            }
        detmath_reductions()->matmul_f32(call->made, call->left, call->right, outputs, inner, n);
        for (size_t row = 0; row < outputs; row++)
            for (size_t c = 0; c < n; c++)
                detmath_put_float(&call->to, (group * outputs + row) * columns + first + c,
                                  call->made[row * n + c]);
    }
}

static int check_shapes(const struct detmath_strided *y, const struct detmath_strided *x,
                        const struct detmath_strided *weight, const struct detmath_strided *bias,
                        const struct detmath_windows *windows, size_t groups) {
    if (weight->dimensions != x->dimensions ||
        (bias && (bias->dimensions != 1 || bias->extents[0] != weight->extents[0])))
        return DETMATH_TROUBLE_DIMENSIONS;
    if (!groups || x->extents[1] % groups || weight->extents[0] % groups)
        return DETMATH_TROUBLE_GROUPS;
    if (y->extents[0] != x->extents[0] || y->extents[1] != weight->extents[0] ||
        weight->extents[1] != x->extents[1] / groups)
        return DETMATH_TROUBLE_EXTENTS;
    for (int i = 2; i < x->dimensions; i++)
        if (windows[i - 2].taps != weight->extents[i])
            return DETMATH_TROUBLE_WINDOWS;
    return DETMATH_NO_TROUBLE;
}

/* A result in a place of its own; `own` is its number among the arrays, or -1. */
static int check_result(const struct detmath_strided *result,
                        const struct detmath_strided *const *arrays, int count, int own) {
    int trouble = detmath_has_own_places(result) ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_OVERLAP;
    for (int i = 0; !trouble && i < count; i++)
        trouble = arrays[i] && i != own ? detmath_check_overlap(result, arrays[i], 0) : trouble;
    return trouble;
}

static void set_extents(struct call *call, const struct detmath_strided *x,
                        const struct detmath_strided *weight, size_t groups) {
    call->samples = x->extents[0];
    call->groups = groups;
    call->outputs = weight->extents[0] / groups;
    call->channels = weight->extents[1];
    call->taps = detmath_window_taps(&call->axes);
}

enum { OF_Y, OF_X, OF_WEIGHT };

/* Room for a product; then y, the gradient of x, or those of the weight and, if it is one, the bias. */
static int run(struct call *call, int of, const struct detmath_strided *to,
               const struct detmath_strided *bias) {
    const size_t windows = call->samples * call->axes.all,
                 inner = of == OF_Y   ? call->channels * call->taps
                         : of == OF_X ? call->outputs * call->taps
                                      : windows,
                 rows = of == OF_X ? call->channels : call->outputs,
                 columns = of == OF_Y   ? call->axes.all
                           : of == OF_X ? call->axes.spots
                                        : call->channels * call->taps;
    struct detmath_places biases = {0};
    call->most = MOST_COLUMNS_ROOM / larger(inner, 1) + 1;
    call->most = call->most > columns ? columns : call->most;
    call->left = malloc((rows * inner + 1) * sizeof *call->left);
    call->right = malloc((call->most * inner + 1) * sizeof *call->right);
    call->made = malloc((call->most * rows + 1) * sizeof *call->made);
    call->met = malloc((call->taps + 1) * sizeof *call->met);
    const int room = call->left && call->right && call->made && call->met;
    if (to)
        call->to = detmath_places_of(to);
    if (bias)
        biases = detmath_places_of(bias);
    if (room) {
        const uint64_t set = detmath_environment_enter();
        for (size_t i = 0; of != OF_WEIGHT && i < call->samples * call->groups; i++)
            run_group(call, of == OF_X, i);
        for (size_t i = 0; of == OF_WEIGHT && i < call->groups; i++) {
            if (bias)
                run_weights(call, &biases, i);
            if (to)
                run_weights(call, NULL, i);
        }
        detmath_environment_leave(set);
    }
    free(call->left);
    free(call->right);
    free(call->made);
    free(call->met);
    return room ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_MEMORY;
}

int detmath_convolution(const struct detmath_strided *y, const struct detmath_strided *x,
                        const struct detmath_strided *weight, const struct detmath_strided *bias,
                        const struct detmath_windows *windows, size_t groups) {
    const struct detmath_strided *const others[] = {x, weight, bias};
    struct call call = {.has_bias = bias != NULL, .cast = y->format};
    int trouble = detmath_check_array(y, 1);
    trouble = trouble ? trouble : detmath_check_array(x, 0);
    trouble = trouble ? trouble : detmath_check_array(weight, 0);
    trouble = trouble || !bias ? trouble : detmath_check_array(bias, 0);
    trouble = trouble ? trouble : detmath_window_axes_of(&call.axes, y, x, windows, 0);
    trouble = trouble ? trouble : check_shapes(y, x, weight, bias, windows, groups);
    trouble = trouble ? trouble : check_result(y, others, 3, -1);
    if (trouble || !call.axes.all || !y->extents[1])
        return trouble;
    call.x = detmath_places_of(x);
    call.weight = detmath_places_of(weight);
    if (bias)
        call.bias = detmath_places_of(bias);
    set_extents(&call, x, weight, groups);
    return run(&call, OF_Y, y, NULL);
}

/* What is wrong with a result of a gradient and the operand of its extents; NULL: there is none. */
static int check_slope(const struct detmath_strided *result, const struct detmath_strided *operand,
                       const struct detmath_strided *const *arrays, int own) {
    if (!result)
        return DETMATH_NO_TROUBLE;
    for (int i = 0; operand && i < operand->dimensions; i++)
        if (result->dimensions != operand->dimensions || result->extents[i] != operand->extents[i])
            return DETMATH_TROUBLE_EXTENTS;
    return check_result(result, arrays, 6, own);
}

static int check_gradient(struct call *call, const struct detmath_strided *const *results,
                          const struct detmath_strided *const *all, size_t groups,
                          const struct detmath_windows *windows) {
    const struct detmath_strided *dx = results[0], *dweight = results[1], *dbias = results[2],
                                 *x = all[0], *weight = all[1], *g = all[2];
    int trouble = detmath_check_array(g, 0);
    for (int i = 0; i < 6; i++)
        trouble = trouble || !all[i] ? trouble : detmath_check_array(all[i], i > 2);
    for (int i = 0; i < 3; i++)
        if (!trouble && results[i] && results[i]->format != call->cast)
            trouble = DETMATH_TROUBLE_FORMAT;
    if (!trouble && ((!x && (dweight || !dx)) || (!weight && (dx || !dweight))))
        trouble = DETMATH_TROUBLE_OPTIONS;
    x = x ? x : dx;
    weight = weight ? weight : dweight;
    trouble = trouble ? trouble : detmath_window_axes_of(&call->axes, g, x, windows, 0);
    trouble = trouble ? trouble : check_shapes(g, x, weight, dbias, windows, groups);
    trouble = trouble ? trouble : check_slope(dx, x, all, 3);
    trouble = trouble ? trouble : check_slope(dweight, weight, all, 4);
    trouble = trouble ? trouble : check_slope(dbias, NULL, all, 5);
    if (!trouble)
        set_extents(call, x, weight, groups);
    return trouble;
}

int detmath_convolution_gradient(const struct detmath_strided *dx,
                                 const struct detmath_strided *dweight,
                                 const struct detmath_strided *dbias,
                                 const struct detmath_strided *x,
                                 const struct detmath_strided *weight,
                                 const struct detmath_strided *g,
                                 const struct detmath_windows *windows, size_t groups) {
    const struct detmath_strided *const results[] = {dx, dweight, dbias}, *const all[] = {
                                                                              x,  weight,  g,
                                                                              dx, dweight, dbias};
    const struct detmath_strided *any = dx ? dx : dweight ? dweight : dbias;
    if (!any)
        return DETMATH_NO_TROUBLE;
    struct call call = {.cast = any->format};
    int trouble = check_gradient(&call, results, all, groups, windows);
    if (trouble)
        return trouble;
    call.y = detmath_places_of(g);
    if (x)
        call.x = detmath_places_of(x);
    if (weight)
        call.weight = detmath_places_of(weight);
    if (dx)
        trouble = run(&call, OF_X, dx, NULL);
    if (!trouble && (dweight || dbias))
        trouble = run(&call, OF_WEIGHT, dweight, dbias);
    return trouble;
}
