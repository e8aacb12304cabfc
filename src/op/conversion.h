/* The operation cast, whose result is its operand in another format: what its parameters say. */
#ifndef DETCHECK_OP_CONVERSION_H
#define DETCHECK_OP_CONVERSION_H

#include "format/cast.h"
#include "op/operation.h"

/* Whether an operation may round to integers, and so to nearest-up: dyadic ones whose results are no real
 * numbers, too. */
bool operation_rounds_to_integers(const struct operation *operation);

/* The conversion that settled parameters ask for. False when the profile has no rules for the
 * target.
 */
bool conversion_make(struct cast *cast, const struct format *from, enum rounding rounding,
                     const struct parameters *parameters, struct error *error);

/* Leaves out what only stochastic rounding asks for, where rounding is another. */
void conversion_trim(struct parameters *parameters, enum rounding rounding);

/* The random bits for element `index` of a run: the same for all where --random says so. 0 where
 * rounding is not stochastic. */
uint64_t conversion_random(const struct cast *cast, const struct parameters *parameters,
                           uint64_t index);

/* Whether every element meets the same random bits, or none. */
bool conversion_is_uniform(const struct cast *cast, const struct parameters *parameters);

#endif
