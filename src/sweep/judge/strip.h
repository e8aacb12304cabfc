/* A few hundred outputs of a span in a FIT block, once decide.h has judged them: which of them could
 * change a maximum of the tally, or its list of the worst. */
#ifndef DETCHECK_SWEEP_JUDGE_STRIP_H
#define DETCHECK_SWEEP_JUDGE_STRIP_H

#include "oracle/fast/decide.h"
#include "sweep/judge/span.h"

/* What decide.h says of a strip of a span. */
struct strip {
    size_t offset, count; /* in the span */
    int32_t errors[DECISION_STRIP];
    struct decision_sums sums;
};

/* Whether any output of the strip at that offset could change a maximum or the list of the worst. */
bool strip_could_change(const struct span *span, size_t offset, const struct decision_sums *sums);

/* The most that the largest error of a strip can be. */
double strip_most(const struct span *span, const struct decision_sums *sums);

/* The least that the largest error of a strip can rank. */
double strip_rank(const struct span *span, const struct decision_sums *sums);

/* Offers the outputs that could change a maximum or the list of the worst. False, and an error, where a more exact value refutes what decide.h says. */
bool strip_offer(const struct span *span, const struct strip *strip, struct error *why);

/* Tells the envelope of the signed error, where there is one, of the outputs that are sure. */
void strip_offer_step(const struct span *span, const struct strip *strip);

/* Tells it of output `i` of the strip, wrong and far off: by `error`, to within `slack`. */
void strip_note_far(const struct span *span, const struct strip *strip, size_t i, double error,
                    double slack);

/* Where none of the strip is sure, because its outputs are one number and far off: counts those that are
 * judged alike in the tally, and adds the offsets of the others to the doubtful ones, the first
 * TALLY_WORST among them unless outputs with this very error have been counted in the span before:
 * `counted`, at first 0. Does nothing, and returns false, elsewhere. */
bool strip_count_alike(const struct span *span, const struct strip *strip, double *counted,
                       uint16_t *doubtful, size_t *doubts);

#endif
