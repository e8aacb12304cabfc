/* From parameters to a conversion. */
#include "op/conversion.h"

#include "detmath/random.h"

#include <string.h>

bool operation_rounds_to_integers(const struct operation *operation) {
    return operation->converts || operation->rounds_to_integers ||
           (operation->group && strcmp(operation->group, "dyadic") == 0 &&
            !(operation->parameters & PARAMETER_BIT(TO)));
}

bool conversion_make(struct cast *cast, const struct format *from, enum rounding rounding,
                     const struct parameters *parameters, struct error *error) {
    *cast = (struct cast){.from = from,
                          .to = parameters_result_format(parameters, from),
                          .rounding = rounding,
                          .profile = &profiles[parameter_integer(parameters, PARAMETER_PROFILE, 0)],
                          .random_bits =
                              (unsigned)parameter_integer(parameters, PARAMETER_RANDOM_BITS, 1)};
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

void conversion_trim(struct parameters *parameters, enum rounding rounding) {
    static const enum parameter_number random[] = {PARAMETER_RANDOM_BITS, PARAMETER_RANDOM,
                                                   PARAMETER_RANDOM_SEED};
    for (size_t i = 0; rounding != ROUND_STOCHASTIC && i < sizeof random / sizeof *random; i++)
        parameters->values[random[i]] = (struct parameter_value){0};
    if (parameters->values[PARAMETER_RANDOM].present) /* which no seed then changes */
        parameters->values[PARAMETER_RANDOM_SEED] = (struct parameter_value){0};
}

bool conversion_is_uniform(const struct cast *cast, const struct parameters *parameters) {
    return cast->rounding != ROUND_STOCHASTIC || parameters->values[PARAMETER_RANDOM].present;
}

uint64_t conversion_random(const struct cast *cast, const struct parameters *parameters,
                           uint64_t index) {
    if (cast->rounding != ROUND_STOCHASTIC)
        return 0;
    if (parameters->values[PARAMETER_RANDOM].present)
        return (uint64_t)parameters->values[PARAMETER_RANDOM].integer;
    uint64_t seed = (uint64_t)parameter_integer(parameters, PARAMETER_RANDOM_SEED, 1);
    return detmath_random(seed, index) & ((UINT64_C(1) << cast->random_bits) - 1);
}
