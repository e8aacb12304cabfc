/* A few hundred outputs of a span in a FIT block, once decide.h has judged them: which of them could
 * change a maximum of the tally, or its list of the worst. */
#ifndef DETCHECK_SWEEP_JUDGE_CHUNK_H
#define DETCHECK_SWEEP_JUDGE_CHUNK_H

#include "oracle/fast/decide.h"
#include "sweep/judge/span.h"

/* What decide.h says of a chunk of a span. */
struct chunk {
    size_t offset, count; /* in the span */
    int32_t errors[DECISION_CHUNK];
    struct decision_sums sums;
};

/* Whether any output of the chunk at that offset could change a maximum or the list of the worst. */
bool chunk_could_change(const struct span *span, size_t offset, const struct decision_sums *sums);

/* The most that the largest error of a chunk can be. */
double chunk_most(const struct span *span, const struct decision_sums *sums);

/* The least that the largest error of a chunk can rank. */
double chunk_rank(const struct span *span, const struct decision_sums *sums);

/* Offers the outputs that could change a maximum or the list of the worst. False, and an error, where a more exact value refutes what decide.h says. */
bool chunk_offer(const struct span *span, const struct chunk *chunk, struct error *why);

/* Tells the envelope of the signed error, where there is one, of the outputs that are sure. */
void chunk_offer_step(const struct span *span, const struct chunk *chunk);

/* Tells it of output `i` of the chunk, wrong and far off: by `error`, to within `slack`. */
void chunk_tell_far(const struct span *span, const struct chunk *chunk, size_t i, double error,
                    double slack);

/* Where none of the chunk is sure, because its outputs are one number and far off: counts those that are
 * judged alike in the tally, and adds the offsets of the others to the doubtful ones, the first
 * TALLY_WORST among them unless outputs with this very error have been counted in the span before:
 * `counted`, at first 0. Does nothing, and returns false, elsewhere. */
bool chunk_count_alike(const struct span *span, const struct chunk *chunk, double *counted,
                       uint16_t *doubtful, size_t *doubts);

#endif
