/* Rows of operations on dyadic integers. Operands are arrays of mantissas whose scales, like shifts
 * and bounds, are parameters; the results are mantissas, as wide as the accumulator, and one scale.
 */
#include "op/dyadic/rows.h"

#include "detmath/library/dyadic_kernels.h"
#include "detmath/random.h"
#include "op/array/slices.h"
#include "op/dyadic/exact.h"

enum { X1, X2 };
enum { MANTISSA, SCALE };

#define PLAN(NAME, PLAN_OF)                                                                        \
    static struct detmath_dyadic_plan plan_##NAME(const struct dyadic_question *question) {        \
        return PLAN_OF;                                                                            \
    }
PLAN(add, detmath_dyadic_plan_add(question->x1.s, question->x2.s, question->rules))
PLAN(sub, detmath_dyadic_plan_add(question->x1.s, question->x2.s, question->rules))
PLAN(mul, detmath_dyadic_plan_mul(question->x1.s, question->x2.s, question->shift, question->rules))
PLAN(div, detmath_dyadic_plan_div(question->x1.s, question->x2.s, question->shift, question->rules))
PLAN(equal, detmath_dyadic_plan_equal(question->x1.s, question->x2.s, question->rules))
PLAN(relu, detmath_dyadic_plan_align(question->x1.s, question->x1.s, question->rules))
PLAN(relu_gradient,
     detmath_dyadic_plan_relu_gradient(question->x1.s, question->x2.s, question->rules))
PLAN(align, detmath_dyadic_plan_align(question->x1.s, question->t, question->rules))
PLAN(requantise, detmath_dyadic_plan_requantise(question->x1.s, question->t, question->bits,
                                                question->is_signed, question->rules))
/* The second operand was requantised. */
PLAN(gradient, detmath_dyadic_plan_requantise(question->x2.s, question->t, question->bits,
                                              question->is_signed, question->rules))

static struct detmath_dyadic_plan plan_of(const struct array_call *call,
                                          const struct dyadic_question *question) {
    const struct dyadic_row *row = call->rule->data;
    return row->plan(question);
}

/* The scale of the exact result: the finer one of terms, the sum of factors' scales. */
#define SCALE_OF(NAME, SCALE)                                                                      \
    static long scale_##NAME(long s1, long s2) {                                                   \
        return (void)s1, (void)s2, SCALE;                                                          \
    }
SCALE_OF(finer, s1 > s2 ? s1 : s2)
SCALE_OF(product, s1 + s2)
SCALE_OF(quotient, s1 - s2)
SCALE_OF(first, s1)
SCALE_OF(none, 0)

static bool check_plan(const struct array_call *call, const struct dyadic_question *question,
                       struct error *error) {
    uint32_t status = plan_of(call, question).status;
    if (status & DETMATH_DYADIC_BAD_SCALE)
        return error_set(error,
                         "the result's scale must be from -%d to %d; see --s1, --s2 and --%s",
                         DETMATH_DYADIC_MOST_SCALE, DETMATH_DYADIC_MOST_SCALE,
                         question->operation == DYADIC_MUL   ? "q"
                         : question->operation == DYADIC_DIV ? "p"
                                                             : "target");
    if (status & DETMATH_DYADIC_BAD_WIDTH)
        return error_set(error, "--bits needs 1 to 64, and 1 to 63 with --unsigned");
    return true;
}

static bool operands(struct array_call *call, const struct format *format,
                     const struct shape *shape, struct error *error) {
    struct dyadic_question question = dyadic_question_of(call);
    if (!format->is_integer)
        return error_set(error,
                         "dyadic operations are on integers, not %s; --format int8, int16, "
                         "int32 or int64",
                         format->name);
    return shapes_equal(call, format, shape, error) && check_plan(call, &question, error);
}

bool dyadic_results(struct array_call *call, struct error *error) {
    (void)error;
    bool wide = parameter_integer(call->parameters, PARAMETER_ACCUMULATOR, 0);
    call->results[MANTISSA] =
        (struct array){.format = &integer_formats[wide ? FORMAT_INT64 : FORMAT_INT32],
                       .shape = call->operands[X1].shape};
    call->results[SCALE] =
        (struct array){.format = &integer_formats[FORMAT_INT32], .shape = shape_of(1)};
    return true;
}

static long value_scale(const struct array_rule *rule, const struct parameters *given) {
    const struct dyadic_row *row = rule->data;
    return row->value_scale((long)parameter_integer(given, PARAMETER_S1, 0),
                            (long)parameter_integer(given, PARAMETER_S2, 0));
}

/* Mantissas of any width into the accumulator's, and the array form over them. */
static bool run_plan(const struct array_call *call, struct detmath_dyadic_plan plan,
                     struct error *error) {
    enum { STRIP = 1024 };
    const struct dyadic_question question = dyadic_question_of(call);
    const struct dyadic_row *row = call->rule->data;
    const struct detmath_dyadic_kernels *kernels =
        detmath_dyadic_kernels((enum detmath_dyadic_operation)row->kernel);
    bool wide = question.rules.bits == 64;
    uint64_t elements = shape_elements(&call->operands[X1].shape);
    uint64_t seed = (uint64_t)call->parameters->values[PARAMETER_STOCHASTIC].integer;
    uint32_t status = 0;
    for (uint64_t at = 0; at < elements; at += STRIP) {
        size_t n = elements - at < STRIP ? (size_t)(elements - at) : STRIP;
        int32_t narrow[2][STRIP] = {{0}};
        int64_t full[2][STRIP] = {{0}};
        for (int k = 0; k < 2 && call->operands[k].codes; k++)
            for (size_t i = 0; i < n; i++) {
                full[k][i] = dyadic_mantissa_at(&call->operands[k], at + i);
                if (!wide)
                    narrow[k][i] = (int32_t)detmath_dyadic_load(full[k][i], plan.rules, &status);
            }
        char *to = call->results[MANTISSA].codes;
        if (wide)
            status |= kernels->i64(to + at * sizeof **full, full[0], full[1], n, &plan, seed, at);
        else
            status |=
                kernels->i32(to + at * sizeof **narrow, narrow[0], narrow[1], n, &plan, seed, at);
    }
    int32_t s = question.operation == DYADIC_GRADIENT ? question.x1.s : plan.s;
    code_store(call->results[SCALE].codes, sizeof s, 0, (uint32_t)s);
    return !status || dyadic_explain(status, call, error);
}

static bool run_det(const struct array_call *call, const struct array_algorithm *algorithm,
                    struct error *error) {
    const struct dyadic_question question = dyadic_question_of(call);
    (void)algorithm;
    return run_plan(call, plan_of(call, &question), error);
}

static const struct array_algorithm algorithms[] = {
    {"det", "integers only", NULL, run_det, NULL, NULL}, {0}};

/* The text as it stands: an alignment and a requantisation shift to the right by the target's scale
 * less the source's, and the gradient tests the value after the clip, where the test always holds. */
static bool text_provides(const struct array_call *call, struct error *why) {
    const struct dyadic_question question = dyadic_question_of(call);
    const int s1 = question.x1.s, s2 = question.x2.s;
    if (question.operation == DYADIC_ADD || question.operation == DYADIC_SUB)
        return question.rules.alignment == DETMATH_DYADIC_FINER || s1 == s2 ||
               error_set(why, "the article aligns to the larger of the scales: --align finer");
    return question.t >= (question.operation == DYADIC_GRADIENT ? s2 : s1) ||
           error_set(why, "the article shifts right by the target's scale less the source's, and "
                          "here this is below 0");
}

static struct detmath_dyadic_plan text_plan_of(const struct array_call *call,
                                               const struct dyadic_question *question) {
    const struct detmath_dyadic_rules rules = question->rules;
    const int s1 = question->x1.s, s2 = question->x2.s, t = question->t;
    struct detmath_dyadic_plan plan = plan_of(call, question);
    switch (question->operation) {
    case DYADIC_ADD:
    case DYADIC_SUB:
        plan.raise1 = plan.raise2 = 0;
        plan.lower1 = detmath_dyadic_plan_align(plan.s, s1, rules).lower1;
        plan.lower2 = detmath_dyadic_plan_align(plan.s, s2, rules).lower1;
        return plan;
    case DYADIC_GRADIENT: /* the mask lets all pass */
        plan.bounds = (struct detmath_dyadic_bounds){INT64_MIN, INT64_MAX};
        return plan;
    default:
        plan.raise1 = 0;
        plan.lower1 = detmath_dyadic_plan_align(t, s1, rules).lower1;
        return plan;
    }
}

static bool run_text(const struct array_call *call, const struct array_algorithm *algorithm,
                     struct error *error) {
    const struct dyadic_question question = dyadic_question_of(call);
    (void)algorithm;
    return run_plan(call, text_plan_of(call, &question), error);
}

static const struct array_algorithm text_algorithms[] = {
    {"det", "integers only", NULL, run_det, NULL, NULL},
    {"text", "the text's shift and mask", text_provides, run_text, NULL, NULL},
    {0}};

/* Families. A quotient has no divisor that is 0, or that the accumulator holds as 0: that is an
 * error, which tests see elsewhere. */
static void set_mantissa(const struct array_call *call, int operand, uint64_t element, int64_t v) {
    const struct array *array = &call->operands[operand];
    if (call->rule->which == DYADIC_DIV && operand == X2 &&
        detmath_dyadic_load(v, dyadic_rules_of(call), &(uint32_t){0}) == 0)
        v = 1;
    array_set_code(array, element, (uint64_t)v & format_mask(array->format));
}

static void draw_pairs(const struct array_call *call, const struct array_family *family,
                       uint64_t seed, uint64_t number) {
    (void)family;
    (void)seed;
    (void)number;
    for (int k = 0; k < 3 && call->operands[k].codes; k++)
        for (uint64_t i = 0; i < shape_elements(&call->operands[k].shape); i++)
            set_mantissa(call, k, i, (int8_t)((k == X1 ? i >> 8 : i) & 255));
}

typedef int64_t mantissa_function(const struct format *format, uint64_t bits);

static int64_t any(const struct format *format, uint64_t bits) {
    return (int64_t)bits >> (64 - format->width);
}

/* Within 4 of 0 or of a power of two of either sign, ends included. */
static int64_t edge(const struct format *format, uint64_t bits) {
    uint64_t power = UINT64_C(1) << (bits % format->width);
    uint64_t v = (bits >> 8 & 1 ? 0 - power : power) + (bits >> 16 & 7) - 4;
    return format_ordinal(format, (bits >> 24 & 3 ? v : v - power) & format_mask(format));
}

static void draw(const struct array_call *call, const struct array_family *family, uint64_t seed,
                 uint64_t number) {
    mantissa_function *const *mantissa = family->data;
    for (int k = 0; k < 3 && call->operands[k].codes; k++)
        for (uint64_t i = 0; i < shape_elements(&call->operands[k].shape); i++)
            set_mantissa(
                call, k, i,
                (*mantissa)(
                    call->operands[k].format,
                    detmath_random(seed + 2 * number + (uint64_t)k + (k == 2 ? ~seed : 0), i)));
}

const struct array_family dyadic_families[] = {
    {"pairs", "every int8 beside every int8", draw_pairs, NULL, 1},
    {"uniform", "all integers of the format alike", draw, &(mantissa_function *const){any}, 0},
    {"edges", "near 0, powers of two and the ends", draw, &(mantissa_function *const){edge}, 0},
    {0}};

static const struct shape shapes[] = {{1, {65536}}, {0}};

#define ONE (1, "x")
#define TWO (2, "x", "y")
/* What comes back, and what the forward operation had. */
#define BACK                    (2, "g", "x")
#define EXACT_STEPS(PARAMETERS) ((PARAMETERS) & ~PARAMETER_BIT(STOCHASTIC)) /* nothing is rounded */

#define ELEMENTS(NAME, OPERANDS, FORMULA, WHICH, SCALE_OF, ALGORITHMS, PARAMETERS)                 \
    DYADIC(NAME, OPERANDS, FORMULA, PARAMETERS, .which = WHICH,                                    \
           .data = &(const struct dyadic_row){dyadic_answer_element, false,                        \
                                              DETMATH_DYADIC_INDEX_##NAME, plan_##NAME,            \
                                              scale_##SCALE_OF},                                   \
           .operand_shapes = operands, .result_shapes = dyadic_results,                            \
           .value_scale = value_scale, .algorithms = ALGORITHMS, .shapes = shapes)

static const struct operation rows[] = {
    ELEMENTS(align, ONE, "x 2^(t-s)", DYADIC_ALIGN, first, text_algorithms, DYADIC_ONE | DYADIC_TO),
    ELEMENTS(add, TWO, "x 2^(t-s1) + y 2^(t-s2)", DYADIC_ADD, finer, text_algorithms,
             DYADIC_TWO | PARAMETER_BIT(ALIGN)),
    ELEMENTS(sub, TWO, "x 2^(t-s1) - y 2^(t-s2)", DYADIC_SUB, finer, text_algorithms,
             DYADIC_TWO | PARAMETER_BIT(ALIGN)),
    ELEMENTS(mul, TWO, "x y 2^-q", DYADIC_MUL, product, algorithms, DYADIC_TWO | PARAMETER_BIT(Q)),
    ELEMENTS(div, TWO, "x 2^p / y", DYADIC_DIV, quotient, algorithms,
             DYADIC_TWO | PARAMETER_BIT(P)),
    ELEMENTS(equal, TWO, "x 2^-s1 = y 2^-s2", DYADIC_EQUAL, none, algorithms,
             EXACT_STEPS(DYADIC_TWO)),
    ELEMENTS(relu, ONE, "max(x, 0)", DYADIC_RELU, first, algorithms, EXACT_STEPS(DYADIC_ONE)),
    ELEMENTS(relu_gradient, BACK, "g where x > 0, else 0", DYADIC_RELU_GRADIENT, first, algorithms,
             EXACT_STEPS(DYADIC_TWO)),
};
OPERATION_FAMILY(dyadic, rows);

static const struct operation clipped_rows[] = {
    ELEMENTS(requantise, ONE, "clip(x 2^(t-s))", DYADIC_REQUANTISE, first, text_algorithms,
             DYADIC_ONE | DYADIC_TO | DYADIC_CLIP),
    ELEMENTS(gradient, BACK, "g where x 2^(t-s) is in bounds, else 0", DYADIC_GRADIENT, first,
             text_algorithms, DYADIC_TWO | DYADIC_TO | DYADIC_CLIP),
};
OPERATION_FAMILY(dyadic_clipped, clipped_rows);
