/* Operations of detcheck in several steps: a norm that a framework computes by a power, a mean, a sum, a root and two
 * products. */
#ifndef DETCHECK_TRACE_STEPS_H
#define DETCHECK_TRACE_STEPS_H

#include "trace/trace.h"

enum { TRACE_STEP_OPERANDS = 3 };

/* The operation that steps are together, as if it had been recorded. */
struct trace_steps {
    struct trace_operation operation;
    struct trace_tensor inputs[TRACE_STEP_OPERANDS];
    cJSON *attributes;
};

/* Whether what gives `output`, the last of `count` operations, is one known operation of what these take from outside. False
 * without memory, too. trace_steps_close is right in any case of a struct that is all zero at first. */
bool trace_steps_find(struct trace_steps *steps, const struct trace *trace,
                      const struct trace_operation *operations, size_t count,
                      const struct trace_tensor *output);
void trace_steps_close(struct trace_steps *steps);

#endif
