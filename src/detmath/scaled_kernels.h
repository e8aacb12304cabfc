/* Between scaled_arrays.c, which is compiled once for each instruction set, and those who call it.
 * Not installed. */
#ifndef DETMATH_SCALED_KERNELS_H
#define DETMATH_SCALED_KERNELS_H

#include "scaled_arrays.h"

typedef void detmath_scaled_fill(int to, void *c, int format, const void *a, const void *b,
                                 size_t n, const struct detmath_scaled_plan *plan);

struct detmath_scaled_kernels {
    const char *name;
    detmath_scaled_fill *fill;
    int operands;
};

enum detmath_scaled_operation {
#define DETMATH_SCALED_INDEX(NAME) DETMATH_SCALED_INDEX_##NAME,
    DETMATH_SCALED_OPERATIONS(DETMATH_SCALED_INDEX, DETMATH_SCALED_INDEX)
#undef DETMATH_SCALED_INDEX
        DETMATH_SCALED_OPERATION_COUNT
};

/* The best for this machine. */
const struct detmath_scaled_kernels *detmath_scaled_kernels(enum detmath_scaled_operation which);

#endif
