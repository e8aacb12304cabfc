/* A kernel that knows detmath.h and nothing else. */
#include "detmath.h"

__kernel void both(__global float *det, __global float *cr, __global const float *x) {
    size_t i = get_global_id(0);
    det[i] = detmath_expf(x[i]);
#if !defined(DETMATH_NO_DOUBLE)
    cr[i] = detmath_cr_exp2f(x[i]);
#endif
}
