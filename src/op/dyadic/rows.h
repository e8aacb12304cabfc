/* The operations on dyadic integers as rows: what op/array.h asks for. */
#ifndef DETCHECK_OP_DYADIC_ROWS_H
#define DETCHECK_OP_DYADIC_ROWS_H

#include "detmath/dyadic_real.h"
#include "op/array.h"

#include <gmp.h>

extern const struct array_rule dyadic_align, dyadic_add, dyadic_sub, dyadic_mul, dyadic_div,
    dyadic_requantise, dyadic_gradient, dyadic_equal, dyadic_relu, dyadic_relu_gradient,
    dyadic_from_real, dyadic_to_real, dyadic_dot, dyadic_matmul, dyadic_affine, dyadic_mse,
    dyadic_step;

/* What the rows share: families of mantissas, the rules that parameters give, an element's random
 * bits, results that are mantissas and a scale, a mantissa, and an integer of at most 64 bits as a
 * number. */
extern const struct array_family dyadic_families[];
struct detmath_dyadic_rules dyadic_rules_of(const struct array_call *call);
uint64_t dyadic_random_bits_of(const struct array_call *call, uint64_t element);
bool dyadic_results(struct array_call *call, struct error *error);
int64_t dyadic_mantissa_at(const struct array *array, uint64_t element);
struct real dyadic_integer_real(const mpz_t v);

/* Sets the error of an accumulator that overflows; false. */
bool dyadic_explain_overflow(const struct array_call *call, struct error *error);

#define DYADIC_ONE                                                                                 \
    (PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) | PARAMETER_BIT(S1) |                   \
     PARAMETER_BIT(ACCUMULATOR) | PARAMETER_BIT(ON_OVERFLOW) | PARAMETER_BIT(STOCHASTIC))
#define DYADIC_FROM                                                                                \
    ((DYADIC_ONE & ~PARAMETER_BIT(S1)) | PARAMETER_BIT(TARGET) | PARAMETER_BIT(BITS) |             \
     PARAMETER_BIT(UNSIGNED))
#define DYADIC_TWO  (DYADIC_ONE | PARAMETER_BIT(S2))
#define DYADIC_TO   PARAMETER_BIT(TARGET)
#define DYADIC_CLIP (PARAMETER_BIT(BITS) | PARAMETER_BIT(UNSIGNED))

#define DYADIC(NAME, OPERANDS, FORMULA, RULE, PARAMETERS)                                          \
    {                                                                                              \
        .name = "dyadic." NAME, .formula = FORMULA, .operands = OPERANDS, .results = 2,            \
        .parameters = PARAMETERS, .group = "dyadic",                                               \
        .result = {{.name = "mantissa"}, {.name = "scale"}}, .array = &dyadic_##RULE,              \
        .format = "int8"                                                                           \
    }

#endif
