/* How long a run of a formula will take: the filter, what it leaves to the exact oracle, and steps, told before it. */
#ifndef DETCHECK_CMD_FORMULA_TIME_H
#define DETCHECK_CMD_FORMULA_TIME_H

#include "sweep/sweep.h"

/* A note on stderr where the operation is a formula, or errors are measured, and the run will take longer than a
 * minute, by a look at some of them. */
void formula_time_note(const struct sweep_request *request);

#endif
