/* Tensors that are cut out of others, as a slice along one axis is, or that have the same elements in other places. Recorders of libraries whose slices are no operations show
 * them as inputs that nothing gave. */
#ifndef DETCHECK_TRACE_CUT_H
#define DETCHECK_TRACE_CUT_H

#include "trace/trace.h"

/* Whether the elements of a part are those of successive places of the whole along one axis. Both have to be kept. */
bool trace_is_cut(const struct trace *trace, const struct trace_tensor *part,
                  const struct trace *whole_trace, const struct trace_tensor *whole);

/* Whether two tensors have the same elements, each as often, be it in other places. Both have to be kept. */
bool trace_is_permuted(const struct trace *trace, const struct trace_tensor *one,
                       const struct trace *other_trace, const struct trace_tensor *other);

#endif
