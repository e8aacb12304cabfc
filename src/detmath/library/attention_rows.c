/* Attention and its gradients for one instruction set: members of those of reductions.c, which takes long enough to compile without it. */
#include "detmath/attention_odd.h"
#include "kernels.h"
#include "matmul_vectors.h"
#include "reduction_list.h"

#include <string.h>

#include "attention.inc"

#include "attention_gradient.inc"

#define JOIN(A, B)  JOIN_(A, B)
#define JOIN_(A, B) A##B

extern detmath_attention_of_rows JOIN(detmath_attention_rows_, DETMATH_LEVEL);
void JOIN(detmath_attention_rows_,
          DETMATH_LEVEL)(const struct detmath_attention_scoring *all,
                         const struct detmath_attention_row *rows, size_t count,
                         const struct detmath_attention_room *room, float *const *y) {
    attention(all, rows, count, room, y);
}

extern detmath_attention_gradient_of JOIN(detmath_attention_gradient_of_, DETMATH_LEVEL);
void JOIN(detmath_attention_gradient_of_,
          DETMATH_LEVEL)(const struct detmath_attention_scoring *all,
                         const struct detmath_attention_gradient_query *query,
                         const struct detmath_attention_gradient_room *room) {
    attention_gradient(all, query, room);
}
