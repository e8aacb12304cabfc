/* Either way. */
#include "sweep/checkpoint/flow.h"

#include <string.h>

void flow_pass(struct flow *flow, void *data, size_t size) {
    if (!flow->reads)
        bytes_add(flow->bytes, data, size);
    else if (flow->torn || flow->bytes->size - flow->at < size)
        flow->torn = true;
    else if (size) {
        memcpy(data, flow->bytes->data + flow->at, size);
        flow->at += size;
    }
}

void flow_expect(struct flow *flow, bool sound) {
    flow->torn = flow->torn || (flow->reads && !sound);
}

void flow_pass_count(struct flow *flow, size_t *count, size_t most) {
    size_t found = *count;
    flow_pass(flow, &found, sizeof found);
    if (found > most)
        flow->torn = true;
    else
        *count = found;
}
