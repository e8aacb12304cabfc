/* The counts of a sweep: of a thread of it, or a copy of those, for a checkpoint. */
#ifndef DETCHECK_SWEEP_CHECKPOINT_COUNTED_H
#define DETCHECK_SWEEP_CHECKPOINT_COUNTED_H

#include "sweep/worker.h"

/* What is seen of a sweep under way; a sweep of numbers has blocks of outputs, one of arrays calls. */
struct sweep_view {
    const struct sweep_request *request;
    const struct format *const *formats; /* of the results */
    struct worker *workers;
    int threads;
    size_t output_count;          /* implementations times MAX_RESULTS */
    uint64_t tasks, task_digests; /* digests of a task; the last one has the rest */
    uint64_t digest_count;        /* of each output */
    struct block_digest *digests; /* output major */
};

/* Whether a result is computed by an implementation. */
bool view_has(const struct sweep_view *view, size_t output);

/* What is counted: of a thread, or a copy of that. */
struct counted {
    struct tally *tallies; /* by output */
    struct pair_outcome *pairs;
    struct effect_tally *effects; /* by implementation; NULL where nobody asks */
    struct oracle_counts *oracle; /* by result */
};

struct counted counted_by(struct worker *worker);

/* Room for a copy, and the copy. Close it in any case. */
bool counted_open(const struct sweep_view *view, struct counted *counted,
                  const struct counted *from);
void counted_copy(const struct sweep_view *view, struct counted *into, const struct counted *from);
void counted_merge(const struct sweep_view *view, struct counted *into, const struct counted *from);
void counted_close(const struct sweep_view *view, struct counted *counted);

#endif
