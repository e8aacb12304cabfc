/* A sweep under way: how its work is cut, what it needs, and what comes of it. */
#ifndef DETCHECK_SWEEP_RUN_H
#define DETCHECK_SWEEP_RUN_H

#include "sweep/array/judge.h"
#include "sweep/builds.h"
#include "sweep/checkpoint/state.h"
#include "sweep/early.h"
#include "sweep/slow.h"
#include "sweep/worker.h"

/* Inputs whose outputs are kept at a time where a sweep is not cut into tasks. */
enum { BATCH = 1 << 20 };

/* Fields below the line are shared by the threads. */
struct sweep_run {
    const struct sweep_request *request;
    struct worker *workers;
    int threads;
    bool by_task;
    size_t task;         /* inputs in one */
    size_t slice;        /* inputs that a worker takes at a time */
    size_t room;         /* outputs in an array: those of a batch, or of a block of each thread */
    size_t output_count; /* implementations times MAX_RESULTS */
    void **outputs;      /* of numbers; NULL where nothing is provided */
    struct fingerprint *fingerprints;
    uint64_t total;        /* inputs, or calls on arrays */
    uint64_t unit;         /* inputs of the shard that follow one another */
    uint64_t digest_count; /* for each output; of arrays, one for each call */
    struct block_digest *digests;
    struct array_places places; /* of arrays */
    struct state *state;        /* what a checkpoint has and gets; NULL where there is none */
    struct builds builds;

    struct early early; /* the first thread's */
    struct slow_watch *watch;
    uint64_t done;
    bool failed;
    struct error *error;
};

static inline bool run_is_of_arrays(const struct sweep_request *request) {
    return request->computed.operation->array != NULL;
}

/* Whether the output, of an implementation and of a result, is there. */
bool run_is_computed(const struct sweep_run *run, size_t output);

static inline size_t at_most(uint64_t count, size_t most) {
    return count < most ? (size_t)count : most;
}

/* Blocks of the fingerprint. */
static inline uint64_t blocks_in(uint64_t count) {
    return (count + FINGERPRINT_BLOCK - 1) / FINGERPRINT_BLOCK;
}

/* How the work is cut, by the request alone. */
void run_plan(struct sweep_run *run);

/* The outcome, and the run's places, where it is of arrays; then the rest of the run. False without
 * memory, or where the environment fails; run_close is to be called in any case. */
bool run_open_outcome(struct sweep_run *run, struct sweep_outcome *outcome, struct error *error);
bool run_open(struct sweep_run *run, struct sweep_outcome *outcome, struct error *error);
void run_close(struct sweep_run *run);

/* Takes up what the checkpoint has. */
bool run_open_state(struct sweep_run *run, const struct sweep_outcome *outcome, double *seconds,
                    struct error *error);

/* What the checkpoint gets of a sweep that has ended, and its fingerprints if it had ended before. */
void run_end_state(struct sweep_run *run, struct sweep_outcome *outcome, double seconds);

/* That each build is still the one that the run began with, which the outcome gets; else an error. */
bool run_keep_builds(const struct sweep_run *run, struct sweep_outcome *outcome,
                     struct error *error);

/* What all threads found. */
void run_merge(struct sweep_run *run, struct sweep_outcome *outcome);

#endif
