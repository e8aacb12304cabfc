/* The state of a sweep as a document: a report of the tasks that are done, and of which these are. */
#ifndef DETCHECK_SWEEP_CHECKPOINT_STATE_DOCUMENT_H
#define DETCHECK_SWEEP_CHECKPOINT_STATE_DOCUMENT_H

#include "base/json.h"
#include "sweep/checkpoint/counted.h"
#include "sweep/checkpoint/identity.h"

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
    uint8_t *done;                          /* by task: 0 or 1 */
    char (*fingerprints)[FINGERPRINT_TEXT]; /* by output, of a finished sweep */
};

/* The document, the caller's to delete; NULL without memory. */
cJSON *state_to_document(const struct state_parts *parts, const struct counted *counted);

/* Reads the head; what is wrong fails the reader. */
void state_read_head(struct json_reader *reader, const cJSON *document, struct state_head *head);

/* Reads the rest, of the sweep that the head says, into counts that are open and nothing yet. */
void state_read_rest(struct json_reader *reader, const cJSON *document,
                     const struct state_parts *parts, struct counted *counted);

#endif
