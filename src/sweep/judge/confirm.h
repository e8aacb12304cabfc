/* The last word on what a report names: MPFR's. */
#ifndef DETCHECK_SWEEP_JUDGE_CONFIRM_H
#define DETCHECK_SWEEP_JUDGE_CONFIRM_H

#include "sweep/worker.h"

/* Judges again, by MPFR alone, the largest error and the worst inputs of every implementation and
 * result of a merged outcome; `worker` has run, and has been ended. False, with an error, where the
 * correctly rounded bits differ, or an error by more than the oracle's own slack: then an oracle
 * was wrong, and so may be all that it said. */
bool sweep_confirm(const struct worker *worker, const struct sweep_outcome *outcome,
                   struct error *error);

#endif
