/* Between scaled_arrays.c and scaled_row_kernels.c, which are compiled once for each instruction
 * set, and those who call it. Not installed. */
#ifndef DETMATH_LIBRARY_SCALED_KERNELS_H
#define DETMATH_LIBRARY_SCALED_KERNELS_H

#include "detmath/scaled_arrays.h"

typedef void detmath_scaled_fill(int to, void *c, int format, const void *a, const void *b,
                                 size_t n, const struct detmath_scaled_plan *plan);

struct detmath_scaled_kernels {
    const char *name;
    detmath_scaled_fill *fill;
    int operands;
};

/* detmath_scaled_reduce_max and its like (scaled_arrays.h). */
struct detmath_scaled_row_kernels {
    uint32_t (*reduce_max)(int format, const void *a, size_t n,
                           const struct detmath_scaled_plan *plan);
    float (*softmax)(int format, void *c, const void *a, size_t n,
                     const struct detmath_scaled_plan *plan, enum detmath_scaled_compute compute);
    uint32_t (*dot)(int format, const void *a, const void *b, size_t k, size_t stride,
                    const struct detmath_scaled_plan *plan);
    int (*find)(int to, int format, const void *a, size_t n, enum detmath_scaled_target target);
};

enum detmath_scaled_operation {
#define DETMATH_SCALED_INDEX(NAME) DETMATH_SCALED_INDEX_##NAME,
    DETMATH_SCALED_OPERATIONS(DETMATH_SCALED_INDEX, DETMATH_SCALED_INDEX, DETMATH_SCALED_INDEX)
#undef DETMATH_SCALED_INDEX
        DETMATH_SCALED_OPERATION_COUNT
};

/* The best for this machine. */
const struct detmath_scaled_kernels *detmath_scaled_kernels(enum detmath_scaled_operation which);

#endif
