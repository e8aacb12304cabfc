/* What an implementation's properties have come to so far, in a checkpoint. Each property is tested from
 * the first input to the last, so that its tally and the input that is next are all there is to it. */
#ifndef DETCHECK_INVARIANCE_KEPT_H
#define DETCHECK_INVARIANCE_KEPT_H

#include "impl/implementation.h"
#include "invariance/invariance.h"
#include "sweep/checkpoint/file.h"
#include "sweep/checkpoint/identity.h"

/* Of one property: the input that is next, in the domain, and how many blocks its next batch has:
 * 0 where it is not tested by blocks. */
enum { KEPT_MOST_BLOCKS = 32 };
struct kept_property {
    uint64_t next, blocks;
};

struct invariance_kept {
    const struct invariance_request *request;
    struct invariance_outcome *outcome;
    double start; /* of clock_seconds(), as if it had run without a break */
    struct identity identity;
    struct kept_property *properties; /* as many as the request has */
    size_t at;                        /* the property under way, of those that run by themselves */
};

/* Reads what the request's checkpoint has, if anything, into the outcome. The binding is one of the
 * implementation. False where the checkpoint is of other inputs or of another build, or memory is
 * short. Close it in any case. */
bool kept_open(struct invariance_kept *kept, const struct invariance_request *request,
               struct invariance_outcome *outcome, const struct binding *binding,
               struct error *error);
void kept_close(struct invariance_kept *kept);

/* The input that a property goes on from; 0 where nothing is kept (NULL). */
uint64_t kept_next(const struct invariance_kept *kept, size_t property);
bool kept_is_done(const struct invariance_kept *kept, size_t property);

/* All before `next` is in the property's tally, and nothing else: keeps that, unless the run is stopped,
 * when what was last computed may be cut short. Writes the file where that is due. One thread at a time. */
void kept_note(struct invariance_kept *kept, size_t property, uint64_t next, uint64_t blocks);

/* The run has ended, or is stopped: what is done next belongs to another one. */
void kept_leave(const struct invariance_kept *kept);

#endif
