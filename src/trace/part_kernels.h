/* The units of kernels (part.h): queries of attention, outputs of a convolution, what is normed together of channels. Between
 * the files of this folder. */
#ifndef DETCHECK_TRACE_PART_KERNELS_H
#define DETCHECK_TRACE_PART_KERNELS_H

#include "trace/part.h"

/* Whether it is such a call; the functions below are for these. */
bool trace_is_kernel(const struct trace_call *call);

struct trace_units trace_kernel_units(const struct trace_call *call);
uint64_t trace_kernel_unit_of(const struct trace_call *call, uint64_t result);
uint64_t trace_kernel_unit_result(const struct trace_call *call, uint64_t unit, uint64_t index);
uint64_t trace_kernel_keys(const struct trace_call *call, uint64_t unit);

/* `part` is a copy of `call` without operands. */
bool trace_kernel_part(struct trace_call *part, const struct trace_call *call,
                       const uint64_t *units, size_t count, struct error *why);

#endif
