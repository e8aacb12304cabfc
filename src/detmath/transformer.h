/* The library's kernels of transformers: norms, gated activations, rotary embeddings, orders and attention, of arrays of any
 * strides and formats. Link with -ldetmath.
 *
 * Every result follows one written order (norms.h), which depends on the length of its own line alone: threads,
 * batches and blocking change no bit. An element of y is computed in fp32 and then rounded to y's format; elements of
 * all operands are cast to y's format first. */
#ifndef DETMATH_TRANSFORMER_H
#define DETMATH_TRANSFORMER_H

#include "attention.h"
#include "gates.h"
#include "norms.h"
#include "rope.h"
#include "strided.h"

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* What a call returns is an enum detmath_trouble; with anything but DETMATH_NO_TROUBLE nothing has been written. y has
 * x's extents and fp32 or a narrower format, and may be x. weight and bias may be NULL: the weight is 1 then, and the
 * bias -0, to the bit. epsilon is 0 or a normal number above 0. */

/* Each line along an axis; of DETMATH_WHOLE_ARRAY all of it is one. weight and bias have one dimension, of the extent
 * of the axis.
 *   DETMATH_RMS_NORM     x / (mean of x^2 + epsilon)^(1/2)
 *   DETMATH_LAYER_NORM   (x - mean of x) / (variance of x + epsilon)^(1/2), the variance over n
 *   DETMATH_L2_NORM      x / max((sum of x^2)^(1/2), epsilon) */
int detmath_norm_along(enum detmath_norm which, const struct detmath_strided *y,
                       const struct detmath_strided *x, const struct detmath_strided *weight,
                       const struct detmath_strided *bias, int axis, float epsilon);

/* x has two dimensions or more: samples, channels and others. A layer norm of the elements of a sample in each of
 * `groups` equal groups of channels (of as many as channels: instance norm), or of those of a channel in all samples.
 * weight and bias have one dimension, an element for each channel. */
int detmath_group_norm(const struct detmath_strided *y, const struct detmath_strided *x,
                       const struct detmath_strided *weight, const struct detmath_strided *bias,
                       size_t groups, float epsilon);
int detmath_batch_norm(const struct detmath_strided *y, const struct detmath_strided *x,
                       const struct detmath_strided *weight, const struct detmath_strided *bias,
                       float epsilon);

/* The activation of each element of x, times that of u (gates.h); all have the same extents. y may be x or u. */
int detmath_gate(enum detmath_gate which, const struct detmath_strided *y,
                 const struct detmath_strided *x, const struct detmath_strided *u);
/* The same of the two halves of each line along an axis of x, whose extent is even: of the first one the activation, or
 * where `reverse` of the second one. y has half the extent there, and lies apart from x. */
int detmath_gate_along(enum detmath_gate which, const struct detmath_strided *y,
                       const struct detmath_strided *x, int axis, int reverse);

/* The first `kept` elements of each line along an axis, in order from the smallest, or where `falls` from the largest: of
 * sort all, of top_k the k largest, of argmax the largest. NaN is above all numbers, +0 and -0 are equal, and of equal
 * elements that of the lower index comes first, either way. values has x's extents, but `kept` along the axis; its format
 * may be DETMATH_F64 too, and it may be x where all are kept. indices has as many elements in row-major order. Either may
 * be NULL. */
int detmath_order_along(const struct detmath_strided *values, int64_t *indices,
                        const struct detmath_strided *x, int axis, size_t kept, int falls);

/* Attention (attention.h). q is BATCHxHEADSxQUERIESxWIDTH, k BATCHxGROUPSxKEYSxWIDTH, v BATCHxGROUPSxKEYSxVALUES and y
 * BATCHxHEADSxQUERIESxVALUES, in a place of its own; HEADS / GROUPS heads beside each other have the keys of one group. The
 * last query stands at the place of the last key: query i at i + KEYS - QUERIES. */
enum detmath_attention_bias {
    DETMATH_BIAS_NONE,
    DETMATH_BIAS_MASK, /* BATCHxHEADSxQUERIESxKEYS, strides of 0 where they share it: added to the scores */
    DETMATH_BIAS_ALIBI /* of one dimension, a slope for each head: times the place of the key less that of the query */
};
struct detmath_attention_options {
    float scale;    /* of scores: WIDTH^(-1/2) as a rule */
    float soft_cap; /* 0: none */
    size_t window;  /* keys less than so many places away; 0: all */
    int causal;     /* keys up to the query's own place */
    int bias;       /* enum detmath_attention_bias */
};
int detmath_attention(const struct detmath_strided *y, const struct detmath_strided *q,
                      const struct detmath_strided *k, const struct detmath_strided *v,
                      const struct detmath_strided *bias,
                      const struct detmath_attention_options *options);
/* Rotary position embedding of each line along the last axis (rope.h): of the first `rotary` elements, an even number, pair
 * i turns by position base^(-2i/rotary) / factor, and the others stay. A pair is element i of the two halves, or
 * where `interleaved` two neighbours. There is a position for each line, at
 * positions[i * strides[0] + j * strides[1] + ...] with a stride for each of x's dimensions but the last, of which any
 * may be 0; strides NULL: row-major. base is from 1 to 2^64, factor from 1 to 2^24. y may be x. */
int detmath_rope(const struct detmath_strided *y, const struct detmath_strided *x,
                 const int64_t *positions, const ptrdiff_t *strides, float base, float factor,
                 size_t rotary, int interleaved);

#if defined(__cplusplus)
}
#endif
#endif
