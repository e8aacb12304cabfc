/* Every function as a kernel in HIP, without the headers of a HIP installation: the words of HIP that the kernels
 * need are here. hip.py compiles it. */
#define __global__ __attribute__((global))
#define blockIdx   (hip_index{__builtin_amdgcn_workgroup_id_x()})
#define blockDim   (hip_index{__builtin_amdgcn_workgroup_size_x()})
#define threadIdx  (hip_index{__builtin_amdgcn_workitem_id_x()})
struct hip_index {
    unsigned x;
};
#include "device.h"
