/* The inner loop of scaled products: a part of a tile of sums that the registers hold, each sum to every step one
 * product, by fma. The registers are named by intrinsics: gcc 12 keeps arrays of numbers in memory as soon as the loop
 * around changes a little, which takes three times as long. What a lane computes is the same for any number of
 * lanes. */
#ifndef DETMATH_SCALED_TILES_H
#define DETMATH_SCALED_TILES_H

#include "kernels.h"
#include "scaled_kernels.h"

#if defined(__AVX512F__)
#include <immintrin.h>
typedef __m512d scaled_lanes;
#define SCALED_LANES_LOAD  _mm512_loadu_pd
#define SCALED_LANES_STORE _mm512_storeu_pd
#define SCALED_LANES_OF(X) _mm512_set1_pd(X)
#define SCALED_LANES_FMA   _mm512_fmadd_pd
enum { PART_LANES = 8, PART_TALL = 8, PART_VECTORS = 3 };
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
typedef __m256d scaled_lanes;
#define SCALED_LANES_LOAD  _mm256_loadu_pd
#define SCALED_LANES_STORE _mm256_storeu_pd
#define SCALED_LANES_OF(X) _mm256_set1_pd(X)
#define SCALED_LANES_FMA   _mm256_fmadd_pd
enum { PART_LANES = 4, PART_TALL = 4, PART_VECTORS = 3 };
#else
typedef double scaled_lanes;
#define SCALED_LANES_LOAD(P)     (*(P))
#define SCALED_LANES_STORE(P, X) (*(P) = (X))
#define SCALED_LANES_OF(X)       (X)
#define SCALED_LANES_FMA         detmath_fma
enum { PART_LANES = 1, PART_TALL = 4, PART_VECTORS = 4 };
#endif

/* Asks for what comes 8 steps later, which may be past the end: b is too long for the nearest cache, and what processors
 * fetch unasked stops at each page. */
static inline void fetch_ahead(const double *b) {
#if defined(__GNUC__)
    enum { AHEAD = 8 * DETMATH_SCALED_WIDE * (int)sizeof *b, LINE = 64 };
    for (int line = 0; line < PART_VECTORS * PART_LANES * (int)sizeof *b; line += LINE)
        __builtin_prefetch((const void *)((uintptr_t)b + AHEAD + (uintptr_t)line));
#else
    (void)b;
#endif
}

/* sums[i * apart + j] += a[i * a_apart] b[j] for each of `terms` steps, of a part of a tile that is `vectors` wide. */
static inline void part_multiply_by(int vectors, double *sums, size_t apart,
                                    const double *restrict a, size_t a_apart,
                                    const double *restrict b, size_t terms) {
    scaled_lanes held[PART_TALL][PART_VECTORS];
    if (!terms)
        return;
    for (int i = 0; i < PART_TALL; i++)
        for (int j = 0; j < vectors; j++)
            held[i][j] = SCALED_LANES_LOAD(sums + (size_t)i * apart + j * PART_LANES);
    do { /* gcc 12 moves all sums to memory and back where there may be no step */
        scaled_lanes x[PART_VECTORS];
        fetch_ahead(b);
        for (int j = 0; j < vectors; j++)
            x[j] = SCALED_LANES_LOAD(b + j * PART_LANES);
        for (int i = 0; i < PART_TALL; i++)
            for (int j = 0; j < vectors; j++)
                held[i][j] =
                    SCALED_LANES_FMA(SCALED_LANES_OF(a[(size_t)i * a_apart]), x[j], held[i][j]);
        a++;
        b += DETMATH_SCALED_WIDE;
    } while (--terms);
    for (int i = 0; i < PART_TALL; i++)
        for (int j = 0; j < vectors; j++)
            SCALED_LANES_STORE(sums + (size_t)i * apart + j * PART_LANES, held[i][j]);
}

/* The same of as many vectors as `columns` need, at most those of a part. */
DETMATH_FLATTENED static void part_multiply(double *sums, size_t apart, const double *a,
                                            size_t a_apart, const double *b, size_t terms,
                                            size_t columns) {
    if (columns <= PART_LANES)
        part_multiply_by(1, sums, apart, a, a_apart, b, terms);
    else if (columns <= 2 * PART_LANES)
        part_multiply_by(2, sums, apart, a, a_apart, b, terms);
    else
        part_multiply_by(PART_VECTORS, sums, apart, a, a_apart, b, terms);
}

#endif
