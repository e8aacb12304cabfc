/* Ways that are one under several names, and give the same bits of other inputs, too. */
#ifndef DETCHECK_TRACE_ALIKE_H
#define DETCHECK_TRACE_ALIKE_H

#include "trace/trial.h"

/* For each way that gives all outputs of a side: the first way that gives the same of the same operands, shuffled. An order
 * has the same tree besides. A way stands for itself where none before it does. */
struct trace_alike {
    size_t *first; /* of each way */
    uint64_t
        outputs; /* of shuffled operands that were compared; 0: none, and each way stands alone */
};

/* False without memory; trace_alike_close in any case. */
bool trace_alike_open(struct trace_alike *alike, const struct trace_trial *trial);
void trace_alike_close(struct trace_alike *alike);

/* How many ways that are not alike give all outputs of a side; and the first of those that a way is alike. */
size_t trace_alike_fits(const struct trace_alike *alike, const struct trace_trial *trial, int side);

#endif
