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

float on_the_host(float x) {
    return detmath_expf(x) + detmath_cr_exp2f(x);
}
