/* Rows of the operations on blocks of IEEE P3109 4.0, and their shapes. Elementwise operations on blocks are those on numbers of
 * scaled formats, with --result-scale (op/p3109_names.h). */
#include "op/array/algorithms.h"
#include "op/array/slices.h"
#include "op/families.h"
#include "op/p3109/blocks.h"

static bool reduction_operands(struct array_call *call, const struct format *format,
                               const struct shape *shape, struct error *error) {
    if (!shapes_equal(call, format, shape, error))
        return false;
    for (int i = 0; i < rule_operands(call->rule, call->parameters); i += 2) {
        const struct format *own = format_of_operand(format, i / 2);
        if (!own->element)
            return error_set(error,
                             "a block has a scale and elements, in formats of P3109 such as "
                             "binary8p1uf*binary8p4se, and %s has no scale",
                             own->name);
        call->operands[i].format = own->element;
        call->operands[i + 1].format = own->scale;
    }
    return true;
}

/* What a number can be projected to. */
static bool check_target(const struct format *to, struct error *error) {
    return (!to->is_integer && !to->is_element && to->has_zero && to->has_nan) ||
           error_set(error, "P3109 has no conversion to %s", to->name);
}

static bool reduction_results(struct array_call *call, struct error *error) {
    const struct format *to =
        parameters_result_format(call->parameters, call->operands[BLOCK_X].format);
    call->results[0] = (struct array){.format = to, .shape = call->operands[BLOCK_X_SCALE].shape};
    return check_target(to, error);
}

static bool conversion_results(struct array_call *call, struct error *error) {
    const struct format *to = call->parameters->values[PARAMETER_TO].format,
                        *scale = call->parameters->values[PARAMETER_SCALE_FORMAT].format;
    call->results[BLOCK_ELEMENTS_MADE] =
        (struct array){.format = to, .shape = call->operands[0].shape};
    call->results[BLOCK_SCALE_MADE] = (struct array){.format = scale, .shape = slices_shape(call)};
    return check_target(to, error) && check_target(scale, error);
}

/* The oracle computes them, so that `exact` has them as it has P3109's other operations; det has them as arrays. */
#define ROUNDED_ONCE                                                                               \
    {"det", "the exact result, rounded once", NULL, run_exact, NULL, NULL}, {                      \
        "exact", "the exact result, rounded once", NULL, run_exact, NULL, NULL                     \
    }
static const struct array_algorithm reductions[] = {
    ROUNDED_ONCE,
    {"naive",
     "one after the other, each step rounded to nearest-even in the format of --accumulate", NULL,
     p3109_run_sequential, NULL, NULL},
    {0}};
static const struct array_algorithm conversions[] = {ROUNDED_ONCE, {0}};

static const struct shape shapes[] = {{1, {1}},      {1, {2}},     {1, {3}},      {1, {8}},
                                      {2, {64, 8}},  {2, {33, 3}}, {2, {64, 16}}, {2, {256, 32}},
                                      {2, {4, 251}}, {0}};

#define PROJECTION                                                                                 \
    (PARAMETER_BIT(TO) | PARAMETER_BIT(SATURATION) | PARAMETER_BIT(RANDOM_BITS) |                  \
     PARAMETER_BIT(RANDOM) | PARAMETER_BIT(RANDOM_SEED) | PARAMETER_BIT(AXIS) |                    \
     PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION))

#define REDUCTION(NAME, COUNT, WHICH, FORMULA, NAMES, ROLES)                                       \
    {                                                                                              \
        .name = "p3109." NAME, .formula = FORMULA, .operands = COUNT, .results = 1,                \
        .parameters = PROJECTION | PARAMETER_BIT(ACCUMULATE), .projects = true,                    \
        .stands_alone = true,                                                                      \
        .array = &(const struct array_rule){.which = WHICH,                                        \
                                            .lines = LINES_REDUCED,                                \
                                            .last_axis = true,                                     \
                                            .operand_names = NAMES,                                \
                                            .roles = ROLES,                                        \
                                            .operand_shapes = reduction_operands,                  \
                                            .result_shapes = reduction_results,                    \
                                            .exact = p3109_exact_reduction,                        \
                                            .want = p3109_want,                                    \
                                            .algorithms = reductions,                              \
                                            .families = p3109_block_families,                      \
                                            .shapes = shapes},                                     \
        .format = "binary8p1uf*binary8p4se"                                                        \
    }
#define LIST(...)                                                                                  \
    { __VA_ARGS__ }

static const struct operation rows[] = {
    REDUCTION("reduce_add", 2, REDUCE_ADD, "sum of s x[i] over a block x of scale s",
              LIST("x", "x_scale"), LIST(OPERAND_LINES, OPERAND_PER_LINE)),
    REDUCTION("reduce_multiply", 2, REDUCE_MULTIPLY, "product of s x[i] over a block x of scale s",
              LIST("x", "x_scale"), LIST(OPERAND_LINES, OPERAND_PER_LINE)),
    REDUCTION("dot_product", 4, REDUCE_DOT,
              "sum of s x[i] t y[i] over blocks x and y of scales s and t",
              LIST("x", "x_scale", "y", "y_scale"),
              LIST(OPERAND_LINES, OPERAND_PER_LINE, OPERAND_LINES, OPERAND_PER_LINE)),
    {.name = "p3109.to_block_max_abs_finite",
     .formula = "x[i] / s as an element of a block, s the greatest finite |x[i]|",
     .operands = 1,
     .results = 2,
     .parameters = PROJECTION | PARAMETER_BIT(SCALE_FORMAT) | PARAMETER_BIT(SCALE_ROUNDING) |
                   PARAMETER_BIT(SCALE_SATURATION),
     .defaults = {{PARAMETER_TO, "binary8p4se"}, {PARAMETER_SCALE_FORMAT, "binary8p1uf"}},
     .projects = true,
     .stands_alone = true,
     .result = {{.name = "elements"}, {.name = "scales"}},
     .array = &(const struct array_rule){.lines = LINES_MAPPED,
                                         .last_axis = true,
                                         .operand_names = {"x"},
                                         .operand_shapes = shapes_equal,
                                         .result_shapes = conversion_results,
                                         .exact = p3109_exact_conversion,
                                         .want = p3109_want,
                                         .algorithms = conversions,
                                         .families = p3109_block_families,
                                         .shapes = shapes}},
};
OPERATION_FAMILY(p3109_blocks, rows);
