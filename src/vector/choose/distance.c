/* How far exact results lie from where their rounding changes. */
#include "oracle/boundary.h"
#include "oracle/exact.h"
#include "vector/choose/hard.h"

bool hard_distance(struct oracle *oracle, const struct binding_request *computed,
                   const uint64_t *codes, double *distance, bool *measured, struct error *error) {
    const struct format *format = request_result_format(computed);
    const struct cast rounding = cast_of_results(format, computed->rounding);
    *measured = false;
    *distance = 1;
    for (int i = 0; i < computed->operation->results; i++) {
        struct real y;
        if (!oracle_exact(oracle, codes, i, &y, error))
            return false;
        if (!boundary_is_near(format, &y))
            continue;
        double found = boundary_distance(&rounding, &y);
        *distance = found < *distance ? found : *distance;
        *measured = true;
    }
    return true;
}
