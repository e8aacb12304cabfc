/* Convolution of real numbers and its gradients: the rows, their shapes, the exact sums, and det's calls. Padding is zeros, which
 * count as any other number. */
#include "op/array/algorithms.h"
#include "op/array/families.h"
#include "op/array/slices.h"
#include "op/array/sums.h"
#include "op/families.h"
#include "op/kernels/widened.h"
#include "op/kernels/windows.h"

enum { IMAGE, WEIGHT, BIAS, GRADIENT = 2 };
enum { OF_IMAGE, OF_WEIGHT, OF_BIAS };
/* What --affine says. */
enum { AFFINE_NONE, AFFINE_WEIGHT, AFFINE_BIAS };

static int operands_of(const struct parameters *parameters) {
    return parameter_integer(parameters, PARAMETER_AFFINE, AFFINE_WEIGHT) == AFFINE_BIAS ? 3 : 2;
}
static uint64_t groups_of(const struct array_call *call) {
    return (uint64_t)parameter_integer(call->parameters, PARAMETER_GROUPS, 1);
}

static const uint64_t *taps_of(const struct array_call *call) {
    return call->operands[WEIGHT].shape.extents + 2;
}

/* As many outputs as channels, and three taps along an axis, where nobody says otherwise. */
static struct shape weight_shape(const struct array_call *call, const struct shape *x) {
    const struct parameter_value *given = &call->parameters->values[PARAMETER_SECOND_SHAPE];
    struct shape shape = *x;
    if (given->present)
        return given->shape;
    shape.extents[0] = x->extents[1];
    shape.extents[1] = x->extents[1] / groups_of(call);
    for (int i = 2; i < x->dimensions; i++)
        shape.extents[i] = x->extents[i] < 3 ? x->extents[i] : 3;
    return shape;
}

static bool shapes_of_operands(struct array_call *call, const struct format *format,
                               const struct shape *shape, struct error *error) {
    const uint64_t groups = groups_of(call);
    if (parameter_integer(call->parameters, PARAMETER_AFFINE, AFFINE_WEIGHT) == AFFINE_NONE)
        return error_set(error, "convolution has a weight: --affine is weight or bias");
    if (shape->dimensions < 3 || shape->extents[1] % groups)
        return error_set(error,
                         "convolution needs --shape SAMPLESxCHANNELSx..., such as 2x4x16x16, "
                         "and --groups that divide the channels");
    const struct shape weight = weight_shape(call, shape);
    if (weight.dimensions != shape->dimensions || weight.extents[0] % groups ||
        weight.extents[1] != shape->extents[1] / groups)
        return error_set(error, "convolution needs --second-shape OUTPUTSxCHANNELSxTAPSx..., with "
                                "the channels of a group, and outputs that --groups divide");
    const struct shape all[] = {*shape, weight, shape_of(weight.extents[0])};
    for (int i = 0; i < operands_of(call->parameters); i++)
        call->operands[i] = (struct array){.format = format, .shape = all[i]};
    return true;
}

static bool shape_of_result(struct array_call *call, struct error *error) {
    struct array *y = &call->results[0];
    y->format = parameters_result_format(call->parameters, call->operands[IMAGE].format);
    return windows_lay_out(call, &call->operands[IMAGE].shape, taps_of(call),
                           call->operands[WEIGHT].shape.extents[0], &y->shape, error);
}

/* Beside the operands of a convolution the gradient of its result. */
static bool shapes_of_slopes(struct array_call *call, const struct format *format,
                             const struct shape *shape, struct error *error) {
    if (!shapes_of_operands(call, format, shape, error))
        return false;
    struct array *g = &call->operands[GRADIENT];
    g->format = format;
    return windows_lay_out(call, shape, taps_of(call), call->operands[WEIGHT].shape.extents[0],
                           &g->shape, error);
}

static bool shapes_of_gradients(struct array_call *call, struct error *error) {
    const struct shape *weight = &call->operands[WEIGHT].shape,
                       all[] = {call->operands[IMAGE].shape, *weight, shape_of(weight->extents[0])};
    (void)error;
    for (int i = OF_IMAGE; i <= OF_BIAS; i++)
        call->results[i] = (struct array){
            .format = parameters_result_format(call->parameters, call->operands[IMAGE].format),
            .shape = all[i]};
    return true;
}

static struct real number(const struct array_call *call, int operand, uint64_t at) {
    const struct format *format = call->results[0].format;
    return format_decode(format, element_load(&call->operands[operand], format, at));
}

/* An element of an output: the sum over the channels of its group. */
static void add_terms(struct exact_total *total, const struct array_call *call,
                      struct window_walk *walk, uint64_t sample, uint64_t output, uint64_t window) {
    const struct shape *weight = &call->operands[WEIGHT].shape;
    const uint64_t channels = weight->extents[1],
                   group = output / (weight->extents[0] / groups_of(call));
    uint64_t at = output * (shape_elements(weight) / weight->extents[0]);
    for (uint64_t c = 0; c < channels; c++) {
        const uint64_t plane =
            (sample * call->operands[IMAGE].shape.extents[1] + group * channels + c) * walk->spots;
        window_walk_start(walk, window);
        do {
            const struct real w = number(call, WEIGHT, at++),
                              x = walk->inside ? number(call, IMAGE, plane + walk->spot)
                                               : real_zero(false);
            exact_total_add_product(total, &x, &w);
        } while (window_walk_next(walk));
    }
    if (operands_of(call->parameters) > BIAS) {
        const struct real bias = number(call, BIAS, output);
        exact_total_add(total, &bias);
    }
}

static bool exact_convolution(const struct array_call *call, int result, int precision,
                              struct real *y, struct error *error) {
    const uint64_t *extents = call->results[0].shape.extents;
    struct exact_total total;
    struct window_walk walk;
    (void)result;
    (void)error;
    exact_total_open(&total, call->results[0].format);
    window_walk_open(&walk, call, &call->operands[IMAGE].shape, &call->results[0].shape,
                     taps_of(call));
    for (uint64_t i = 0; i < shape_elements(&call->results[0].shape); i++) {
        exact_total_reset(&total);
        add_terms(&total, call, &walk, i / walk.windows / extents[1], i / walk.windows % extents[1],
                  i % walk.windows);
        y[i] = exact_total_quotient(&total, 1, precision);
    }
    exact_total_close(&total);
    return true;
}

/* What a call's shapes say of its groups. */
struct group_extents {
    uint64_t samples, all, outputs, channels, taps; /* of all groups; of one; and of a channel */
};

static struct group_extents extents_of(const struct array_call *call) {
    const struct shape *weight = &call->operands[WEIGHT].shape;
    return (struct group_extents){.samples = call->operands[IMAGE].shape.extents[0],
                                  .all = weight->extents[0],
                                  .outputs = weight->extents[0] / groups_of(call),
                                  .channels = weight->extents[1],
                                  .taps = shape_elements(weight) / weight->extents[0] /
                                          weight->extents[1]};
}

/* An element of x's gradient: the sum over the outputs of its group, of the windows that have it. */
static void add_windows(struct exact_total *total, const struct array_call *call,
                        struct window_walk *walk, uint64_t sample, uint64_t channel,
                        uint64_t spot) {
    const struct group_extents extents = extents_of(call);
    const uint64_t first = channel / extents.channels * extents.outputs;
    for (uint64_t output = first; output < first + extents.outputs; output++) {
        uint64_t at = (output * extents.channels + channel % extents.channels) * extents.taps;
        window_walk_start(walk, spot);
        do {
            if (walk->inside) {
                const struct real w = number(call, WEIGHT, at),
                                  g = number(call, GRADIENT,
                                             (sample * extents.all + output) * walk->windows +
                                                 walk->spot);
                exact_total_add_product(total, &g, &w);
            }
            at++;
        } while (window_walk_next(walk));
    }
}

/* One of the weight's, or of the bias's: a sum over samples and windows. */
static void add_samples(struct exact_total *total, const struct array_call *call,
                        struct window_walk *walk, bool is_bias, uint64_t element) {
    const struct group_extents extents = extents_of(call);
    const uint64_t each = extents.channels * extents.taps,
                   output = is_bias ? element : element / each,
                   channel = output / extents.outputs * extents.channels +
                             (is_bias ? 0 : element % each / extents.taps),
                   channels = call->operands[IMAGE].shape.extents[1];
    for (uint64_t i = 0; i < extents.samples * walk->windows; i++) {
        const uint64_t sample = i / walk->windows;
        const struct real g = number(
            call, GRADIENT, (sample * extents.all + output) * walk->windows + i % walk->windows);
        if (is_bias) {
            exact_total_add(total, &g);
            continue;
        }
        window_walk_start(walk, i % walk->windows);
        for (uint64_t tap = element % extents.taps; tap > 0; tap--)
            window_walk_next(walk);
        const struct real x =
            walk->inside
                ? number(call, IMAGE, (sample * channels + channel) * walk->spots + walk->spot)
                : real_zero(false);
        exact_total_add_product(total, &g, &x);
    }
}

static bool exact_gradients(const struct array_call *call, int result, int precision,
                            struct real *y, struct error *error) {
    const uint64_t *extents = call->results[OF_IMAGE].shape.extents;
    struct exact_total total;
    struct window_walk walk;
    (void)error;
    exact_total_open(&total, call->results[0].format);
    window_walk_open(&walk, call, &call->operands[IMAGE].shape, &call->operands[GRADIENT].shape,
                     taps_of(call));
    walk.is_back = result == OF_IMAGE;
    for (uint64_t i = 0; i < shape_elements(&call->results[result].shape); i++) {
        exact_total_reset(&total);
        if (result == OF_IMAGE)
            add_windows(&total, call, &walk, i / walk.spots / extents[1],
                        i / walk.spots % extents[1], i % walk.spots);
        else
            add_samples(&total, call, &walk, result == OF_BIAS, i);
        y[i] = exact_total_quotient(&total, 1, precision);
    }
    exact_total_close(&total);
    return true;
}

static int call_gradient(const struct array_call *call, struct detmath_strided *const *y,
                         struct detmath_strided *const *x) {
    struct detmath_windows windows[MOST_DIMENSIONS];
    windows_of(call, &call->operands[IMAGE].shape, taps_of(call), windows);
    return detmath_convolution_gradient(y[OF_IMAGE], y[OF_WEIGHT], y[OF_BIAS], x[IMAGE], x[WEIGHT],
                                        x[GRADIENT], windows, (size_t)groups_of(call));
}

static WIDENED_RUN(run_gradient, call_gradient)

    static int call_detmath(const struct array_call *call, struct detmath_strided *const *y,
                            struct detmath_strided *const *x) {
    struct detmath_windows windows[MOST_DIMENSIONS];
    windows_of(call, &call->operands[IMAGE].shape, taps_of(call), windows);
    return detmath_convolution(y[0], x[IMAGE], x[WEIGHT], x[BIAS], windows,
                               (size_t)groups_of(call));
}

static WIDENED_RUN(run_det, call_detmath)

#define ALGORITHMS(NAME, DETAIL, RUN)                                                              \
    static const struct array_algorithm NAME[] = {                                                 \
        {"det", DETAIL, provides_widened, RUN, NULL, NULL},                                        \
        {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},    \
        {0}}
    ALGORITHMS(algorithms, "sums of products in pairs of fp32 numbers, in blocks of 64", run_det);
ALGORITHMS(gradient_algorithms, "sums of products in pairs of fp32 numbers, in blocks of 64",
           run_gradient);

static const struct shape shapes[] = {
    {3, {1, 1, 1}},    {3, {1, 2, 5}},    {3, {2, 4, 33}},  {4, {1, 2, 5, 6}},
    {4, {2, 4, 9, 8}}, {3, {1, 1, 1025}}, {3, {1, 96, 12}}, {0}};

#define COMMON                                                                                     \
    (PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) |                \
     PARAMETER_BIT(SECOND_SHAPE) | PARAMETER_BIT(STRIDE) | PARAMETER_BIT(PADDING) |                \
     PARAMETER_BIT(DILATION) | PARAMETER_BIT(GROUPS))

static const struct operation rows[] = {
    {.name = "convolution",
     .aliases = "conv1d conv2d",
     .formula = "y[o,i] = sum over channels c and taps k of x[c,i+k] weight[o,c,k], plus bias[o]",
     .operands = 3,
     .results = 1,
     .parameters = COMMON | PARAMETER_BIT(AFFINE),
     .group = "kernels",
     .array = &(const struct array_rule){.operand_names = {"x", "weight", "bias"},
                                         .operand_count = operands_of,
                                         .operand_shapes = shapes_of_operands,
                                         .result_shapes = shape_of_result,
                                         .exact = exact_convolution,
                                         .algorithms = algorithms,
                                         .families = sum_families,
                                         .shapes = shapes}},
    {.name = "convolution_gradient",
     .formula = "dx[c,j] = sum of g[o,i] weight[o,c,k] where window i has j at tap k; "
                "dweight[o,c,k] = sum of g[o,i] x[c,i+k]; dbias[o] = sum of g[o,i]",
     .operands = 3,
     .results = 3,
     .result = {{.name = "x"}, {.name = "weight"}, {.name = "bias"}},
     .parameters = COMMON,
     .group = "kernels",
     .array = &(const struct array_rule){.operand_names = {"x", "weight", "g"},
                                         .operand_shapes = shapes_of_slopes,
                                         .result_shapes = shapes_of_gradients,
                                         .exact = exact_gradients,
                                         .algorithms = gradient_algorithms,
                                         .families = sum_families,
                                         .shapes = shapes}},
};
OPERATION_FAMILY(convolution, rows);
