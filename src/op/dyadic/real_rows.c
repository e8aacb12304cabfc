/* Rows of the conversions between real numbers and dyadic integers. */
#include "op/dyadic/exact.h"
#include "op/dyadic/rows.h"

#include "detmath/library/dyadic_kernels.h"
#include "detmath/random.h"
#include "op/array/slices.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { X };
enum { MANTISSA, SCALE };

/* The formats that detmath takes apart and puts together. */
static const struct {
    enum format_number number;
    struct detmath_dyadic_real_format parts;
} real_formats[] = {{FORMAT_FP64, DETMATH_DYADIC_F64},
                    {FORMAT_FP32, DETMATH_DYADIC_F32},
                    {FORMAT_FP16, DETMATH_DYADIC_F16},
                    {FORMAT_BF16, DETMATH_DYADIC_BF16},
                    {FORMAT_FP8_E5M2, {8, 3, -14}}};

static const struct detmath_dyadic_real_format *parts_of(const struct format *format) {
    for (size_t i = 0; i < sizeof real_formats / sizeof *real_formats; i++)
        if (format == &formats[real_formats[i].number])
            return &real_formats[i].parts;
    return NULL;
}

static bool refuse_format(const struct format *format, struct error *why) {
    return parts_of(format) ||
           error_set(why, "it knows fp64, fp32, fp16, bf16 and fp8_e5m2, not %s", format->name);
}

/* From real numbers. */
static struct dyadic_question question_of(const struct array_call *call) {
    const struct parameters *given = call->parameters;
    return (struct dyadic_question){.t = (int)parameter_integer(given, PARAMETER_TARGET, 0),
                                    .bits = (int)parameter_integer(given, PARAMETER_BITS, 8),
                                    .is_signed = !parameter_flag(given, PARAMETER_UNSIGNED),
                                    .rules = dyadic_rules_of(call)};
}

static struct detmath_dyadic_plan plan_of(const struct array_call *call) {
    const struct dyadic_question question = question_of(call);
    return detmath_dyadic_plan_from_real(question.t, question.bits, question.is_signed,
                                         question.rules);
}

static bool from_operands(struct array_call *call, const struct format *format,
                          const struct shape *shape, struct error *error) {
    if (plan_of(call).status)
        return error_set(error, "--bits needs 1 to 64, and 1 to 63 with --unsigned");
    return shapes_equal(call, format, shape, error);
}

static bool explain(uint32_t status, const struct array_call *call, struct error *error) {
    return status & DETMATH_DYADIC_NOT_A_NUMBER
               ? error_set(error, "dyadic.from_real: a NaN is not a dyadic number")
               : dyadic_explain_overflow(call, error);
}

/* Asks for every element; `take` uses the answer. */
typedef void take_answer(struct dyadic_exact *oracle, uint64_t element, void *context);
static uint32_t ask_all(const struct array_call *call, uint64_t elements, take_answer *take,
                        void *context) {
    struct dyadic_question question = question_of(call);
    struct dyadic_exact oracle;
    uint32_t status = 0;
    dyadic_exact_open(&oracle);
    for (uint64_t i = 0; i < elements; i++) {
        struct real x = array_number(&call->operands[X], i);
        question.random = dyadic_random_bits_of(call, i);
        dyadic_exact_from_real(&oracle, &question, &x);
        status |= oracle.status;
        take(&oracle, i, context);
    }
    dyadic_exact_close(&oracle);
    return status;
}

/* Where the value goes, and of infinities the numbers that they are. */
struct unrounded {
    const struct array_call *call;
    int precision;
    struct real *y;
};

static void take_unrounded(struct dyadic_exact *oracle, uint64_t element, void *context) {
    const struct unrounded *unrounded = context;
    struct real x = array_number(&unrounded->call->operands[X], element);
    unrounded->y[element] =
        x.kind == REAL_INFINITE ? x : dyadic_exact_unrounded(oracle, unrounded->precision);
}

static void take_mantissa(struct dyadic_exact *oracle, uint64_t element, void *context) {
    struct real *y = context;
    y[element] = dyadic_integer_real(oracle->v);
}

static bool from_exact(const struct array_call *call, int result, int precision, struct real *y,
                       struct error *error) {
    (void)precision;
    if (result == SCALE) {
        y[0] = format_decode(&integer_formats[FORMAT_INT32], (uint32_t)question_of(call).t);
        return true;
    }
    uint32_t status = ask_all(call, shape_elements(&call->operands[X].shape), take_mantissa, y);
    return !status || explain(status, call, error);
}

static bool from_unrounded(const struct array_call *call, int result, int precision, struct real *y,
                           struct error *error) {
    struct unrounded unrounded = {call, precision, y};
    if (result == SCALE)
        return from_exact(call, result, precision, y, error);
    uint32_t status =
        ask_all(call, shape_elements(&call->operands[X].shape), take_unrounded, &unrounded);
    return !status || explain(status, call, error);
}

struct valuation {
    const struct array_call *call;
    const struct array (*outputs)[MAX_ARRAY_RESULTS];
    size_t count;
    struct array_value *values;
};

static void take_value(struct dyadic_exact *oracle, uint64_t element, void *context) {
    const struct valuation *valuation = context;
    struct real x = array_number(&valuation->call->operands[X], element);
    for (size_t k = 0; k < valuation->count; k++) {
        const struct array *outputs = valuation->outputs[k];
        struct array_value *value = &valuation->values[element * valuation->count + k];
        *value = (struct array_value){.clipped = oracle->clipped,
                                      .overflowed = oracle->overflowed,
                                      .lost_bits = oracle->lost_bits};
        value->error =
            dyadic_exact_error(oracle, dyadic_mantissa_at(&outputs[MANTISSA], element),
                               (long)dyadic_mantissa_at(&outputs[SCALE], 0), 0, &value->below);
        if (x.kind == REAL_INFINITE) {
            value->error = DBL_MAX;
            value->below = !x.negative;
        }
    }
}

static bool from_values(const struct array_call *call,
                        const struct array (*outputs)[MAX_ARRAY_RESULTS], size_t count,
                        struct array_value *values, struct error *error) {
    struct valuation valuation = {call, outputs, count, values};
    (void)error;
    ask_all(call, shape_elements(&call->operands[X].shape), take_value, &valuation);
    return true;
}

/* Real numbers have no scale to count errors in. */
static long from_value_scale(const struct array_rule *rule, const struct parameters *given) {
    (void)rule;
    (void)given;
    return 0;
}

static bool from_provides(const struct array_call *call, struct error *why) {
    return refuse_format(call->operands[X].format, why);
}

static bool from_run(const struct array_call *call, const struct array_algorithm *algorithm,
                     struct error *error) {
    enum { STRIP = 1024 };
    const struct array *x = &call->operands[X];
    const struct detmath_dyadic_plan plan = plan_of(call);
    const struct detmath_dyadic_kernels *kernels =
        detmath_dyadic_kernels(DETMATH_DYADIC_INDEX_from_f64);
    bool wide = plan.rules.bits == 64;
    uint64_t seed = (uint64_t)call->parameters->values[PARAMETER_STOCHASTIC].integer;
    uint64_t elements = shape_elements(&x->shape);
    uint32_t status = 0;
    (void)algorithm;
    for (uint64_t at = 0; at < elements; at += STRIP) {
        size_t n = elements - at < STRIP ? (size_t)(elements - at) : STRIP;
        double numbers[STRIP];
        for (size_t i = 0; i < n; i++) {
            uint64_t code = element_cast(x->format, &formats[FORMAT_FP64], array_code(x, at + i));
            memcpy(&numbers[i], &code, sizeof code);
        }
        char *to = (char *)call->results[MANTISSA].codes + at * (wide ? 8 : 4);
        status |= (wide ? kernels->i64 : kernels->i32)(to, numbers, NULL, n, &plan, seed, at);
    }
    code_store(call->results[SCALE].codes, sizeof plan.s, 0, (uint32_t)plan.s);
    return !status || explain(status, call, error);
}

/* Families of real numbers about the ones that the bounds stand for. */
static int64_t spread(const struct array_call *call, uint64_t bits) {
    int width = question_of(call).bits;
    return (int64_t)bits >> (width > 50 ? 13 : 62 - width);
}

/* Up to twice beyond the bounds; `half` of them next to where rounding changes. */
static void draw_range(const struct array_call *call, const struct array_family *family,
                       uint64_t seed, uint64_t number) {
    const struct array *x = &call->operands[X];
    for (uint64_t i = 0; i < shape_elements(&x->shape); i++) {
        uint64_t bits = detmath_random(seed + number, i), more = detmath_random(~seed - number, i);
        int64_t v = 2 * spread(call, bits) + (family->data ? 1 : 0);
        struct real y = format_decode(&integer_formats[FORMAT_INT64], (uint64_t)v);
        y.exponent -= 1 + question_of(call).t;
        uint64_t code = format_encode(x->format, &y, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE);
        uint64_t near = code + (family->data ? more % 3 - 1 : more % 256);
        struct real moved = format_decode(x->format, near & format_mask(x->format));
        bool finite = moved.kind == REAL_FINITE || moved.kind == REAL_ZERO;
        array_set_code(x, i, finite ? near & format_mask(x->format) : code);
    }
}

/* All finite codes alike. */
static void draw_codes(const struct array_call *call, const struct array_family *family,
                       uint64_t seed, uint64_t number) {
    const struct array *x = &call->operands[X];
    (void)family;
    for (uint64_t i = 0; i < shape_elements(&x->shape); i++) {
        uint64_t code = detmath_random(seed + number, i) & format_mask(x->format);
        enum real_kind kind = format_decode(x->format, code).kind;
        array_set_code(x, i, kind == REAL_FINITE || kind == REAL_ZERO ? code : 0);
    }
}

static const struct array_family from_families[] = {
    {"range", "up to twice what the mantissas hold", draw_range, NULL, 0},
    {"ties", "at, below and above where rounding changes", draw_range, "", 0},
    {"codes", "all finite numbers of the format alike", draw_codes, NULL, 0},
    {0}};

static const struct array_algorithm from_algorithms[] = {
    {"det", "integers only", from_provides, from_run, NULL, NULL}, {0}};

/* To real numbers. */
static bool to_results(struct array_call *call, struct error *error) {
    (void)error;
    call->results[0] = (struct array){
        .format = parameters_result_format(call->parameters, call->operands[X].format),
        .shape = call->operands[X].shape};
    if (call->results[0].format->is_integer || call->results[0].format->is_element)
        return error_set(error, "--to needs a format of real numbers, not %s",
                         call->results[0].format->name);
    return true;
}

static bool to_exact(const struct array_call *call, int result, int precision, struct real *y,
                     struct error *error) {
    long s = (long)parameter_integer(call->parameters, PARAMETER_S1, 0);
    (void)result;
    (void)precision;
    (void)error;
    for (uint64_t i = 0; i < shape_elements(&call->operands[X].shape); i++) {
        y[i] = array_number(&call->operands[X], i);
        if (y[i].kind == REAL_FINITE)
            y[i].exponent -= (int32_t)s;
    }
    return true;
}

static bool to_provides(const struct array_call *call, struct error *why) {
    return refuse_format(call->results[0].format, why);
}

static bool to_run(const struct array_call *call, const struct array_algorithm *algorithm,
                   struct error *error) {
    const struct array *y = &call->results[0];
    int s = (int)parameter_integer(call->parameters, PARAMETER_S1, 0);
    enum detmath_dyadic_rounding rounding = dyadic_rules_of(call).rounding;
    (void)algorithm;
    (void)error;
    for (uint64_t i = 0; i < shape_elements(&y->shape); i++)
        array_set_code(y, i,
                       detmath_dyadic_to_code(dyadic_mantissa_at(&call->operands[X], i), s,
                                              *parts_of(y->format), rounding));
    return true;
}

static const struct array_algorithm to_algorithms[] = {
    {"det", "integers only", to_provides, to_run, NULL, NULL}, {0}};

static const struct shape shapes[] = {{1, {65536}}, {0}};

#define FROM_PARAMETERS ((DYADIC_ONE & ~PARAMETER_BIT(S1)) | DYADIC_TO | DYADIC_CLIP)

static const struct operation rows[] = {
    {.name = "dyadic.from_real",
     .formula = "clip(x 2^t)",
     .operands = 1,
     .results = 2,
     .parameters = FROM_PARAMETERS,
     .group = "dyadic",
     .result = {{.name = "mantissa"}, {.name = "scale"}},
     .array = &(const struct array_rule){.operand_names = {"x"},
                                         .operand_shapes = from_operands,
                                         .result_shapes = dyadic_results,
                                         .exact = from_exact,
                                         .unrounded = from_unrounded,
                                         .values = from_values,
                                         .value_scale = from_value_scale,
                                         .algorithms = from_algorithms,
                                         .families = from_families,
                                         .shapes = shapes}},
    {.name = "dyadic.to_real",
     .formula = "x 2^-s",
     .operands = 1,
     .results = 1,
     .parameters = PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) | PARAMETER_BIT(S1) |
                   PARAMETER_BIT(TO),
     .defaults = {{PARAMETER_TO, "fp32"}},
     .group = "dyadic",
     .format = "int8",
     .array = &(const struct array_rule){.operand_names = {"x"},
                                         .operand_shapes = shapes_equal,
                                         .result_shapes = to_results,
                                         .exact = to_exact,
                                         .algorithms = to_algorithms,
                                         .families = dyadic_families,
                                         .shapes = shapes}},
};
OPERATION_FAMILY(dyadic_real, rows);
