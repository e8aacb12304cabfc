/* What a call's parameters and operands say of each element. */
#include "detmath/random.h"
#include "op/dyadic/rows.h"

enum { X1, X2 };

enum detmath_dyadic_rounding dyadic_rounding_of(enum rounding rounding) {
    static const enum detmath_dyadic_rounding roundings[ROUNDING_NAMES] = {
        [ROUND_NEAREST_EVEN] = DETMATH_DYADIC_NEAREST_EVEN,
        [ROUND_TOWARD_ZERO] = DETMATH_DYADIC_TOWARD_ZERO,
        [ROUND_UP] = DETMATH_DYADIC_UP,
        [ROUND_DOWN] = DETMATH_DYADIC_DOWN,
        [ROUND_NEAREST_AWAY] = DETMATH_DYADIC_NEAREST_AWAY,
        [ROUND_NEAREST_UP] = DETMATH_DYADIC_NEAREST_UP};
    return roundings[rounding];
}

struct detmath_dyadic_rules dyadic_rules_of(const struct array_call *call) {
    const struct parameters *given = call->parameters;
    bool stochastic = given->values[PARAMETER_STOCHASTIC].present;
    return (struct detmath_dyadic_rules){
        parameter_integer(given, PARAMETER_ACCUMULATOR, 0) ? 64 : 32,
        (enum detmath_dyadic_overflow)parameter_integer(given, PARAMETER_ON_OVERFLOW, 0),
        stochastic ? DETMATH_DYADIC_STOCHASTIC : dyadic_rounding_of(call->rounding),
        (enum detmath_dyadic_alignment)parameter_integer(given, PARAMETER_ALIGN, 0)};
}

struct dyadic_question dyadic_question_of(const struct array_call *call) {
    const struct parameters *given = call->parameters;
    bool divides = call->rule->which == DYADIC_DIV;
    return (struct dyadic_question){
        .operation = (enum dyadic_operation)call->rule->which,
        .x1 = {0, (int32_t)parameter_integer(given, PARAMETER_S1, 0)},
        .x2 = {0, (int32_t)parameter_integer(given, PARAMETER_S2, 0)},
        .t = (int)parameter_integer(given, PARAMETER_TARGET, 0),
        .shift = (int)parameter_integer(given, divides ? PARAMETER_P : PARAMETER_Q, 0),
        .bits = (int)parameter_integer(given, PARAMETER_BITS, 8),
        .is_signed = !parameter_flag(given, PARAMETER_UNSIGNED),
        .rules = dyadic_rules_of(call)};
}

uint64_t dyadic_random_bits_of(const struct array_call *call, uint64_t element) {
    const struct parameter_value *seed = &call->parameters->values[PARAMETER_STOCHASTIC];
    return detmath_random((uint64_t)seed->integer, element);
}

int64_t dyadic_mantissa_at(const struct array *array, uint64_t element) {
    return format_ordinal(array->format, array_code(array, element));
}

struct real dyadic_integer_real(const mpz_t v) {
    uint64_t magnitude = 0;
    mpz_export(&magnitude, NULL, 1, sizeof magnitude, 0, 0, v);
    return format_decode(&integer_formats[FORMAT_INT64],
                         mpz_sgn(v) < 0 ? 0 - magnitude : magnitude);
}

void dyadic_ask(const struct array_call *call, uint64_t element, struct dyadic_question *question) {
    bool two = call->operands[X2].codes != NULL;
    question->x1.v = dyadic_mantissa_at(&call->operands[X1], element);
    question->x2.v = two ? dyadic_mantissa_at(&call->operands[X2], element) : 0;
    question->random = dyadic_random_bits_of(call, element);
}
