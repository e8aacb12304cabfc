/* The library's convolution, of arrays of any strides: windows beside each other as columns of a matrix, times the weights of
 * the outputs of a group. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"
#include "reduction_list.h"
#include "windows.h"

#include <stdlib.h>

/* Elements of the matrix of windows, about. */
enum { MOST_COLUMNS_ROOM = 1 << 20 };

struct call {
    struct detmath_window_axes axes;
    struct detmath_places to, from, weight, bias;
    int has_bias, cast;
    size_t outputs, channels, taps, inner; /* of a group; and elements of a window */
    float *weights, *columns, *made;
    size_t most; /* columns at once */
};

static float element_of(const struct call *call, const struct detmath_places *places,
                        size_t number) {
    return detmath_float_of(places->array, call->cast, detmath_place(places, number));
}

/* The windows `first` to `first` + n of the channels from `channel` on, each a column. */
static void lay_columns(const struct call *call, size_t channel, size_t first, size_t n) {
    for (size_t tap = 0; tap < call->taps; tap++)
        for (size_t i = 0; i < n; i++) {
            const ptrdiff_t spot = detmath_window_spot(&call->axes, first + i, tap);
            for (size_t c = 0; c < call->channels; c++)
                call->columns[(c * call->taps + tap) * n + i] =
                    spot < 0 ? 0.0f
                             : element_of(call, &call->from,
                                          (channel + c) * call->axes.spots + (size_t)spot);
        }
}

static void run_group(const struct call *call, size_t sample, size_t group, size_t groups) {
    const size_t all = call->axes.all, outputs = call->outputs, output = group * outputs;
    for (size_t i = 0; i < outputs * call->inner; i++)
        call->weights[i] = element_of(call, &call->weight, output * call->inner + i);
    for (size_t first = 0; first < all; first += call->most) {
        const size_t n = all - first < call->most ? all - first : call->most;
        lay_columns(call, (sample * groups + group) * call->channels, first, n);
        detmath_reductions()->matmul_f32(call->made, call->weights, call->columns, outputs,
                                         call->inner, n);
        for (size_t o = 0; o < outputs; o++) {
            const float bias = call->has_bias ? element_of(call, &call->bias, output + o) : 0.0f;
            for (size_t i = 0; i < n; i++) {
                const float y = call->made[o * n + i];
                detmath_put_float(&call->to,
                                  ((sample * groups + group) * outputs + o) * all + first + i,
                                  call->has_bias ? detmath_canonicalf(y + bias) : y);
            }
        }
    }
}

static int check_operands(const struct detmath_strided *y, const struct detmath_strided *x,
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
    if (!detmath_has_own_places(y))
        return DETMATH_TROUBLE_OVERLAP;
    int trouble = detmath_check_overlap(y, x, 0);
    trouble = trouble ? trouble : detmath_check_overlap(y, weight, 0);
    return trouble || !bias ? trouble : detmath_check_overlap(y, bias, 0);
}

static int run(struct call *call, size_t samples, size_t groups) {
    call->most = MOST_COLUMNS_ROOM / (call->inner ? call->inner : 1) + 1;
    if (call->most > call->axes.all)
        call->most = call->axes.all;
    call->weights = malloc((call->outputs * call->inner + 1) * sizeof *call->weights);
    call->columns = malloc((call->most * call->inner + 1) * sizeof *call->columns);
    call->made = malloc((call->most * call->outputs + 1) * sizeof *call->made);
    const int room = call->weights && call->columns && call->made;
    if (room) {
        const uint64_t set = detmath_environment_enter();
        for (size_t i = 0; i < samples * groups; i++)
            run_group(call, i / groups, i % groups, groups);
        detmath_environment_leave(set);
    }
    free(call->weights);
    free(call->columns);
    free(call->made);
    return room ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_MEMORY;
}

int detmath_convolution(const struct detmath_strided *y, const struct detmath_strided *x,
                        const struct detmath_strided *weight, const struct detmath_strided *bias,
                        const struct detmath_windows *windows, size_t groups) {
    struct call call = {.has_bias = bias != NULL, .cast = y->format};
    int trouble = detmath_check_array(y, 1);
    trouble = trouble ? trouble : detmath_check_array(x, 0);
    trouble = trouble ? trouble : detmath_check_array(weight, 0);
    trouble = trouble || !bias ? trouble : detmath_check_array(bias, 0);
    trouble = trouble ? trouble : detmath_window_axes_of(&call.axes, y, x, windows, 0);
    trouble = trouble ? trouble : check_operands(y, x, weight, bias, windows, groups);
    if (trouble || !call.axes.all || !y->extents[1])
        return trouble;
    call.to = detmath_places_of(y);
    call.from = detmath_places_of(x);
    call.weight = detmath_places_of(weight);
    if (bias)
        call.bias = detmath_places_of(bias);
    call.outputs = y->extents[1] / groups;
    call.channels = weight->extents[1];
    call.taps = detmath_window_taps(&call.axes);
    call.inner = call.channels * call.taps;
    return run(&call, x->extents[0], groups);
}
