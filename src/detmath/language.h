/* The language that the functions are written in: types, qualifiers and bit casts, the same in C11,
 * C++17, OpenCL C, CUDA C, HIP and Metal. */
#ifndef DETMATH_LANGUAGE_H
#define DETMATH_LANGUAGE_H

/* Bits would differ without a word where a compiler computes in another precision than a number's
 * type has, or rearranges sums. If its macros show that, the headers are refused. clang has macros for few
 * such options, but shield.inc undoes the options for the functions. detmath_self_check() finds the rest. 16 says
 * that _Float16 too has its own precision, as all others have: of gcc, on processors that compute in it. */
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "detmath needs -fexcess-precision=fast (s390x) or -msse2 -mfpmath=sse (i686)"
#endif
/* DETMATH_UNSHIELDED is for the tests of detmath_self_check(). */
#if defined(__FAST_MATH__) || defined(__FAST_RELAXED_MATH__)
#error "detmath needs to be compiled without -ffast-math and -cl-fast-relaxed-math"
#elif !defined(DETMATH_UNSHIELDED)
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "detmath needs to be compiled without -ffinite-math-only"
#elif defined(__ASSOCIATIVE_MATH__)
#error "detmath needs to be compiled without -funsafe-math-optimizations and -fassociative-math"
#elif defined(__RECIPROCAL_MATH__)
#error "detmath needs to be compiled without -freciprocal-math"
#elif defined(__NO_SIGNED_ZEROS__)
#error "detmath needs to be compiled without -fno-signed-zeros"
#endif
#endif
#if !defined(__cplusplus) && !defined(__OPENCL_VERSION__) && !defined(__OPENCL_C_VERSION__) &&     \
    (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "detmath needs -std=c99 or later"
#endif
/* gcc knows hexadecimal floating constants in strict C++ since C++17 only. */
#if defined(__cplusplus) && defined(__STRICT_ANSI__) && defined(__GNUC__) &&                       \
    !defined(__clang__) && __cplusplus < 201703L
#error "detmath needs -std=c++17 or later, or -std=gnu++11 or gnu++14, for hexadecimal floats"
#endif
#if !defined(DETMATH_UNSHIELDED)
/* Where clang knows the pragma; a device's code is compiled with its host's macros, too. */
#if defined(__clang_major__) && !defined(__METAL_VERSION__) && !defined(__AMDGCN__) &&             \
    !defined(__NVPTX__) && !defined(__SPIR__) && !defined(__SPIRV__) && __clang_major__ >= 13
#if defined(__x86_64__) || defined(__i386__) || defined(__powerpc__) || defined(__s390x__) ||      \
    (defined(__aarch64__) && __clang_major__ >= 15)
#define DETMATH_SHIELD 1
#endif
#endif
#endif

/* Of the two only the second is there in every version of the language. */
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define DETMATH_OPENCL 1
#endif
/* clang says __HIP__, hipcc __HIPCC__; what is compiled for the device has DETMATH_HIP_DEVICE. */
#if defined(__HIP__) || defined(__HIPCC__)
#define DETMATH_HIP 1
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
#define DETMATH_HIP_DEVICE 1
#endif
#endif
#if defined(__METAL_VERSION__)
#define DETMATH_METAL 1
#endif

/* DETMATH_FUNCTION qualifies every function, DETMATH_CONSTANT every table, DETMATH_CONSTANT_POINTER
 * a pointer into one, DETMATH_PRIVATE what another pointer leads to: a variable of the caller. Arrays are DETMATH_ARRAY,
 * in global memory, and those that a work group shares DETMATH_SHARED.
 * DETMATH_NO_DOUBLE leaves out the correctly rounded functions. */
#if defined(DETMATH_METAL)
typedef uint detmath_u32;
typedef int detmath_i32;
typedef ulong detmath_u64;
typedef long detmath_i64;
#define DETMATH_FUNCTION         static inline
#define DETMATH_CONSTANT         constant
#define DETMATH_CONSTANT_POINTER constant
#define DETMATH_PRIVATE          thread
#define DETMATH_ARRAY            device
#define DETMATH_SHARED           threadgroup
#define DETMATH_NO_DOUBLE
#elif defined(DETMATH_OPENCL)
typedef uint detmath_u32;
typedef int detmath_i32;
typedef ulong detmath_u64;
typedef long detmath_i64;
#define DETMATH_FUNCTION         static inline
#define DETMATH_CONSTANT         __constant
#define DETMATH_CONSTANT_POINTER __constant const
#define DETMATH_PRIVATE
#define DETMATH_ARRAY  __global
#define DETMATH_SHARED __local
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
#if defined(DETMATH_HIP)
#define DETMATH_FUNCTION static __attribute__((host, device)) inline
#elif defined(__CUDACC__)
#define DETMATH_FUNCTION static __host__ __device__ inline
#else
#define DETMATH_FUNCTION static inline
#endif
#if defined(DETMATH_HIP_DEVICE)
#define DETMATH_CONSTANT static __attribute__((device)) const
#elif defined(__CUDA_ARCH__)
#define DETMATH_CONSTANT static __device__ const
#else
#define DETMATH_CONSTANT static const
#endif
#define DETMATH_CONSTANT_POINTER const
#define DETMATH_PRIVATE
#define DETMATH_ARRAY
#define DETMATH_SHARED
#if !defined(__GNUC__) && !defined(__CUDA_ARCH__)
#include <string.h>
#define DETMATH_COPY(TO, FROM) memcpy(&(TO), &(FROM), sizeof(TO))
#else
#define DETMATH_COPY(TO, FROM) __builtin_memcpy(&(TO), &(FROM), sizeof(TO))
#endif
#endif

/* The same for parts of functions that compilers find too long to put into the loops of array
 * forms, which then stay scalar, or into functions of one number, where the call and the numbers in
 * memory cost up to a quarter of the time. */
#if defined(__GNUC__) && !defined(DETMATH_OPENCL) && !defined(DETMATH_METAL)
#define DETMATH_INLINED DETMATH_FUNCTION __attribute__((always_inline))
#else
#define DETMATH_INLINED DETMATH_FUNCTION
#endif

/* A function for what happens seldom: not a part of its callers, which stay short. On m68k it is, since gcc passes a double by a
 * register there in which a signalling NaN becomes quiet. */
#if defined(__CUDACC__)
#define DETMATH_SELDOM_FUNCTION   static __host__ __device__ __attribute__((noinline, unused))
#define DETMATH_SELDOM(CONDITION) (CONDITION)
#elif defined(__m68k__)
#define DETMATH_SELDOM_FUNCTION   DETMATH_INLINED
#define DETMATH_SELDOM(CONDITION) (CONDITION)
#elif defined(__GNUC__) && !defined(DETMATH_OPENCL) && !defined(DETMATH_METAL) &&                  \
    !defined(DETMATH_HIP)
#define DETMATH_SELDOM_FUNCTION   static __attribute__((noinline, unused))
#define DETMATH_SELDOM(CONDITION) __builtin_expect(!!(CONDITION), 0)
#else
#define DETMATH_SELDOM_FUNCTION   DETMATH_FUNCTION
#define DETMATH_SELDOM(CONDITION) (CONDITION)
#endif

/* A function that works on numbers of many words, or beside them. It is not inlined by nvcc 13.0, which then puts a number that is
 * returned where another one lies that is still needed. */
#if defined(__CUDACC__)
#define DETMATH_WORDS_FUNCTION DETMATH_SELDOM_FUNCTION
#else
#define DETMATH_WORDS_FUNCTION DETMATH_FUNCTION
#endif

/* The bits of a number, and back. */
DETMATH_FUNCTION detmath_u32 detmath_bits_f32(float x) {
#if defined(DETMATH_OPENCL)
    return as_uint(x);
#elif defined(DETMATH_METAL)
    return as_type<uint>(x);
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
#elif defined(DETMATH_METAL)
    return as_type<float>(bits);
#elif defined(__CUDA_ARCH__)
    return __uint_as_float(bits);
#else
    float x;
    DETMATH_COPY(x, bits);
    return x;
#endif
}

#if !defined(DETMATH_NO_DOUBLE)
/* gcc's -fsingle-precision-constant, OpenCL's -cl-single-precision-constant, and sh4's
 * -m4-single-only would take the constants of cr for floats. */
#define DETMATH_HAS_DOUBLE (sizeof(double) == 8 && sizeof(1.0) == sizeof(double))
#define DETMATH_WANTS_DOUBLE                                                                       \
    "detmath needs constants of type double, in 64 bits, without -fsingle-precision-constant"
#if defined(__cplusplus) && __cplusplus >= 201103L
static_assert(DETMATH_HAS_DOUBLE, DETMATH_WANTS_DOUBLE);
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
_Static_assert(DETMATH_HAS_DOUBLE, DETMATH_WANTS_DOUBLE);
#else
typedef char detmath_needs_constants_of_type_double_in_64_bits[DETMATH_HAS_DOUBLE ? 1 : -1];
#endif

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
#if defined(__i386__) && defined(__GNUC__) && !defined(__clang__)
    /* gcc 12 loses the high word where x is an operand of a function that is not inlined: it must not see where x comes from. */
    __asm__("" : "+m"(x));
#endif
    return x;
#endif
}
#endif

#endif
