/* The elements of ONNX's quantisation: between its checks and quantise_elements.c, which is compiled once for each
 * instruction set. Not installed. */
#ifndef DETMATH_LIBRARY_QUANTISE_ELEMENTS_H
#define DETMATH_LIBRARY_QUANTISE_ELEMENTS_H

#include "detmath/quantise.h"
#include "kernels.h"

/* An integer format; bits 0 where `format` is none. */
struct detmath_integer {
    int bits, is_signed, least, most;
};

static inline struct detmath_integer detmath_integer_of(int format) {
    static const int bits[] = {2, 2, 4, 4, 8, 8, 16, 16, 32};
    struct detmath_integer integer = {0, 0, 0, 0};
    if (format < DETMATH_INT2 || format > DETMATH_INT32)
        return integer;
    integer.bits = bits[format - DETMATH_INT2];
    integer.is_signed = (format - DETMATH_INT2) % 2 == 0;
    integer.most = (int)((1u << (integer.bits - integer.is_signed)) - 1u);
    integer.least = integer.is_signed ? -integer.most - 1 : 0;
    return integer;
}

static inline size_t detmath_code_bytes(int format) {
    int bits = detmath_integer_of(format).bits;
    if (bits)
        return bits == 32 ? 4 : bits == 16 ? 2 : 1;
    return format == DETMATH_F32 ? 4 : format == DETMATH_F16 || format == DETMATH_BF16 ? 2 : 1;
}

/* What is the same for all elements. */
struct detmath_linear_plan {
    const void *x, *scale, *zero_point;
    void *y;
    int x_format, y_format, scale_format, zero_format;
    int precision;             /* of the division */
    size_t outer, axis, inner; /* extents before the axis, along it, and behind it */
    size_t block, blocks;      /* elements along the axis of one scale, and how many scales there */
    int per_axis;              /* scales have no other extents than the axis's */
    struct detmath_conversion conversion; /* of fp32 to a y of floating point */
    detmath_cast_fill *cast;
};

struct detmath_linear_kernels {
    void (*quantise)(const struct detmath_linear_plan *plan);
    void (*dequantise)(const struct detmath_linear_plan *plan);
};

#endif
