/* Gradients of the norms with respect to x, exactly, and by det.
 *
 * In the notation of norm_slopes.h
 *   rms_norm    y = n^(1/2) (a Q - x A) / Q^(3/2)
 *   layer_norm  y = ((n a - B) Q - (n x - S) A) / Q^(3/2), with n A - S B for A
 *   l2_norm     y = (a Q - x A) / Q^(3/2), or a / e where Q is e^2
 * So its square is a quotient of binary fractions. Truncated to twice the bits that has the same root, truncated. */
#include "detmath/transformer.h"
#include "op/array/algorithms.h"
#include "op/array/families.h"
#include "op/array/slices.h"
#include "op/families.h"
#include "op/kernels/norm_slopes.h"
#include "op/kernels/widened.h"

static int operands_of(const struct parameters *parameters) {
    return parameter_integer(parameters, PARAMETER_AFFINE, 0) ? 3 : 2;
}

/* term = what stands above Q^(3/2), without n^(1/2). */
static void find_term(struct norm_slopes *line, uint64_t i, arf_t term, arf_t other) {
    const ulong n = (ulong)line->layout.length;
    arf_set(term, line->a + i);
    arf_set(other, line->x + i);
    if (line->which == DETMATH_LAYER_NORM) {
        arf_mul_ui(term, term, n, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_sub(term, term, line->slopes, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul_ui(other, other, n, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_sub(other, other, line->sum, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
    arf_mul(term, term, line->quotient, ARF_PREC_EXACT, ARF_RND_DOWN);
    if (!line->is_epsilon)
        arf_submul(term, other, line->products, ARF_PREC_EXACT, ARF_RND_DOWN);
}

static struct real find_slope(struct norm_slopes *line, uint64_t i, int precision) {
    arf_t term, below;
    arf_init(term);
    arf_init(below);
    find_term(line, i, term, below);
    arf_mul(below, line->quotient, line->quotient, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul(below, below, line->quotient, ARF_PREC_EXACT, ARF_RND_DOWN);
    const struct real y = norm_slopes_root(
        term, line->which == DETMATH_RMS_NORM ? line->layout.length : 1, below, precision);
    arf_clear(term);
    arf_clear(below);
    return y;
}

static bool exact_gradient(const struct array_call *call, int result, int precision, struct real *y,
                           struct error *error) {
    struct norm_slopes line;
    const bool good = norm_slopes_open(&line, call, error);
    (void)result;
    for (uint64_t l = 0; good && l < line.layout.count; l++) {
        norm_slopes_load(&line, l);
        for (uint64_t i = 0; i < line.layout.length; i++)
            y[norm_place(&line.layout, l, i)] =
                line.is_bad ? real_nan() : find_slope(&line, i, precision);
    }
    norm_slopes_close(&line);
    return good;
}

static int call_detmath(const struct array_call *call, struct detmath_strided *const *y,
                        struct detmath_strided *const *x) {
    const struct norm_facts *facts = call->rule->data;
    const struct parameter_value *axis = &call->parameters->values[PARAMETER_AXIS];
    const struct real number = array_epsilon(call);
    const float epsilon = (float)real_to_double(&number);
    return facts->lines == NORM_ALONG
               ? detmath_norm_gradient_along(facts->which, y[0], x[SLOPE_X], x[SLOPE_GRADIENT],
                                             x[SLOPE_WEIGHT],
                                             axis->present ? (int)axis->integer : -1, epsilon)
           : facts->lines == NORM_GROUPS
               ? detmath_group_norm_gradient(y[0], x[SLOPE_X], x[SLOPE_GRADIENT], x[SLOPE_WEIGHT],
                                             (size_t)norm_groups(call), epsilon)
               : detmath_batch_norm_gradient(y[0], x[SLOPE_X], x[SLOPE_GRADIENT], x[SLOPE_WEIGHT],
                                             epsilon);
}

static WIDENED_RUN(run_det, call_detmath)

    static const struct array_algorithm algorithms[] = {
        {"det", "in pairs of fp32, blocks of 1024 in 64 lanes, then a binary tree",
         provides_widened, run_det, NULL, NULL},
        {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},
        {0}};

/* Samples, channels and more; a weight has an element for each channel. */
static bool shapes_of_channels(struct array_call *call, const struct format *format,
                               const struct shape *shape, struct error *error) {
    if (!norm_has_channels(call, shape, error))
        return false;
    for (int i = 0; i < operands_of(call->parameters); i++)
        call->operands[i] = (struct array){
            .format = format, .shape = i == SLOPE_WEIGHT ? shape_of(shape->extents[1]) : *shape};
    return true;
}

#define NORM_GRADIENT(NAME, WHICH, LINES, FORMULA, PARAMETERS, ...)                                \
    {                                                                                              \
        .name = NAME, .formula = FORMULA, .operands = 3, .results = 1,                             \
        .parameters = NORMS | PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) |                     \
                      PARAMETER_BIT(DISTRIBUTION) | PARAMETER_BIT(PARAMETERS),                     \
        .group = "kernels", .array = &(const struct array_rule) {                                  \
            .data = &(const struct norm_facts){DETMATH_##WHICH##_NORM, NORM_##LINES},              \
            .operand_names = {"x", "g", "weight"}, .operand_count = operands_of,                   \
            .result_shapes = shapes_same, .exact = exact_gradient, .algorithms = algorithms,       \
            .families = norm_families, __VA_ARGS__                                                 \
        }                                                                                          \
    }
#define ALONG_AN_AXIS                                                                              \
    .roles = {OPERAND_LINES, OPERAND_LINES, OPERAND_SHARED}, .lines = LINES_MAPPED,                \
    .last_axis = true, .operand_shapes = shapes_equal, .shapes = slice_shapes
#define OF_CHANNELS .operand_shapes = shapes_of_channels, .shapes = norm_channel_shapes

static const struct operation rows[] = {
    NORM_GRADIENT("rms_norm_gradient", RMS, ALONG,
                  "y[i] = (g[i] weight[i] - x^[i] (mean of g weight x^)) / s, x^ = x / s, s = "
                  "(mean of x^2 + epsilon)^(1/2)",
                  AXIS, ALONG_AN_AXIS),
    NORM_GRADIENT("layer_norm_gradient", LAYER, ALONG,
                  "y[i] = (g[i] weight[i] - (mean of g weight) - x^[i] (mean of g weight x^)) / s, "
                  "x^ = (x - m) / s, m the mean of x, s^2 its variance plus epsilon",
                  AXIS, ALONG_AN_AXIS),
    NORM_GRADIENT("l2_norm_gradient", L2, ALONG,
                  "y[i] = (g[i] weight[i] - x^[i] (sum of g weight x^)) / s, x^ = x / s, s = "
                  "(sum of x^2)^(1/2); g[i] weight[i] / epsilon where s is not above epsilon",
                  AXIS, ALONG_AN_AXIS),
    NORM_GRADIENT("group_norm_gradient", LAYER, GROUPS,
                  "layer_norm_gradient of x over each group of channels of a sample", GROUPS,
                  OF_CHANNELS),
    NORM_GRADIENT("batch_norm_gradient", LAYER, CHANNELS,
                  "layer_norm_gradient of x over each channel of all samples", DTYPE, OF_CHANNELS),
};
OPERATION_FAMILY(norm_gradient, rows);
