/* How long the exact oracle will take for what the filter leaves of a formula, told before a run. */
#ifndef DETCHECK_CMD_FORMULA_TIME_H
#define DETCHECK_CMD_FORMULA_TIME_H

#include "sweep/sweep.h"

/* A note on stderr where the operation is a formula and what its inputs cost beside the filter takes longer than a
 * minute, by a look at some of them. */
void formula_time_note(const struct sweep_request *request);

#endif
