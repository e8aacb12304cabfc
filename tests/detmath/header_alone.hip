/* A kernel that knows detmath.h and nothing else, in HIP. Without the headers of a HIP installation: what clang needs
 * of them to compile a kernel is here. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#include "detmath.h"

struct dim3 {
    unsigned x, y, z;
};
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);
extern "C" unsigned __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, void **);

__global__ void both(float *det, float *cr, const float *x) {
#if defined(__HIP_DEVICE_COMPILE__)
    int i = (int)__builtin_amdgcn_workitem_id_x();
#else
    int i = 0;
#endif
    det[i] = detmath_sinf(x[i]);
    cr[i] = detmath_cr_exp2f(x[i]);
}

#if defined(WITH_LINES)
#include "header_alone_lines.inc"

__global__ void lines(float *y, float *x, float *g, float *w, detmath_u64 n) {
#if defined(__HIP_DEVICE_COMPILE__)
    detmath_u64 at = (detmath_u64)__builtin_amdgcn_workitem_id_x() * n;
#else
    detmath_u64 at = 0;
#endif
    take_line(y + at, x + at, g + at, w + at, n);
}
#endif

float on_the_host(float x) {
    return detmath_expf(x) + detmath_cr_exp2f(x);
}
