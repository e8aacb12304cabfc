/* A kernel of attention by work groups of 64 threads: any number of them shares a head's queries, and each has room of its
 * own. Compiled only, where there is a compiler for it. */
#include "detmath/attention_group.h"

__global__ void attend(struct detmath_attention_scoring all, struct detmath_attention_head head,
                       float *room) {
    __shared__ float shared[DETMATH_ATTENTION_SHARED];
    detmath_attention_group_queries(
        &all, &head,
        detmath_attention_group_of(
            shared, room + blockIdx.x * detmath_attention_group_room(head.n, head.value_width),
            head.n),
        (int)threadIdx.x, blockIdx.x, gridDim.x);
}
