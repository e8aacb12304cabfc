/* The rows of the norms, how their lines lie, and det's calls. */
#include "op/kernels/norms.h"

#include "detmath/transformer.h"
#include "op/array/algorithms.h"
#include "op/array/families.h"
#include "op/array/slices.h"
#include "op/families.h"
#include "op/kernels/widened.h"

#include <stdio.h>

static const struct norm_facts *facts_of(const struct array_call *call) {
    return call->rule->data;
}

bool norm_has_channels(const struct array_call *call, const struct shape *shape,
                       struct error *error) {
    if (shape->dimensions < 2)
        return error_set(error, "--shape needs SAMPLESxCHANNELS or more extents, such as 2x8x32");
    return shape->extents[1] % norm_groups(call) == 0 ||
           error_set(error, "--groups %llu does not divide %llu channels",
                     (unsigned long long)norm_groups(call), (unsigned long long)shape->extents[1]);
}

/* N x C x ...; a weight and a bias have an element for each channel. */
static bool shapes_of_channels(struct array_call *call, const struct format *format,
                               const struct shape *shape, struct error *error) {
    const int operands = rule_operands(call->rule, call->parameters);
    if (!norm_has_channels(call, shape, error))
        return false;
    for (int i = 0; i < operands; i++)
        call->operands[i] =
            (struct array){.format = format, .shape = i ? shape_of(shape->extents[1]) : *shape};
    return true;
}

int norm_operands(const struct parameters *parameters) {
    return 1 + (int)parameter_integer(parameters, PARAMETER_AFFINE, 0);
}

static int call_detmath(const struct array_call *call, struct detmath_strided *const *y,
                        struct detmath_strided *const *x) {
    const struct norm_facts *facts = facts_of(call);
    const struct parameter_value *axis = &call->parameters->values[PARAMETER_AXIS];
    const struct real number = array_epsilon(call);
    const float epsilon = (float)real_to_double(&number);
    return facts->lines == NORM_ALONG
               ? detmath_norm_along(facts->which, y[0], x[NORM_X], x[NORM_WEIGHT], x[NORM_BIAS],
                                    axis->present ? (int)axis->integer : -1, epsilon)
           : facts->lines == NORM_GROUPS
               ? detmath_group_norm(y[0], x[NORM_X], x[NORM_WEIGHT], x[NORM_BIAS],
                                    (size_t)norm_groups(call), epsilon)
               : detmath_batch_norm(y[0], x[NORM_X], x[NORM_WEIGHT], x[NORM_BIAS], epsilon);
}

WIDENED_RUN(norm_run_det, call_detmath)

const char norm_det_detail[] = "in pairs of fp32, blocks of 1024 in 64 lanes, then a binary tree";
static const char cr_detail[] = "what the oracle finds, rounded once";

/* det and cr of every norm; rms_norm's row has its own table, with the orders that it had before. */
static const struct array_algorithm algorithms[] = {
    {"det", norm_det_detail, provides_widened, norm_run_det, NULL, NULL},
    {"cr", cr_detail, provides_nearest, run_exact, NULL, NULL},
    {0}};

const struct shape norm_channel_shapes[] = {{3, {1, 1, 1}},
                                            {3, {1, 2, 1}},
                                            {3, {2, 2, 3}},
                                            {3, {3, 4, 7}},
                                            {3, {2, 6, 33}},
                                            {3, {1, 8, 129}},
                                            {4, {2, 4, 5, 9}},
                                            {3, {2, 2, 1025}},
                                            {2, {5, 8}},
                                            {3, {1, 2, 4097}},
                                            {0}};

#define NORM(NAME, ALIASES, FORMULA, PARAMETERS, ...)                                              \
    {                                                                                              \
        .name = #NAME, .aliases = ALIASES, .formula = FORMULA, .operands = 3, .results = 1,        \
        .parameters = NORMS | PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) |                     \
                      PARAMETER_BIT(DISTRIBUTION) | PARAMETER_BIT(PARAMETERS),                     \
        .group = "kernels", .array = &(const struct array_rule) {                                  \
            .algorithms = algorithms, .families = norm_families, .result_shapes = shapes_same,     \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define ALONG(WHICH)                                                                               \
    NORM_OPERANDS(WHICH), .lines = LINES_MAPPED, .last_axis = true,                                \
                          .operand_shapes = shapes_equal, .shapes = slice_shapes
#define CHANNELS(LINES)                                                                            \
    .data = &(const struct norm_facts){DETMATH_LAYER_NORM, NORM_##LINES},                          \
    .operand_names = {"x", "weight", "bias"}, .operand_count = norm_operands, .exact = norm_exact, \
    .operand_shapes = shapes_of_channels, .shapes = norm_channel_shapes

/* A sample of group_norm alone, or one of its groups. */
static bool set_part(struct parameters *parameters, const struct array_rearrangement *row,
                     struct error *why) {
    (void)why;
    if (row->number)
        parameters->values[PARAMETER_GROUPS] =
            (struct parameter_value){.present = true, .integer = 1};
    return true;
}

static uint64_t count_parts(const struct array_call *whole, const struct array_rearrangement *row) {
    const uint64_t each = row->number ? norm_groups(whole) : 1,
                   parts = whole->operands[NORM_X].shape.extents[0] * each;
    return parts > 1 ? parts : 0;
}

static bool plan_part(const struct array_call *whole, const struct array_rearrangement *row,
                      uint64_t turn, struct shape *shape, char where[ARRAY_WHERE]) {
    const uint64_t groups = row->number ? norm_groups(whole) : 1;
    *shape = whole->operands[NORM_X].shape;
    if (row->number)
        snprintf(where, ARRAY_WHERE, "group %llu of sample %llu alone, and not of %llu",
                 (unsigned long long)(turn % groups), (unsigned long long)(turn / groups),
                 (unsigned long long)groups);
    else
        snprintf(where, ARRAY_WHERE, "sample %llu alone, and not of %llu", (unsigned long long)turn,
                 (unsigned long long)shape->extents[0]);
    shape->extents[0] = 1;
    shape->extents[1] /= groups;
    return true;
}

static uint64_t element_of_part(const struct array_call *whole,
                                const struct array_rearrangement *row, uint64_t turn,
                                uint64_t element) {
    return turn * (shape_elements(&whole->operands[NORM_X].shape) / count_parts(whole, row)) +
           element;
}

static uint64_t code_of_part(const struct array_call *whole, const struct array_rearrangement *row,
                             uint64_t turn, int operand, uint64_t element) {
    const uint64_t groups = row->number ? norm_groups(whole) : 1,
                   first = turn % groups * (whole->operands[NORM_X].shape.extents[1] / groups);
    return array_code(&whole->operands[operand], operand == NORM_X
                                                     ? element_of_part(whole, row, turn, element)
                                                     : first + element);
}

#define PART(NUMBER)                                                                               \
    {                                                                                              \
        .property = "batch", .set = set_part, .turns = count_parts, .plan = plan_part,             \
        .code = code_of_part, .element = element_of_part, .number = NUMBER                         \
    }
static const struct array_rearrangement parts_of_groups[] = {PART(0), PART(1), {0}};

static const struct operation rows[] = {
    NORM(layer_norm, "layer_normalization",
         "y[i] = weight[i] (x[i] - m) / (v + epsilon)^(1/2) + bias[i], m and v the mean and the "
         "variance of x",
         AXIS, ALONG(LAYER)),
    NORM(l2_norm, "normalize",
         "y[i] = weight[i] x[i] / max((x[0]^2 + ... + x[n-1]^2)^(1/2), epsilon) + bias[i]", AXIS,
         ALONG(L2), .keeps_zeros = true),
    NORM(group_norm, NULL, "layer_norm of x over each group of channels of a sample", GROUPS,
         CHANNELS(GROUPS), .rearrangements = parts_of_groups),
    NORM(batch_norm, NULL, "layer_norm of x over each channel of all samples", DTYPE,
         CHANNELS(CHANNELS)),
};
OPERATION_FAMILY(norms, rows);
