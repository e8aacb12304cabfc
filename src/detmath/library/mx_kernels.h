/* Between mx_arrays.c, which is compiled once for each instruction set, and those who call it. Not
 * installed. */
#ifndef DETMATH_LIBRARY_MX_KERNELS_H
#define DETMATH_LIBRARY_MX_KERNELS_H

#include "detmath/mx_arrays.h"

struct detmath_mx_kernels {
    void (*quantise)(const struct detmath_mx *mx, unsigned char *elements, unsigned char *scales,
                     int from, const void *x, size_t n, const detmath_u32 *random);
    void (*dequantise)(const struct detmath_mx_format *element, int to_index,
                       const struct detmath_cast *to, void *y, const unsigned char *elements,
                       const unsigned char *scales, size_t n, const detmath_u32 *random);
};

#endif
