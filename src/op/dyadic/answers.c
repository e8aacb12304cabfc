/* The answers of the oracle to whole calls: exactly, before they are rounded, and beside outputs. */
#include "op/dyadic/rows.h"

enum { MANTISSA, SCALE };

bool dyadic_explain_overflow(const struct array_call *call, struct error *error) {
    return error_set(error,
                     "the %d-bit accumulator overflows; --on-overflow wrap or saturate goes on",
                     dyadic_rules_of(call).bits);
}

bool dyadic_explain(uint32_t status, const struct array_call *call, struct error *error) {
    if (status & DETMATH_DYADIC_DIVISION_BY_ZERO)
        return error_set(error,
                         call->rule->which == DYADIC_MSE
                             ? "dyadic.mse: the accumulator holds the number of elements as 0"
                             : "dyadic.div: a division by zero");
    return dyadic_explain_overflow(call, error);
}

void dyadic_answer_element(struct dyadic_exact *exact, const struct array_call *call, int result,
                           uint64_t element) {
    struct dyadic_question question = dyadic_question_of(call);
    (void)result;
    dyadic_ask(call, element, &question);
    dyadic_exact_answer(exact, &question);
}

static bool answers(const struct array_call *call, int result, int precision, struct real *y,
                    bool steps, struct error *error) {
    const struct dyadic_row *row = call->rule->data;
    const bool is_scale = result == SCALE && !row->two_arrays;
    const uint64_t elements = shape_elements(&call->results[result].shape);
    struct dyadic_exact oracle;
    uint32_t status = 0;
    dyadic_exact_open(&oracle);
    for (uint64_t i = 0; i < elements; i++) {
        dyadic_exact_begin(&oracle);
        row->answer(&oracle, call, result, i);
        status |= oracle.status;
        y[i] = is_scale ? format_decode(&integer_formats[FORMAT_INT64], (uint64_t)oracle.s)
               : steps  ? dyadic_integer_real(oracle.v)
                        : dyadic_exact_unrounded(&oracle, precision);
    }
    dyadic_exact_close(&oracle);
    return !status || dyadic_explain(status, call, error);
}

bool dyadic_exact(const struct array_call *call, int result, int precision, struct real *y,
                  struct error *error) {
    return answers(call, result, precision, y, true, error);
}

bool dyadic_unrounded(const struct array_call *call, int result, int precision, struct real *y,
                      struct error *error) {
    return answers(call, result, precision, y, false, error);
}

bool dyadic_values(const struct array_call *call, const struct array (*outputs)[MAX_ARRAY_RESULTS],
                   size_t count, struct array_value *values, struct error *error) {
    long unit = call->rule->value_scale(call->rule, call->parameters);
    uint64_t elements = shape_elements(&call->results[MANTISSA].shape);
    const struct dyadic_row *row = call->rule->data;
    struct dyadic_exact oracle;
    (void)error;
    dyadic_exact_open(&oracle);
    for (uint64_t i = 0; i < elements; i++) {
        dyadic_exact_begin(&oracle);
        row->answer(&oracle, call, MANTISSA, i);
        for (size_t k = 0; k < count; k++, values++) {
            *values = (struct array_value){.clipped = oracle.clipped,
                                           .overflowed = oracle.overflowed,
                                           .lost_bits = oracle.lost_bits};
            values->error = dyadic_exact_error(
                &oracle, dyadic_mantissa_at(&outputs[k][MANTISSA], i),
                (long)dyadic_mantissa_at(&outputs[k][SCALE], 0), unit, &values->below);
        }
    }
    dyadic_exact_close(&oracle);
    return true;
}
