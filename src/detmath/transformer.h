/* The library's kernels of transformers: norms, gated activations, rotary embeddings, orders, attention, cross entropy, pools
 * and convolution, of arrays of any strides and formats. Link with -ldetmath.
 *
 * Every result follows one written order (norms.h), which depends on the length of its own line alone: threads,
 * batches and blocking change no bit. An element of y is computed in fp32 and then rounded to y's format; elements of
 * all operands are cast to y's format first. */
#ifndef DETMATH_TRANSFORMER_H
#define DETMATH_TRANSFORMER_H

#include "attention.h"
#include "attention_gradient.h"
#include "convolution.h"
#include "cross_entropy.h"
#include "gate_gradients.h"
#include "gates.h"
#include "norm_gradients.h"
#include "norms.h"
#include "optimisers.h"
#include "pooling.h"
#include "rope.h"
#include "softmax_gradient.h"
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

/* The gradient of such a norm (norm_gradients.h) with respect to x, of that of its result, g: y, x and g have the same
 * extents, and y may be x, but not g. */
int detmath_norm_gradient_along(enum detmath_norm which, const struct detmath_strided *y,
                                const struct detmath_strided *x, const struct detmath_strided *g,
                                const struct detmath_strided *weight, int axis, float epsilon);

/* Those with respect to the weight and the bias, of one dimension, of the extent of the axis, and one format: sums over all
 * lines. Either may be NULL. */
int detmath_norm_weight_gradient_along(enum detmath_norm which,
                                       const struct detmath_strided *weight,
                                       const struct detmath_strided *bias,
                                       const struct detmath_strided *x,
                                       const struct detmath_strided *g, int axis, float epsilon);

/* x has two dimensions or more: samples, channels and others. A layer norm of the elements of a sample in each of
 * `groups` equal groups of channels (of as many as channels: instance norm), or of those of a channel in all samples.
 * weight and bias have one dimension, an element for each channel. */
int detmath_group_norm(const struct detmath_strided *y, const struct detmath_strided *x,
                       const struct detmath_strided *weight, const struct detmath_strided *bias,
                       size_t groups, float epsilon);
int detmath_batch_norm(const struct detmath_strided *y, const struct detmath_strided *x,
                       const struct detmath_strided *weight, const struct detmath_strided *bias,
                       float epsilon);

/* The gradients of these, likewise, of which weight and bias have an element for each channel. */
int detmath_group_norm_gradient(const struct detmath_strided *y, const struct detmath_strided *x,
                                const struct detmath_strided *g,
                                const struct detmath_strided *weight, size_t groups, float epsilon);
int detmath_batch_norm_gradient(const struct detmath_strided *y, const struct detmath_strided *x,
                                const struct detmath_strided *g,
                                const struct detmath_strided *weight, float epsilon);
int detmath_group_norm_weight_gradient(const struct detmath_strided *weight,
                                       const struct detmath_strided *bias,
                                       const struct detmath_strided *x,
                                       const struct detmath_strided *g, size_t groups,
                                       float epsilon);
int detmath_batch_norm_weight_gradient(const struct detmath_strided *weight,
                                       const struct detmath_strided *bias,
                                       const struct detmath_strided *x,
                                       const struct detmath_strided *g, float epsilon);

/* The activation of each element of x, times that of u (gates.h); all have the same extents. y may be x or u. */
int detmath_gate(enum detmath_gate which, const struct detmath_strided *y,
                 const struct detmath_strided *x, const struct detmath_strided *u);
/* The same of the two halves of each line along an axis of x, whose extent is even: of the first one the activation, or
 * where `reverse` of the second one. y has half the extent there, and lies apart from x. */
int detmath_gate_along(enum detmath_gate which, const struct detmath_strided *y,
                       const struct detmath_strided *x, int axis, int reverse);

/* The gradients of both (gate_gradients.h), of that of the result, g. dx and du have one format, and places of their own but
 * that each may be an operand; those of the halves of x are halves of dx. */
int detmath_gate_gradient(enum detmath_gate which, const struct detmath_strided *dx,
                          const struct detmath_strided *du, const struct detmath_strided *x,
                          const struct detmath_strided *u, const struct detmath_strided *g);
int detmath_gate_gradient_along(enum detmath_gate which, const struct detmath_strided *dx,
                                const struct detmath_strided *x, const struct detmath_strided *g,
                                int axis, int reverse);

/* The gradient of a softmax along an axis with respect to its operand x (softmax_gradient.h), of that of its result, g. y may
 * be x or g. */
int detmath_softmax_gradient_along(const struct detmath_strided *y, const struct detmath_strided *x,
                                   const struct detmath_strided *g, int axis);

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
    /* Keys and values in pages of so many places of k and v: 0: they lie as they follow. Else pages[b * P + i] is the number
     * of the page that has the keys from i * page on of batch b, which has `keys` keys in P pages; batches that
     * share all places have strides of 0. */
    size_t page, keys;
    const size_t *pages;
};
int detmath_attention(const struct detmath_strided *y, const struct detmath_strided *q,
                      const struct detmath_strided *k, const struct detmath_strided *v,
                      const struct detmath_strided *bias,
                      const struct detmath_attention_options *options);
/* Its gradients (attention_gradient.h), of that of y, g: dq, dk and dv have the extents of q, k and v, one format, and places of
 * their own. Options have no pages. */
int detmath_attention_gradient(const struct detmath_strided *dq, const struct detmath_strided *dk,
                               const struct detmath_strided *dv, const struct detmath_strided *q,
                               const struct detmath_strided *k, const struct detmath_strided *v,
                               const struct detmath_strided *g, const struct detmath_strided *bias,
                               const struct detmath_attention_options *options);
/* Rotary position embedding of each line along the last axis (rope.h): of the first `rotary` elements, an even number, pair
 * i turns by position base^(-2i/rotary) / factor, and the others stay. A pair is element i of the two halves, or
 * where `interleaved` two neighbours. There is a position for each line, at
 * positions[i * strides[0] + j * strides[1] + ...] with a stride for each of x's dimensions but the last, of which any
 * may be 0; strides NULL: row-major. base is from 1 to 2^64, factor from 1 to 2^24. y may be x. */
int detmath_rope(const struct detmath_strided *y, const struct detmath_strided *x,
                 const int64_t *positions, const ptrdiff_t *strides, float base, float factor,
                 size_t rotary, int interleaved);

/* Cross entropy (cross_entropy.h) of each line of x along an axis and its target, a class from 0 on: one for each line, in
 * row-major order. A target that is no class makes the loss NaN. Lines of the target `ignored` have the loss 0, and are not
 * counted. y has x's extents without the axis; of the sum and the mean it is one element, of any dimensions. The mean of no
 * loss is NaN; a sum that overflows on the way is infinite. With weights a mean is the sum over that of the weights of
 * targets. A weight below 0, an infinity or NaN makes a loss NaN that it is part of. */
enum detmath_loss_reduction { DETMATH_LOSS_NONE, DETMATH_LOSS_SUM, DETMATH_LOSS_MEAN };
struct detmath_cross_entropy_options {
    float smoothing;                       /* from 0 to 1 */
    int reduction;                         /* enum detmath_loss_reduction */
    int64_t ignored;                       /* -100 as a rule */
    const struct detmath_strided *weights; /* one for each class, from 0 on; NULL: all are 1 */
};
int detmath_cross_entropy(const struct detmath_strided *y, const struct detmath_strided *x,
                          const int64_t *targets, int axis,
                          const struct detmath_cross_entropy_options *options);

/* The gradient of losses (no reduction; of a mean g is divided by the number of losses) with respect to x: y has x's extents
 * and may be x, and g has an element for each line. Lines that are left out have the gradient 0. */
int detmath_cross_entropy_gradient(const struct detmath_strided *y, const struct detmath_strided *x,
                                   const int64_t *targets, const struct detmath_strided *g,
                                   int axis, const struct detmath_cross_entropy_options *options);

/* Rows of a table of ROWSxWIDTH, pooled (pooling.h) in bags of indices of rows, from the first to the last; y is
 * BAGSxWIDTH, in a place of its own. An index that is the padding stands for no row; one that is no row makes all
 * of its bag NaN. A bag without rows is 0. */
struct detmath_bags {
    const int64_t *indices;
    size_t count; /* of indices */
    const int64_t *
        offsets; /* where each bag begins among them, from 0 to `count` and never falling: it ends where the
                               next begins, the last at the end. NULL: all bags have as many */
    const struct detmath_strided
        *weights;           /* as many as indices in row-major order; NULL but of sums */
    const int64_t *padding; /* NULL: none */
};
int detmath_embedding_bag(enum detmath_pooling which, const struct detmath_strided *y,
                          const struct detmath_strided *table, const struct detmath_bags *bags);

/* The gradients of a sum or a mean of rows, of that of the result, g, which is BAGSxWIDTH. That of the table, ROWSxWIDTH: for each
 * row the sum of the g of all bags that name it, from the first index to the last, each times its weight or over the number of
 * the bag's rows; a row that no bag names is 0, and one that a bag names beside what is no row is NaN. That of the
 * weights of sums: of each index its row times g, added from the first column to the last, and 0 of the padding. */
int detmath_embedding_bag_gradient(enum detmath_pooling which, const struct detmath_strided *dtable,
                                   const struct detmath_strided *g,
                                   const struct detmath_bags *bags);
int detmath_embedding_bag_weight_gradient(const struct detmath_strided *dweights,
                                          const struct detmath_strided *table,
                                          const struct detmath_strided *g,
                                          const struct detmath_bags *bags);

/* Along each axis of windows: so many elements, from window to window, zeros at each end, and from element to element. */
struct detmath_windows {
    size_t taps, stride, padding, dilation;
};
/* Means of the windows of x, SAMPLESxCHANNELSx..., with a struct for each axis after the second, whose dilation is 1 and whose
 * padding is below its taps. Each is of the elements that there are, from the first to the last in row-major order, over their
 * number, or where `counts_padding` over that of the elements and the padding. Where `is_cut` a last window
 * along an axis may reach beyond its end. y has as many windows, in a place of its own. */
int detmath_average_pool(const struct detmath_strided *y, const struct detmath_strided *x,
                         const struct detmath_windows *windows, int counts_padding, int is_cut);

/* Its gradient with respect to x, of that of the result, g: dx has x's extents and a place of its own. An element is the sum of
 * the g of all windows that have it, each over the window's number, from the first window to the last. */
int detmath_average_pool_gradient(const struct detmath_strided *dx, const struct detmath_strided *g,
                                  const struct detmath_windows *windows, int counts_padding,
                                  int is_cut);

/* Convolution as networks have it: x is SAMPLESxCHANNELSx..., weight OUTPUTSxCHANNELS/GROUPSxTAPSx..., bias NULL or one
 * number for each output, and y SAMPLESxOUTPUTSxWINDOWSx..., in a place of its own. The taps of `windows` are those of the
 * weight. An element is the sum of products that convolution.h writes, of the weights of its output and the window's elements with
 * padding as zeros, in the order of channels and of taps, the last axis fastest, and the bias: rounded once, and within 1 ulp where
 * the condition is 1024 or less. */
int detmath_convolution(const struct detmath_strided *y, const struct detmath_strided *x,
                        const struct detmath_strided *weight, const struct detmath_strided *bias,
                        const struct detmath_windows *windows, size_t groups);

/* Its gradients, of that of the result, g, in one format and places of their own: of dx, dweight and dbias any may be NULL, x
 * without dweight and weight without dx. An element is such a sum, too, with the same bound: of dx of the weights and g of the
 * windows that have the element, in the order of outputs and of taps; of dweight of g and what its tap meets, with padding as zeros,
 * in the order of samples and of windows; and of dbias of its g in that order, each times 1. */
int detmath_convolution_gradient(const struct detmath_strided *dx,
                                 const struct detmath_strided *dweight,
                                 const struct detmath_strided *dbias,
                                 const struct detmath_strided *x,
                                 const struct detmath_strided *weight,
                                 const struct detmath_strided *g,
                                 const struct detmath_windows *windows, size_t groups);

/* A step of an optimiser (optimisers.h) in place: all arrays have the same extents, each fp32 or a narrower format of its own,
 * and places of their own but the gradient, which may have fp64 and strides of 0. The velocity may be NULL: of a step
 * without momentum it would become the gradient with the decay. detmath_adam_rates settles the rates of a
 * step (detmath_adam_of). */
int detmath_sgd(const struct detmath_strided *parameter, const struct detmath_strided *gradient,
                const struct detmath_strided *velocity, const struct detmath_sgd *rates);
void detmath_adam_rates(struct detmath_adam *rates, float rate, float beta1, float beta2,
                        float epsilon, float decay, uint32_t step, int is_decoupled);
int detmath_adam(const struct detmath_strided *parameter, const struct detmath_strided *gradient,
                 const struct detmath_strided *mean, const struct detmath_strided *square,
                 const struct detmath_adam *rates);

#if defined(__cplusplus)
}
#endif
#endif
