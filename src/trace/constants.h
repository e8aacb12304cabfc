/* Values that are made of nothing that was recorded: a mask, or positions. Compilers may have them in their code. */
#ifndef DETCHECK_TRACE_CONSTANTS_H
#define DETCHECK_TRACE_CONSTANTS_H

#include "trace/digests.h"

/* Whether a tensor from outside may stand in the code of a program: one number, or a few integers, such as a shape or axes. */
bool trace_may_be_code(const struct trace_tensor *tensor);

/* What a run gives and takes: of each value the first operation that does. */
struct trace_values {
    const struct trace *trace;
    struct digest_map given, taken;
};

/* False without memory; trace_values_close in any case. */
bool trace_values_open(struct trace_values *values, const struct trace *trace);
void trace_values_close(struct trace_values *values);

/* Whether a run gives or takes a value. */
bool trace_values_know(const struct trace_values *values, const struct trace_tensor *tensor);

/* Whether a value of each run may stand beside one another: of one size, and the same, or such that neither is there in the other
 * run, where it would stand beside itself. */
bool trace_values_may_match(const struct trace_values *here, const struct trace_tensor *one,
                            const struct trace_values *there, const struct trace_tensor *other);

/* Whether an operation makes a constant: draws no random numbers, and takes nothing but tensors that may be code, what other such
 * operations give, and, unless `other` is NULL, what comes from outside and the other run does not know. */
bool trace_makes_constant(const struct trace_values *values, const struct trace_values *other,
                          size_t operation);

#endif
