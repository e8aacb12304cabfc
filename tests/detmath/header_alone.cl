/* A kernel that knows detmath.h and nothing else. */
#include "detmath.h"

__kernel void both(__global float *det, __global float *cr, __global const float *x) {
    size_t i = get_global_id(0);
    det[i] = detmath_expf(x[i]);
#if !defined(DETMATH_NO_DOUBLE)
    cr[i] = detmath_cr_exp2f(x[i]);
#endif
}

#if !defined(DETMATH_NO_DOUBLE)
__kernel void both_f64(__global double *det, __global double *cr, __global const double *x) {
    size_t i = get_global_id(0);
    det[i] = detmath_log(x[i]);
    cr[i] = detmath_cr_expm1(x[i]);
}
#endif

__kernel void blocks(__global uchar *elements, __global uchar *scales, __global const uint *x) {
    struct detmath_mx_rules rules = {DETMATH_MX_UP, 0, 0, 0, 0, 0, 0, 0};
    struct detmath_mx mx = detmath_mx_make(detmath_mx_formats[DETMATH_MXFP8_E4M3], rules,
                                           DETMATH_NEAREST_EVEN, 0);
    size_t block = get_global_id(0), first = block * DETMATH_MX_BLOCK;
    uint largest = 0, scale;
    for (size_t i = first; i < first + DETMATH_MX_BLOCK; i++)
        largest = detmath_mx_larger(largest, x[i], mx);
    scale = detmath_mx_scale(largest, mx);
    scales[block] = (uchar)scale;
    for (size_t i = first; i < first + DETMATH_MX_BLOCK; i++)
        elements[i] = (uchar)detmath_mx_element(x[i], scale, mx, 0);
}

#include "header_alone_lines.inc"

__kernel void lines(__global float *y, __global float *x, __global float *g, __global float *w,
                    ulong n) {
    size_t at = get_global_id(0) * n;
    take_line(y + at, x + at, g + at, w + at, n);
}
