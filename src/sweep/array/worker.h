/* One thread of a sweep of an operation on arrays: its bindings and its tallies. */
#ifndef DETCHECK_SWEEP_ARRAY_WORKER_H
#define DETCHECK_SWEEP_ARRAY_WORKER_H

#include "sweep/sweep.h"

struct array_worker {
    struct binding *bindings; /* by implementation */
    bool *provided;
    struct tally *tallies; /* implementation major, MAX_RESULTS each */
    struct pair_outcome *pairs;
    size_t pair_count;
    struct oracle_counts counts[MAX_RESULTS];
};

/* Binds the implementations and makes room for results in the formats `results` (NULL: not a result
 * of the operation). `reasons` (one per implementation, or NULL) says why one does not provide the
 * operation. Close it in any case. */
bool array_worker_open(struct array_worker *worker, const struct sweep_request *request,
                       const struct format *const *results, struct error *reasons,
                       struct error *error);
void array_worker_close(struct array_worker *worker, const struct sweep_request *request);

#endif
