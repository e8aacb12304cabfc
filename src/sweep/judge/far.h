/* Outputs of a chunk of a FIT block that are farther off than decide.h counts. */
#ifndef DETCHECK_SWEEP_JUDGE_FAR_H
#define DETCHECK_SWEEP_JUDGE_FAR_H

#include "sweep/judge/chunk.h"
#include "sweep/promise/promise.h"

struct far_outputs {
    double errors[DECISION_CHUNK]; /* in ulps, within far_slack; -1 for outputs that are not far */
    size_t count;
    struct ulp_exponents ulp; /* of all exact results of those that are far */
};

/* An error that is reckoned from the cheap value lies within this of the true one. */
static inline double far_slack(double error) {
    return DECISION_MOST_MARGIN + error * 0x1p-50;
}

/* Holds them against the promise, where there is one (hold.h). */
void chunk_hold_far(const struct span *span, const struct chunk *chunk,
                    const struct far_outputs *far);

#endif
