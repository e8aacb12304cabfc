/* What is right for an input, and how far off that can be: all that judging and holding share. */
#include "sweep/judge/output.h"

#include <float.h>

uint64_t worker_want(const struct worker *worker, const struct real *y, const uint64_t *input,
                     uint64_t index) {
    const struct binding_request *computed = &worker->request->computed;
    const struct judge *judge = &worker->judge;
    if (!computed->operation->converts)
        return projected_code(judge->format, y, judge->rounding, judge->overflow,
                              &computed->parameters, index);
    return cast_code(&worker->cast, input[0],
                     conversion_random(&worker->cast, &computed->parameters, index));
}

double worker_most_error(const struct worker *worker, bool right) {
    double most = rounding_is_nearest(worker->judge.rounding) ? 0.5 : 1 - 0x1p-53;
    return right ? most : DBL_MAX;
}
