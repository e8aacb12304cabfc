/* Inputs of conversions of which no result is right (cast_is_open): they are counted, and not judged. */
#ifndef DETCHECK_SWEEP_OPEN_INPUTS_H
#define DETCHECK_SWEEP_OPEN_INPUTS_H

#include "sweep/worker.h"

/* Whether the request's conversion may have such inputs. */
bool sweep_leaves_some_open(const struct sweep_request *request);

/* Sets worker->not_called for the inputs of the slice. */
void worker_note_open(struct worker *worker, size_t count);

#endif
