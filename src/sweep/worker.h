/* One thread of a sweep: its oracles, its bindings, its tallies. */
#ifndef DETCHECK_SWEEP_WORKER_H
#define DETCHECK_SWEEP_WORKER_H

#include "op/conversion.h"
#include "oracle/fast/decide.h"
#include "oracle/fast/filter.h"
#include "sweep/sweep.h"

/* Inputs that a thread takes at a time, at most. */
enum { MOST_SLICE = 1 << 15 };

/* Of an operation on arrays (sweep/array/judge.h) only what stands before `oracle`. */
struct worker {
    const struct sweep_request *request;
    struct binding *bindings;   /* by implementation */
    bool *provided;             /* likewise */
    struct tally *tallies;      /* implementation major, MAX_RESULTS each */
    struct kappa_table *kappas; /* by implementation; NULL where nobody asks */
    struct pair_outcome *pairs;
    size_t pair_count;
    struct oracle_counts counts[MAX_RESULTS];
    struct oracle oracle;                /* at a sweep's precision */
    struct oracle refined;               /* at ORACLE_MOST_BITS, for errors that rank */
    struct filter *filters[MAX_RESULTS]; /* NULL where MPFR judges everything */
    struct decision_rules rules;
    struct judge judge;
    size_t slice;                   /* inputs that there is room for */
    uint64_t first;                 /* the number of the slice's first input in the domain */
    void *const *outputs;           /* of the slice, as worker_run has them */
    void *inputs[MAX_OPERANDS];     /* `slice` codes each */
    uint8_t **unanswered;           /* by implementation and input of the slice; see struct slice */
    size_t *unanswered_count;       /* by implementation: of those */
    struct earlier_answers earlier; /* of the implementation that is asked */
    uint8_t *not_called;            /* by input: it is no call of C; NULL where all are */
    uint8_t *asked;                 /* by input of the slice: MPFR was asked for it */
    size_t asked_count;             /* of those, for one result */
    struct cast cast;               /* of an operation that converts */
    bool by_runs;                   /* worker_judge_runs */
    struct flag_room *flags;        /* NULL where nobody asks (judge/flags.h) */
    struct pair_room *pair_room;    /* likewise (judge/pairs.h) */
    struct inheritor *inheritor;    /* of formulas (promise/inherit.h); NULL until one is met */
    bool refinement_failed;
    struct error refinement_error;
};

static inline struct tally *worker_tally(const struct worker *worker, size_t implementation,
                                         int result) {
    return &worker->tallies[implementation * MAX_RESULTS + (size_t)result];
}

/* Opens the tally of an output, which is an implementation's number times MAX_RESULTS and a result's:
 * `format` is the result's. Binades are those of the inputs, where these are numbers. */
bool sweep_tally_open(struct tally *tally, const struct sweep_request *request, size_t output,
                      const struct format *format);

/* Binds the implementations and makes room for results in `result_formats`; no MPFR yet. `reasons` (one per
 * implementation, or NULL) says why one does not provide the operation. False where one is broken.
 * Close it in any case. */
bool worker_open(struct worker *worker, const struct sweep_request *request,
                 const struct format *const *result_formats, size_t slice, struct error *reasons,
                 struct error *error);
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
