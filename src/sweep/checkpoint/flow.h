/* Bytes that are written one after the other, or read in the same order: one function says what
 * stands in a state for both. */
#ifndef DETCHECK_SWEEP_CHECKPOINT_FLOW_H
#define DETCHECK_SWEEP_CHECKPOINT_FLOW_H

#include "sweep/checkpoint/file.h"

struct flow {
    struct bytes *bytes;
    bool reads;
    bool torn; /* while reading: the bytes are no such state */
    size_t at;
};

/* While reading: what was read is torn unless it is sound. */
void flow_expect(struct flow *flow, bool sound);

/* Writes the data behind the bytes, or reads them from there. What is torn leaves them as they are. */
void flow_pass(struct flow *flow, void *data, size_t size);

/* The same for a number that is at most that large; a larger one is torn. */
void flow_pass_count(struct flow *flow, size_t *count, size_t most);

#endif
