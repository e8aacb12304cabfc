/* The vectors of one instruction set by which tiles of products are made, and the extents of a tile. */
#ifndef DETMATH_LIBRARY_MATMUL_VECTORS_H
#define DETMATH_LIBRARY_MATMUL_VECTORS_H

#include "detmath/core.h"

#if defined(__GNUC__) && defined(__AVX512F__)
#define MATMUL_BYTES 64
#elif defined(__GNUC__) && defined(__AVX2__) && defined(__FMA__)
#define MATMUL_BYTES 32
#elif defined(__GNUC__) && defined(__aarch64__) && defined(__ARM_NEON)
#define MATMUL_BYTES 16
#endif

#if defined(MATMUL_BYTES)
typedef float matmul_vector_f32 __attribute__((vector_size(MATMUL_BYTES)));
typedef double matmul_vector_f64 __attribute__((vector_size(MATMUL_BYTES)));
typedef detmath_u32 matmul_bits_f32 __attribute__((vector_size(MATMUL_BYTES)));
typedef detmath_u64 matmul_bits_f64 __attribute__((vector_size(MATMUL_BYTES)));
#if MATMUL_BYTES == 64
#include <immintrin.h>
#define MATMUL_FMA_f32(A, B, C)                                                                    \
    (matmul_vector_f32) _mm512_fmadd_ps((__m512)(A), (__m512)(B), (__m512)(C))
#define MATMUL_FMA_f64(A, B, C)                                                                    \
    (matmul_vector_f64) _mm512_fmadd_pd((__m512d)(A), (__m512d)(B), (__m512d)(C))
#elif MATMUL_BYTES == 32
#include <immintrin.h>
#define MATMUL_FMA_f32(A, B, C)                                                                    \
    (matmul_vector_f32) _mm256_fmadd_ps((__m256)(A), (__m256)(B), (__m256)(C))
#define MATMUL_FMA_f64(A, B, C)                                                                    \
    (matmul_vector_f64) _mm256_fmadd_pd((__m256d)(A), (__m256d)(B), (__m256d)(C))
#else
#include <arm_neon.h>
#define MATMUL_FMA_f32(A, B, C)                                                                    \
    (matmul_vector_f32) vfmaq_f32((float32x4_t)(C), (float32x4_t)(A), (float32x4_t)(B))
#define MATMUL_FMA_f64(A, B, C)                                                                    \
    (matmul_vector_f64) vfmaq_f64((float64x2_t)(C), (float64x2_t)(A), (float64x2_t)(B))
#endif

/* The sums of a tile stay in registers, of which AVX2 has 16 and the others 32. */
enum { MATMUL_TALL = MATMUL_BYTES == 32 ? 4 : 8, MATMUL_VECTORS = 2 };
#endif

#endif
