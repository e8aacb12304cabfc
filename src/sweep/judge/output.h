/* Judging one output: what is right for its input, how far off it is, and counting that.
 *
 * Which oracle says so grows stricter with what hangs on it. The words for that are the same
 * everywhere:
 *   judge    the fast oracle says how far off an output is (oracle/fast), or else the exact oracle
 *   at
 *            a sweep's precision (oracle/exact.h);
 *   recheck  at seeded inputs of every block, the fast oracle's claim is held against MPFR, whether
 *            or not an output depends on it (filter_recheck; option --recheck);
 *   refine   an error that ranks, because it is a maximum or among the worst, is computed again by
 *            the exact oracle at its most bits (worker_refine);
 *   confirm  what a report names at the end is computed once more by MPFR alone, without Arb
 *            (sweep_confirm).
 * Where one of the last three contradicts what was found before, an oracle is wrong, and the sweep
 * ends with an error (worker_refute, filter_recheck). */
#ifndef DETCHECK_SWEEP_JUDGE_OUTPUT_H
#define DETCHECK_SWEEP_JUDGE_OUTPUT_H

#include "sweep/worker.h"

/* The operands of input `at` of the slice. */
void worker_load_inputs(const struct worker *worker, size_t at, uint64_t *codes);

/* Whether an implementation gave no output for input `at` of the slice. */
static inline bool worker_is_unanswered(const struct worker *worker, size_t implementation,
                                        size_t at) {
    return worker->unanswered_count[implementation] && worker->unanswered[implementation][at];
}

/* The binade of the first operand, for the profile; INT_MIN where it has none. */
int worker_exponent(const struct worker *worker, uint64_t code);

/* What is right for an input, given the exact value. */
uint64_t worker_want(const struct worker *worker, const struct real *y, const uint64_t *input,
                     uint64_t index);

/* No error is above this, of outputs that are correctly rounded or of any. */
double worker_most_error(const struct worker *worker, bool right);

/* The exact result of input `at` of the slice, which is remembered where flags are judged too. */
bool worker_find_exact(struct worker *worker, int result, size_t at, const uint64_t *codes,
                       struct real *y, struct error *error);

/* Judges one output by the exact value y and counts it; the witness has what is right. */
void worker_judge_by(struct worker *worker, size_t implementation, int result, const struct real *y,
                     struct witness *witness);

/* Judges one output by the exact oracle and counts it: input `at` of the slice, as the witness has
 * it. */
bool worker_judge_exactly(struct worker *worker, size_t implementation, int result, size_t at,
                          struct witness *witness, struct error *error);

/* What is known of an error that may be off by `slack`. */
struct error_knowledge worker_knowledge(struct worker *worker, int result, double slack,
                                        bool right);

/* Counts a judged output; `slack` is how far its error may be off. */
void worker_count(struct worker *worker, size_t implementation, int result,
                  const struct judgement *judgement, const struct witness *witness, double slack);

/* Sets `want` and `error` of a witness as exactly as can be. An error where that contradicts what
 * was known of the error that the witness had. */
bool worker_refine(struct worker *worker, int result, const struct error_knowledge *knowledge,
                   struct witness *witness, struct error *error);

/* Sets the error that says how to reproduce what `who` does not confirm; returns false. */
bool worker_refute(const struct worker *worker, int result, const struct witness *witness,
                   const char *who, struct error *error);

/* Whether judging a result may end here: only the first can, the others then have as many inputs.
 */
bool worker_should_stop(const struct worker *worker, int result);

/* Whether the output is zero where the right one is subnormal. */
static inline bool output_is_flushed(const struct format *format, uint64_t want, uint64_t got) {
    return format_is_zero(format, got) && format_classify(format, want) == CLASS_SUBNORMAL;
}

#endif
