/* A search in a checkpoint: what it is to go on from at its next round. */
#ifndef DETCHECK_SWEEP_SEARCH_CHECKPOINT_H
#define DETCHECK_SWEEP_SEARCH_CHECKPOINT_H

#include "sweep/checkpoint/identity.h"
#include "sweep/search/finds.h"
#include "sweep/search/strategy.h"

/* How far a search is. */
struct search_place {
    const struct search_request *request;
    const struct sweep_request *sweep; /* with a checkpoint, or without */
    struct search_record *record;
    struct finds *finds;
    uint64_t part;            /* under way; the number of parts at the end */
    double seconds;           /* that the search took so far, in runs before too */
    struct identity identity; /* its inputs are those to start from */
};

/* Reads what the checkpoint has of the search, if there is one and it has something: *found says so, and
 * *serialiser stands where the strategy of the part under way begins, if there is such a part. False where the checkpoint is of
 * other inputs to start from or of other builds, or memory is short. The worker has the implementations
 * bound. serialise_close in any case, where *serialiser was zeroed. */
bool search_read(struct search_place *place, const struct worker *worker,
                 struct serialiser *serialiser, bool *found, struct error *error);

/* Puts the search into the checkpoint, between two rounds; the strategy is NULL after the last part. Writes
 * the file where that is due. Without a checkpoint it does nothing. */
void search_keep(struct search_place *place, struct strategy *strategy);

/* The search has ended, or is stopped: what is done next belongs to another one. */
void search_leave(const struct search_place *place);

#endif
