/* A kernel of attention by work groups of 64: any number of them shares a head's queries, and each has room of its own. */
#include "detmath/attention_group.h"

__kernel __attribute__((reqd_work_group_size(DETMATH_KEYS, 1, 1))) void
attend(__global float *y, __global const float *q, __global const float *keys,
       __global const float *values, __global const float *bias, __global float *room,
       ulong queries, ulong n, ulong width, ulong value_width, int causal, float scale,
       float soft_cap) {
    __local float shared[DETMATH_ATTENTION_SHARED];
    const ulong group = get_group_id(0);
    struct detmath_attention_scoring all;
    struct detmath_attention_head head;
    all.scale = scale;
    all.soft_cap = soft_cap;
    head.q = q;
    head.keys = keys;
    head.values = values;
    head.bias = bias;
    head.y = y;
    head.queries = queries;
    head.n = n;
    head.width = width;
    head.value_width = value_width;
    head.causal = causal;
    detmath_attention_group_queries(
        &all, &head,
        detmath_attention_group_of(shared,
                                   room + group * detmath_attention_group_room(n, value_width), n),
        (int)get_local_id(0), group, get_num_groups(0));
}
