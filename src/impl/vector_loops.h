/* Loops over arrays by functions of vector registers, one for each element and size of register. On
 * x86-64 alone. */
#ifndef DETCHECK_IMPL_VECTOR_LOOPS_H
#define DETCHECK_IMPL_VECTOR_LOOPS_H

#include "impl/vector_abi.h"

/* As vector_abi_call; `count` is a multiple of the lanes. */
typedef void vector_loop(const struct vector_abi *abi, void *function,
                         const struct operation *operation, void *const *z, const void *const *x,
                         size_t count);

vector_loop vector_loop_fp32_16, vector_loop_fp64_16, vector_loop_fp32_32, vector_loop_fp64_32,
    vector_loop_fp32_64, vector_loop_fp64_64;

/* What vector_abi_for_one returns. */
typedef union vector_one vector_for_one(void *function);

vector_for_one vector_loop_fp32_16_for_one, vector_loop_fp64_16_for_one,
    vector_loop_fp32_32_for_one, vector_loop_fp64_32_for_one, vector_loop_fp32_64_for_one,
    vector_loop_fp64_64_for_one;

#endif
