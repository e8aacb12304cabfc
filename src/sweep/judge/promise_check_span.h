/* What holding runs of outputs and holding the outputs of a strip share. */
#ifndef DETCHECK_SWEEP_JUDGE_PROMISE_CHECK_SPAN_H
#define DETCHECK_SWEEP_JUDGE_PROMISE_CHECK_SPAN_H

#include "sweep/judge/span.h"
#include "sweep/promise/promise.h"

/* The inputs at both ends of a part of a span. */
struct run_ends {
    uint64_t codes[2][MAX_OPERANDS];
    struct promise_input inputs[2];
};
void run_find_ends(const struct span *span, size_t offset, size_t count, struct run_ends *ends);

/* The promise that the outputs of a span are held against; NULL where there is none. */
const struct promise *span_promise(const struct span *span);

/* The least and the largest of the outputs, without their signs. */
void run_magnitudes(const struct span *span, size_t offset, size_t count, uint64_t ends[2]);

/* The limits, in ulps, of all inputs between the ends lie between these two. */
struct span_of_values run_limits(const struct span *span, const struct promise_piece *piece,
                                 const struct run_ends *ends, struct ulp_exponents ulp);

/* Whether a violation of the output at `offset` with an error of at most `error`, where the limit is no less
 * than `limit`, could be the worst. */
bool span_could_be_worst(const struct span *span, double error, double limit, size_t offset);

#endif
