/* Every function as a kernel, in OpenCL C and CUDA C: det_NAME, cr_NAME (where there is double) and
 * narrow_NAME, all with the same parameters. With REACH_LAST those of last.h in place of them. */
#ifndef REACH_DEVICE_H
#define REACH_DEVICE_H

#include "codes.h"
#include "detmath/all.h"

#if defined(DETMATH_OPENCL)
#define REACH_KERNEL   __kernel
#define REACH_GLOBAL   __global
#define REACH_POSITION (detmath_u32) get_global_id(0)
#else
#define REACH_KERNEL __global__
#define REACH_GLOBAL
#define REACH_POSITION (blockIdx.x * blockDim.x + threadIdx.x)
#endif

/* A kernel whose body, for one input, sets a[i], of x[i] and y[i], and b[i] where it has two. */
#define REACH_EACH(NAME, BODY)                                                                     \
    REACH_KERNEL void NAME(REACH_GLOBAL detmath_u32 *a, REACH_GLOBAL detmath_u32 *b,               \
                           REACH_GLOBAL const detmath_u32 *x, REACH_GLOBAL const detmath_u32 *y,   \
                           int format, detmath_u32 n) {                                            \
        detmath_u32 i = REACH_POSITION;                                                            \
        if (i < n) {                                                                               \
            BODY                                                                                   \
        }                                                                                          \
    }

#define REACH_WIDE(I) detmath_from_bits_f64((detmath_u64)x[I] << 32 | (detmath_u64)y[I])
#define REACH_F64(NAME, ...)                                                                       \
    REACH_EACH(NAME, detmath_u64 bits = detmath_bits_f64(__VA_ARGS__);                             \
               a[i] = (detmath_u32)(bits >> 32); b[i] = (detmath_u32)bits;)

#if defined(REACH_LAST)
#include "last.h"
#else
#define REACH_X detmath_from_bits_f32(x[i])
#define REACH_Y detmath_from_bits_f32(y[i])

#define DETMATH_UNARY(NAME, ...)                                                                   \
    REACH_EACH(det_##NAME, a[i] = detmath_bits_f32(detmath_##NAME##f(REACH_X));)
#define DETMATH_BINARY(NAME, ...)                                                                  \
    REACH_EACH(det_##NAME, a[i] = detmath_bits_f32(detmath_##NAME##f(REACH_X, REACH_Y));)
#define DETMATH_PAIR(NAME, A, B, ...)                                                              \
    REACH_EACH(det_##NAME, float first; float second; detmath_##NAME##f(REACH_X, &first, &second); \
               a[i] = detmath_bits_f32(first); b[i] = detmath_bits_f32(second);)
#include "detmath/functions.inc"

#if !defined(DETMATH_NO_DOUBLE)
#define DETMATH_UNARY(NAME, ...)                                                                   \
    REACH_EACH(cr_##NAME, a[i] = detmath_bits_f32(detmath_cr_##NAME##f(REACH_X));)                 \
    REACH_EACH(narrow_##NAME, a[i] = detmath_cr_##NAME##_code(x[i], detmath_formats[format]);)
#define DETMATH_BINARY(NAME, ...)                                                                  \
    REACH_EACH(cr_##NAME, a[i] = detmath_bits_f32(detmath_cr_##NAME##f(REACH_X, REACH_Y));)        \
    REACH_EACH(narrow_##NAME, a[i] = detmath_cr_##NAME##_code(x[i], y[i], detmath_formats[format]);)
#define DETMATH_PAIR(NAME, A, B, ...)                                                              \
    REACH_EACH(cr_##NAME, a[i] = detmath_bits_f32(detmath_cr_##A##f(REACH_X));                     \
               b[i] = detmath_bits_f32(detmath_cr_##B##f(REACH_X));)                               \
    REACH_EACH(narrow_##NAME, a[i] = detmath_cr_##A##_code(x[i], detmath_formats[format]);         \
               b[i] = detmath_cr_##B##_code(x[i], detmath_formats[format]);)
#include "detmath/functions.inc"

#define DETMATH_UNARY_F64(NAME, ...)                                                               \
    REACH_F64(det_##NAME##_f64, detmath_##NAME(REACH_WIDE(i)))                                     \
    REACH_F64(cr_##NAME##_f64, detmath_cr_##NAME(REACH_WIDE(i)))
#define REACH_PAIR_F64(NAME, CALL)                                                                 \
    REACH_EACH(NAME, double first; double second; CALL(REACH_WIDE(i), &first, &second);            \
               detmath_u64 bits = detmath_bits_f64(second);                                        \
               bits = detmath_bits_f64(first) ^ (bits << 1 | bits >> 63);                          \
               a[i] = (detmath_u32)(bits >> 32); b[i] = (detmath_u32)bits;)
#define DETMATH_PAIR_F64(NAME, A, B)                                                               \
    REACH_PAIR_F64(det_##NAME##_f64, detmath_##NAME)                                               \
    REACH_PAIR_F64(cr_##NAME##_f64, detmath_cr_##NAME)
#define DETMATH_BINARY_F64(NAME, ...)                                                              \
    REACH_F64(det_##NAME##_f64, detmath_##NAME(REACH_WIDE(i), REACH_WIDE(n + i)))                  \
    REACH_F64(cr_##NAME##_f64, detmath_cr_##NAME(REACH_WIDE(i), REACH_WIDE(n + i)))
#include "detmath/functions_f64.inc"
#endif

REACH_EACH(det_cast, a[i] = reach_cast(x[i], y[i]);)
REACH_EACH(det_mx, a[i] = reach_mx(x[i], y[i]);)
#endif

#endif
