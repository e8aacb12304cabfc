/* Outputs of a strip of a FIT block that are farther off than decide.h counts, or of an ASYMPTOTE block. */
#ifndef DETCHECK_SWEEP_JUDGE_FAR_H
#define DETCHECK_SWEEP_JUDGE_FAR_H

#include "sweep/judge/strip.h"
#include "sweep/promise/promise.h"

struct far_outputs {
    double errors[DECISION_STRIP]; /* in ulps, within far_slack; -1 for outputs that are not far */
    bool below[DECISION_STRIP];    /* the output is below the exact result */
    size_t count;
    struct ulp_exponents ulp; /* of all exact results of those that are far */
};

/* An error that is reckoned from the cheap value lies within this of the true one. */
static inline double far_slack(double error) {
    return DECISION_MOST_MARGIN + error * 0x1p-50;
}

/* Those of a strip that decide.h is not sure of. */
void strip_find_far(const struct span *span, const struct strip *strip, struct far_outputs *far);

/* Of the outputs that decide.h is not sure of, counts those that are far off for certain in `bulk`, their
 * errors in the tally's sum, and adds the offsets of the others to the doubtful ones. Returns the most that
 * a counted error can be, -1 for none: strip_offer_far has still to be called where that could change the
 * tally. */
double strip_count_far(const struct span *span, const struct strip *strip, struct far_outputs *far,
                       struct bulk_outputs *bulk, uint16_t *doubtful, size_t *doubts);

/* Offers the far outputs that were found and could change a maximum or the list of the worst; once, since it
 * spends them. False, and an error, where a more exact value refutes what was counted. */
bool strip_offer_far(const struct span *span, const struct strip *strip, struct far_outputs *far,
                     struct error *why);

/* Holds them against the promise, where there is one (promise_check.h). */
void strip_check_promise_far(const struct span *span, const struct strip *strip,
                             const struct far_outputs *far);

#endif
