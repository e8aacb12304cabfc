/* Rows of operations on MX blocks: shapes, and exact results by format/block.h. */
#include "op/mx/rows.h"

#include "op/families.h"

static bool is_source(const struct format *format) {
    return format == &formats[FORMAT_FP32] || format == &formats[FORMAT_FP16] ||
           format == &formats[FORMAT_BF16];
}

/* Scales have the shape of numbers but for the axis. */
static struct shape scales_shape(const struct array_call *call) {
    struct mx_call mx = mx_call_of(call, NULL);
    struct shape shape = call->operands[0].shape;
    const struct parameter_value *axis = &call->parameters->values[PARAMETER_AXIS];
    int64_t place = axis->present ? axis->integer : -1;
    shape.extents[place < 0 ? place + shape.dimensions : place] = mx.scales.length;
    return shape;
}

static bool quantise_operands(struct array_call *call, const struct format *format,
                              const struct shape *shape, struct error *error) {
    const struct format *to = parameters_result_format(call->parameters, format);
    int64_t profile = parameter_integer(call->parameters, PARAMETER_PROFILE, 0);
    if (!is_source(format))
        return error_set(error, "mx.quantise is from fp32, fp16 or bf16, not %s", format->name);
    if (!to->is_element)
        return error_set(error,
                         "mx.quantise needs --to mxfp8_e5m2, mxfp8_e4m3, mxfp6_e3m2, mxfp6_e2m3, "
                         "mxfp4_e2m1 or mxint8, not %s",
                         to->name);
    return profile_covers(&profiles[profile], to, error) &&
           shapes_equal(call, format, shape, error);
}

static bool quantise_results(struct array_call *call, struct error *error) {
    shapes_same(call, error);
    call->results[MX_SCALES] =
        (struct array){.format = &formats[BLOCK_SCALES], .shape = scales_shape(call)};
    return true;
}

static bool dequantise_operands(struct array_call *call, const struct format *format,
                                const struct shape *shape, struct error *error) {
    const struct format *to = parameters_result_format(call->parameters, format);
    if (!format->is_element)
        return error_set(error, "mx.dequantise is from formats of blocks, not %s", format->name);
    if (!is_source(to))
        return error_set(error,
                         "mx.dequantise needs --to fp32, fp16 or bf16, not %s; only the blocks, "
                         "in --from, may have other formats",
                         to->name);
    if (!shapes_equal(call, format, shape, error))
        return false;
    call->operands[MX_SCALES] =
        (struct array){.format = &formats[BLOCK_SCALES], .shape = scales_shape(call)};
    return true;
}

/* A block of a slice: its scale, and where asked for its quotients. */
static void exact_block(const struct mx_call *mx, uint64_t slice, uint64_t block, int result,
                        struct real *y) {
    struct real x[BLOCK_ELEMENTS];
    uint64_t first = block * BLOCK_ELEMENTS, left = mx->slices.length - first;
    size_t count = left < BLOCK_ELEMENTS ? (size_t)left : BLOCK_ELEMENTS;
    for (size_t i = 0; i < count; i++)
        x[i] = array_number(&mx->call->operands[0], slice_place(&mx->slices, slice, first + i));
    struct real scale = block_scale(&mx->conversion, x, count);
    if (result == MX_SCALES)
        y[slice_place(&mx->scales, slice, block)] = scale;
    for (size_t i = 0; result == MX_ELEMENTS && i < count; i++)
        y[slice_place(&mx->slices, slice, first + i)] =
            block_quotient(&mx->conversion, &x[i], &scale);
}

static bool exact_quantise(const struct array_call *call, int result, int precision, struct real *y,
                           struct error *error) {
    struct mx_call mx = mx_call_of(call, call->results[MX_ELEMENTS].format);
    (void)precision;
    (void)error;
    for (uint64_t slice = 0; slice < mx.slices.count; slice++)
        for (uint64_t block = 0; block < mx.scales.length; block++)
            exact_block(&mx, slice, block, result, y);
    return true;
}

static uint64_t want_quantised(const struct array_call *call, int result, uint64_t element,
                               const struct real *y, bool *by_rule) {
    const struct format *format = call->results[result].format;
    if (result == MX_SCALES)
        return format_encode(format, y, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    struct mx_call mx = mx_call_of(call, format);
    mx.conversion.random.number = mx_random(&mx, element);
    return block_element(&mx.conversion, y, by_rule);
}

static bool exact_dequantise(const struct array_call *call, int result, int precision,
                             struct real *y, struct error *error) {
    const struct array *elements = &call->operands[MX_ELEMENTS];
    struct mx_call mx = mx_call_of(call, elements->format);
    (void)result;
    (void)precision;
    (void)error;
    for (uint64_t slice = 0; slice < mx.slices.count; slice++)
        for (uint64_t i = 0; i < mx.slices.length; i++) {
            uint64_t at = slice_place(&mx.slices, slice, i);
            struct real scale = array_number(&call->operands[MX_SCALES],
                                             slice_place(&mx.scales, slice, i / BLOCK_ELEMENTS));
            y[at] = block_product(elements->format, array_code(elements, at), &scale);
        }
    return true;
}

/* Stochastic rounding goes by its own rule. */
static uint64_t want_dequantised(const struct array_call *call, int result, uint64_t element,
                                 const struct real *y, bool *by_rule) {
    const struct format *format = call->results[result].format;
    struct mx_call mx = mx_call_of(call, format);
    const struct random_bits random = {MX_RANDOM_BITS, mx_random(&mx, element)};
    *by_rule = false;
    if (!mx.stochastic || y->kind != REAL_FINITE)
        return format_encode(format, y, call->rounding, OVERFLOW_IEEE);
    uint64_t magnitude = format_round(format, y, ROUND_STOCHASTIC, &random).magnitude;
    uint64_t most = format_greatest(format);
    return format_with_sign(format, magnitude > most ? most : magnitude, y->negative);
}

static bool provides_naive(const struct array_call *call, struct error *why) {
    if (call->parameters->values[PARAMETER_STOCHASTIC].present)
        return error_set(why, "naive does not round stochastically");
    return true;
}

static const struct array_algorithm quantise_algorithms[] = {
    {"det", "integers only", NULL, mx_run_quantise, NULL, NULL},
    {"naive", "log2f, floorf or ceilf, and a division in fp32", provides_naive, mx_run_naive, NULL,
     NULL},
    {0}};
static const struct array_algorithm dequantise_algorithms[] = {
    {"det", "integers only", NULL, mx_run_dequantise, NULL, NULL}, {0}};

static const struct array_algorithm product_algorithms[] = {
    {"cr", "the exact sum, rounded once", NULL, mx_run_exact_product, NULL, NULL},
    {"naive", "products and sums in fp32, from the left", NULL, mx_run_naive_product, NULL, NULL},
    {0}};

static const struct shape number_shapes[] = {{1, {32}}, {1, {33}}, {1, {95}}, {2, {64, 256}}, {0}};
static const struct shape block_shapes[] = {{1, {32}}, {1, {33}}, {2, {256, 256}}, {0}};
static const struct shape product_shapes[] = {
    {3, {1, 16, 1}}, {3, {3, 32, 5}}, {3, {4, 65, 3}}, {3, {16, 128, 16}}, {3, {2, 1000, 3}}, {0}};

#define MX_PARAMETERS                                                                              \
    (PARAMETER_BIT(TO) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) |                   \
     PARAMETER_BIT(AXIS) | PARAMETER_BIT(STOCHASTIC))

static const struct operation rows[] = {
    {.name = "mx.quantise",
     .aliases = "mx mx.quantize",
     .formula = "e[i] = x[i] / s, with one scale s = 2^n for each block of 32",
     .operands = 1,
     .results = 2,
     .parameters = MX_PARAMETERS | PARAMETER_BIT(PROFILE),
     .defaults = {{PARAMETER_TO, "mxfp8_e4m3"}, {PARAMETER_PROFILE, "ocp"}},
     .group = "blocks",
     .result = {{.name = "elements"}, {.name = "scales"}},
     .array = &(const struct array_rule){.last_axis = true,
                                         .operand_names = {"x"},
                                         .operand_shapes = quantise_operands,
                                         .result_shapes = quantise_results,
                                         .exact = exact_quantise,
                                         .want = want_quantised,
                                         .counts_ends = true,
                                         .algorithms = quantise_algorithms,
                                         .families = mx_number_families,
                                         .shapes = number_shapes}},
    {.name = "mx.dequantise",
     .aliases = "mx.dequantize",
     .formula = "y[i] = s x[i], elements times the scale of their block",
     .operands = 2,
     .results = 1,
     .parameters = MX_PARAMETERS,
     .defaults = {{PARAMETER_TO, "fp32"}},
     .group = "blocks",
     .array = &(const struct array_rule){.last_axis = true,
                                         .operand_names = {"elements", "scales"},
                                         .operand_shapes = dequantise_operands,
                                         .result_shapes = shapes_same,
                                         .exact = exact_dequantise,
                                         .want = want_dequantised,
                                         .counts_ends = true,
                                         .algorithms = dequantise_algorithms,
                                         .families = mx_block_families,
                                         .shapes = block_shapes},
     .format = "mxfp8_e4m3"},
    {.name = "mx.matmul",
     .formula = "z[i,j] = sum of x[i,k] s[i,k/b] y[k,j] t[k/b,j], where s and t are the scales of "
                "blocks of b numbers; --addend adds c[i,j]",
     .operands = 4,
     .results = 1,
     .parameters = PARAMETER_BIT(TO) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) |
                   PARAMETER_BIT(SCALE_FORMAT) | PARAMETER_BIT(BLOCK) | PARAMETER_BIT(ADDEND),
     .defaults = {{PARAMETER_TO, "fp32"}},
     .group = "blocks",
     .array = &(const struct array_rule){.operand_names = {"x", "x_scales", "y", "y_scales", "c"},
                                         .takes_addend = true,
                                         .operand_shapes = mx_product_operands,
                                         .result_shapes = mx_product_results,
                                         .exact = mx_product_exact,
                                         .algorithms = product_algorithms,
                                         .families = mx_product_families,
                                         .shapes = product_shapes},
     .format = "mxfp8_e4m3"},
};
OPERATION_FAMILY(mx, rows);
