/* The operation cast, whose result is its operand in another format: what its parameters say. */
#ifndef DETCHECK_OP_CONVERSION_H
#define DETCHECK_OP_CONVERSION_H

#include "format/cast.h"
#include "op/operation.h"

/* Whether an operation may round to integers, and so to nearest-up: dyadic ones whose results are no real
 * numbers, too. */
bool operation_rounds_to_integers(const struct operation *operation);

/* Whether one of the roundings beyond ROUNDING_COUNT is the operation's, in some format: those of P3109 are of all
 * operations on numbers. */
bool operation_has_rounding(const struct operation *operation, enum rounding rounding);

/* That to-odd and the stochastic roundings of P3109 are of operands or results in its formats; random bits within
 * --random-bits. */
bool rounding_suits_result(const struct operation *operation, const struct format *format,
                           enum rounding rounding, const struct parameters *parameters,
                           struct error *error);

/* The conversion that settled parameters ask for. False when the profile has no rules for the
 * target.
 */
bool conversion_make(struct cast *cast, const struct format *from, enum rounding rounding,
                     const struct parameters *parameters, struct error *error);

/* That of --scale-rounding. */
enum rounding scale_rounding_of(const struct parameters *parameters);

/* Leaves out what only stochastic rounding asks for, where that of the results and that of their scales are others. */
void conversion_trim(struct parameters *parameters, enum rounding rounding);

/* The random bits for element `index` of a run: the same for all where --random says so. 0 where
 * rounding is not stochastic. */
uint64_t conversion_random(const struct cast *cast, const struct parameters *parameters,
                           uint64_t index);

/* The code of a result of an operation on numbers, which is no conversion: element `index` of a run, by the
 * random bits and the saturation mode of the parameters, or the mode `otherwise`. */
uint64_t projected_code(const struct format *format, const struct real *y, enum rounding rounding,
                        enum overflow otherwise, const struct parameters *parameters,
                        uint64_t index);

/* Whether every element meets the same random bits, or none. */
bool conversion_is_uniform(const struct cast *cast, const struct parameters *parameters);

#endif
