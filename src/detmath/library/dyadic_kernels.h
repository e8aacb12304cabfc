/* Between dyadic_arrays.c, which is compiled once for each instruction set, and those who call it.
 * Not installed. */
#ifndef DETMATH_LIBRARY_DYADIC_KERNELS_H
#define DETMATH_LIBRARY_DYADIC_KERNELS_H

#include "detmath/dyadic_arrays.h"
#include "detmath/dyadic_linear_arrays.h"

typedef detmath_u32 detmath_dyadic_fill(void *y, const void *x1, const void *x2, size_t n,
                                        const struct detmath_dyadic_plan *plan, detmath_u64 seed,
                                        detmath_u64 first);

struct detmath_dyadic_kernels {
    const char *name;
    detmath_dyadic_fill *i32, *i64;
};

enum detmath_dyadic_operation {
#define DETMATH_DYADIC_INDEX(NAME) DETMATH_DYADIC_INDEX_##NAME,
    DETMATH_DYADIC_OPERATIONS(DETMATH_DYADIC_INDEX, DETMATH_DYADIC_INDEX)
#undef DETMATH_DYADIC_INDEX
        DETMATH_DYADIC_OPERATION_COUNT,
    DETMATH_DYADIC_CONVERSION_BEFORE = DETMATH_DYADIC_OPERATION_COUNT - 1,
#define DETMATH_DYADIC_INDEX(NAME, REAL) DETMATH_DYADIC_INDEX_##NAME,
    DETMATH_DYADIC_CONVERSIONS(DETMATH_DYADIC_INDEX, DETMATH_DYADIC_INDEX)
#undef DETMATH_DYADIC_INDEX
};

typedef detmath_u32 detmath_dyadic_product_fill(void *z, const void *x, const void *y,
                                                const void *b,
                                                const struct detmath_dyadic_matrices *matrices,
                                                const struct detmath_dyadic_plan *plan,
                                                detmath_u64 seed, detmath_u64 first);
struct detmath_dyadic_product {
    const char *name;
    detmath_dyadic_product_fill *fill;
};
enum detmath_dyadic_product_index {
#define DETMATH_DYADIC_INDEX(NAME, FROM, WIDTH, TO) DETMATH_DYADIC_PRODUCT_##NAME##_##WIDTH,
    DETMATH_DYADIC_PRODUCTS(DETMATH_DYADIC_INDEX)
#undef DETMATH_DYADIC_INDEX
        DETMATH_DYADIC_PRODUCT_COUNT
};
const struct detmath_dyadic_product *detmath_dyadic_products(enum detmath_dyadic_product_index at);

/* The best for this machine. */
const struct detmath_dyadic_kernels *detmath_dyadic_kernels(enum detmath_dyadic_operation which);

#endif
