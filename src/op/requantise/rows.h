/* Requantisation by a multiplier and a shift as a row: what op/array.h asks for. */
#ifndef DETCHECK_OP_REQUANTISE_ROWS_H
#define DETCHECK_OP_REQUANTISE_ROWS_H

#include "op/array.h"

#include <gmp.h>

enum { REQUANTISE_X, REQUANTISE_MULTIPLIER, REQUANTISE_SHIFT, REQUANTISE_ZERO };

enum { REQUANTISE_MOST_SHIFT = 62 };

/* --form, in the order of its choices. */
enum requantise_form {
    REQUANTISE_ONCE,
    REQUANTISE_GEMMLOWP,
    REQUANTISE_TOSA,
    REQUANTISE_TOSA_DOUBLE,
    REQUANTISE_FP32
};
static inline enum requantise_form requantise_form_of(const struct array_call *call) {
    return (enum requantise_form)parameter_integer(call->parameters, PARAMETER_FORM, 0);
}
static inline bool requantise_is_tosa(enum requantise_form form) {
    return form == REQUANTISE_TOSA || form == REQUANTISE_TOSA_DOUBLE;
}

/* The integer that an element of an operand is. */
static inline int64_t requantise_integer(const struct array_call *call, int operand,
                                         uint64_t element) {
    const struct array *array = &call->operands[operand];
    return format_ordinal(array->format, array_code(array, element));
}

/* v = x multiplier / 2^shift rounded as the form says, in integers and numbers of any length. */
void requantise_exact(mpz_t v, enum requantise_form form, enum rounding rounding, int64_t x,
                      int64_t multiplier, unsigned shift);

/* The form of the algorithm, or of the call. */
bool requantise_run(const struct array_call *call, const struct array_algorithm *algorithm,
                    struct error *error);

extern const struct array_family requantise_families[];

#endif
