/* The operations on dyadic integers as rows: what op/array.h asks for. */
#ifndef DETCHECK_OP_DYADIC_ROWS_H
#define DETCHECK_OP_DYADIC_ROWS_H

#include "detmath/dyadic_real.h"
#include "op/dyadic/exact.h"
#include "op/families.h"

#include <gmp.h>

/* Answers of one element of a result. */
typedef void dyadic_answer(struct dyadic_exact *exact, const struct array_call *call, int result,
                           uint64_t element);
dyadic_answer dyadic_answer_element;

/* The data of a row. */
struct dyadic_row {
    dyadic_answer *answer;
    bool two_arrays; /* the second result is none of scales */
    int kernel;      /* of elements: detmath's */
    /* Of elements: how a call is computed; the scale of the exact result from those of the operands. */
    struct detmath_dyadic_plan (*plan)(const struct dyadic_question *question);
    long (*value_scale)(long s1, long s2);
};

/* What the rows share: families of mantissas, the rules that parameters give, an element's random
 * bits, results that are mantissas and a scale, a mantissa, and an integer of at most 64 bits as a
 * number. */
extern const struct array_family dyadic_families[];
/* Any but stochastic. */
enum detmath_dyadic_rounding dyadic_rounding_of(enum rounding rounding);
struct detmath_dyadic_rules dyadic_rules_of(const struct array_call *call);
uint64_t dyadic_random_bits_of(const struct array_call *call, uint64_t element);
bool dyadic_results(struct array_call *call, struct error *error);
int64_t dyadic_mantissa_at(const struct array *array, uint64_t element);
struct real dyadic_integer_real(const mpz_t v);

/* What is asked of every element, its mantissas and random bits left out; these of one. */
struct dyadic_question dyadic_question_of(const struct array_call *call);
void dyadic_ask(const struct array_call *call, uint64_t element, struct dyadic_question *question);

/* Sets the error of an accumulator that overflows; of a status that is not 0; false. */
bool dyadic_explain_overflow(const struct array_call *call, struct error *error);
bool dyadic_explain(uint32_t status, const struct array_call *call, struct error *error);

/* What the rows of mantissas have as .exact, .unrounded and .values. */
bool dyadic_exact(const struct array_call *call, int result, int precision, struct real *y,
                  struct error *error);
bool dyadic_unrounded(const struct array_call *call, int result, int precision, struct real *y,
                      struct error *error);
bool dyadic_values(const struct array_call *call, const struct array (*outputs)[MAX_ARRAY_RESULTS],
                   size_t count, struct array_value *values, struct error *error);

#define DYADIC_ONE                                                                                 \
    (PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) | PARAMETER_BIT(S1) |                   \
     PARAMETER_BIT(ACCUMULATOR) | PARAMETER_BIT(ON_OVERFLOW) | PARAMETER_BIT(STOCHASTIC))
#define DYADIC_TWO  (DYADIC_ONE | PARAMETER_BIT(S2))
#define DYADIC_TO   PARAMETER_BIT(TARGET)
#define DYADIC_CLIP (PARAMETER_BIT(BITS) | PARAMETER_BIT(UNSIGNED))

/* What every row of mantissas has, whose results are mantissas and their scale. */
#define DYADIC(NAME, OPERANDS, FORMULA, PARAMETERS, ...)                                           \
    {                                                                                              \
        .name = "dyadic." #NAME, .formula = FORMULA, .operands = OPERAND_COUNT OPERANDS,           \
        .results = 2, .parameters = PARAMETERS, .group = "dyadic",                                 \
        .result = {{.name = "mantissa"}, {.name = "scale"}}, .format = "int8",                     \
        .array = &(const struct array_rule) {                                                      \
            .operand_names = OPERAND_NAMES OPERANDS, .exact = dyadic_exact,                        \
            .unrounded = dyadic_unrounded, .values = dyadic_values, .families = dyadic_families,   \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

#endif
