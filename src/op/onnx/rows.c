/* Rows of ONNX's quantisation: shapes, and exact results by the operators' own text. */
#include "op/onnx/rows.h"

#include "format/cast.h"
#include "op/families.h"

#include <string.h>

/* Enough for a quotient beside a zero point, and for what decides how a quotient is rounded. */
enum { SUM_BITS = 400, QUOTIENT_BITS = 120 };

static const struct format *given_format(const struct array_call *call,
                                         enum parameter_number number,
                                         const struct format *otherwise) {
    const struct parameter_value *given = &call->parameters->values[number];
    return given->present ? given->format : otherwise;
}

/* That of the real numbers, where it can be one. */
static const struct format *scale_format(const struct array_call *call,
                                         const struct format *format) {
    const struct onnx_row *row = call->rule->data;
    const struct format *own =
        row->quantises ? format : parameters_result_format(call->parameters, format);
    return given_format(call, PARAMETER_SCALE_FORMAT,
                        own->is_integer ? &formats[FORMAT_FP32] : own);
}

static bool operands(struct array_call *call, const struct format *format,
                     const struct shape *shape, struct error *error) {
    const struct parameters *given = call->parameters;
    const struct onnx_row *row = call->rule->data;
    const int axis = onnx_axis(call, shape);
    struct shape scales = shape_of(1);
    if (onnx_is_along(given) && axis == shape->dimensions)
        return error_set(error, "--axis: the array has only %d dimensions", shape->dimensions);
    if (parameter_flag(given, PARAMETER_BLOCK)) {
        uint64_t block = (uint64_t)given->values[PARAMETER_BLOCK].integer;
        scales = *shape;
        scales.extents[axis] = (shape->extents[axis] + block - 1) / block;
    } else if (onnx_is_along(given))
        scales = shape_of(shape->extents[axis]);
    call->operands[ONNX_X] = (struct array){.format = format, .shape = *shape};
    call->operands[ONNX_SCALE] =
        (struct array){.format = scale_format(call, format), .shape = scales};
    call->operands[ONNX_ZERO] =
        (struct array){.format = row->quantises ? parameters_result_format(given, format) : format,
                       .shape = scales};
    call->results[0].format = parameters_result_format(given, format);
    return onnx_allowed(call, error);
}

static bool results(struct array_call *call, struct error *error) {
    (void)error;
    call->results[0].shape = call->operands[ONNX_X].shape;
    return true;
}

/* A number as another format has it, rounded to nearest-even. */
static struct real rounded(const struct real *x, const struct format *to) {
    return format_decode(to, format_encode(to, x, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
}

static struct real zero_point(const struct array_call *call, uint64_t at) {
    return array_number(&call->operands[ONNX_ZERO], at);
}

/* x over its scale, each rounded to the precision and so the quotient. */
static struct real quotient(const struct onnx_call *onnx, uint64_t element) {
    const struct array *operands = onnx->call->operands;
    struct real x = array_number(&operands[ONNX_X], element),
                s = array_number(&operands[ONNX_SCALE], onnx_scale_at(onnx, element));
    mpfr_t q, divisor;
    mpfr_inits2(QUOTIENT_BITS, q, divisor, (mpfr_ptr)0);
    x = rounded(&x, onnx->precision);
    s = rounded(&s, onnx->precision);
    real_to_mpfr(q, &x);
    real_to_mpfr(divisor, &s);
    int ternary = mpfr_div(q, q, divisor, MPFR_RNDZ);
    x = real_from_mpfr(q, ternary);
    mpfr_clears(q, divisor, (mpfr_ptr)0);
    return rounded(&x, onnx->precision);
}

/* The sum or the difference of two numbers, exactly or truncated to the precision. */
static struct real combined(const struct real *x, const struct real *y, bool minus, int precision) {
    mpfr_t a, b, sum;
    mpfr_inits2(128, a, b, (mpfr_ptr)0);
    mpfr_init2(sum, precision);
    real_to_mpfr(a, x);
    real_to_mpfr(b, y);
    int ternary = minus ? mpfr_sub(sum, a, b, MPFR_RNDZ) : mpfr_add(sum, a, b, MPFR_RNDZ);
    struct real result = real_from_mpfr(sum, ternary);
    mpfr_clears(a, b, sum, (mpfr_ptr)0);
    return result;
}

static struct real least_of(const struct format *format) {
    uint64_t most = format_most(format, true);
    return format_decode(format, format_with_sign(format, most, true));
}

static bool exact_quantised(const struct array_call *call, int result, int precision,
                            struct real *y, struct error *error) {
    const struct onnx_call onnx = onnx_call_of(call);
    (void)result;
    (void)error;
    for (uint64_t i = 0; i < shape_elements(&call->results[0].shape); i++) {
        struct real z = zero_point(call, onnx_scale_at(&onnx, i));
        y[i] = quotient(&onnx, i);
        if (onnx.narrow->is_integer)
            y[i] = y[i].kind == REAL_NAN ? least_of(onnx.narrow)
                                         : combined(&y[i], &z, false, precision);
    }
    return true;
}

/* To an integer, in the call's direction. */
static void round_to_integer(mpfr_ptr value, enum rounding rounding) {
    switch (rounding) {
    case ROUND_TOWARD_ZERO:
        mpfr_trunc(value, value);
        break;
    case ROUND_UP:
        mpfr_ceil(value, value);
        break;
    case ROUND_DOWN:
        mpfr_floor(value, value);
        break;
    case ROUND_NEAREST_AWAY:
        mpfr_round(value, value);
        break;
    default:
        mpfr_roundeven(value, value);
    }
}

/* The quotient is rounded, and then the zero point is added: halves go to even quotients. */
static uint64_t integer_code(const struct array_call *call, const struct real *q,
                             const struct real *z, bool *by_rule) {
    const struct format *format = call->results[0].format;
    struct real least = least_of(format);
    mpfr_t value, end;
    mpfr_inits2(SUM_BITS, value, end, (mpfr_ptr)0);
    real_to_mpfr(value, q);
    round_to_integer(value, call->rounding);
    real_to_mpfr(end, z);
    mpfr_add(value, value, end, MPFR_RNDN);
    real_to_mpfr(end, &least);
    bool below = mpfr_nan_p(value) || mpfr_cmp(value, end) < 0;
    bool above = !mpfr_nan_p(value) && mpfr_cmp_ui(value, (unsigned long)format->max_finite) > 0;
    *by_rule = below || above;
    uint64_t code = below   ? (uint64_t)mpfr_get_sj(end, MPFR_RNDN)
                    : above ? format->max_finite
                            : (uint64_t)mpfr_get_sj(value, MPFR_RNDN);
    mpfr_clears(value, end, (mpfr_ptr)0);
    return code & format_mask(format);
}

/* The profile that has the table of that operator set; no table has the formats of 6 bits. */
static const struct profile *profile_of(const struct array_call *call, const struct format *to) {
    int64_t opset = parameter_integer(call->parameters, PARAMETER_OPSET, 10);
    bool unsaturated = parameter_flag(call->parameters, PARAMETER_UNSATURATED);
    bool old = opset < 24 && to != &formats[FORMAT_FP4_E2M1FN];
    const char *name = to->width == 6 ? "onnx-reference"
                       : old          ? (unsaturated ? "onnx-19-unsaturated" : "onnx-19")
                                      : (unsaturated ? "onnx-24-unsaturated" : "onnx-24");
    size_t at = 0;
    while (strcmp(profiles[at].name, name) != 0)
        at++;
    return &profiles[at];
}

static uint64_t want_quantised(const struct array_call *call, int result, uint64_t element,
                               const struct real *y, bool *by_rule) {
    const struct onnx_call onnx = onnx_call_of(call);
    const struct format *to = call->results[result].format;
    if (to->is_integer) {
        struct real q = quotient(&onnx, element);
        struct real z = zero_point(call, onnx_scale_at(&onnx, element));
        return integer_code(call, &q, &z, by_rule);
    }
    const struct cast cast = {.from = onnx.precision,
                              .to = to,
                              .rounding = call->rounding,
                              .profile = profile_of(call, to)};
    *by_rule = y->kind == REAL_INFINITE ||
               (y->kind == REAL_FINITE && format_overflows(to, y, call->rounding));
    return y->kind == REAL_NAN ? cast_code(&cast, onnx.precision->nan, 0)
                               : cast_number(&cast, y, 0);
}

static bool exact_dequantised(const struct array_call *call, int result, int precision,
                              struct real *y, struct error *error) {
    const struct onnx_call onnx = onnx_call_of(call);
    mpfr_t product, scale;
    (void)result;
    (void)error;
    mpfr_init2(product, precision);
    mpfr_init2(scale, 64);
    for (uint64_t i = 0; i < shape_elements(&call->results[0].shape); i++) {
        uint64_t at = onnx_scale_at(&onnx, i);
        struct real s = array_number(&call->operands[ONNX_SCALE], at), z = zero_point(call, at);
        y[i] = array_number(&call->operands[ONNX_X], i);
        if (onnx.narrow->is_integer)
            y[i] = combined(&y[i], &z, true, QUOTIENT_BITS);
        y[i] = rounded(&y[i], &formats[FORMAT_FP32]);
        real_to_mpfr(product, &y[i]);
        real_to_mpfr(scale, &s);
        int ternary = mpfr_mul(product, product, scale, MPFR_RNDZ);
        y[i] = real_from_mpfr(product, ternary);
    }
    mpfr_clears(product, scale, (mpfr_ptr)0);
    return true;
}

/* x / scale + zero point, or (x - zero point) * scale, of which the operators round every step. */
static bool unrounded(const struct array_call *call, int result, int precision, struct real *y,
                      struct error *error) {
    enum { WHOLE_BITS = 1024 }; /* holds x + z s */
    const struct onnx_call onnx = onnx_call_of(call);
    const struct onnx_row *row = call->rule->data;
    mpfr_t x, s, z, found;
    (void)result;
    (void)error;
    mpfr_inits2(WHOLE_BITS, x, s, z, (mpfr_ptr)0);
    mpfr_init2(found, precision);
    for (uint64_t i = 0; i < shape_elements(&call->results[0].shape); i++) {
        uint64_t at = onnx_scale_at(&onnx, i);
        struct real operands[] = {
            array_number(&call->operands[ONNX_X], i), array_number(&call->operands[ONNX_SCALE], at),
            onnx.narrow->is_integer ? zero_point(call, at) : real_zero(false)};
        real_to_mpfr(x, &operands[0]);
        real_to_mpfr(s, &operands[1]);
        real_to_mpfr(z, &operands[2]);
        const bool whole = mpfr_regular_p(s);
        if (row->quantises && !mpfr_zero_p(z) && whole)
            mpfr_fma(x, z, s, x, MPFR_RNDN);
        if (!row->quantises && !mpfr_zero_p(z))
            mpfr_sub(x, x, z, MPFR_RNDN);
        int ternary = (row->quantises ? mpfr_div : mpfr_mul)(found, x, s, MPFR_RNDZ);
        if (row->quantises && !mpfr_zero_p(z) && !whole)
            ternary = mpfr_add(found, found, z, MPFR_RNDZ);
        y[i] = real_from_mpfr(found, ternary);
    }
    mpfr_clears(x, s, z, found, (mpfr_ptr)0);
    return true;
}

static bool provides(const struct array_call *call, struct error *why) {
    if (call->rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "onnx rounds to nearest-even only");
    return true;
}

static bool provides_naive(const struct array_call *call, struct error *why) {
    if (!call->results[0].format->is_integer)
        return error_set(why, "naive is of integers only");
    return provides(call, why);
}

static const struct array_algorithm quantise_algorithms[] = {
    {"det", "quotients in double, rounded to the precision", provides, onnx_run_det, NULL, NULL},
    {"naive", "times the reciprocal of the scale, in fp32", provides_naive, onnx_run_naive, NULL,
     NULL},
    {0}};
static const struct array_algorithm dequantise_algorithms[] = {
    {"det", "products in double, rounded once", provides, onnx_run_det, NULL, NULL}, {0}};

static const struct shape shapes[] = {{2, {64, 256}}, {2, {7, 33}}, {0}};

#define ONNX_PARAMETERS                                                                            \
    (PARAMETER_BIT(TO) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) |                   \
     PARAMETER_BIT(AXIS) | PARAMETER_BIT(OPSET) | PARAMETER_BIT(SCALE_FORMAT) |                    \
     PARAMETER_BIT(BLOCK))

static const struct operation rows[] = {
    {.name = "onnx.quantise",
     .aliases = "onnx.quantize QuantizeLinear onnx.QuantizeLinear",
     .formula = "round(x / s) + z",
     .operands = 3,
     .results = 1,
     .parameters = ONNX_PARAMETERS | PARAMETER_BIT(PRECISION) | PARAMETER_BIT(UNSATURATED),
     .defaults = {{PARAMETER_TO, "uint8"}},
     .group = "onnx",
     .array = &(const struct array_rule){.data = &(const struct onnx_row){"onnx.quantise", true,
                                                                          detmath_quantise_linear},
                                         .operand_names = {"x", "scale", "zero_point"},
                                         .operand_shapes = operands,
                                         .result_shapes = results,
                                         .exact = exact_quantised,
                                         .unrounded = unrounded,
                                         .want = want_quantised,
                                         .algorithms = quantise_algorithms,
                                         .families = onnx_number_families,
                                         .shapes = shapes},
     .takes_kinds = true},
    {.name = "onnx.dequantise",
     .aliases = "onnx.dequantize DequantizeLinear onnx.DequantizeLinear",
     .formula = "(x - z) s",
     .operands = 3,
     .results = 1,
     .parameters = ONNX_PARAMETERS,
     .defaults = {{PARAMETER_TO, "fp32"}},
     .group = "onnx",
     .array =
         &(const struct array_rule){
             .data = &(const struct onnx_row){"onnx.dequantise", false, detmath_dequantise_linear},
             .operand_names = {"x", "scale", "zero_point"},
             .operand_shapes = operands,
             .result_shapes = results,
             .exact = exact_dequantised,
             .unrounded = unrounded,
             .algorithms = dequantise_algorithms,
             .families = onnx_code_families,
             .shapes = shapes},
     .format = "uint8",
     .takes_kinds = true},
};
OPERATION_FAMILY(onnx, rows);
