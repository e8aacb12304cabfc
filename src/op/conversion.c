/* From parameters to a conversion. */
#include "op/conversion.h"

#include "detmath/random.h"

#include <string.h>

bool operation_rounds_to_integers(const struct operation *operation) {
    return operation->converts || operation->rounds_to_integers ||
           (operation->group && strcmp(operation->group, "dyadic") == 0 &&
            !(operation->parameters & PARAMETER_BIT(TO)));
}

bool operation_has_rounding(const struct operation *operation, enum rounding rounding) {
    if (rounding == ROUND_STOCHASTIC)
        return operation->converts;
    if (operation->projects && rounding > ROUND_NEAREST_UP)
        return true;
    return rounding == ROUND_NEAREST_UP ? operation_rounds_to_integers(operation)
                                        : rounding < ROUNDING_COUNT || !operation->array;
}

bool rounding_suits_result(const struct operation *operation, const struct format *format,
                           enum rounding rounding, const struct parameters *parameters,
                           struct error *error) {
    const int64_t bits = parameter_integer(parameters, PARAMETER_RANDOM_BITS, 1);
    if (operation->array ? !operation->projects : rounding < ROUND_TO_ODD)
        return true;
    if (!operation->array && !format->is_p3109)
        return error_set(error, "%s is rounded %s on formats of P3109 only, not on %s",
                         operation->name, rounding_names[rounding], format->name);
    return !(parameter_integer(parameters, PARAMETER_RANDOM, 0) >> bits) ||
           error_set(error, "--random has more than the %d bits of --random-bits", (int)bits);
}

bool conversion_make(struct cast *cast, const struct format *from, enum rounding rounding,
                     const struct parameters *parameters, struct error *error) {
    *cast = (struct cast){.from = from,
                          .to = parameters_result_format(parameters, from),
                          .rounding = rounding,
                          .profile = &profiles[parameter_integer(parameters, PARAMETER_PROFILE, 0)],
                          .random_bits =
                              (unsigned)parameter_integer(parameters, PARAMETER_RANDOM_BITS, 1)};
    const struct parameter_value *saturation = &parameters->values[PARAMETER_SATURATION];
    cast->projects = cast->to->is_p3109 || saturation->present;
    cast->saturation = parameters_overflow(parameters, OVERFLOW_IEEE);
    if (cast->projects && cast->profile != &profiles[PROFILE_IEEE])
        return error_set(error,
                         "--profile %s is not for a conversion by the rules of P3109, which "
                         "has --saturation",
                         cast->profile->name);
    if (cast->projects && (cast->to->is_integer || !cast->to->has_zero || !cast->to->has_nan))
        return error_set(error, "P3109 has no conversion to %s", cast->to->name);
    if (cast->to->is_element)
        return error_set(error,
                         "%s is a format of blocks, which mx.quantise makes; cast is of "
                         "numbers",
                         cast->to->name);
    if (rounding == ROUND_NEAREST_UP && !cast->to->is_integer)
        return error_set(error, "nearest-up rounds to integers, and %s has other numbers",
                         cast->to->name);
    if (parameter_integer(parameters, PARAMETER_RANDOM, 0) >> cast->random_bits)
        return error_set(error, "--random has more than the %u bits of --random-bits",
                         cast->random_bits);
    return profile_covers(cast->profile, cast->to, error);
}

enum rounding scale_rounding_of(const struct parameters *parameters) {
    /* In the order of the choices. */
    static const enum rounding roundings[] = {
        ROUND_NEAREST_EVEN, ROUND_TOWARD_ZERO,  ROUND_UP,
        ROUND_DOWN,         ROUND_NEAREST_AWAY, ROUND_TO_ODD,
        ROUND_STOCHASTIC_A, ROUND_STOCHASTIC_B, ROUND_STOCHASTIC_C};
    return roundings[parameter_integer(parameters, PARAMETER_SCALE_ROUNDING, 0)];
}

void conversion_trim(struct parameters *parameters, enum rounding rounding) {
    static const enum parameter_number random[] = {PARAMETER_RANDOM_BITS, PARAMETER_RANDOM,
                                                   PARAMETER_RANDOM_SEED};
    const bool draws =
        rounding_is_stochastic(rounding) || rounding_is_stochastic(scale_rounding_of(parameters));
    for (size_t i = 0; !draws && i < sizeof random / sizeof *random; i++)
        parameters->values[random[i]] = (struct parameter_value){0};
    if (parameters->values[PARAMETER_RANDOM].present) /* which no seed then changes */
        parameters->values[PARAMETER_RANDOM_SEED] = (struct parameter_value){0};
}

bool conversion_is_uniform(const struct cast *cast, const struct parameters *parameters) {
    return !rounding_is_stochastic(cast->rounding) || parameters->values[PARAMETER_RANDOM].present;
}

static uint64_t random_number(const struct parameters *parameters, unsigned bits, uint64_t index) {
    if (parameters->values[PARAMETER_RANDOM].present)
        return (uint64_t)parameters->values[PARAMETER_RANDOM].integer;
    uint64_t seed = (uint64_t)parameter_integer(parameters, PARAMETER_RANDOM_SEED, 1);
    return detmath_random(seed, index) & ((UINT64_C(1) << bits) - 1);
}

uint64_t conversion_random(const struct cast *cast, const struct parameters *parameters,
                           uint64_t index) {
    return rounding_is_stochastic(cast->rounding)
               ? random_number(parameters, cast->random_bits, index)
               : 0;
}

uint64_t projected_code(const struct format *format, const struct real *y, enum rounding rounding,
                        enum overflow otherwise, const struct parameters *parameters,
                        uint64_t index) {
    const unsigned count = (unsigned)parameter_integer(parameters, PARAMETER_RANDOM_BITS, 1);
    struct random_bits bits = {count, 0};
    if (rounding_is_stochastic(rounding))
        bits.number = random_number(parameters, count, index);
    return format_project(format, y, rounding, parameters_overflow(parameters, otherwise), &bits);
}
