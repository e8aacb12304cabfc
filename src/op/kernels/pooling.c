/* Average pools and their gradient: the rows, their shapes, what is exact, and det's calls. */
#include "op/array/algorithms.h"
#include "op/array/families.h"
#include "op/array/slices.h"
#include "op/families.h"
#include "op/kernels/shares.h"
#include "op/kernels/widened.h"
#include "op/kernels/windows.h"

enum { OF_MEANS, OF_GRADIENT };

/* As many along each axis. */
static void taps_of(const struct array_call *call, uint64_t *taps) {
    for (int i = 0; i < MOST_DIMENSIONS; i++)
        taps[i] = (uint64_t)parameter_integer(call->parameters, PARAMETER_WINDOW, 2);
}

static bool counts_padding(const struct array_call *call) {
    return parameter_flag(call->parameters, PARAMETER_COUNT_INCLUDE_PAD);
}

static bool is_gradient(const struct array_call *call) {
    return call->rule->which == OF_GRADIENT;
}

/* Sets x and y, of which one is the operand, and the other the result. */
static bool shapes_of_image(struct array_call *call, const struct format *format,
                            const struct shape *shape, struct error *error) {
    struct array *x = is_gradient(call) ? &call->results[0] : &call->operands[0],
                 *y = is_gradient(call) ? &call->operands[0] : &call->results[0];
    uint64_t taps[MOST_DIMENSIONS];
    taps_of(call, taps);
    call->operands[0].format = format;
    x->shape = *shape;
    if (shape->dimensions < 3)
        return error_set(error,
                         "average_pool needs --shape SAMPLESxCHANNELSx..., such as 2x4x16x16");
    return (parameter_integer(call->parameters, PARAMETER_PADDING, 0) <
                parameter_integer(call->parameters, PARAMETER_WINDOW, 2) ||
            error_set(error, "average_pool needs a --padding below its --window")) &&
           windows_lay_out(call, shape, taps, shape->extents[1], &y->shape, error);
}

static bool format_of_result(struct array_call *call, struct error *error) {
    (void)error;
    call->results[0].format = parameters_result_format(call->parameters, call->operands[0].format);
    return true;
}

/* Adds the elements of a window of x; or the shares of a spot of x in the means of its windows. */
static bool add_taps(struct exact_shares *shares, const struct array_call *call,
                     struct window_walk *walk, uint64_t plane, uint64_t number) {
    const struct format *format = call->results[0].format;
    const uint64_t from = walk->is_back ? walk->windows : walk->spots;
    uint64_t count = walk->is_back ? 0 : window_walk_count(walk, number, counts_padding(call));
    bool good = true;
    window_walk_start(walk, number);
    do {
        if (!walk->inside)
            continue;
        if (walk->is_back)
            count = window_walk_count(walk, walk->spot, counts_padding(call));
        const struct real x = format_decode(
            format, element_load(&call->operands[0], format, plane * from + walk->spot));
        good = exact_shares_add(shares, &x, (unsigned long)count) && good;
    } while (window_walk_next(walk));
    return good;
}

static bool exact_pools(const struct array_call *call, int result, int precision, struct real *y,
                        struct error *error) {
    struct exact_shares shares;
    struct window_walk walk;
    uint64_t taps[MOST_DIMENSIONS];
    const struct shape *from = &call->operands[0].shape, *to = &call->results[0].shape;
    bool good = true;
    (void)result;
    taps_of(call, taps);
    exact_shares_open(&shares, call->results[0].format);
    window_walk_open(&walk, call, is_gradient(call) ? to : from, is_gradient(call) ? from : to,
                     taps);
    walk.is_back = is_gradient(call);
    const uint64_t each = walk.is_back ? walk.spots : walk.windows;
    for (uint64_t i = 0; good && i < shape_elements(to); i++) {
        exact_shares_reset(&shares);
        good =
            add_taps(&shares, call, &walk, i / each, i % each) || error_set(error, "out of memory");
        y[i] = exact_shares_sum(&shares, precision);
    }
    exact_shares_close(&shares);
    return good;
}

static int call_pools(const struct array_call *call, struct detmath_strided *const *y,
                      struct detmath_strided *const *x) {
    const bool is_cut = parameter_flag(call->parameters, PARAMETER_CEIL_MODE);
    struct detmath_windows windows[MOST_DIMENSIONS];
    uint64_t taps[MOST_DIMENSIONS];
    taps_of(call, taps);
    windows_of(call, &call->operands[0].shape, taps, windows);
    return (is_gradient(call) ? detmath_average_pool_gradient : detmath_average_pool)(
        y[0], x[0], windows, counts_padding(call), is_cut);
}

static WIDENED_RUN(run_pools, call_pools)

    static const struct array_algorithm algorithms[] = {
        {"det", "in pairs of fp32, from the first element to the last", provides_widened, run_pools,
         NULL, NULL},
        {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},
        {0}};

static const struct shape shapes[] = {
    {3, {1, 1, 2}},    {3, {1, 2, 5}},    {3, {2, 4, 33}},      {4, {1, 2, 5, 6}},
    {4, {2, 4, 9, 8}}, {3, {1, 1, 1025}}, {5, {1, 2, 3, 4, 5}}, {0}};

#define POOL(NAME, ALIASES, OPERAND, WHICH, FORMULA)                                               \
    {                                                                                              \
        .name = NAME, .aliases = ALIASES, .formula = FORMULA, .operands = 1, .results = 1,         \
        .parameters = PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) |                             \
                      PARAMETER_BIT(DISTRIBUTION) | PARAMETER_BIT(WINDOW) |                        \
                      PARAMETER_BIT(STRIDE) | PARAMETER_BIT(PADDING) |                             \
                      PARAMETER_BIT(COUNT_INCLUDE_PAD) | PARAMETER_BIT(CEIL_MODE),                 \
        .defaults = {{PARAMETER_WINDOW, "2"}, {PARAMETER_STRIDE, ""}}, .group = "kernels",         \
        .array = &(const struct array_rule) {                                                      \
            .operand_names = {OPERAND}, .which = WHICH, .operand_shapes = shapes_of_image,         \
            .result_shapes = format_of_result, .exact = exact_pools, .algorithms = algorithms,     \
            .families = sum_families, .shapes = shapes                                             \
        }                                                                                          \
    }

static const struct operation rows[] = {
    POOL("average_pool", "avg_pool1d avg_pool2d", "x", OF_MEANS,
         "y[i] = the mean of the elements in window i of x"),
    POOL("average_pool_gradient", NULL, "g", OF_GRADIENT,
         "dx[j] = the sum of g[i] / (elements in window i) over the windows i that contain j"),
};
OPERATION_FAMILY(pooling, rows);
