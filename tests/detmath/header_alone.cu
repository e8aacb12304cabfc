/* A kernel that knows detmath.h and nothing else. */
#include "detmath.h"

__global__ void both(float *det, float *cr, const float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    det[i] = detmath_expf(x[i]);
    cr[i] = detmath_cr_exp2f(x[i]);
}

__global__ void both_f64(double *det, double *cr, const double *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    det[i] = detmath_log(x[i]);
    cr[i] = detmath_cr_expm1(x[i]);
}

__global__ void blocks(unsigned char *elements, unsigned char *scales, const detmath_u32 *x) {
    struct detmath_mx_rules rules = {DETMATH_MX_UP, 0, 0, 0, 0, 0, 0, 0};
    struct detmath_mx mx = detmath_mx_make(detmath_mx_formats[DETMATH_MXFP8_E4M3], rules,
                                           DETMATH_NEAREST_EVEN, 0);
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * DETMATH_MX_BLOCK;
    detmath_u32 largest = 0;
    for (int i = first; i < first + DETMATH_MX_BLOCK; i++)
        largest = detmath_mx_larger(largest, x[i], mx);
    detmath_u32 scale = detmath_mx_scale(largest, mx);
    scales[first / DETMATH_MX_BLOCK] = (unsigned char)scale;
    for (int i = first; i < first + DETMATH_MX_BLOCK; i++)
        elements[i] = (unsigned char)detmath_mx_element(x[i], scale, mx, 0);
}

#if defined(WITH_LINES)
#include "header_alone_lines.inc"

__global__ void lines(float *y, float *x, float *g, float *w, detmath_u64 n) {
    detmath_u64 at = (blockIdx.x * blockDim.x + threadIdx.x) * n;
    take_line(y + at, x + at, g + at, w + at, n);
}
#endif

float on_the_host(float x) {
    return detmath_expf(x) + detmath_cr_exp2f(x);
}
