/* Holding outputs against a promise (sweep/promise/promise.h), beside judging them.
 *
 * What the fast oracle found of an output goes here too. Where the limit is far from the error it
 * decides; where it is not, the exact oracle at its most bits does. Runs of outputs that are judged at
 * once are held at once, where the least limit of all their inputs is no less than their largest error. */
#ifndef DETCHECK_SWEEP_JUDGE_PROMISE_CHECK_H
#define DETCHECK_SWEEP_JUDGE_PROMISE_CHECK_H

#include "sweep/judge/strip.h"
#include "sweep/promise/promise.h"

/* The promise that an implementation's result is held against; NULL where there is none. */
const struct promise *worker_promise(const struct worker *worker, size_t implementation,
                                     int result);

/* What a violation of a kind that has no limit in ulps is set beside: the largest error of a right
 * result, or of a faithful one; infinite where bits are promised. */
double worker_kind_limit(const struct worker *worker, enum promise_kind kind);

/* Holds one judged output; `slack` is how far its error may be off. Where the witness has no `want`
 * yet, `wanted` is false. */
void worker_check_promise(struct worker *worker, size_t implementation, int result,
                          const struct judgement *judgement, const struct witness *witness,
                          double slack, bool wanted);

/* Whether the promise allows or accepts one judged output, or says nothing of it; nothing is counted.
 * Promised bits allow none: a search does not know them. */
bool worker_allows(struct worker *worker, size_t implementation, int result,
                   const struct judgement *judgement, const struct witness *witness);

/* Whether outputs of the span whose errors in ulps are at most `most` are all kept, or all left out.
 * `right`: all are correctly rounded. True where there is no promise. */
bool span_keeps_promise(const struct span *span, size_t offset, size_t count, double most,
                        bool right);

/* Counts so many outputs of which span_keeps_promise is true, the one at `offset` among them. */
void span_count_kept(const struct span *span, size_t offset, uint64_t count);

/* Outputs that are right and have no error. */
void span_count_right(const struct span *span, size_t offset, size_t count);

/* Whether outputs are the same where bits are promised: any NaN is as good as another, unless NaNs are
 * judged strictly. */
static inline bool bits_are_same(const struct judge *judge, uint64_t a, uint64_t b) {
    return a == b || (!judge->strict_nan && format_is_nan(judge->format, a) &&
                      format_is_nan(judge->format, b));
}

/* Whether outputs have the bits that the piece promises; false as well where its reference left an input
 * of the slice unanswered. */
bool span_has_bits(const struct span *span, const struct promise_piece *piece, size_t offset,
                   size_t count);

/* Those of a strip of a FIT block that decide.h is sure of. */
void strip_check_promise(const struct span *span, const struct strip *strip);

#endif
