/* The library's convolution and its gradients, of arrays of any strides: sums of products of rows and columns (convolution.h). A
 * column is what a result has under the taps of its window: elements of x for y, and of g, the gradient of y, for that of x. For
 * that of the weight it is what a tap meets in all windows. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"
#include "reduction_list.h"
#include "windows.h"

#include <stdlib.h>
#include <string.h>

/* Elements of the matrix of columns, about. */
enum { MOST_COLUMNS_ROOM = 1 << 20, WIDE = DETMATH_CONVOLUTION_COLUMNS };

struct call {
    struct detmath_window_axes axes;
    struct detmath_places y, x, weight, bias, to;
    int has_bias, cast;
    size_t samples, groups, outputs, channels, taps; /* of a group; and of a channel */
    float *left,
        *right;         /* rows; and columns, WIDE of which have their elements beside each other */
    float *high, *low;  /* sums of all rows and WIDE columns */
    ptrdiff_t *meets;   /* of each tap what it meets of each column; -1: nothing */
    size_t *met, *list; /* the taps that a column has; and the columns that have these */
    unsigned char *done; /* whether a column has been in the list */
    size_t most;         /* columns at once */
};

static float element_of(const struct call *call, const struct detmath_places *places,
                        size_t number) {
    return detmath_float_of(places->array, call->cast, detmath_place(places, number));
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static size_t panels(size_t columns) {
    return (columns + WIDE - 1) / WIDE;
}

/* What n columns from `first` on meet: spots of x of a window, or windows that have a spot of x, if `is_back`. */
static void find_meets(const struct call *call, int is_back, size_t first, size_t n) {
    for (size_t tap = 0; tap < call->taps; tap++)
        for (size_t i = 0; i < n; i++)
            call->meets[tap * n + i] = is_back ? detmath_window_with(&call->axes, first + i, tap)
                                               : detmath_window_spot(&call->axes, first + i, tap);
}

/* Whether a tap counts in a column: padding is zeros, which count, but a spot of x has no more windows than there are. */
static int counts(const struct call *call, int is_back, size_t n, size_t tap, size_t i) {
    return !is_back || call->meets[tap * n + i] >= 0;
}

/* Lists the columns of n that have the same taps as number `first`, and writes these; returns how many columns there are. */
static size_t list_alike(const struct call *call, int is_back, size_t n, size_t first,
                         size_t *taps) {
    size_t alike = 0;
    *taps = 0;
    for (size_t tap = 0; tap < call->taps; tap++)
        if (counts(call, is_back, n, tap, first))
            call->met[(*taps)++] = tap;
    for (size_t i = first; i < n; i++) {
        size_t same = 0;
        if (call->done[i])
            continue;
        while (same < call->taps &&
               counts(call, is_back, n, same, i) == counts(call, is_back, n, same, first))
            same++;
        if (same < call->taps)
            continue;
        call->done[i] = 1;
        call->list[alike++] = i;
    }
    return alike;
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

/* Element k of column i, of columns of `inner`. */
static float *in_columns(const struct call *call, size_t inner, size_t i, size_t k) {
    return call->right + (i / WIDE * inner + k) * WIDE + i % WIDE;
}

/* Zeros beside the last of n columns. */
static void clear_columns(const struct call *call, size_t inner, size_t n) {
    if (n % WIDE)
        memset(in_columns(call, inner, n / WIDE * WIDE, 0), 0, WIDE * inner * sizeof *call->right);
}

/* Element `at` of a plane, whose first one is number `first` and lies at `floats` unless that is NULL; of padding 0. */
static float met_element(const struct call *call, const struct detmath_places *from, size_t first,
                         const float *floats, ptrdiff_t at) {
    return at < 0 ? 0.0f : floats ? floats[at] : element_of(call, from, first + (size_t)at);
}

/* The listed columns, of n, of the planes from `plane` on. */
static void lay_columns(const struct call *call, int is_back, size_t plane, size_t n, size_t listed,
                        size_t count) {
    const struct detmath_places *from = is_back ? &call->y : &call->x;
    const size_t terms = is_back ? call->outputs : call->channels, inner = terms * count,
                 size = is_back ? call->axes.all : call->axes.spots;
    clear_columns(call, inner, listed);
    for (size_t term = 0; term < terms; term++) {
        const size_t first = (plane + term) * size;
        const float *floats = detmath_floats_at(from, call->cast, first);
        for (size_t k = 0; k < count; k++) {
            const ptrdiff_t *meets = call->meets + call->met[k] * n;
            for (size_t i = 0; i < listed; i++)
                *in_columns(call, inner, i, term * count + k) =
                    met_element(call, from, first, floats, meets[call->list[i]]);
        }
    }
}

/* Writes the elements of all rows and the listed columns: number `number` is that of the first row and of column 0, and rows are
 * `apart` numbers apart. `biases` is NULL, or the number of the first row's bias. */
static void put_elements(const struct call *call, const struct detmath_places *to, size_t number,
                         size_t apart, size_t rows, size_t inner, size_t listed,
                         const size_t *biases) {
    float line[WIDE];
    for (size_t first = 0; first < listed; first += WIDE) {
        const size_t n = listed - first < WIDE ? listed - first : WIDE, *list = call->list + first;
        if (inner)
            detmath_reductions()->convolution_sums(call->high, call->low, call->left,
                                                   in_columns(call, inner, first, 0), rows, inner);
        for (size_t row = 0; row < rows; row++) {
            const size_t at = number + row * apart;
            const float bias = biases ? element_of(call, &call->bias, *biases + row) : 0.0f;
            for (size_t i = 0; i < n; i++) {
                struct detmath_parts sum = detmath_parts_of(0.0f);
                if (inner) {
                    sum.high = call->high[row * WIDE + i];
                    sum.low = call->low[row * WIDE + i];
                }
                line[i] = detmath_convolution_element(sum, bias, biases != NULL);
            }
            if (list[n - 1] - list[0] == n - 1)
                detmath_put_floats(to, at + list[0], n, line);
            else
                for (size_t i = 0; i < n; i++)
                    detmath_put_float(to, at + list[i], line[i]);
        }
    }
}

/* y of a group of a sample, or the gradient of x. */
static void run_group(const struct call *call, int is_back, size_t pair) {
    const size_t group = pair % call->groups, rows = is_back ? call->channels : call->outputs,
                 terms = is_back ? call->outputs : call->channels,
                 all = is_back ? call->axes.spots : call->axes.all, biases = group * rows;
    size_t laid = 0;
    for (size_t first = 0, n; first < all; first += n) {
        n = all - first < call->most ? all - first : call->most;
        if (n < all || !pair)
            find_meets(call, is_back, first, n);
        memset(call->done, 0, n);
        for (size_t i = 0, count; i < n; i++) {
            if (call->done[i])
                continue;
            const size_t listed = list_alike(call, is_back, n, i, &count);
            if (is_back || !laid++)
                lay_weights(call, is_back, group, count);
            lay_columns(call, is_back, pair * terms, n, listed, count);
            put_elements(call, &call->to, pair * rows * all + first, all, rows, terms * count,
                         listed, call->has_bias ? &biases : NULL);
        }
    }
}

/* Columns from `first` on of what taps meet in all windows of all samples. */
static void lay_meets(const struct call *call, size_t group, size_t first, size_t n) {
    const size_t all = call->axes.all, inner = call->samples * all;
    for (size_t tap = 0; tap < call->taps; tap++) {
        size_t c = (tap + call->taps - first % call->taps) % call->taps;
        for (size_t i = 0; c < n && i < all; i++)
            call->meets[i] = detmath_window_spot(&call->axes, i, tap);
        for (; c < n; c += call->taps)
            for (size_t sample = 0; sample < call->samples; sample++) {
                const size_t plane = (sample * call->groups + group) * call->channels +
                                     (first + c) / call->taps,
                             from = plane * call->axes.spots;
                const float *floats = detmath_floats_at(&call->x, call->cast, from);
                for (size_t i = 0; i < all; i++)
                    *in_columns(call, inner, c, sample * all + i) =
                        met_element(call, &call->x, from, floats, call->meets[i]);
            }
    }
}

/* The gradients of a group's weights, or of its biases, which are those of a tap that meets ones: sums over samples and windows. */
static void run_weights(const struct call *call, const struct detmath_places *bias, size_t group) {
    const size_t all = call->axes.all, inner = call->samples * all, outputs = call->outputs,
                 columns = bias ? 1 : call->channels * call->taps;
    for (size_t row = 0; row < outputs; row++)
        for (size_t i = 0; i < inner; i++)
            call->left[row * inner + i] = element_of(
                call, &call->y, ((i / all * call->groups + group) * outputs + row) * all + i % all);
    for (size_t first = 0, n; first < columns; first += n) {
        n = columns - first < call->most ? columns - first : call->most;
        clear_columns(call, inner, n);
        for (size_t i = 0; bias && i < inner; i++)
            *in_columns(call, inner, 0, i) = 1.0f;
        if (!bias)
            lay_meets(call, group, first, n);
        for (size_t c = 0; c < n; c++)
            call->list[c] = c;
        put_elements(call, bias ? bias : &call->to, group * outputs * columns + first, columns,
                     outputs, inner, n, NULL);
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
    call->most = call->most > columns ? larger(columns, 1) : call->most;
    call->left = malloc((rows * inner + 1) * sizeof *call->left);
    call->right = malloc((panels(call->most) * WIDE * inner + 1) * sizeof *call->right);
    call->high = malloc((rows * WIDE + 1) * sizeof *call->high);
    call->low = malloc((rows * WIDE + 1) * sizeof *call->low);
    call->meets =
        malloc((larger(call->taps * call->most, call->axes.all) + 1) * sizeof *call->meets);
    call->met = malloc((call->taps + 1) * sizeof *call->met);
    call->list = malloc((call->most + 1) * sizeof *call->list);
    call->done = malloc(call->most + 1);
    const int room = call->left && call->right && call->high && call->low && call->meets &&
                     call->met && call->list && call->done;
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
    void *const rooms[] = {call->left,  call->right, call->high, call->low,
                           call->meets, call->met,   call->list, call->done};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        free(rooms[i]);
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
