/* What `detcheck sweep` and `detcheck search` print of their results: text, values between commas, or nothing. */
#ifndef DETCHECK_CMD_SWEEP_OUTPUT_H
#define DETCHECK_CMD_SWEEP_OUTPUT_H

#include "sweep_plan.h"

/* One job's outcome, and what came of the limits of a policy; the `first` has a heading. */
void sweep_print_outcome(struct sweep_plan *plan, const struct sweep_request *request,
                         const struct sweep_outcome *outcome, const struct sweep_limits *limits,
                         bool first);

/* Below a table: the inputs of all jobs, and their time. */
void sweep_print_total(const struct sweep_plan *plan);

#endif
