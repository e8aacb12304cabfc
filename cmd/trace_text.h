/* What `trace` prints for people. */
#ifndef DETCHECK_CMD_TRACE_TEXT_H
#define DETCHECK_CMD_TRACE_TEXT_H

#include "trace/compare.h"

/* The answer first; then what is not the same around it, kinds of operations, and the run. `all`: every operation that
 * parted or has no partner, in place of the first ones. */
void trace_print_comparison(const struct trace_comparison *comparison, bool all);

/* What a trace has, by kind of operation. False when there is no memory. */
bool trace_print(const struct trace *trace);

/* One operation with its tensors. */
void trace_print_operation(const struct trace *trace, size_t index);

#endif
