/* The steps of a variant on arrays, one function for each choice that a step depends on: all of them
 * are made from one source (kernels.inc), which is compiled for each instruction set. */
#ifndef DETCHECK_IMPL_VARIANTS_KERNELS_H
#define DETCHECK_IMPL_VARIANTS_KERNELS_H

#include "impl/variants/coefficients.h"

#include <stddef.h>
#include <stdint.h>

enum { VARIANT_BLOCK = 256 };

enum variant_function {
    VARIANT_EXP,
    VARIANT_SIGMOID,
    VARIANT_TANH,
    VARIANT_LOG,
    VARIANT_SIN,
    VARIANT_FUNCTIONS
};

/* What a block has between its steps. */
struct variant_block {
    float r[VARIANT_BLOCK];          /* the reduced argument: also m - 1 of log */
    float z[VARIANT_BLOCK];          /* what the polynomial is in: r, or r^2 of sin */
    float k[VARIANT_BLOCK];          /* the multiple that was taken off, or the exponent of log */
    uint32_t quarter[VARIANT_BLOCK]; /* of sin: k, of which the last two bits count */
    float p[VARIANT_BLOCK], q[VARIANT_BLOCK]; /* the polynomial, and that of the cosine */
};

/* Range reduction: x to r, z, k and quarter. */
typedef void variant_reduce(struct variant_block *block, const float *x, const float *terms,
                            size_t count);
/* y = c[0] + c[1] z + c[2] z^2 ... */
typedef void variant_evaluate(float *restrict y, const float *restrict z, const float *coefficients,
                              size_t count);
/* The result from all of this. */
typedef void variant_finish(float *restrict y, const struct variant_block *block, const float *x,
                            const float *terms, size_t count);

/* By [fma] [terms - 1], [fma] [Estrin] [coefficients - 1]. */
struct variant_kernels {
    variant_reduce *reduce[VARIANT_FUNCTIONS][2][VARIANT_TERMS];
    variant_evaluate *evaluate[2][2][VARIANT_COEFFICIENTS];
    variant_finish *finish[VARIANT_FUNCTIONS][2][VARIANT_TERMS];
};

extern const struct variant_kernels variant_kernels_baseline, variant_kernels_avx2;

#endif
