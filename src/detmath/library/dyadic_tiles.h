/* Tiles of sums of products of integers, in registers, for the instruction set at hand. A lane holds
 * one number, or two of 16 bits whose products are added at once; all is modulo 2^32 or 2^64, so
 * that every instruction set has the same bits. Not installed. */
#ifndef DETMATH_LIBRARY_DYADIC_TILES_H
#define DETMATH_LIBRARY_DYADIC_TILES_H

#include "detmath/dyadic_linear_arrays.h"

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif
#if defined(__AVX512BW__)
enum { VECTOR_BYTES = 64, VECTORS = 4 };
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32, VECTORS = 2 };
#else
enum { VECTOR_BYTES = 16, VECTORS = 2 };
#endif
/* A panel of y, STEPS lanes deep, stays in the first-level cache, with as many of ROWS rows of x. */
enum { ROWS = 6, STEPS = 64 };

#if defined(__GNUC__)
typedef detmath_u32 vector_u32 __attribute__((vector_size(VECTOR_BYTES)));
typedef detmath_u64 vector_u64 __attribute__((vector_size(VECTOR_BYTES)));
#else
typedef detmath_u32 vector_u32;
typedef detmath_u64 vector_u64;
#endif

/* Products lane by lane: of whole lanes; of numbers of 32 bits in lanes of 64; of two numbers of 16
 * bits in lanes of 32, added up. */
#define WHOLE(A, B) ((A) * (B))
#if defined(__AVX512BW__)
#define LOW(A, B)   ((vector_u64)_mm512_mul_epi32((__m512i)(A), (__m512i)(B)))
#define PAIRS(A, B) ((vector_u32)_mm512_madd_epi16((__m512i)(A), (__m512i)(B)))
#elif defined(__AVX2__)
#define LOW(A, B)   ((vector_u64)_mm256_mul_epi32((__m256i)(A), (__m256i)(B)))
#define PAIRS(A, B) ((vector_u32)_mm256_madd_epi16((__m256i)(A), (__m256i)(B)))
#else
#define LOW(A, B) WHOLE(A, B)
#if defined(__SSE2__)
#define PAIRS(A, B) ((vector_u32)_mm_madd_epi16((__m128i)(A), (__m128i)(B)))
#endif
#endif
/* How many numbers a lane of pairs holds: without an instruction for them, one. */
#if defined(PAIRS)
enum { PAIR = 2 };
#else
enum { PAIR = 1 };
#define PAIRS(A, B) WHOLE(A, B)
#endif
enum { ONE = 1 };

#define LANES(LANE)   (sizeof(vector_##LANE) / sizeof(detmath_##LANE))
#define COLUMNS(LANE) (VECTORS * LANES(LANE))

#define TILE(KIND, LANE, MULTIPLY)                                                                 \
    static void tile_##KIND(detmath_##LANE *sums, const detmath_##LANE *x,                         \
                            const detmath_##LANE *panel) {                                         \
        const vector_##LANE zero = {0};                                                            \
        vector_##LANE sum[ROWS][VECTORS], y[VECTORS];                                              \
        for (size_t r = 0; r < ROWS; r++)                                                          \
            for (size_t v = 0; v < VECTORS; v++)                                                   \
                sum[r][v] = zero;                                                                  \
        for (size_t k = 0; k < STEPS; k++) {                                                       \
            for (size_t v = 0; v < VECTORS; v++, panel += LANES(LANE))                             \
                memcpy(&y[v], panel, sizeof y[v]);                                                 \
            for (size_t r = 0; r < ROWS; r++)                                                      \
                for (size_t v = 0; v < VECTORS; v++)                                               \
                    sum[r][v] += MULTIPLY(y[v], zero + x[r * STEPS + k]);                          \
        }                                                                                          \
        for (size_t r = 0; r < ROWS; r++)                                                          \
            for (size_t v = 0; v < VECTORS; v++, sums += LANES(LANE))                              \
                memcpy(sums, &sum[r][v], sizeof sum[r][v]);                                        \
    }
TILE(pairs, u32, PAIRS)
TILE(u32, u32, WHOLE)
TILE(low, u64, LOW)
TILE(u64, u64, WHOLE)

#endif
