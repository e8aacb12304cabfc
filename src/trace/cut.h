/* Tensors that are cut out of others, as a slice along one axis is. Recorders of libraries whose slices are no operations show
 * them as inputs that nothing gave. */
#ifndef DETCHECK_TRACE_CUT_H
#define DETCHECK_TRACE_CUT_H

#include "trace/trace.h"

/* Whether the elements of a part are those of successive places of the whole along one axis. Both have to be kept. */
bool trace_is_cut(const struct trace *trace, const struct trace_tensor *part,
                  const struct trace *whole_trace, const struct trace_tensor *whole);

#endif
