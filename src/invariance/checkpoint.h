/* What an implementation's properties have come to so far, in a checkpoint. Each property is tested from
 * the first input to the last, so that its tally and the input that is next are all there is to it. */
#ifndef DETCHECK_INVARIANCE_CHECKPOINT_H
#define DETCHECK_INVARIANCE_CHECKPOINT_H

#include "impl/implementation.h"
#include "invariance/invariance.h"
#include "sweep/checkpoint/file.h"
#include "sweep/checkpoint/identity.h"

/* Of one property: the input that is next, in the domain, and how many blocks its next batch has:
 * 0 where it is not tested by blocks. */
enum { CHECKPOINT_MOST_BLOCKS = 32 };
struct property_checkpoint {
    uint64_t next, blocks;
};

struct invariance_checkpoint {
    const struct invariance_request *request;
    struct invariance_outcome *outcome;
    double start; /* of clock_seconds(), as if it had run without a break */
    struct identity identity;
    struct property_checkpoint *properties; /* as many as the request has */
    size_t at; /* the property under way, of those that run by themselves */
};

/* Reads what the request's checkpoint has, if anything, into the outcome. The binding is one of the
 * implementation. False where the checkpoint is of other inputs or of another build, or memory is
 * short. Close it in any case. */
bool invariance_checkpoint_open(struct invariance_checkpoint *saved,
                                const struct invariance_request *request,
                                struct invariance_outcome *outcome, const struct binding *binding,
                                struct error *error);
void invariance_checkpoint_close(struct invariance_checkpoint *saved);

/* The input that a property goes on from; 0 where nothing is kept (NULL). */
uint64_t invariance_checkpoint_next(const struct invariance_checkpoint *saved, size_t property);
bool invariance_checkpoint_is_done(const struct invariance_checkpoint *saved, size_t property);

/* All before `next` is in the property's tally, and nothing else: keeps that, unless the run is stopped,
 * when what was last computed may be cut short. Writes the file where that is due. One thread at a time. */
void invariance_checkpoint_note(struct invariance_checkpoint *saved, size_t property, uint64_t next,
                                uint64_t blocks);

/* The run has ended, or is stopped: what is done next belongs to another one. */
void invariance_checkpoint_leave(const struct invariance_checkpoint *saved);

#endif
