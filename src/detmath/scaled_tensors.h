/* The library's calls for scaled arrays of any shape: operands and scales that broadcast, formats
 * that differ, strides. Link with -ldetmath.
 *
 * An array's value at an index is its datum times its scale there. Scales are an array beside the
 * data; the dimensions of the two are matched from the last one backwards. Along each, there is one
 * scale for all the data (an extent of 1, or a dimension that the scales lack), or one for each, or
 * one for each block of so many as the data's extent divided by the scales' is. So one scale for the
 * array has no dimensions, a scale for each channel of NxCxHxW is Cx1x1, and for each 32 elements
 * of a row of MxK is MxK/32. Operands broadcast likewise, but by extents of 1 alone. Along an extent of
 * 0 there is one scale or none; what has no elements has its scales all the same, as data have no part in
 * them.
 *
 * Data and scales that a call writes have places of their own, and lie apart from all others; else
 * DETMATH_TROUBLE_OVERLAP is returned, and nothing has been written. Where the result has the operand's
 * extents (each, rescale, rebalance, softmax and the gradients along an axis), c's data may be an operand's,
 * with the same format and strides, where that does not broadcast, and c's scales an operand's, as many of
 * the same kind.
 *
 * Each element has the bits of the call in scaled_arrays.h on it alone, whatever the strides. */
#ifndef DETMATH_SCALED_TENSORS_H
#define DETMATH_SCALED_TENSORS_H

#include "scaled_arrays.h"
#include "strided.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* The format of scales that are powers of two: 2^n as the int32_t n. Others are DETMATH_F32. */
#define DETMATH_POWERS (-1)

struct detmath_scaled_tensor {
    struct detmath_strided data;   /* DETMATH_F32 to DETMATH_E5M2FNUZ */
    struct detmath_strided scales; /* codes NULL, of operands: 1 */
    unsigned *
        status; /* of results: enum detmath_scaled_status of the data that the call writes; NULL where nobody asks */
};

/* The extents of the result of an operation on a and b (NULL where there is one operand), and of
 * its scales: along each dimension as many as the least common multiple of the operands'. Both are
 * of *dimensions dimensions. */
int detmath_scaled_extents(const struct detmath_scaled_tensor *a,
                           const struct detmath_scaled_tensor *b, int *dimensions,
                           size_t data[DETMATH_MOST_DIMENSIONS],
                           size_t scales[DETMATH_MOST_DIMENSIONS]);

/* c = the operation on a and b (NULL where it takes one operand; `apply` then is a cast), c's data
 * rounded by the rules of `cast` (scaled_arrays.h). c has the extents of detmath_scaled_extents,
 * and its scales are of the kind of the operands'. */
int detmath_scaled_each(enum detmath_scaled_operation operation,
                        const struct detmath_scaled_tensor *c,
                        const struct detmath_scaled_tensor *a,
                        const struct detmath_scaled_tensor *b, const struct detmath_cast *cast);

/* A scalar is an operand without dimensions, or of one element beside one that has more (of two scalars, the
 * first). DETMATH_SCALED_INDEX_mul puts its value into the scale, and the data of the other stay
 * (detmath_scaled_plan_scalar); DETMATH_SCALED_INDEX_mul_data multiplies it into the data. */

/* The same for exp, log, sigmoid, tanh and gelu in an arithmetic that is chosen; others are always
 * computed in double. DETMATH_SCALED_AUTO takes fp16 for each scale s that makes its roundings cost
 * about as much as an fp16 number does, with data of unit variance: for exp and sigmoid where
 * |s| <= 2^-4, so that arguments lie within 1; for tanh and gelu where 2^-10 <= |s| <= 2^-4, below
 * which results near their argument would be subnormal; for log where |s| or 1/|s| lies between 2^6
 * and 2^10, so that the logarithm is no small difference. */
int detmath_scaled_each_in(enum detmath_scaled_operation operation,
                           enum detmath_scaled_compute compute,
                           const struct detmath_scaled_tensor *c,
                           const struct detmath_scaled_tensor *a,
                           const struct detmath_scaled_tensor *b, const struct detmath_cast *cast);

/* c's data = a at the scales that c already has, which broadcast over it as they like: to one scale
 * for the array, to one for each part of an axis, to blocks. Where such a scale is 0, infinite or
 * NaN, the data are NaN. */
int detmath_scaled_rescale(const struct detmath_scaled_tensor *c,
                           const struct detmath_scaled_tensor *a, const struct detmath_cast *cast);

/* Sums of products, terms ascending, by fma in double from 0, each with the bits of
 * detmath_scaled_dot, however large the arrays and wherever the call is cut. Where scales vary along
 * the terms (blocks), each run of terms of one scale has a sum of its own; these are brought to the
 * largest of their scales, that of the result, and added in order by fma.
 *
 * c = a b: matrices in the last two dimensions, the others broadcast. c's scales: of the rows as a's,
 * of the columns as b's, of the others as many as the least common multiple. The rows of all
 * matrices together, counted from 0, are computed from `first` to before `last` (SIZE_MAX: all), so
 * that threads can share a call; parts write nothing but their own rows, so that scales that parts
 * share are written by each, the same.
 *
 * The static scale is a rule's, or a number of the caller's (detmath_scaled_own_static); where scales are powers of two it
 * is one, else DETMATH_TROUBLE_STATIC is returned and nothing has been written.
 *
 * With DETMATH_SCALED_MEASURED each of c's scales is that of DETMATH_SCALED_STATIC_ONE times 2^n, n
 * the least for which no datum at it, rounded to 53 bits, is larger than the largest number of c's
 * format. Of the data without 2^n only those count whose magnitude is from 2^-200 to below 2^400;
 * without such n is 0. All sums are kept in double until their scale is known, so that each is
 * rounded once; so a part of a call computes all rows, and threads gain nothing. */
int detmath_scaled_matmul(const struct detmath_scaled_tensor *c,
                          const struct detmath_scaled_tensor *a,
                          const struct detmath_scaled_tensor *b,
                          enum detmath_scaled_strategy strategy, const struct detmath_cast *cast,
                          size_t first, size_t last);

/* Products summed along every dimension where c has an extent of 1 and a or b more: arrays
 * broadcast, and may lack the first dimensions of others. c's scales: along what is kept as
 * many as the least common multiple, else 1. `first` and `last` count what a has and b has not, for
 * each index of what all three have. So the backward rule of a product that broadcast is one call. */
int detmath_scaled_contract(const struct detmath_scaled_tensor *c,
                            const struct detmath_scaled_tensor *a,
                            const struct detmath_scaled_tensor *b,
                            enum detmath_scaled_strategy strategy, const struct detmath_cast *cast,
                            size_t first, size_t last);

/* Backward rules of products and convolutions: with g what comes back to the result, c is the
 * derivative by the first operand or the second, in whose extents it comes, and `other` is the other
 * one. What broadcast is summed. Scales: along what c has of g and of `other`, and 1 elsewhere; those
 * of a convolution may vary over N, C and O, and in groups, by the first operand over N, by the
 * second over N and g's O. */
enum detmath_scaled_operand { DETMATH_SCALED_FIRST, DETMATH_SCALED_SECOND };
int detmath_scaled_matmul_gradient(const struct detmath_scaled_tensor *c,
                                   const struct detmath_scaled_tensor *other,
                                   const struct detmath_scaled_tensor *g,
                                   enum detmath_scaled_operand of,
                                   enum detmath_scaled_strategy strategy,
                                   const struct detmath_cast *cast, size_t first, size_t last);

/* Along one axis of a convolution. Padding is zeros, before and after. */
struct detmath_scaled_windows {
    size_t stride, padding, dilation; /* stride and dilation 1 or more */
};

/* How many windows of so many taps there are: 0 where the taps reach beyond the axis with its padding, and where
 * the struct has no windows: with a stride or a dilation of 0 or above PTRDIFF_MAX, or padding with which the axis
 * is longer than that. The calls below return DETMATH_TROUBLE_WINDOWS for such a struct. */
size_t detmath_scaled_window_count(size_t extent_of_x, size_t taps,
                                   const struct detmath_scaled_windows *w);

/* c = x convolved with w, as networks do it (w is not reversed): x is N x C x spatial axes, w
 * O x C/groups x taps, c N x O x windows, of one, two or more spatial axes with a struct of
 * `windows` each. Terms go by channels, then by taps, the last axis fastest. Scales of x may vary
 * over N and C, those of w over O and C, and c has x's over N and w's over O (where x's vary over C, the least
 * common multiple of that and the groups). `first` and `last`
 * count windows, of all groups and of N. */
int detmath_scaled_convolution(const struct detmath_scaled_tensor *c,
                               const struct detmath_scaled_tensor *x,
                               const struct detmath_scaled_tensor *w,
                               const struct detmath_scaled_windows *windows, size_t groups,
                               enum detmath_scaled_strategy strategy,
                               const struct detmath_cast *cast, size_t first, size_t last);

int detmath_scaled_convolution_gradient(const struct detmath_scaled_tensor *c,
                                        const struct detmath_scaled_tensor *other,
                                        const struct detmath_scaled_tensor *g,
                                        const struct detmath_scaled_windows *windows, size_t groups,
                                        enum detmath_scaled_operand of,
                                        enum detmath_scaled_strategy strategy,
                                        const struct detmath_cast *cast, size_t first, size_t last);

/* The sum along an axis (DETMATH_WHOLE_ARRAY: of all), whose extent is 1 in c and in c's scales.
 * The strategy's number of terms divides the data and multiplies the scale. The mean has the
 * operand's scale. Of no terms the sum is 0, at the scale that one term would have (where there is none along
 * the axis, that of 1), and the mean NaN. */
int detmath_scaled_sum(const struct detmath_scaled_tensor *c, const struct detmath_scaled_tensor *a,
                       int axis, enum detmath_scaled_strategy strategy,
                       const struct detmath_cast *cast);
int detmath_scaled_mean(const struct detmath_scaled_tensor *c,
                        const struct detmath_scaled_tensor *a, int axis,
                        const struct detmath_cast *cast);

/* The largest value along an axis (DETMATH_WHOLE_ARRAY: of all), whose extent is 1 in c and in c's
 * scales, and not 0 in a (DETMATH_TROUBLE_EXTENTS). The scale is the largest of those along the axis, without its sign. */
int detmath_scaled_max_along(const struct detmath_scaled_tensor *c,
                             const struct detmath_scaled_tensor *a, int axis,
                             const struct detmath_cast *cast);

/* softmax along an axis, along which a's scales must not vary (detmath_scaled_rescale brings them to
 * one), and which has elements. c has a's extents and, in DETMATH_F32, a scale for each line, as of detmath_scaled_softmax:
 * the data's extents, but 1 along the axis. */
int detmath_scaled_softmax_along(const struct detmath_scaled_tensor *c,
                                 const struct detmath_scaled_tensor *a, int axis,
                                 enum detmath_scaled_compute compute,
                                 const struct detmath_cast *cast);

/* Backward rules along an axis, with g what comes back: c has x's extents and as many scales as g,
 * whose scales must not vary along the axis.
 *
 * Of the largest value, g (its extent along the axis is 1, DETMATH_WHOLE_ARRAY: all are) goes back in
 * equal parts to all elements that are the largest; to the others goes g times 0. */
int detmath_scaled_max_gradient(const struct detmath_scaled_tensor *c,
                                const struct detmath_scaled_tensor *x,
                                const struct detmath_scaled_tensor *g, int axis,
                                const struct detmath_cast *cast);
/* Of softmax, at x, whose scales must not vary along the axis either: p (g - sum of p g), where p is
 * the softmax. All of a line is NaN where an element of g is no number. Within 2^-48 of p times the
 * largest difference of two elements of g. */
int detmath_scaled_softmax_gradient(const struct detmath_scaled_tensor *c,
                                    const struct detmath_scaled_tensor *x,
                                    const struct detmath_scaled_tensor *g, int axis,
                                    const struct detmath_cast *cast);

/* c = a at scales that fit the data: each of c's is a's times the power of two that
 * detmath_scaled_find finds for the data that share it. Along each dimension c has as many scales as
 * a, or a multiple of that. */
int detmath_scaled_rebalance(const struct detmath_scaled_tensor *c,
                             const struct detmath_scaled_tensor *a,
                             enum detmath_scaled_target target, const struct detmath_cast *cast);
/* The same by `margin` more powers of two where the data have a number other than 0, which leaves the largest so much
 * room: of what is computed next, or of the steps to come. A negative one clips;
 * beyond 2^20 it counts as that. */
int detmath_scaled_rebalance_by(const struct detmath_scaled_tensor *c,
                                const struct detmath_scaled_tensor *a,
                                enum detmath_scaled_target target, int margin,
                                const struct detmath_cast *cast);

#if defined(__cplusplus)
}
#endif
#endif
