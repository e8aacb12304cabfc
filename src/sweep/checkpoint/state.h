/* What a sweep has done so far, kept so that it can be resumed: the tallies of whole tasks.
 *
 * A thread's tallies change from input to input. So each thread leaves a copy of them now and then,
 * where it has just ended a task; the copies of all threads together are the tally of a set of whole
 * tasks, which is what goes into the file. Tallies merge in any order to the same bits, so a resumed
 * sweep lets its first thread begin with that tally and does the other tasks. */
#ifndef DETCHECK_SWEEP_CHECKPOINT_STATE_H
#define DETCHECK_SWEEP_CHECKPOINT_STATE_H

#include "sweep/checkpoint/counted.h"
#include "sweep/checkpoint/file.h"

struct state;

/* Before the threads begin: reads what the checkpoint has of this sweep, if anything, into the first
 * worker and the digests. *seconds is the time that was taken for it. NULL with an error where the
 * checkpoint is of other inputs or implementations, or memory is short. */
struct state *state_open(struct checkpoint *checkpoint, const struct sweep_view *view,
                         double *seconds, struct error *error);
bool state_has(const struct state *state, uint64_t task);

/* By thread `thread`, where it has just ended the task. */
void state_add(struct state *state, int thread, uint64_t task);

/* By any thread at any time: writes the checkpoint if one is due. */
void state_look(struct state *state);

/* After the threads: puts what was done into the checkpoint, which is not written yet. Of a sweep that
 * is complete its fingerprints are kept instead of the digests, where nobody needs these any more. */
void state_end(struct state *state, const struct sweep_outcome *outcome, double seconds);

/* The fingerprint of an output of a sweep that was complete already; or NULL. */
const char *state_fingerprint(const struct state *state, size_t output);

void state_close(struct state *state);

#endif
