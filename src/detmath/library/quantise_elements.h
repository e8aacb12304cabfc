/* The elements of ONNX's quantisation: between its checks and its arithmetic, which is a file of its
 * own because of environment.h. Not installed. */
#ifndef DETMATH_LIBRARY_QUANTISE_ELEMENTS_H
#define DETMATH_LIBRARY_QUANTISE_ELEMENTS_H

#include "detmath/quantise.h"

/* An integer format; bits 0 where `format` is none. */
struct detmath_integer {
    int bits, is_signed;
    double least, most;
};
struct detmath_integer detmath_integer_of(int format);

size_t detmath_code_bytes(int format);

/* What is the same for all elements. */
struct detmath_linear_plan {
    const void *x, *scale, *zero_point;
    void *y;
    int x_format, y_format, scale_format;
    int precision;             /* of the division */
    size_t outer, axis, inner; /* extents before the axis, along it, and behind it */
    size_t block, blocks;      /* elements along the axis of one scale, and how many scales there */
    int per_axis;              /* scales have no other extents than the axis's */
    struct detmath_cast cast;  /* to a y of floating point */
};

double detmath_linear_zero_point(const struct detmath_linear_plan *plan, size_t at, int format);
void detmath_quantise_elements(const struct detmath_linear_plan *plan);
void detmath_dequantise_elements(const struct detmath_linear_plan *plan);

#endif
