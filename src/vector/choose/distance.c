/* How far exact results lie from where their rounding changes. */
#include "vector/choose/hard.h"

#include "base/double_bits.h"
#include "oracle/exact.h"
#include "oracle/judge.h"

static bool is_measurable(const struct format *format, const struct real *y) {
    return y->kind == REAL_FINITE && y->exponent <= format->emax &&
           y->exponent >= format->emin - format->precision;
}

double hard_resolution(const struct format *format) {
    return power_of_two(format->precision - ORACLE_MOST_BITS + 1);
}

bool hard_distance(struct oracle *oracle, const struct binding_request *computed,
                   const uint64_t *codes, double *distance, bool *measured, struct error *error) {
    const struct format *format = request_result_format(computed);
    *measured = false;
    *distance = 1;
    for (int i = 0; i < computed->operation->results; i++) {
        struct real y;
        if (!oracle_exact(oracle, codes, i, &y, error))
            return false;
        if (!is_measurable(format, &y))
            continue;
        double least = hard_resolution(format);
        double found = boundary_distance(format, &y, computed->rounding);
        found = y.inexact && found < least ? least : found;
        *distance = found < *distance ? found : *distance;
        *measured = true;
    }
    return true;
}
