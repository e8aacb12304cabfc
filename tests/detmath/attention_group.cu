/* A kernel of attention by work groups: compiled only, where there is a compiler for it. */
#include "detmath/attention_group.h"

/* A block of 64 for each query; scores and sums have room for one query of each block. */
__global__ void attend(float *y, const float *q, const float *keys, const float *values,
                       float *scores, float *sums, detmath_u64 n, detmath_u64 width) {
    __shared__ float s[DETMATH_KEYS], fold[DETMATH_KEYS];
    const detmath_u64 query = blockIdx.x, columns = (width + DETMATH_KEYS - 1) / DETMATH_KEYS,
                      room = columns * DETMATH_KEYS * (DETMATH_ATTENTION_LEVELS + 1);
    const struct detmath_attention_scoring all = {detmath_rsqrtf((float)width), 0.0f};
    const struct detmath_attention_row row = {
        q + query * width, keys, values, 0, n, width, n, width, width};
    const struct detmath_attention_group group = {s, fold, scores + query * n, sums + query * room};
    detmath_attention_group_run(&all, &row, &group, (int)threadIdx.x, y + query * width);
}
