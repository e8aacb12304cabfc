/* Convolution of real numbers: the row, its shapes, the exact sums, and det's call. Padding is zeros, which count as any
 * other number. */
#include "op/array/algorithms.h"
#include "op/array/families.h"
#include "op/array/slices.h"
#include "op/array/sums.h"
#include "op/families.h"
#include "op/kernels/widened.h"
#include "op/kernels/windows.h"

enum { IMAGE, WEIGHT, BIAS };
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
                         "convolution wants --shape SAMPLESxCHANNELSx..., such as 2x4x16x16, "
                         "and --groups that divide the channels");
    const struct shape weight = weight_shape(call, shape);
    if (weight.dimensions != shape->dimensions || weight.extents[0] % groups ||
        weight.extents[1] != shape->extents[1] / groups)
        return error_set(error, "convolution wants --second-shape OUTPUTSxCHANNELSxTAPSx..., with "
                                "the channels of a group, and outputs that --groups divide");
    const struct shape all[] = {*shape, weight, shape_of(weight.extents[0])};
    for (int i = 0; i < operands_of(call->parameters); i++)
        call->operands[i] = (struct array){.format = format, .shape = all[i]};
    return true;
}

static bool shape_of_result(struct array_call *call, struct error *error) {
    return windows_lay_out(call, taps_of(call), call->operands[WEIGHT].shape.extents[0], error);
}

/* An element of an output: the sum over the channels of its group. */
static void add_terms(struct exact_total *total, const struct array_call *call,
                      struct window_walk *walk, uint64_t sample, uint64_t output, uint64_t window) {
    const struct format *format = call->results[0].format;
    const struct shape *weight = &call->operands[WEIGHT].shape;
    const uint64_t channels = weight->extents[1],
                   group = output / (weight->extents[0] / groups_of(call));
    uint64_t at = output * (shape_elements(weight) / weight->extents[0]);
    for (uint64_t c = 0; c < channels; c++) {
        const uint64_t plane =
            (sample * call->operands[IMAGE].shape.extents[1] + group * channels + c) * walk->spots;
        window_walk_start(walk, window);
        do {
            const struct real w =
                format_decode(format, element_load(&call->operands[WEIGHT], format, at++));
            struct real x = real_zero(false);
            if (walk->inside)
                x = format_decode(format,
                                  element_load(&call->operands[IMAGE], format, plane + walk->spot));
            exact_total_add_product(total, &x, &w);
        } while (window_walk_next(walk));
    }
    if (operands_of(call->parameters) > BIAS) {
        const struct real bias =
            format_decode(format, element_load(&call->operands[BIAS], format, output));
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
    window_walk_open(&walk, call, taps_of(call));
    for (uint64_t i = 0; i < shape_elements(&call->results[0].shape); i++) {
        exact_total_reset(&total);
        add_terms(&total, call, &walk, i / walk.windows / extents[1], i / walk.windows % extents[1],
                  i % walk.windows);
        y[i] = exact_total_quotient(&total, 1, precision);
    }
    exact_total_close(&total);
    return true;
}

static int call_detmath(const struct array_call *call, struct detmath_strided *const *y,
                        struct detmath_strided *const *x) {
    struct detmath_windows windows[MOST_DIMENSIONS];
    windows_of(call, taps_of(call), windows);
    return detmath_convolution(y[0], x[IMAGE], x[WEIGHT], x[BIAS], windows,
                               (size_t)groups_of(call));
}

static WIDENED_RUN(run_det, call_detmath)

    static const struct array_algorithm algorithms[] = {
        {"det", "the bits of det's product of matrices, then the bias", provides_widened, run_det,
         NULL, NULL},
        {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},
        {0}};

static const struct shape shapes[] = {
    {3, {1, 1, 1}},    {3, {1, 2, 5}},    {3, {2, 4, 33}},  {4, {1, 2, 5, 6}},
    {4, {2, 4, 9, 8}}, {3, {1, 1, 1025}}, {3, {1, 96, 12}}, {0}};

static const struct operation rows[] = {
    {.name = "convolution",
     .aliases = "conv1d conv2d",
     .formula = "y[o,i] = sum over channels c and taps k of x[c,i+k] weight[o,c,k], plus bias[o]",
     .operands = 3,
     .results = 1,
     .parameters = PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) |
                   PARAMETER_BIT(SECOND_SHAPE) | PARAMETER_BIT(STRIDE) | PARAMETER_BIT(PADDING) |
                   PARAMETER_BIT(DILATION) | PARAMETER_BIT(GROUPS) | PARAMETER_BIT(AFFINE),
     .group = "kernels",
     .array = &(const struct array_rule){.operand_names = {"x", "weight", "bias"},
                                         .operand_count = operands_of,
                                         .operand_shapes = shapes_of_operands,
                                         .result_shapes = shape_of_result,
                                         .exact = exact_convolution,
                                         .algorithms = algorithms,
                                         .families = sum_families,
                                         .shapes = shapes}},
};
OPERATION_FAMILY(convolution, rows);
