/* Running implementations over a domain against the oracle. */
#ifndef DETCHECK_SWEEP_SWEEP_H
#define DETCHECK_SWEEP_SWEEP_H

#include "base/error.h"
#include "impl/implementation.h"
#include "sweep/domain.h"
#include "sweep/effects.h"
#include "sweep/fingerprint.h"
#include "sweep/kappa.h"
#include "sweep/shard.h"
#include "sweep/tally.h"

#include <signal.h>
#include <stdbool.h>

/* Implementations in one sweep; rechecks of a block, which has no more inputs. */
enum { MAX_IMPLEMENTATIONS = 32, MOST_RECHECKS = 1 << 18 };

/* Called now and then, always by the same thread, with the number of inputs done. */
typedef void progress_function(void *context, uint64_t done);

/* Called once for an implementation a large share of whose outputs a sweep that takes long finds
 * badly wrong, by the thread of the progress: `bad` of those in the tally, which is that thread's,
 * are off by more than EARLY_ULPS, NaN mismatches or zeros of the wrong sign. */
#define EARLY_ULPS 4
typedef void early_function(void *context, size_t implementation, const struct tally *tally,
                            uint64_t bad);

/* Called by a thread of its own when a slice, which begins with input `first`, has taken `seconds`: at
 * `patience`, and again at each double of that. */
#define SLOW_SECONDS 60.0
typedef void slow_function(void *context, uint64_t first, double seconds);

/* Called with the digest of each block of outputs, or of the outputs of each call on arrays, in order of the blocks for each implementation
 * and result, by one thread at a time. False when there is no memory. */
typedef bool digest_function(void *context, size_t implementation, int result,
                             const struct block_digest *digest);

struct checkpoint; /* sweep/checkpoint/file.h */
struct promise;    /* sweep/promise/promise.h */

struct sweep_request {
    struct binding_request computed;
    bool strict_nan;
    bool by_group;   /* a group alone named the operation: an implementation may lack it */
    bool exact_only; /* no fast oracle */
    bool by_mpfr;    /* and no Arb: MPFR alone */
    bool envelope;   /* of the signed error, where sweep_has_envelope */
    unsigned shows;  /* bits of enum sweep_show (sweep/measured.h): what is measured besides */
    bool inexact;    /* of flags, where they are asked for: judge inexact for functions too */
    bool
        kappas; /* measure how many values outputs are off (sweep/kappa.h); the exact oracle judges */
    bool may_clear;   /* of flags, likewise: calls may clear those that were set */
    unsigned recheck; /* inputs of each of the fast oracle's blocks to be checked against MPFR */
    const struct domain *domain;
    struct shard shard; /* the part of the domain that is swept */
    uint64_t unit;      /* of the shards of invariance, in reports; 0: sweep_unit */
    const struct implementation *implementations;
    size_t implementation_count;
    int threads;
    const volatile sig_atomic_t *stop; /* nonzero: come to an end now; may be NULL */
    progress_function *progress;       /* may be NULL */
    void *progress_context;
    early_function *early; /* may be NULL */
    void *early_context;
    slow_function *slow; /* may be NULL */
    void *slow_context;
    double patience;         /* seconds, of `slow` */
    digest_function *digest; /* may be NULL */
    void *digest_context;
    /* What outputs are held against beside the oracle: by implementation, MAX_RESULTS each, NULL where
     * there is no promise. NULL: none at all. Of numbers only. */
    const struct promise *const *promises;
    struct checkpoint *checkpoint; /* where the sweep is kept, and resumed from; may be NULL */
};

/* One implementation's part of the outcome. */
struct implementation_outcome {
    bool provided;
    struct error reason;    /* why not provided */
    char detail[256];       /* where the operation was found */
    char build[BUILD_TEXT]; /* which computes, from the start to the end; empty: not known */
    struct tally tallies[MAX_RESULTS];
    char fingerprints[MAX_RESULTS][FINGERPRINT_TEXT]; /* empty when incomplete, or of a shard */
    /* Of a shard, what the whole's fingerprint is made of; `group_count` each. */
    struct block_digest *groups[MAX_RESULTS];
    size_t group_count;
    bool tells_flags, tells_errno, promises_no_flags; /* as its binding says */
    struct kappa_table kappas;                        /* where they are measured */
    struct effect_tally effects; /* of its calls, whatever the number of results */
};

/* The pairs (a, b) of implementations, a before b, result by result. */
struct pair_outcome {
    size_t a, b;
    struct difference_tally results[MAX_RESULTS];
};

struct oracle_counts {
    uint64_t fast, exact,
        rechecked; /* results decided by the filter, by MPFR; filter values checked */
};

struct sweep_outcome {
    bool complete;
    uint64_t covered; /* inputs */
    double seconds;
    struct oracle_counts oracle[MAX_RESULTS];
    const struct format *formats[MAX_RESULTS]; /* of the results */
    size_t implementation_count, pair_count;
    struct implementation_outcome *implementations;
    struct pair_outcome *pairs;
};

/* Inputs that the effort was for: those covered, or of a search's finds those that it tried. */
uint64_t sweep_tried(const struct sweep_request *request, const struct sweep_outcome *outcome);

/* Whether the envelope of the signed error is to be had: of functions of one operand whose codes are in order. */
bool sweep_has_envelope(const struct sweep_request *request);

/* What the symmetry of an output (an implementation's number times MAX_RESULTS and a result's) is held to: nothing where
 * nobody asks. */
enum parity request_symmetry(const struct sweep_request *request, size_t output);

/* Runs. On success the outcome is the caller's to free, complete or not. Implementations that do
 * not provide the operation are left out and say so; when none does, nothing is tested and
 * `covered` is 0. */
bool sweep_run(const struct sweep_request *request, struct sweep_outcome *outcome,
               struct error *error);
void sweep_outcome_free(struct sweep_outcome *outcome);

/* Inputs in a unit of a domain's shards: of arrays, calls. */
uint64_t sweep_unit(const struct domain *domain);

#endif
