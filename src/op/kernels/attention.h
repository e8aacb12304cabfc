/* What attention's row and its exact values share. */
#ifndef DETCHECK_OP_KERNELS_ATTENTION_H
#define DETCHECK_OP_KERNELS_ATTENTION_H

#include "op/array.h"

enum { ATTENTION_Q, ATTENTION_K, ATTENTION_V, ATTENTION_BIAS };
/* --bias */
enum { ATTENTION_NO_BIAS, ATTENTION_MASK, ATTENTION_ALIBI };

struct attention_extents {
    uint64_t batches, heads, groups, queries, keys, width;
};
struct attention_extents attention_extents(const struct array_call *call);

/* What scores are multiplied by, and their soft cap: 0 where there is none. */
float attention_scale(uint64_t width);
struct real attention_soft_cap(const struct array_call *call);

/* The keys that a query has: from *first to before *last. */
void attention_keys(const struct array_call *call, uint64_t query, uint64_t *first, uint64_t *last);

bool attention_exact(const struct array_call *call, int result, int precision, struct real *y,
                     struct error *error);

#endif
