/* As kernels.h for the functions of fp64, which arrays_f64.c is compiled for: apart, so that a new row of functions_f64.inc
 * compiles no other kernel again. Not installed. */
#ifndef DETMATH_LIBRARY_KERNELS_F64_H
#define DETMATH_LIBRARY_KERNELS_F64_H

#include "kernels.h"

/* A function of fp64 for one instruction set (functions_f64.inc). */
struct detmath_scalar_f64 {
    double (*unary)(double);
    double (*binary)(double, double);
    void (*pair)(double, double *, double *);
};
struct detmath_kernels_f64 {
    const char *name;
    detmath_fill *det, *cr;
    struct detmath_scalar_f64 det_scalar, cr_scalar;
};

/* The name of a function's kernels for an instruction set. */
#define DETMATH_KERNELS_F64(LEVEL, NAME)  DETMATH_KERNELS_F64_(LEVEL, NAME)
#define DETMATH_KERNELS_F64_(LEVEL, NAME) detmath_kernels_f64_##LEVEL##_##NAME

/* Indices into the kernels of an instruction set. */
enum detmath_function_f64 {
#define DETMATH_UNARY_F64(NAME, ...)  DETMATH_INDEX_F64_##NAME,
#define DETMATH_BINARY_F64(NAME, ...) DETMATH_INDEX_F64_##NAME,
#define DETMATH_PAIR_F64(NAME, A, B)  DETMATH_INDEX_F64_##NAME,
#include "detmath/functions_f64.inc"
    DETMATH_FUNCTIONS_F64
};

/* The best for this machine; by name, NULL where functions_f64.inc has no such row. */
const struct detmath_kernels_f64 *detmath_kernels_f64(enum detmath_function_f64 function);
const struct detmath_kernels_f64 *detmath_kernels_find_f64(const char *name);

/* Their array forms as the library calls them: whatever rounding and flushing the caller has set. */
void detmath_run_det_f64(const struct detmath_kernels_f64 *kernels, void *const *results,
                         const void *const *operands, size_t n);
void detmath_run_cr_f64(const struct detmath_kernels_f64 *kernels, void *const *results,
                        const void *const *operands, size_t n);

#endif
