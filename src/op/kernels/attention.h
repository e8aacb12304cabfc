/* What attention's row and its exact values share. */
#ifndef DETCHECK_OP_KERNELS_ATTENTION_H
#define DETCHECK_OP_KERNELS_ATTENTION_H

#include "op/array.h"

/* What operands are; a gradient's come as q, k, v, g and the bias. */
enum { ATTENTION_Q, ATTENTION_K, ATTENTION_V, ATTENTION_BIAS, ATTENTION_G, ATTENTION_ROLES };
/* Results of the gradient. */
enum { ATTENTION_DQ, ATTENTION_DK, ATTENTION_DV };
/* --bias */
enum { ATTENTION_NO_BIAS, ATTENTION_MASK, ATTENTION_ALIBI };

struct attention_extents {
    uint64_t batches, heads, groups, queries, keys, width;
    uint64_t page, split; /* 0: none */
};
struct attention_extents attention_extents(const struct array_call *call);

bool attention_is_gradient(const struct array_call *call);
/* The number of the operand that is that, whether the call has it or not. */
int attention_operand(const struct array_call *call, int role);

/* What scores are multiplied by, and their soft cap: 0 where there is none. */
float attention_scale(uint64_t width);
struct real attention_soft_cap(const struct array_call *call);

/* The keys that a query has: from *first to before *last. */
void attention_keys(const struct array_call *call, uint64_t query, uint64_t *first, uint64_t *last);

/* Fills the result by attention.h's functions for one query, in parts of so many keys, 64 times a power of two. False
 * where memory fails. */
struct detmath_strided;
bool attention_by_parts(const struct array_call *call, struct detmath_strided *y,
                        struct detmath_strided *const *x);

/* Other calls in which a query must have the same bits. */
extern const struct array_rearrangement attention_rearrangements[];

bool attention_exact(const struct array_call *call, int result, int precision, struct real *y,
                     struct error *error);
bool attention_exact_gradient(const struct array_call *call, int result, int precision,
                              struct real *y, struct error *error);

#endif
