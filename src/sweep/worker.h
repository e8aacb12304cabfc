/* One thread of a sweep: its oracle, its bindings, its tallies. */
#ifndef DETCHECK_SWEEP_WORKER_H
#define DETCHECK_SWEEP_WORKER_H

#include "oracle/exact.h"
#include "sweep/sweep.h"

/* Inputs that a thread takes at a time. */
enum { SLICE = 1 << 12 };

struct worker {
    const struct sweep_request *request;
    struct oracle oracle;
    struct judge judge;
    struct binding *bindings; /* by implementation */
    bool *provided;           /* likewise */
    struct tally *tallies;    /* implementation major, MAX_RESULTS each */
    struct pair_outcome *pairs;
    size_t pair_count;
    void *inputs[MAX_OPERANDS]; /* SLICE codes each */
    uint64_t exact;             /* results that MPFR decided */
};

/* Binds the implementations and makes room; no MPFR yet. `reasons` (one per implementation, or
 * NULL) says why one does not provide the operation. */
bool worker_open(struct worker *worker, const struct sweep_request *request, struct error *reasons,
                 struct error *error);
void worker_close(struct worker *worker);

/* In the thread that will do the work, before and after it. */
void worker_begin(struct worker *worker);
void worker_end(struct worker *worker);

/* Computes and judges inputs first..first+count-1 (count <= SLICE). `outputs` holds an array per
 * implementation and result (MAX_RESULTS apart); their NaNs are canonical afterwards. */
bool worker_run(struct worker *worker, uint64_t first, size_t count, void *const *outputs,
                struct error *error);

#endif
