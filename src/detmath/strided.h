/* The library's calls along an axis of arrays of any strides: logcumsumexp, logsumexp, log_softmax.
 * Link with -ldetmath.
 *
 * Every result is the number of its format that is nearest to the exact result (log_sums.h): no
 * order of operations, thread or instruction set can change a bit, and two calls on parts of an
 * array make the bits of one on all of it. */
#ifndef DETMATH_STRIDED_H
#define DETMATH_STRIDED_H

#include "formats.h"

#include <limits.h>
#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

enum { DETMATH_MOST_DIMENSIONS = 8 };

/* Where an array lies: the element of the indices i, j, ... is codes[i * strides[0] + j *
 * strides[1] + ...]. Extents may be 0; the product of the others is at most PTRDIFF_MAX. An operand's stride may be 0 or negative (codes is then not
 * the array's first place in memory); elements of a result must lie in places of their own. */
struct detmath_strided {
    void *codes;              /* of an operand it is only read */
    int format;               /* enum detmath_format_index, from DETMATH_F32 to DETMATH_E5M2FNUZ
                                 (codes of 4, 2 and 1 bytes), or DETMATH_F64 */
    int dimensions;           /* 0 to 8; of 0 it is one element */
    const size_t *extents;    /* as many as dimensions */
    const ptrdiff_t *strides; /* in elements; NULL: row-major */
};

/* The axis for all of an array in row-major order, as one line; where no stride leads from element to element, as
 * in a transposed array, elements are copied to where one does. Any other axis is from -dimensions
 * to dimensions - 1, a negative one counted from the last. */
#define DETMATH_WHOLE_ARRAY INT_MIN

enum detmath_scan_options {
    DETMATH_EXCLUSIVE = 1, /* element i has the elements before i; the first one is -inf */
    DETMATH_REVERSE = 2    /* from the end to the beginning */
};

/* What a call returns. With anything but DETMATH_NO_TROUBLE nothing has been written. */
enum detmath_trouble {
    DETMATH_NO_TROUBLE,
    DETMATH_TROUBLE_DIMENSIONS,
    DETMATH_TROUBLE_FORMAT,
    DETMATH_TROUBLE_AXIS,
    DETMATH_TROUBLE_LINE,    /* no call returns it any more */
    DETMATH_TROUBLE_EXTENTS, /* those of the result are not what they should be */
    DETMATH_TROUBLE_OVERLAP, /* a result overlaps another array, and is not that array in place where it may be;
                                or two of its elements have one place */
    DETMATH_TROUBLE_OPTIONS,
    DETMATH_TROUBLE_SCALES,      /* scaled_tensors.h: their extents */
    DETMATH_TROUBLE_SCALE_KINDS, /* their formats */
    DETMATH_TROUBLE_MEMORY,      /* there is none left */
    DETMATH_TROUBLE_ZERO_POINT,  /* quantise.h: of a format that has none but 0 */
    DETMATH_TROUBLE_OPSET,       /* quantise.h: there is none such, or it has no such option */
    DETMATH_TROUBLE_STATIC, /* scaled_tensors.h: no normal number above 0, or no power of two as scales are */
    DETMATH_TROUBLE_COUNT, /* of elements, or of terms of a sum: too many */
    DETMATH_TROUBLE_WINDOWS, /* scaled_tensors.h: a stride or a dilation of 0, or too large a number */
    DETMATH_TROUBLE_GROUPS, /* scaled_tensors.h: none, or they do not divide the channels */
    DETMATH_TROUBLE_BLOCK,  /* quantise.h: of no elements */
    DETMATH_TROUBLE_OFFSETS /* transformer.h: of bags, which begin at 0 and never fall */
};
/* A sentence for it, without a full stop. */
const char *detmath_trouble_text(int trouble);

/* Elements of x are cast to y's format first (dtype), to nearest, and everything refers to the cast
 * elements. y may be x, with the same format and strides. A result
 * that 1536 bits do not decide is NaN; no such case is known.
 *
 * logcumsumexp: y, of x's extents, has ln(e^x[0] + ... + e^x[i]) along the axis; `options` is 0 or
 * a sum of enum detmath_scan_options. */
int detmath_logcumsumexp_along(const struct detmath_strided *y, const struct detmath_strided *x,
                               int axis, unsigned options);

/* The gradient with respect to x, of which y = logcumsumexp(x) has the gradient g: all three have the
 * same extents, and elements of g are cast to gradient's format too. It is the exact sum, rounded once,
 * to within what log_sums_gradient.h says; gradient may be x or g. Lines need memory of their length. */
int detmath_logcumsumexp_gradient_along(const struct detmath_strided *gradient,
                                        const struct detmath_strided *x,
                                        const struct detmath_strided *g, int axis,
                                        unsigned options);

/* ln(e^x[0] + ... + e^x[n-1]); -inf of none. y has the extents of x without the axis, and without
 * dimensions for DETMATH_WHOLE_ARRAY. It may not be x. */
int detmath_logsumexp_along(const struct detmath_strided *y, const struct detmath_strided *x,
                            int axis);

/* x[i] - ln(e^x[0] + ... + e^x[n-1]); y has x's extents. */
int detmath_log_softmax_along(const struct detmath_strided *y, const struct detmath_strided *x,
                              int axis);

/* The gradients with respect to x, of which y = log_softmax(x), or y = logsumexp(x), has the gradient g,
 * by log_softmax_gradient.h: gradient has x's extents, g those of y. Elements of g are cast to gradient's
 * format too. gradient may be x, and g of log_softmax, but not g of logsumexp. */
int detmath_log_softmax_gradient_along(const struct detmath_strided *gradient,
                                       const struct detmath_strided *x,
                                       const struct detmath_strided *g, int axis);
int detmath_logsumexp_gradient_along(const struct detmath_strided *gradient,
                                     const struct detmath_strided *x,
                                     const struct detmath_strided *g, int axis);

#if defined(__cplusplus)
}
#endif
#endif
