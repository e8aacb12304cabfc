/* The reductions and scans of the library, one row each: what its calls, their dispatch and the
 * tests are made from. T is float or double, S is f32 or f64. */
#ifndef DETMATH_LIBRARY_REDUCTION_LIST_H
#define DETMATH_LIBRARY_REDUCTION_LIST_H

#include "detmath/attention.h"
#include "detmath/attention_gradient.h"
#include "detmath/gates.h"
#include "detmath/log_softmax_gradient_blocks.h"
#include "detmath/norms.h"
#include "detmath/rope.h"

#include <stddef.h>
#include <stdint.h>

/* REDUCE(T, S, NAME)  T detmath_NAME_S(const T *x, size_t n)
 * PAIR(T, S, NAME)    T detmath_NAME_S(const T *x, const T *y, size_t n)
 * MAP(T, S, NAME)     void detmath_NAME_S(T *y, const T *x, size_t n); y may be x */
#define DETMATH_REDUCTION_LIST(T, S, REDUCE, PAIR, MAP)                                            \
    REDUCE(T, S, sum)                                                                              \
    REDUCE(T, S, mean)                                                                             \
    PAIR(T, S, dot)                                                                                \
    MAP(T, S, cumsum)                                                                              \
    MAP(T, S, softmax)                                                                             \
    REDUCE(T, S, cr_sum)                                                                           \
    REDUCE(T, S, cr_mean)                                                                          \
    PAIR(T, S, cr_dot)

#define DETMATH_REDUCTIONS(REDUCE, PAIR, MAP)                                                      \
    DETMATH_REDUCTION_LIST(float, f32, REDUCE, PAIR, MAP)                                          \
    DETMATH_REDUCTION_LIST(double, f64, REDUCE, PAIR, MAP)

/* What attention works with: for each of DETMATH_ATTENTION_ROWS rows sums of values, high parts and then low parts, of `levels`
 * parts and one more, and anchors of values; anchors that rows share; a score in two parts for each key. Widths of values are
 * padded with zeros to a multiple of DETMATH_ATTENTION_PAD. Keys lie in blocks, one after the other: element d of the 64 keys
 * of a block, then as many of those of the next block as are padded, so that that many keys from any one on lie beside each
 * other; behind the last key there is room for a block. The largest magnitude of each key's elements, as bits, lies in
 * key_sizes. */
enum {
    DETMATH_ATTENTION_ROWS = 8,
    DETMATH_ATTENTION_PAD = 32,
    DETMATH_ATTENTION_STEP = DETMATH_KEYS + DETMATH_ATTENTION_PAD
};
struct detmath_attention_room {
    float *sums, *anchors, *scores, *lows,
        *queries; /* of queries, as many as of all rows together */
    detmath_u32 *key_sizes;
    size_t levels, first; /* and which key is the rows' first one */
};

typedef void detmath_attention_of_rows(const struct detmath_attention_scoring *all,
                                       const struct detmath_attention_row *rows, size_t count,
                                       const struct detmath_attention_room *room, float *const *y);

/* Lines of `width` elements: element d of the DETMATH_KEYS lines of a block, for each d, then the next block, with zeros in the end; and
 * the largest magnitude of each line's elements, as bits. */
struct detmath_attention_lines {
    float *blocks;
    detmath_u32 *sizes;
    size_t width;
};

/* What gradients of a group's queries work with: its keys and values, as they follow one another and in blocks; scores, d and slopes of
 * a query, with room for whole blocks; and sums in two parts, of dq of a query, and of dk and dv of all keys, with how many
 * queries each has so far. */
struct detmath_attention_gradient_room {
    float *keys, *values;
    struct detmath_attention_lines key_lines, value_lines;
    struct detmath_attention_slopes slopes;
    float *dq, *dq_low, *dk, *dk_low, *dv, *dv_low;
    size_t *counts;
};

/* A query that has the keys from `first` to before `last`; bias is NULL, or has a number for each key of the group. */
struct detmath_attention_gradient_query {
    const float *q, *g, *bias, *bias_low;
    size_t first, last;
};

/* Finds dq of a query, and adds what it has in dk and dv. */
typedef void detmath_attention_gradient_of(const struct detmath_attention_scoring *all,
                                           const struct detmath_attention_gradient_query *query,
                                           const struct detmath_attention_gradient_room *room);

/* Columns whose sums of products lie beside each other (convolution.h). */
enum { DETMATH_CONVOLUTION_COLUMNS = 16 };

/* Norms, gates and rotary embeddings of one instruction set. */
struct detmath_line_kernels {
    /* norms.h; weight and bias may be NULL, and y may be x. */
    void (*gates[3])(float *y, const float *x, const float *u, size_t n); /* by enum detmath_gate */
    void (*norm)(float *y, const float *x, const float *weight, const float *bias, size_t n,
                 float epsilon, enum detmath_norm which);
    /* log_softmax_first.h; y is apart from x. */
    int (*log_softmax)(float *y, const float *x, size_t n);
    /* rope.h; y may be x, and turns has 4 numbers for each pair. */
    void (*rope_turns)(float *turns, const struct detmath_wide *frequencies, size_t pairs,
                       int64_t position);
    /* Of lines that begin `length` elements apart. */
    void (*rope)(float *y, const float *x, const float *turns, size_t pairs, int64_t position,
                 int interleaved, size_t lines, size_t length);
};

struct detmath_training;

/* Those of one instruction set. */
struct detmath_reductions {
#define DETMATH_REDUCE(T, S, NAME)  T (*NAME##_##S)(const T *x, size_t n);
#define DETMATH_PAIR_OF(T, S, NAME) T (*NAME##_##S)(const T *x, const T *y, size_t n);
#define DETMATH_MAP(T, S, NAME)     void (*NAME##_##S)(T * y, const T *x, size_t n);
    DETMATH_REDUCTIONS(DETMATH_REDUCE, DETMATH_PAIR_OF, DETMATH_MAP)
#undef DETMATH_REDUCE
#undef DETMATH_PAIR_OF
#undef DETMATH_MAP
    void (*matmul_f32)(float *c, const float *a, const float *b, size_t rows, size_t inner,
                       size_t columns);
    void (*matmul_f64)(double *c, const double *a, const double *b, size_t rows, size_t inner,
                       size_t columns);
    /* convolution.h: both parts of the sums of products of `rows` rows of a, of n > 0 elements, and the DETMATH_CONVOLUTION_COLUMNS
     * columns of b. */
    void (*convolution_sums)(float *high, float *low, const float *a, const float *b, size_t rows,
                             size_t n);
    /* Of lines (log_sums.h): a scan, which may be exclusive, a reduction to one element, and a
     * map. */
    void (*logcumsumexp)(const struct detmath_line_out *y, const struct detmath_line *x, size_t n,
                         int exclusive);
    void (*logsumexp)(const struct detmath_line_out *y, const struct detmath_line *x, size_t n);
    void (*log_softmax)(const struct detmath_line_out *y, const struct detmath_line *x, size_t n);
    /* log_sums_gradient.h */
    void (*logcumsumexp_gradient)(const struct detmath_line_out *y, const struct detmath_line *x,
                                  const struct detmath_line *g, size_t n, int exclusive,
                                  struct detmath_log_prefix *prefixes);
    /* log_softmax_gradient.h; of logsumexp g is one element. */
    void (*logsumexp_gradient)(const struct detmath_line_out *y, const struct detmath_line *x,
                               const struct detmath_line *g, size_t n);
    void (*log_softmax_gradient)(const struct detmath_line_out *y, const struct detmath_line *x,
                                 const struct detmath_line *g, size_t n);
    /* attention.h: queries that have the same first key, and a result for each. */
    detmath_attention_of_rows *attention;
    detmath_attention_gradient_of *attention_gradient;
    const struct detmath_line_kernels *lines;
    const struct detmath_training *training; /* training_list.h */
};

/* The best for this machine, and those of every level of kernels.h (NULL where it lacks it). */
const struct detmath_reductions *detmath_reductions(void);
const struct detmath_reductions *detmath_reductions_level(int index);

#endif
