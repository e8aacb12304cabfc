/* Embedding bags and average pools: the rows, their shapes, what is exact, and det's calls. */
#include "op/array/algorithms.h"
#include "op/array/families.h"
#include "op/array/slices.h"
#include "op/array/sums.h"
#include "op/families.h"
#include "op/kernels/widened.h"
#include "op/kernels/windows.h"

enum { TABLE, INDICES, WEIGHTS };

static int bag_operands(const struct parameters *parameters) {
    return parameter_flag(parameters, PARAMETER_WEIGHTED) ? 3 : 2;
}

static enum detmath_pooling pooling_of(const struct array_call *call) {
    return (enum detmath_pooling)parameter_integer(call->parameters, PARAMETER_MODE,
                                                   DETMATH_POOL_MEAN);
}

static bool shapes_of_bags(struct array_call *call, const struct format *format,
                           const struct shape *shape, struct error *error) {
    const uint64_t *extents = shape->extents;
    if (shape->dimensions != 4)
        return error_set(error, "embedding_bag wants --shape BAGSxLENGTHxROWSxWIDTH, such as "
                                "8x16x100x32");
    if (parameter_flag(call->parameters, PARAMETER_WEIGHTED) &&
        pooling_of(call) != DETMATH_POOL_SUM)
        return error_set(error, "embedding_bag has --weighted sums (--mode sum), and no other");
    const struct shape bags = {2, {extents[0], extents[1]}}, table = {2, {extents[2], extents[3]}};
    call->operands[TABLE] = (struct array){.format = format, .shape = table};
    call->operands[INDICES] =
        (struct array){.format = &integer_formats[FORMAT_INT64], .shape = bags};
    if (bag_operands(call->parameters) > WEIGHTS)
        call->operands[WEIGHTS] = (struct array){.format = format, .shape = bags};
    return true;
}

static bool shapes_of_rows(struct array_call *call, struct error *error) {
    (void)error;
    call->results[0] = (struct array){
        .format = parameters_result_format(call->parameters, call->operands[TABLE].format),
        .shape = {
            2, {call->operands[INDICES].shape.extents[0], call->operands[TABLE].shape.extents[1]}}};
    return true;
}

static uint64_t draw_index(const struct array_call *call, int operand, uint64_t code,
                           uint64_t bits) {
    const struct parameter_value *padding = &call->parameters->values[PARAMETER_PADDING_INDEX];
    return operand != INDICES                      ? code
           : padding->present && !(bits >> 32 & 7) ? (uint64_t)padding->integer
                                                   : bits % call->operands[TABLE].shape.extents[0];
}

struct bag {
    const struct array_call *call;
    const struct parameter_value *padding;
    struct exact_total total;
    uint64_t counted;
    struct real largest;
};

/* Whether a is the larger one: NaN is above all numbers, and +0 above -0. */
static bool is_above(const struct real *a, const struct real *b) {
    if (a->kind == REAL_NAN || b->kind == REAL_NAN)
        return b->kind != REAL_NAN;
    if (a->negative != b->negative)
        return b->negative;
    const struct real *more = a->negative ? b : a, *less = a->negative ? a : b;
    return more->kind != REAL_ZERO && (less->kind == REAL_ZERO || real_is_smaller(less, more));
}

/* False where an index is no row. */
static bool add_row(struct bag *bag, uint64_t at, uint64_t column) {
    const struct array_call *call = bag->call;
    const struct format *format = call->results[0].format;
    const uint64_t *extents = call->operands[TABLE].shape.extents;
    const uint64_t row = array_code(&call->operands[INDICES], at);
    if (bag->padding->present && row == (uint64_t)bag->padding->integer)
        return true;
    if (row >= extents[0])
        return false;
    const struct real x = format_decode(
        format, element_load(&call->operands[TABLE], format, row * extents[1] + column));
    if (!bag->counted++ || is_above(&x, &bag->largest))
        bag->largest = x;
    if (bag_operands(call->parameters) > WEIGHTS) {
        const struct real weight =
            format_decode(format, element_load(&call->operands[WEIGHTS], format, at));
        exact_total_add_product(&bag->total, &x, &weight);
    } else
        exact_total_add(&bag->total, &x);
    return true;
}

static struct real pooled(const struct bag *bag, int precision) {
    const enum detmath_pooling which = pooling_of(bag->call);
    return !bag->counted ? real_zero(false)
           : which == DETMATH_POOL_MAX
               ? bag->largest
               : exact_total_quotient(&bag->total,
                                      which == DETMATH_POOL_MEAN ? (unsigned long)bag->counted : 1,
                                      precision);
}

static bool exact_bags(const struct array_call *call, int result, int precision, struct real *y,
                       struct error *error) {
    const uint64_t length = call->operands[INDICES].shape.extents[1],
                   width = call->results[0].shape.extents[1];
    struct bag bag = {.call = call, .padding = &call->parameters->values[PARAMETER_PADDING_INDEX]};
    (void)result;
    (void)error;
    exact_total_open(&bag.total, call->results[0].format);
    for (uint64_t i = 0; i < shape_elements(&call->results[0].shape); i++) {
        bool are_rows = true;
        exact_total_reset(&bag.total);
        bag.counted = 0;
        for (uint64_t k = 0; are_rows && k < length; k++)
            are_rows = add_row(&bag, i / width * length + k, i % width);
        y[i] = are_rows ? pooled(&bag, precision) : real_nan();
    }
    exact_total_close(&bag.total);
    return true;
}

static int call_bags(const struct array_call *call, struct detmath_strided *const *y,
                     struct detmath_strided *const *x) {
    const struct parameter_value *padding = &call->parameters->values[PARAMETER_PADDING_INDEX];
    return detmath_embedding_bag(pooling_of(call), y[0], x[TABLE], call->operands[INDICES].codes,
                                 (size_t)call->operands[INDICES].shape.extents[1], x[WEIGHTS],
                                 padding->present ? &padding->integer : NULL);
}

static WIDENED_RUN(run_bags, call_bags)

    /* Average pools: as many taps along each axis. */
    static void taps_of(const struct array_call *call, uint64_t *taps) {
    for (int i = 0; i < MOST_DIMENSIONS; i++)
        taps[i] = (uint64_t)parameter_integer(call->parameters, PARAMETER_WINDOW, 2);
}

static bool shapes_of_image(struct array_call *call, const struct format *format,
                            const struct shape *shape, struct error *error) {
    call->operands[0] = (struct array){.format = format, .shape = *shape};
    if (shape->dimensions < 3)
        return error_set(error,
                         "average_pool wants --shape SAMPLESxCHANNELSx..., such as 2x4x16x16");
    return parameter_integer(call->parameters, PARAMETER_PADDING, 0) <
               parameter_integer(call->parameters, PARAMETER_WINDOW, 2) ||
           error_set(error, "average_pool wants a --padding below its --window");
}

static bool shapes_of_pools(struct array_call *call, struct error *error) {
    uint64_t taps[MOST_DIMENSIONS];
    taps_of(call, taps);
    return windows_lay_out(call, taps, call->operands[0].shape.extents[1], error);
}

/* How many elements the window has, or with --count-include-pad elements and padding. */
static uint64_t add_window(struct exact_total *total, const struct array_call *call,
                           struct window_walk *walk, uint64_t plane, uint64_t window) {
    const struct format *format = call->results[0].format;
    const bool counts_padding = parameter_flag(call->parameters, PARAMETER_COUNT_INCLUDE_PAD);
    uint64_t counted = 0;
    window_walk_start(walk, window);
    do {
        bool is_padded = true;
        for (int i = 0; i < walk->axes; i++)
            is_padded =
                is_padded && walk->starts[i] + walk->at[i] < walk->extents[i] + 2 * walk->padding;
        counted += counts_padding ? is_padded : walk->inside;
        if (!walk->inside)
            continue;
        const struct real x = format_decode(
            format, element_load(&call->operands[0], format, plane * walk->spots + walk->spot));
        exact_total_add(total, &x);
    } while (window_walk_next(walk));
    return counted;
}

static bool exact_pools(const struct array_call *call, int result, int precision, struct real *y,
                        struct error *error) {
    struct exact_total total;
    struct window_walk walk;
    uint64_t taps[MOST_DIMENSIONS];
    (void)result;
    (void)error;
    taps_of(call, taps);
    exact_total_open(&total, call->results[0].format);
    window_walk_open(&walk, call, taps);
    for (uint64_t i = 0; i < shape_elements(&call->results[0].shape); i++) {
        exact_total_reset(&total);
        const uint64_t counted =
            add_window(&total, call, &walk, i / walk.windows, i % walk.windows);
        y[i] = exact_total_quotient(&total, (unsigned long)counted, precision);
    }
    exact_total_close(&total);
    return true;
}

static int call_pools(const struct array_call *call, struct detmath_strided *const *y,
                      struct detmath_strided *const *x) {
    struct detmath_windows windows[MOST_DIMENSIONS];
    uint64_t taps[MOST_DIMENSIONS];
    taps_of(call, taps);
    windows_of(call, taps, windows);
    return detmath_average_pool(y[0], x[0], windows,
                                parameter_flag(call->parameters, PARAMETER_COUNT_INCLUDE_PAD),
                                parameter_flag(call->parameters, PARAMETER_CEIL_MODE));
}

static WIDENED_RUN(run_pools, call_pools)

#define ALGORITHMS(NAME, RUN)                                                                      \
    static const struct array_algorithm NAME[] = {                                                 \
        {"det", "in pairs of fp32, from the first element to the last", provides_widened, RUN,     \
         NULL, NULL},                                                                              \
        {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},    \
        {0}}
    ALGORITHMS(bag_algorithms, run_bags);
ALGORITHMS(pool_algorithms, run_pools);

static const struct shape bag_shapes[] = {{4, {1, 1, 1, 1}},     {4, {2, 3, 4, 5}},
                                          {4, {3, 17, 9, 8}},    {4, {2, 65, 40, 7}},
                                          {4, {1, 1025, 33, 3}}, {0}},
                          pool_shapes[] = {{3, {1, 1, 2}},       {3, {1, 2, 5}},
                                           {3, {2, 4, 33}},      {4, {1, 2, 5, 6}},
                                           {4, {2, 4, 9, 8}},    {3, {1, 1, 1025}},
                                           {5, {1, 2, 3, 4, 5}}, {0}};

#define COMMON (PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION))

static const struct operation rows[] = {
    {.name = "embedding_bag",
     .formula = "y = the sum, mean or maximum of the rows table[index[0]], table[index[1]], ...",
     .operands = 3,
     .results = 1,
     .parameters =
         COMMON | PARAMETER_BIT(MODE) | PARAMETER_BIT(WEIGHTED) | PARAMETER_BIT(PADDING_INDEX),
     .group = "kernels",
     .array = &(const struct array_rule){.operand_names = {"table", "index", "weight"},
                                         .operand_count = bag_operands,
                                         .drawn = draw_index,
                                         .operand_shapes = shapes_of_bags,
                                         .result_shapes = shapes_of_rows,
                                         .exact = exact_bags,
                                         .algorithms = bag_algorithms,
                                         .families = sum_families,
                                         .shapes = bag_shapes}},
    {.name = "average_pool",
     .aliases = "avg_pool1d avg_pool2d",
     .formula = "y[i] = the mean of the elements in window i of x",
     .operands = 1,
     .results = 1,
     .parameters = COMMON | PARAMETER_BIT(WINDOW) | PARAMETER_BIT(STRIDE) | PARAMETER_BIT(PADDING) |
                   PARAMETER_BIT(COUNT_INCLUDE_PAD) | PARAMETER_BIT(CEIL_MODE),
     .defaults = {{PARAMETER_WINDOW, "2"}, {PARAMETER_STRIDE, ""}},
     .group = "kernels",
     .array = &(const struct array_rule){.operand_names = {"x"},
                                         .operand_shapes = shapes_of_image,
                                         .result_shapes = shapes_of_pools,
                                         .exact = exact_pools,
                                         .algorithms = pool_algorithms,
                                         .families = sum_families,
                                         .shapes = pool_shapes}},
};
OPERATION_FAMILY(pooling, rows);
