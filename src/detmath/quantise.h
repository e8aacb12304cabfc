/* ONNX's QuantizeLinear and DequantizeLinear, by the rules of each operator set, and requantisation of sums by a multiplier and
 * a shift. Link with -ldetmath.
 *
 *   quantise     y = saturate(round(x / scale) + zero point) for integers; for formats of floating
 *                point a cast of x / scale, by ONNX's tables
 *   dequantise   y = (x - zero point) * scale
 *
 * Arrays are row-major, without gaps. A code takes 4, 2 or 1 bytes; those of integers of 4 and 2 bits
 * take a byte each (when read, bits above them do not count; when written, they are those of the
 * number). Where y overlaps another array, DETMATH_TROUBLE_OVERLAP is returned.
 *
 * What ONNX's text leaves open is as both of onnx's reference implementation and onnxruntime have it:
 * NaN becomes the smallest integer; zero points of formats of floating point, and of int32, are 0.
 * Otherwise the text holds, and detcheck-onnx(7) says where these two part from it. */
#ifndef DETMATH_QUANTISE_H
#define DETMATH_QUANTISE_H

#include "cast_arrays.h"
#include "dyadic_steps.h"
#include "strided.h"

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

enum detmath_granularity {
    DETMATH_PER_ARRAY, /* one scale */
    DETMATH_PER_AXIS,  /* one for each index along the axis (from operator set 13) */
    DETMATH_PER_BLOCK /* one for each block of so many elements along the axis (from 21): an array of
                          x's extents, but for the axis (extent + block - 1) / block */
};

struct detmath_linear {
    int opset;             /* 10 or more: which types there are, and ONNX's table for float 8 */
    int dimensions;        /* 0 to 8, of x and y */
    const size_t *extents; /* as many */
    enum detmath_granularity granularity;
    int axis;        /* -dimensions to dimensions - 1; not looked at for one scale */
    size_t block;    /* 1 or more; for blocks only */
    int unsaturated; /* 1: saturate=0, of float 8 (from 19) */
    int precision;   /* of the division: DETMATH_F32, DETMATH_F16 or DETMATH_BF16 (from 23); -1: the
                        scale's format, or x's where that is DETMATH_E8M0FNU, as fp32 for int32 */
};

/* Formats, with the operator set that has them:
 *   x            DETMATH_F32, DETMATH_INT32; DETMATH_F16, DETMATH_BF16 (19)
 *   scale        x's, fp32 for int32; from 23 any of fp32, fp16, bf16; DETMATH_E8M0FNU (24)
 *   y            DETMATH_INT8, DETMATH_UINT8; E4M3FN, E4M3FNUZ, E5M2, E5M2FNUZ (19); DETMATH_INT16,
 *                DETMATH_UINT16, DETMATH_INT4, DETMATH_UINT4 (21); DETMATH_E2M1FN (23);
 *                DETMATH_INT2, DETMATH_UINT2 (25); DETMATH_E2M3FN, DETMATH_E3M2FN (28)
 *   zero_point   y's, as many as there are scales; NULL: 0
 * x and the scale are rounded to the precision, and their quotient is rounded to it. Returns enum
 * detmath_trouble; with anything but DETMATH_NO_TROUBLE nothing has been written. */
int detmath_quantise_linear(const struct detmath_linear *rule, void *y, int y_format, const void *x,
                            int x_format, const void *scale, int scale_format,
                            const void *zero_point);

/* Formats as above, x's and y's exchanged, and DETMATH_INT32 for x, whose numbers are rounded to fp32;
 * y's is the scale's before operator set 23. The product is rounded once. */
int detmath_dequantise_linear(const struct detmath_linear *rule, void *y, int y_format,
                              const void *x, int x_format, const void *scale, int scale_format,
                              const void *zero_point);

/* In the order of --form (detcheck-casts(7)); requantise.h says what each is. */
enum detmath_requantise_form {
    DETMATH_REQUANTISE_ONCE,
    DETMATH_REQUANTISE_GEMMLOWP,
    DETMATH_REQUANTISE_TOSA,
    DETMATH_REQUANTISE_TOSA_DOUBLE,
    DETMATH_REQUANTISE_FP32
};

struct detmath_requantise_call {
    enum detmath_requantise_form form;
    enum detmath_dyadic_rounding rounding; /* of DETMATH_REQUANTISE_ONCE; not stochastic */
    int32_t multiplier, shift, zero_point; /* the shift 0 to 62; the zero point y's */
    int y_format;                          /* DETMATH_INT2 to DETMATH_INT32 */
};

/* y = clip(round(x multiplier / 2^shift) + zero point), n of them; y may be x in place. Where TOSA's text
 * leaves a multiplier, a shift or an x open, its formula is followed. Returns enum detmath_trouble; with anything but
 * DETMATH_NO_TROUBLE nothing has been written. */
int detmath_requantise(const struct detmath_requantise_call *call, void *y, const int32_t *x,
                       size_t n);

#if defined(__cplusplus)
}
#endif
#endif
