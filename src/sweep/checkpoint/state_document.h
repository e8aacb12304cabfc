/* The state of a sweep as a document: a report of the tasks that are done, and of which these are. */
#ifndef DETCHECK_SWEEP_CHECKPOINT_STATE_DOCUMENT_H
#define DETCHECK_SWEEP_CHECKPOINT_STATE_DOCUMENT_H

#include "sweep/checkpoint/counted.h"
#include "sweep/checkpoint/identity.h"
#include "sweep/checkpoint/serialise.h"

/* What stands first. */
struct state_head {
    struct identity identity;
    uint64_t tasks, task_digests, digest_count, outputs, pairs;
    uint64_t envelope; /* there is one */
    uint64_t finished; /* and without digests */
    double seconds;
};

/* What a state is of: the head, and where the rest of it lies. */
struct state_parts {
    struct state_head *head;
    const struct sweep_view *view;
    bool *done;                             /* by task */
    char (*fingerprints)[FINGERPRINT_TEXT]; /* by output, of a finished sweep */
};

/* Writes or reads the head. */
void state_pass_head(struct serialiser *serialiser, struct state_head *head);

/* Writes or reads the rest, of the sweep that the head says; counts that are read into are open and nothing yet. */
void state_pass_rest(struct serialiser *serialiser, const struct state_parts *parts,
                     struct counted *counted);

#endif
