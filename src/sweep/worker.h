/* One thread of a sweep: its oracles, its bindings, its tallies. */
#ifndef DETCHECK_SWEEP_WORKER_H
#define DETCHECK_SWEEP_WORKER_H

#include "op/conversion.h"
#include "oracle/fast/decide.h"
#include "oracle/fast/filter.h"
#include "sweep/sweep.h"

/* Inputs that a thread takes at a time, at most. */
enum { MOST_SLICE = 1 << 15 };

struct worker {
    const struct sweep_request *request;
    struct oracle oracle;                /* at a sweep's precision */
    struct oracle refined;               /* at ORACLE_MOST_BITS, for errors that rank */
    struct filter *filters[MAX_RESULTS]; /* NULL where MPFR judges everything */
    struct decision_rules rules;
    struct judge judge;
    struct binding *bindings; /* by implementation */
    bool *provided;           /* likewise */
    struct tally *tallies;    /* implementation major, MAX_RESULTS each */
    struct pair_outcome *pairs;
    size_t pair_count;
    size_t slice;               /* inputs that there is room for */
    void *inputs[MAX_OPERANDS]; /* `slice` codes each */
    uint8_t **unanswered;       /* by implementation and input of the slice; see struct slice */
    size_t *unanswered_count;   /* by implementation: of those */
    uint8_t *asked;             /* by input of the slice: MPFR was asked for it */
    size_t asked_count;         /* of those, for one result */
    struct oracle_counts counts[MAX_RESULTS];
    struct cast cast; /* of an operation that converts */
    bool by_runs;     /* worker_judge_runs */
    bool refinement_failed;
    struct error refinement_error;
};

/* Binds the implementations of a request; `reasons` (one for each, or NULL) says why one does not
 * provide the operation. False where one is broken. */
bool sweep_bind(const struct sweep_request *request, struct binding *bindings, bool *provided,
                struct error *reasons, struct error *error);

/* Binds the implementations and makes room; no MPFR yet. `reasons` (one per implementation, or
 * NULL) says why one does not provide the operation. */
bool worker_open(struct worker *worker, const struct sweep_request *request, size_t slice,
                 struct error *reasons, struct error *error);
void worker_close(struct worker *worker);

/* In the thread that will do the work, before and after it. */
void worker_begin(struct worker *worker);
void worker_end(struct worker *worker);

/* Computes inputs first..first+*count-1 (*count <= slice) and judges them; fewer, and *count says
 * how many, when the request's stop flag is set meanwhile. `outputs` holds an array per
 * implementation and result (MAX_RESULTS apart); their NaNs are canonical afterwards. */
bool worker_run(struct worker *worker, uint64_t first, size_t *count, void *const *outputs,
                struct error *error);

#endif
