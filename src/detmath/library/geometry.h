/* Where the elements of arrays of any strides lie. Not installed. */
#ifndef DETMATH_LIBRARY_GEOMETRY_H
#define DETMATH_LIBRARY_GEOMETRY_H

#include "detmath/cast_integer.h"
#include "detmath/strided.h"

#include <stdint.h>

/* Of a code of a format of floating point, or of scales that are powers of two (scaled_tensors.h: -1). */
static inline int detmath_is_integer(int format) {
    return format >= DETMATH_INT2 && format <= DETMATH_UINT64;
}

static inline size_t detmath_format_bytes(int format) {
    if (detmath_is_integer(format)) {
        const int bits = detmath_integers[format - DETMATH_INT2].bits;
        return bits <= 8 ? 1 : (size_t)bits / 8;
    }
    return format == DETMATH_F64                                           ? 8
           : format == DETMATH_F32 || format == DETMATH_TF32 || format < 0 ? 4
           : format == DETMATH_F16 || format == DETMATH_BF16               ? 2
                                                                           : 1;
}

/* The strides, with those of a row-major array where none are given. */
static inline void detmath_settle_strides(const struct detmath_strided *array,
                                          ptrdiff_t strides[DETMATH_MOST_DIMENSIONS]) {
    ptrdiff_t stride = 1;
    for (int i = array->dimensions - 1; i >= 0; i--) {
        strides[i] = array->strides ? array->strides[i] : stride;
        stride *= (ptrdiff_t)array->extents[i];
    }
}

/* Whether the product of extents, but those of 0, is at most PTRDIFF_MAX, as strides and places are. */
static inline int detmath_is_countable(const size_t *extents, int dimensions) {
    size_t product = 1;
    for (int i = 0; i < dimensions; i++) {
        if (extents[i] && product > (size_t)PTRDIFF_MAX / extents[i])
            return 0;
        product *= extents[i] ? extents[i] : 1;
    }
    return 1;
}

#endif
