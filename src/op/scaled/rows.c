/* Rows of operations on scaled arrays: shapes, roundings, implementations. */
#include "op/scaled/rows.h"

#include "detmath/scaled_arrays.h"
#include "format/cast.h"
#include "op/detmath_format.h"

static const struct scaled_facts *facts_of(const struct array_call *call) {
    return call->rule->data;
}

/* Shapes of scales: one, or a column of them, or a row. */
static struct shape scales_shape(int per, uint64_t rows, uint64_t columns) {
    struct shape shape = shape_of(1);
    if (per != SCALED_PER_ONE) {
        shape.dimensions = 2;
        shape.extents[0] = per == SCALED_PER_ROW ? rows : 1;
        shape.extents[1] = per == SCALED_PER_ROW ? 1 : columns;
    }
    return shape;
}

static const struct format *scaled_second_format(const struct array_call *call,
                                                 const struct format *format) {
    const struct parameter_value *given = &call->parameters->values[PARAMETER_SECOND_FORMAT];
    return given->present ? given->format : format;
}

static struct shape given_shape(const struct array_call *call, enum parameter_number number,
                                struct shape otherwise) {
    const struct parameter_value *given = &call->parameters->values[number];
    return given->present ? given->shape : otherwise;
}

static bool check_call(const struct array_call *call, const struct format *format,
                       struct error *error) {
    const struct scaled_facts *facts = facts_of(call);
    int per = (int)parameter_integer(call->parameters, PARAMETER_PER, 0);
    int64_t strategy = parameter_integer(call->parameters, PARAMETER_STATIC, 0);
    const struct format *to = parameters_result_format(call->parameters, format);
    const struct format *second = scaled_second_format(call, format);
    if (!detmath_has_functions(format) || !detmath_has_functions(to) ||
        !detmath_has_functions(second))
        return error_set(error, "scaled data are in fp32, fp16, bf16 or one of the formats "
                                "fp8_e4m3fn, fp8_e4m3fnuz, fp8_e5m2, fp8_e5m2fnuz");
    if (facts->layout != SCALED_BY_ELEMENT && per == SCALED_PER_COLUMN)
        return error_set(error, "--per column makes no sense here; --per one or row");
    if ((facts->windows || facts->backward || scaled_is_line_gradient(facts)) &&
        per != SCALED_PER_ONE)
        return error_set(error, "--per row makes no sense here; --scales and --second-scales say "
                                "how scales lie");
    bool is_power = strategy != DETMATH_SCALED_STATIC_UNIT &&
                    strategy != DETMATH_SCALED_STATIC_MEAN &&
                    (strategy < DETMATH_SCALED_STATIC_OWN || !((uint32_t)strategy << 9));
    if (parameter_integer(call->parameters, PARAMETER_SCALE, 0) == SCALED_KIND_POWER && !is_power)
        return error_set(error, "--scale power needs --static one, power, power-down, measured or "
                                "a power of two");
    if (parameter_flag(call->parameters, PARAMETER_ADDEND) &&
        (scaled_is_measured(call->parameters) ||
         parameter_integer(call->parameters, PARAMETER_SCALE, 0) == SCALED_KIND_POWER))
        return error_set(error, "--addend needs scales that are fp32 numbers, and does not go with "
                                "--static measured");
    if (parameter_flag(call->parameters, PARAMETER_PROFILE))
        return profile_covers(&profiles[parameter_integer(call->parameters, PARAMETER_PROFILE, 0)],
                              to, error);
    return true;
}

/* Shapes of the two operands where --second-shape does not say: of one shape, ROWSxINNERxCOLUMNS of a
 * matrix product, and of a convolution as many outputs as channels, with three taps along an axis
 * or as many as there are. */
static bool default_shapes(const struct array_call *call, const struct shape *shape,
                           struct shape of[2], struct error *error) {
    of[0] = of[1] = *shape;
    if (parameter_flag(call->parameters, PARAMETER_SECOND_SHAPE))
        return true;
    if (facts_of(call)->operation == SCALED_MATMUL ||
        facts_of(call)->operation == SCALED_MATMUL_GRADIENT) {
        if (shape->dimensions != 3)
            return error_set(error, "--shape of scaled.matmul needs ROWSxINNERxCOLUMNS, or that of "
                                    "its first operand beside --second-shape");
        of[0] = (struct shape){2, {shape->extents[0], shape->extents[1]}};
        of[1] = (struct shape){2, {shape->extents[1], shape->extents[2]}};
    }
    if (facts_of(call)->windows && shape->dimensions > 2) {
        uint64_t groups = (uint64_t)parameter_integer(call->parameters, PARAMETER_GROUPS, 1);
        of[1].extents[0] = shape->extents[1];
        of[1].extents[1] = shape->extents[1] / groups;
        for (int i = 2; i < shape->dimensions; i++)
            of[1].extents[i] = shape->extents[i] < 3 ? shape->extents[i] : 3;
    }
    return true;
}

bool scaled_operands(struct array_call *call, const struct format *format,
                     const struct shape *shape, struct error *error) {
    const enum scaled_operation operation = facts_of(call)->operation;
    int per = (int)parameter_integer(call->parameters, PARAMETER_PER, 0);
    bool is_power = parameter_integer(call->parameters, PARAMETER_SCALE, 0) == SCALED_KIND_POWER;
    const struct format *scales = is_power ? &integer_formats[FORMAT_INT32] : &formats[FORMAT_FP32];
    struct shape of[2];
    if (!check_call(call, format, error) || !default_shapes(call, shape, of, error))
        return false;
    of[1] = given_shape(call, PARAMETER_SECOND_SHAPE, of[1]);
    if (facts_of(call)->backward) {
        int64_t by = parameter_integer(call->parameters, PARAMETER_OF, SCALED_OF_FIRST);
        struct shape back;
        if (!scaled_forward(call, of, &back, error))
            return false;
        call->results[SCALED_DATA].shape = of[by == SCALED_OF_SECOND];
        of[0] = of[by == SCALED_OF_FIRST];
        of[1] = back;
    }
    if (operation == SCALED_MAX_ALONG_GRADIENT) { /* what comes back is what the forward one made */
        const struct array one = {.format = format, .shape = shape_of(1)};
        struct scaled_call forward;
        call->operands[0] = (struct array){.format = format, .shape = of[0]};
        call->operands[1] = call->operands[2] = call->operands[3] = one;
        if (!scaled_call_make(call, &forward, error))
            return false;
        of[1] = forward.lines;
    }
    for (int i = 0; i < 1 + facts_of(call)->two; i++) {
        uint64_t columns = scaled_extent_from_end(&of[i], 1),
                 rows = shape_elements(&of[i]) / columns;
        int each = operation == SCALED_MATMUL && i == 1 && per ? SCALED_PER_COLUMN : per;
        call->operands[2 * i] = (struct array){
            .format = i ? scaled_second_format(call, format) : format, .shape = of[i]};
        struct shape places =
            scaled_is_shaped(call->parameters)
                ? given_shape(call, i ? PARAMETER_SECOND_SCALES : PARAMETER_SCALES, shape_of(1))
                : scales_shape(each, rows, columns);
        call->operands[2 * i + 1] = (struct array){.format = scales, .shape = places};
    }
    struct scaled_call unused;
    return scaled_call_make(call, &unused, error);
}

bool scaled_results(struct array_call *call, struct error *error) {
    const struct scaled_call scaled = scaled_call_of(call);
    const struct format *format = call->operands[0].format;
    (void)error;
    call->results[SCALED_DATA] = (struct array){
        .format = parameters_result_format(call->parameters, format), .shape = scaled.result};
    call->results[SCALED_SCALE] =
        (struct array){.format = scaled.operation == SCALED_SOFTMAX ? &formats[FORMAT_FP32]
                                                                    : call->operands[1].format,
                       .shape = scaled.result_scales};
    return true;
}

/* Data are rounded as the call says, by the rules of a profile where one is given; scales to
 * nearest. */
uint64_t scaled_want(const struct array_call *call, int result, uint64_t element,
                     const struct real *y, bool *by_rule) {
    const struct format *format = call->results[result].format;
    const struct parameter_value *profile = &call->parameters->values[PARAMETER_PROFILE];
    (void)element;
    if (result == SCALED_SCALE)
        return format_encode(format, y, ROUND_NEAREST_EVEN, call->overflow);
    if (!profile->present)
        return format_encode(format, y, call->rounding, call->overflow);
    struct cast cast = cast_of_results(format, call->rounding);
    cast.profile = &profiles[profile->integer];
    *by_rule = y->kind == REAL_INFINITE ||
               (y->kind == REAL_FINITE && format_overflows(format, y, call->rounding));
    if (y->kind == REAL_NAN)
        return cast_code(&cast, format->nan, 0);
    struct real value = *y;
    value.negative =
        y->kind == REAL_ZERO && y->cancelled ? call->rounding == ROUND_DOWN : y->negative;
    return cast_number(&cast, &value, 0);
}

/* Any implementation, since the row has checked what is asked. */
static bool provides(const struct array_call *call, struct error *why) {
    if (call->rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "scaled arrays are rounded to nearest-even only");
    if (parameter_flag(call->parameters, PARAMETER_ACCUMULATE))
        return error_set(why, "only matrix units accumulate scaled data in another format than "
                              "double");
    return true;
}

static bool provides_compared(const struct array_call *call, struct error *why) {
    if (parameter_flag(call->parameters, PARAMETER_PROFILE))
        return error_set(why, "only det rounds by the rules of a profile");
    if (scaled_is_line_gradient(facts_of(call)))
        return error_set(why, "only det has backward rules along an axis");
    if (parameter_flag(call->parameters, PARAMETER_ADDEND))
        return error_set(why, "only det and matrix units take --addend, which adds c to a product");
    return provides(call, why);
}

static bool provides_article(const struct array_call *call, struct error *why) {
    if (parameter_integer(call->parameters, PARAMETER_SCALE, 0) == SCALED_KIND_POWER)
        return error_set(why, "the article has formulas for fp32 scales only");
    if (parameter_flag(call->parameters, PARAMETER_AXIS))
        return error_set(why, "the article has formulas for rows only");
    if (!facts_of(call)->in_article)
        return error_set(why, "the article (detcheck-scaled-programs(7)) has no formula for this "
                              "operation");
    if (scaled_is_measured(call->parameters))
        return error_set(why, "the article's product has a static scale");
    return provides_compared(call, why);
}

const struct array_algorithm scaled_algorithms[] = {
    {"det", "in double, rounded once", provides, scaled_run_det, NULL, NULL},
    {"unscaled", "numbers in the format of the data, computed in double", provides_compared,
     scaled_run_unscaled, NULL, NULL},
    {"article", "as the article says, in fp32", provides_article, scaled_run_article, NULL, NULL},
    {0}};

const struct shape scaled_shapes[] = {{2, {16, 256}}, {0}};
const struct shape scaled_pair_shapes[] = {{2, {256, 256}}, {0}};
const struct shape scaled_product_shapes[] = {{3, {9, 64, 7}}, {0}};
const struct shape scaled_image_shapes[] = {{4, {2, 4, 6, 7}}, {3, {2, 6, 20}}, {0}};
