/* The row of requantisation. Its forms are definitions of their own: each is judged by its own text, and runs as
 * an implementation beside the others. */
#include "op/requantise/rows.h"

#include "detmath/quantise.h"
#include "op/array/slices.h"
#include "op/detmath_format.h"
#include "op/dyadic/rows.h"
#include "op/families.h"

static bool operands(struct array_call *call, const struct format *format,
                     const struct shape *shape, struct error *error) {
    const struct format *to = parameters_result_format(call->parameters, format);
    if (!to->is_integer || to->is_element || to->width > 32 || (to->width == 32 && !to->sign_bit))
        return error_set(
            error, "requantise is to integers of at most 32 bits, all numbers of int32, not %s",
            to->name);
    if (requantise_form_of(call) != REQUANTISE_ONCE && call->rounding != ROUND_NEAREST_EVEN)
        return error_set(error, "requantise: --form says how it rounds; --rounding is of once");
    call->operands[REQUANTISE_X] = (struct array){.format = format, .shape = *shape};
    call->operands[REQUANTISE_MULTIPLIER] =
        (struct array){.format = &integer_formats[FORMAT_INT32], .shape = shape_of(1)};
    call->operands[REQUANTISE_SHIFT] =
        (struct array){.format = &integer_formats[FORMAT_INT8], .shape = shape_of(1)};
    call->operands[REQUANTISE_ZERO] = (struct array){.format = to, .shape = shape_of(1)};
    return true;
}

static bool results(struct array_call *call, struct error *error) {
    (void)error;
    call->results[0] = (struct array){.format = call->operands[REQUANTISE_ZERO].format,
                                      .shape = call->operands[REQUANTISE_X].shape};
    return true;
}

static bool check_operands(const struct array_call *call, struct error *error) {
    const int64_t multiplier = requantise_integer(call, REQUANTISE_MULTIPLIER, 0),
                  shift = requantise_integer(call, REQUANTISE_SHIFT, 0);
    if (shift < 0 || shift > REQUANTISE_MOST_SHIFT)
        return error_set(error, "requantise needs a shift from 0 to %d, not %d",
                         REQUANTISE_MOST_SHIFT, (int)shift);
    if (!requantise_is_tosa(requantise_form_of(call)))
        return true;
    if (multiplier < 0 || shift < 2)
        return error_set(error,
                         "TOSA needs a multiplier from 0 on and a shift from 2 on, not %d and %d",
                         (int)multiplier, (int)shift);
    for (uint64_t i = 0; i < shape_elements(&call->operands[REQUANTISE_X].shape); i++) {
        const int64_t x = requantise_integer(call, REQUANTISE_X, i), end = INT64_C(1)
                                                                           << (shift - 1);
        if (x < -end || x >= end)
            return error_set(error,
                             "TOSA needs values from -2^%d to 2^%d - 1 with a shift of %d, not %d",
                             (int)shift - 1, (int)shift - 1, (int)shift, (int)x);
    }
    return true;
}

/* An integer below 2^63 as a number. */
static struct real integer_real(const mpz_t v) {
    return format_decode(&integer_formats[FORMAT_INT64], (uint64_t)mpz_get_si(v));
}

static bool exact(const struct array_call *call, int result, int precision, struct real *y,
                  struct error *error) {
    (void)result;
    (void)precision;
    if (!check_operands(call, error))
        return false;
    mpz_t v, zero;
    mpz_inits(v, zero, NULL);
    for (uint64_t i = 0; i < shape_elements(&call->results[0].shape); i++) {
        requantise_exact(v, requantise_form_of(call), call->rounding,
                         requantise_integer(call, REQUANTISE_X, i),
                         requantise_integer(call, REQUANTISE_MULTIPLIER, 0),
                         (unsigned)requantise_integer(call, REQUANTISE_SHIFT, 0));
        mpz_set_si(zero, (long)requantise_integer(call, REQUANTISE_ZERO, 0));
        mpz_add(v, v, zero);
        y[i] = integer_real(v);
    }
    mpz_clears(v, zero, NULL);
    return true;
}

/* x multiplier / 2^shift + zero point, nothing rounded: at most 64 + 62 bits, of which 120 are kept. */
static bool unrounded(const struct array_call *call, int result, int precision, struct real *y,
                      struct error *error) {
    (void)result;
    (void)error;
    const int64_t shift = requantise_integer(call, REQUANTISE_SHIFT, 0);
    mpfr_t whole, zero, found;
    mpfr_inits2(160, whole, zero, (mpfr_ptr)0);
    mpfr_init2(found, precision);
    for (uint64_t i = 0; i < shape_elements(&call->results[0].shape); i++) {
        mpfr_set_si_2exp(whole, (long)requantise_integer(call, REQUANTISE_X, i), -(mpfr_exp_t)shift,
                         MPFR_RNDN);
        mpfr_mul_si(whole, whole, (long)requantise_integer(call, REQUANTISE_MULTIPLIER, 0),
                    MPFR_RNDN);
        mpfr_set_si(zero, (long)requantise_integer(call, REQUANTISE_ZERO, 0), MPFR_RNDN);
        int ternary = mpfr_add(found, whole, zero, MPFR_RNDZ);
        y[i] = real_from_mpfr(found, ternary);
    }
    mpfr_clears(whole, zero, found, (mpfr_ptr)0);
    return true;
}

/* What is beyond the format is the nearest of its ends, and no error. */
static uint64_t want(const struct array_call *call, int result, uint64_t element,
                     const struct real *y, bool *by_rule) {
    const struct format *format = call->results[result].format;
    (void)element;
    *by_rule = y->kind == REAL_FINITE && format_overflows(format, y, ROUND_TOWARD_ZERO);
    return format_encode(format, y, ROUND_TOWARD_ZERO, OVERFLOW_SATURATE);
}

_Static_assert((int)DETMATH_REQUANTISE_TOSA_DOUBLE == (int)REQUANTISE_TOSA_DOUBLE &&
                   (int)DETMATH_REQUANTISE_FP32 == (int)REQUANTISE_FP32,
               "the forms in one order");

/* By the algorithm's form, or that of the call. */
bool requantise_run(const struct array_call *call, const struct array_algorithm *algorithm,
                    struct error *error) {
    const struct array *x = &call->operands[REQUANTISE_X], *y = &call->results[0];
    const enum requantise_form form =
        algorithm->data ? *(const enum requantise_form *)algorithm->data : requantise_form_of(call);
    const struct detmath_requantise_call given = {
        (enum detmath_requantise_form)form,
        dyadic_rounding_of(call->rounding),
        (int32_t)requantise_integer(call, REQUANTISE_MULTIPLIER, 0),
        (int32_t)requantise_integer(call, REQUANTISE_SHIFT, 0),
        (int32_t)requantise_integer(call, REQUANTISE_ZERO, 0),
        detmath_any_index_of(y->format)};
    return check_operands(call, error) &&
           (detmath_requantise(&given, y->codes, x->codes, shape_elements(&x->shape)) ==
                DETMATH_NO_TROUBLE ||
            error_set(error, "requantise: the library refused what the row allows"));
}

#define FORM(NAME, DETAIL, WHICH)                                                                  \
    { NAME, DETAIL, NULL, requantise_run, &(const enum requantise_form){WHICH}, NULL }

static const struct array_algorithm algorithms[] = {
    {"det", "the form, in integers only", NULL, requantise_run, NULL, NULL},
    FORM("gemmlowp", "by 2^31, halves upwards, then by the rest, halves away", REQUANTISE_GEMMLOWP),
    FORM("tosa", "apply_scale_32", REQUANTISE_TOSA),
    FORM("tosa-double", "apply_scale_32 with double_round", REQUANTISE_TOSA_DOUBLE),
    FORM("naive", "in fp32, and rint", REQUANTISE_FP32),
    {0}};

static const struct shape shapes[] = {{1, {65536}}, {0}};
static const struct format *const accumulators[] = {&integer_formats[FORMAT_INT32], NULL};

static const struct operation rows[] = {
    {.name = "requantise",
     .aliases = "requantize",
     .formula = "clip(round(x m 2^-s) + z)",
     .operands = 4,
     .results = 1,
     .parameters = PARAMETER_BIT(TO) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) |
                   PARAMETER_BIT(FORM),
     .defaults = {{PARAMETER_TO, "int8"}},
     .stands_alone = true,
     .rounds_to_integers = true,
     .format = "int32",
     .formats = accumulators,
     .array =
         &(const struct array_rule){.operand_names = {"x", "multiplier", "shift", "zero_point"},
                                    .operand_shapes = operands,
                                    .result_shapes = results,
                                    .exact = exact,
                                    .unrounded = unrounded,
                                    .want = want,
                                    .algorithms = algorithms,
                                    .families = requantise_families,
                                    .shapes = shapes}},
};
OPERATION_FAMILY(requantise, rows);
