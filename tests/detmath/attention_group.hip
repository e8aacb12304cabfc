/* The kernel of attention_group.cu, in HIP. Without the headers of a HIP installation: what clang needs of them to compile the
 * kernel is here. */
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

static __attribute__((device)) inline void __syncthreads() {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    __builtin_amdgcn_s_barrier();
}

struct place {
    unsigned x;
};
#define blockIdx  (place{__builtin_amdgcn_workgroup_id_x()})
#define threadIdx (place{__builtin_amdgcn_workitem_id_x()})
#define gridDim   (place{__builtin_amdgcn_grid_size_x() / 64})
#include "attention_group.cu"
