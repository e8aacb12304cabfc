/* Attention by the kernel of detmath.metal, compiled as C++ (attention_group_metal.cpp): the bits of the library's. */
#include "attention_groups.h"

void attend_by_metal(float *y, const float *q, const float *keys, const float *values,
                     const float *bias, const size_t *extents, int causal, const float *scoring);

static void run(const struct groups_call *call) {
    const size_t extents[] = {call->queries, call->n, call->width, call->values};
    const float scoring[] = {call->scale, call->soft_cap};
    attend_by_metal(call->y, call->q, call->turned, call->v, call->has_bias ? call->bias : NULL,
                    extents, call->causal, scoring);
}

int main(void) {
    groups_check_shapes(run);
    groups_check_special_values(run);
    return groups_result();
}
