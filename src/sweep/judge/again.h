/* Inputs that were asked again: the worse answer counts. One that a repetition hides is one that users get. */
#ifndef DETCHECK_SWEEP_JUDGE_AGAIN_H
#define DETCHECK_SWEEP_JUDGE_AGAIN_H

#include "sweep/worker.h"

/* Puts the worse of two answers into the results of a slice, whose inputs the worker has, and whose earlier answers
 * are the worker's. They are ready for another slice then. False where the oracle cannot decide. */
bool worker_choose_worse(struct worker *worker, const struct slice *slice, struct error *error);

#endif
