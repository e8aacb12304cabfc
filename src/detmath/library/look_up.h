/* Tables looked up in registers, by the vectors of a loop over an array.
 *
 * No compiler makes a permutation of table[i] in a loop: it makes a gather, which takes longer than what
 * the table saves. So a loop takes LANES elements at a time, in three short loops over arrays of that length:
 * the places, the look-up by the intrinsics below, and the rest. The compiler makes a vector of each, and
 * keeps the arrays in registers (gcc, without -ftree-pre: see detmath.cmake).
 *
 * Tables have rows of 16 columns, beside each other: value r of place p is table[16 * r + p % 16]. A table of 8
 * columns has them twice, and takes one permutation of AVX2 where 16 take two. */
#ifndef DETMATH_LIBRARY_LOOK_UP_H
#define DETMATH_LIBRARY_LOOK_UP_H

#include "detmath/language.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include "lanes.h"
#endif

enum { LOOKED_UP = 16, LOOK_UP_ROWS = 9 };

/* rows[16 * r + i] = table[16 * r + places[i] % 16]. */
DETMATH_INLINED void look_up_f32(float *restrict rows, const detmath_u32 *restrict places,
                                 const float *restrict table, int count, int columns) {
    (void)columns;
#if defined(__AVX512F__)
    __m512i at = _mm512_loadu_si512(places);
    for (int r = 0; r < LOOKED_UP * count; r += LOOKED_UP)
        _mm512_storeu_ps(rows + r, _mm512_permutexvar_ps(at, _mm512_loadu_ps(table + r)));
#elif defined(__AVX2__)
    for (int i = 0; i < LOOKED_UP; i += 8) {
        __m256i at = _mm256_loadu_si256((const __m256i *)(const void *)(places + i));
        __m256 second = _mm256_castsi256_ps(_mm256_slli_epi32(at, 28)); /* by its top bit */
        for (int r = 0; r < LOOKED_UP * count; r += LOOKED_UP) {
            __m256 row = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + r), at);
            if (columns > 8)
                row = _mm256_blendv_ps(
                    row, _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + r + 8), at), second);
            _mm256_storeu_ps(rows + r + i, row);
        }
    }
#elif defined(DETMATH_LANES)
    for (int i = 0; i < LOOKED_UP; i += DETMATH_LANES) {
        lanes_u at;
        __builtin_memcpy(&at, places + i, sizeof at);
        for (int r = 0; r < LOOKED_UP * count; r += LOOKED_UP)
            lanes_store(rows + r + i, detmath_look_up_lanes(table + r, at));
    }
#else
    for (int r = 0; r < LOOKED_UP * count; r += LOOKED_UP)
        for (int i = 0; i < LOOKED_UP; i++)
            rows[r + i] = table[r + (int)(places[i] % LOOKED_UP)];
#endif
}

/* The same of doubles, by the low bits of words as long. */
DETMATH_INLINED void look_up_f64(double *restrict rows, const detmath_u64 *restrict places,
                                 const double *restrict table, int count, int columns) {
    (void)columns;
#if defined(__AVX512F__)
    for (int i = 0; i < LOOKED_UP; i += 8) {
        __m512i at = _mm512_loadu_si512(places + i);
        for (int r = 0; r < LOOKED_UP * count; r += LOOKED_UP) {
            __m512d first = _mm512_loadu_pd(table + r), row;
            if (columns > 8)
                row = _mm512_permutex2var_pd(first, at, _mm512_loadu_pd(table + r + 8));
            else
                row = _mm512_permutexvar_pd(at, first);
            _mm512_storeu_pd(rows + r + i, row);
        }
    }
#elif defined(__AVX2__)
    for (int i = 0; i < LOOKED_UP; i += 4) {
        __m256i at = _mm256_loadu_si256((const __m256i *)(const void *)(places + i));
        at = _mm256_and_si256(at, _mm256_set1_epi64x(LOOKED_UP - 1));
        for (int r = 0; r < LOOKED_UP * count; r += LOOKED_UP)
            _mm256_storeu_pd(rows + r + i, _mm256_i64gather_pd(table + r, at, 8));
    }
#else
    for (int r = 0; r < LOOKED_UP * count; r += LOOKED_UP)
        for (int i = 0; i < LOOKED_UP; i++)
            rows[r + i] = table[r + (int)(places[i] % LOOKED_UP)];
#endif
}

/* What a function fills that looks up: y[i] = FUNCTION_by(x[i], column, &doubt), where column has a value of each row. */
#define LOOK_UP_LOOP(FUNCTION, BITS, TABLE, ROWS, COLUMNS)                                         \
    detmath_u32 doubts[LOOKED_UP] = {0}, doubt = 0;                                                \
    for (size_t at = 0; at < lanes; at += LOOKED_UP) {                                             \
        detmath_u##BITS places[LOOKED_UP];                                                         \
        LOOK_UP_NUMBER_##BITS rows[LOOK_UP_ROWS * LOOKED_UP];                                      \
        for (size_t i = 0; i < LOOKED_UP; i++)                                                     \
            places[i] = FUNCTION##_place(x[at + i]);                                               \
        look_up_f##BITS(rows, places, TABLE, ROWS, COLUMNS);                                       \
        for (size_t i = 0; i < LOOKED_UP; i++) {                                                   \
            LOOK_UP_NUMBER_##BITS column[ROWS];                                                    \
            detmath_u32 unsure = 0;                                                                \
            for (size_t r = 0; r < ROWS; r++)                                                      \
                column[r] = rows[r * LOOKED_UP + i];                                               \
            y[at + i] = FUNCTION##_by(x[at + i], column, &unsure);                                 \
            doubts[i] |= unsure;                                                                   \
        }                                                                                          \
    }                                                                                              \
    for (size_t i = 0; i < LOOKED_UP; i++)                                                         \
        doubt |= doubts[i];                                                                        \
    return doubt
#define LOOK_UP_NUMBER_32 float
#define LOOK_UP_NUMBER_64 double
/* The last three words are one, DETMATH_COLUMNS_..., which is a macro of three. */
#define LOOK_UP(FUNCTION, BITS, TABLE_ROWS_COLUMNS) LOOK_UP_LOOP(FUNCTION, BITS, TABLE_ROWS_COLUMNS)

#endif
