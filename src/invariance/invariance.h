/* Whether an implementation returns the same bits for the same inputs in other places, at other times
 * and in other surroundings.
 *
 * Each property (property.h) is tested on every input of a domain: an output is compared with the
 * implementation's own first answer. Only rounding-sense asks an oracle, whether a result was rounded
 * in the caller's direction. */
#ifndef DETCHECK_INVARIANCE_INVARIANCE_H
#define DETCHECK_INVARIANCE_INVARIANCE_H

#include "invariance/variants.h"
#include "sweep/sweep.h"

struct property;

/* How many lines a batch has: ascending, of 2 and more. */
enum { BATCH_SIZES = 64, LARGEST_BATCH = 1 << 20 };
struct batch_sizes {
    uint64_t sizes[BATCH_SIZES];
    size_t count;
};

/* What is asked. */
struct invariance_request {
    struct binding_request computed;
    const struct implementation *implementation;
    const struct domain *domain;
    struct shard shard; /* the part of the domain that is asked for; {0}: all */
    const struct property *const *properties; /* in the order of the table */
    size_t property_count;
    bool strict_nan; /* a NaN with other bits is a change */
    /* What the user names to be tried as another processor: struct foreign_settings. */
    const char *const *variants;
    size_t variant_count;
    struct batch_sizes
        batch_sizes; /* that the user names for the property batch; none: the usual ones */
    const struct variants *tried; /* of the run under way: those, and what became of them; NULL */
    int threads;
    const volatile sig_atomic_t *stop; /* nonzero: come to an end now; may be NULL */
    progress_function *progress;       /* may be NULL; told of inputs of all properties */
    void *progress_context;
    struct checkpoint *checkpoint; /* where the run is kept, and resumed from; may be NULL */
    /* Of the run under way (checkpoint.h), for its own parts; NULL. */
    struct invariance_checkpoint *saved;
};

/* Inputs in a unit of the shards; of arrays it is a call. A block of inputs that crosses the end of a
 * unit belongs to the shard in which it begins, so that all shards compare the blocks of the whole. */
enum { INVARIANCE_UNIT = 1 << 13 };
static inline uint64_t invariance_unit(const struct invariance_request *request) {
    return request->computed.operation->array ? 1 : INVARIANCE_UNIT;
}

/* Inputs of the shard. */
static inline uint64_t invariance_inputs(const struct invariance_request *request) {
    return shard_inputs(&request->shard, request->domain->count, invariance_unit(request));
}

/* An output that has changed. */
enum { CHANGE_WHERE = 200 };
struct change {
    uint64_t index; /* of the input, in the domain */
    uint64_t
        input[MAX_OPERANDS];  /* of an operation on arrays: number of the call, of the element */
    uint64_t reference, got;  /* codes of the result's format */
    char where[CHANGE_WHERE]; /* what was other than for the reference */
    const char *command;      /* that shows it again; of documents, else NULL */
};

/* What a property came to. Conditions, in which it computes each input, have numbers in the order in
 * which they are tried; 0 is the reference's. */
enum { TALLY_CONDITIONS = 256 };
struct property_tally {
    uint64_t inputs; /* that were asked for; of arrays: calls */
    uint64_t
        unrepeatable;    /* of them: other bits came when the same was computed again, so that what
                              differed is none of the changes; of arrays: calls */
    uint64_t unanswered; /* of them: with nothing to compare */
    uint64_t not_called; /* beside them: no call of C (op/calls.h) */
    struct {
        uint64_t changed; /* inputs whose bits did; of arrays: calls */
        struct change first;
    } results[MAX_RESULTS];
    uint64_t by_variant[MOST_VARIANTS][MAX_RESULTS]; /* likewise; an input may be in several */
    uint64_t events[EVENT_KINDS], event_count;
    struct event_witness first_event; /* in order of the inputs */
    char first_event_where[CHANGE_WHERE];
    /* Inputs that cost a process, by condition; and answers that were not asked for after that. */
    uint64_t comparisons; /* of calls */
    /* Of threads: calls that each of them made while the others did, and processes whose first calls
     * some of these were. */
    uint64_t at_once, first_at_once;
    /* Of batches: their sizes, and in how many calls a batch of each was compared. */
    struct batch_sizes batch_sizes;
    uint64_t batch_calls[BATCH_SIZES];
    uint64_t lost[TALLY_CONDITIONS], left_out;
};

struct property_outcome {
    const struct property *property;
    bool tested;
    struct error why; /* where it is not */
    struct property_tally tally;
};

struct invariance_outcome {
    bool provided;
    struct error reason; /* why not provided */
    char detail[256];
    char build[BUILD_TEXT]; /* which computes, from the start to the end; empty: not known */
    bool complete;
    double seconds;
    const struct format *formats[MAX_RESULTS]; /* of the results */
    struct property_outcome *properties;       /* as many as were asked for */
    struct variants *variants; /* of the property that takes them; NULL: it is not asked for */
};

/* The sizes of the batches that a run tries: those of the request, or the usual ones. */
struct batch_sizes batch_sizes_of(const struct invariance_request *request);

/* Runs. On success the outcome is the caller's to free, complete or not. An implementation that does
 * not provide the operation says so, and nothing is tested then. */
bool invariance_run(const struct invariance_request *request, struct invariance_outcome *outcome,
                    struct error *error);
void invariance_outcome_free(struct invariance_outcome *outcome);

#endif
