/* What the functions are written in: types, qualifiers, bit casts and fma, the same in C11, C++17,
 * OpenCL C and CUDA C. Nothing outside this folder is included.
 *
 * The same bits everywhere rest on a few habits of the functions that include this:
 *   - a product that feeds a sum is an explicit detmath_fma(f); where the rounded product itself is
 *     needed, detmath_product(f), which no compiler can contract;
 *   - only + - and fma on floating-point numbers, in the declared type, round to nearest-even;
 *   - what a subnormal number would meet is done in integers, so that flushing changes nothing. */
#ifndef DETMATH_CORE_H
#define DETMATH_CORE_H

/* Bits would differ without a word where a compiler computes in another precision than a number's
 * type has, or rearranges sums. */
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "detmath needs -fexcess-precision=fast (s390x) or -msse2 -mfpmath=sse (i686)"
#endif
#if defined(__FAST_MATH__) || defined(__FAST_RELAXED_MATH__)
#error "detmath needs to be compiled without -ffast-math and -cl-fast-relaxed-math"
#endif

/* Of the two only the second is there in every version of the language. */
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define DETMATH_OPENCL 1
#endif

/* DETMATH_FUNCTION qualifies every function, DETMATH_CONSTANT every table, DETMATH_CONSTANT_POINTER
 * a pointer into one. DETMATH_NO_DOUBLE leaves out the correctly rounded functions. */
#if defined(DETMATH_OPENCL)
typedef uint detmath_u32;
typedef int detmath_i32;
typedef ulong detmath_u64;
typedef long detmath_i64;
#define DETMATH_FUNCTION         static inline
#define DETMATH_CONSTANT         __constant
#define DETMATH_CONSTANT_POINTER __constant const
#if defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#elif !defined(DETMATH_NO_DOUBLE)
#define DETMATH_NO_DOUBLE
#endif
#else
typedef unsigned int detmath_u32;
typedef int detmath_i32;
typedef unsigned long long detmath_u64;
typedef long long detmath_i64;
#if defined(__CUDACC__)
#define DETMATH_FUNCTION static __host__ __device__ inline
#else
#define DETMATH_FUNCTION static inline
#endif
#if defined(__CUDA_ARCH__)
#define DETMATH_CONSTANT static __device__ const
#else
#define DETMATH_CONSTANT static const
#endif
#define DETMATH_CONSTANT_POINTER const
#if !defined(__GNUC__) && !defined(__CUDA_ARCH__)
#include <string.h>
#define DETMATH_COPY(TO, FROM) memcpy(&(TO), &(FROM), sizeof(TO))
#else
#define DETMATH_COPY(TO, FROM) __builtin_memcpy(&(TO), &(FROM), sizeof(TO))
#endif
#endif

/* The same for parts of functions that compilers find too long to put into the loops of array
 * forms, which then stay scalar. */
#if defined(__GNUC__) && !defined(DETMATH_OPENCL)
#define DETMATH_INLINED DETMATH_FUNCTION __attribute__((always_inline))
#else
#define DETMATH_INLINED DETMATH_FUNCTION
#endif

/* A function for what happens seldom: not a part of its callers, which stay short. */
#if defined(__GNUC__) && !defined(DETMATH_OPENCL) && !defined(__CUDACC__)
#define DETMATH_SELDOM_FUNCTION   static __attribute__((noinline, unused))
#define DETMATH_SELDOM(CONDITION) __builtin_expect(!!(CONDITION), 0)
#else
#define DETMATH_SELDOM_FUNCTION   DETMATH_FUNCTION
#define DETMATH_SELDOM(CONDITION) (CONDITION)
#endif

/* The bits of a number, and back. */
DETMATH_FUNCTION detmath_u32 detmath_bits_f32(float x) {
#if defined(DETMATH_OPENCL)
    return as_uint(x);
#elif defined(__CUDA_ARCH__)
    return __float_as_uint(x);
#else
    detmath_u32 bits;
    DETMATH_COPY(bits, x);
    return bits;
#endif
}

DETMATH_FUNCTION float detmath_from_bits_f32(detmath_u32 bits) {
#if defined(DETMATH_OPENCL)
    return as_float(bits);
#elif defined(__CUDA_ARCH__)
    return __uint_as_float(bits);
#else
    float x;
    DETMATH_COPY(x, bits);
    return x;
#endif
}

#if !defined(DETMATH_NO_DOUBLE)
DETMATH_FUNCTION detmath_u64 detmath_bits_f64(double x) {
#if defined(DETMATH_OPENCL)
    return as_ulong(x);
#elif defined(__CUDA_ARCH__)
    return (detmath_u64)__double_as_longlong(x);
#else
    detmath_u64 bits;
    DETMATH_COPY(bits, x);
    return bits;
#endif
}

DETMATH_FUNCTION double detmath_from_bits_f64(detmath_u64 bits) {
#if defined(DETMATH_OPENCL)
    return as_double(bits);
#elif defined(__CUDA_ARCH__)
    return __longlong_as_double((detmath_i64)bits);
#else
    double x;
    DETMATH_COPY(x, bits);
    return x;
#endif
}
#endif

#include "fma.h"

/* The bits of -0 as a float. clang turns a multiplication and addition of -0 into a multiplication,
 * which -ffp-contract=fast then contracts with the sum that it feeds: it must not see the number.
 * The assembler's part is empty, and loops leave it outside. */
DETMATH_FUNCTION detmath_u32 detmath_minus_zero_bits(void) {
    detmath_u32 bits = 0x80000000u;
#if defined(__clang__) && !defined(DETMATH_OPENCL) && !defined(__CUDA_ARCH__)
    __asm__("" : "+r"(bits));
#endif
    return bits;
}

/* a * b rounded, which stays so whatever a compiler contracts: -0 is the neutral element of a sum,
 * so that the sign of a zero product stays too. */
DETMATH_FUNCTION float detmath_productf(float a, float b) {
#if defined(__CUDA_ARCH__)
    return __fmul_rn(a, b); /* is never contracted */
#else
    return detmath_fmaf(a, b, detmath_from_bits_f32(detmath_minus_zero_bits()));
#endif
}

#if !defined(DETMATH_NO_DOUBLE)
DETMATH_FUNCTION double detmath_product(double a, double b) {
#if defined(__CUDA_ARCH__)
    return __dmul_rn(a, b);
#else
    return detmath_fma(a, b, detmath_from_bits_f64((detmath_u64)detmath_minus_zero_bits() << 32));
#endif
}
#endif

/* The one NaN that functions return, the bits of |x|, and whether x is NaN or subnormal, all in
 * integers, so that neither flushing nor an optimiser's assumptions change them. */
#define DETMATH_NAN_BITS      0x7fc00000u
#define DETMATH_INFINITY_BITS 0x7f800000u

DETMATH_FUNCTION detmath_u32 detmath_magnitude_f32(float x) {
    return detmath_bits_f32(x) & 0x7fffffffu;
}

/* For quick ways, which do where low <= bits < high, the bits being those of x or of |x|: the top
 * bit tells of an x outside. Zeros are inside, for |x|. */
DETMATH_FUNCTION detmath_u32 detmath_outside_bits(float x, detmath_u32 low, detmath_u32 high) {
    detmath_u32 above = detmath_bits_f32(x) - low;
    return (above | (high - low - 1u - above)) & 0x80000000u;
}

DETMATH_FUNCTION detmath_u32 detmath_outside_magnitude(float x, detmath_u32 low, detmath_u32 high) {
    detmath_u32 magnitude = detmath_magnitude_f32(x), above = magnitude - low;
    detmath_u32 under = low ? above & ~(magnitude - 1u) : 0u;
    return (under | (high - low - 1u - above)) & 0x80000000u;
}

/* The same for scalars, in as few steps as can be; zeros are outside, if low is not 0. */
DETMATH_FUNCTION int detmath_is_outside_bits(float x, detmath_u32 low, detmath_u32 high) {
    return detmath_bits_f32(x) - low >= high - low;
}

DETMATH_FUNCTION int detmath_is_outside_magnitude(float x, detmath_u32 low, detmath_u32 high) {
    return 2u * detmath_bits_f32(x) - 2u * low >= 2u * (high - low);
}

/* y, or the canonical NaN where x is NaN. */
DETMATH_FUNCTION float detmath_unless_nan(float x, float y) {
    detmath_u32 bits =
        detmath_magnitude_f32(x) > DETMATH_INFINITY_BITS ? DETMATH_NAN_BITS : detmath_bits_f32(y);
    return detmath_from_bits_f32(bits);
}

/* y * 2^n rounded to nearest-even, in integers: y normal, of either sign, and |n| < 2^20. Where the
 * result is subnormal that is a second rounding, of a y that has all of its 24 bits. */
DETMATH_FUNCTION float detmath_scale_f32(float y, detmath_i32 n) {
    detmath_u32 bits = detmath_bits_f32(y), sign = bits & 0x80000000u;
    detmath_u32 magnitude = bits & 0x7fffffffu;
    detmath_i32 biased = (detmath_i32)(magnitude >> 23) + n;
    detmath_u32 normal = magnitude + ((detmath_u32)n << 23);
    detmath_i32 wanted = 1 - biased;
    detmath_u32 shift = (detmath_u32)(wanted < 1 ? 1 : wanted > 25 ? 25 : wanted);
    detmath_u32 significand = (magnitude & 0x007fffffu) | 0x00800000u;
    detmath_u32 middle = (1u << (shift - 1)) - 1u, odd = (significand >> shift) & 1u;
    detmath_u32 subnormal = (significand + middle + odd) >> shift;
    detmath_u32 scaled = biased < 1 ? subnormal : normal;
    scaled = biased > 254 ? DETMATH_INFINITY_BITS : scaled;
    return detmath_from_bits_f32(sign | scaled);
}

/* detmath_NAMEf of a function whose array form has a quick path: both give the same bits where
 * there is no doubt. SUFFIX is _NAME, since NAME itself may be a macro of OpenCL's. */
#define DETMATH_QUICK_OR_FULL(SUFFIX)                                                              \
    DETMATH_FUNCTION float detmath##SUFFIX##f(float x) {                                           \
        detmath_u32 doubt = 0;                                                                     \
        float y = detmath##SUFFIX##_quick(x, &doubt);                                              \
        return DETMATH_SELDOM(doubt) ? detmath##SUFFIX##_full(x) : y;                              \
    }

#if !defined(DETMATH_NO_DOUBLE)
/* 2^n for -1022 <= n <= 1023. */
DETMATH_FUNCTION double detmath_power_of_two(detmath_i64 n) {
    return detmath_from_bits_f64((detmath_u64)(n + 1023) << 52);
}
#endif

#endif
