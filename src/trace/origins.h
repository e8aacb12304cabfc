/* Where inputs come from: which outputs of the operations before had the same bits. */
#ifndef DETCHECK_TRACE_ORIGINS_H
#define DETCHECK_TRACE_ORIGINS_H

#include "trace/compare.h"

/* An output, and all outputs up to it that have its bits. */
struct trace_origin {
    struct trace_digest digest;
    size_t tensor; /* its place in trace->tensors */
    size_t row,
        output; /* the row of its operation in the comparison, and its place among the outputs */
    uint64_t
        all; /* of these outputs, by the rows of their operations: the same number on both sides, the same outputs */
};

struct trace_origins {
    struct trace_origin *given;
    size_t count;
};

/* Of side 0 (here) or 1 of a comparison that has all rows. False without memory; free(origins->given) is right in any case. */
bool trace_origins_open(struct trace_origins *origins, const struct trace *trace, int side,
                        const struct trace_comparison *comparison);

/* The last output before an input that has its bits; NULL: no recorded operation returned it. */
const struct trace_origin *trace_origin_of(const struct trace_origins *origins,
                                           const struct trace *trace,
                                           const struct trace_tensor *input);

#endif
