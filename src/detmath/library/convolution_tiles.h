/* Sums of products in two parts for one instruction set, as detmath/convolution.h writes them: lanes of vectors are columns. */
#ifndef DETMATH_LIBRARY_CONVOLUTION_TILES_H
#define DETMATH_LIBRARY_CONVOLUTION_TILES_H

#include "detmath/convolution.h"
#include "kernels.h"
#include "matmul_vectors.h"
#include "reduction_list.h"

#include <string.h>

#if defined(MATMUL_BYTES)
enum { CONVOLUTION_ROWS = 4, CONVOLUTION_LANES = MATMUL_BYTES / (int)sizeof(float) };

/* Two parts of sums, of rows by a vector of columns. */
struct convolution_tile {
    matmul_vector_f32 high[CONVOLUTION_ROWS], low[CONVOLUTION_ROWS];
};

/* detmath_parts_plus */
DETMATH_INLINED void convolution_tile_plus(int rows, struct convolution_tile *b,
                                           const struct convolution_tile *a) {
    for (int i = 0; i < rows; i++) {
        const matmul_vector_f32 sum = a->high[i] + b->high[i], part = sum - a->high[i];
        b->low[i] = (a->low[i] + b->low[i]) + ((a->high[i] - (sum - part)) + (b->high[i] - part));
        b->high[i] = sum;
    }
}

/* The sum of a block, by detmath_convolution_count. */
DETMATH_INLINED struct convolution_tile
convolution_tile_block(int rows, const float *a, size_t apart, const float *b, size_t count) {
    struct convolution_tile sums;
    matmul_vector_f32 column;
    for (int i = 0; i < rows; i++) {
        sums.high[i] = -(matmul_vector_f32){0};
        sums.low[i] = (matmul_vector_f32){0};
    }
    for (size_t k = 0; k < count; k++, b += DETMATH_CONVOLUTION_COLUMNS) {
        memcpy(&column, b, sizeof column);
        for (int i = 0; i < rows; i++) {
            const matmul_vector_f32 by = a[(size_t)i * apart + k] - (matmul_vector_f32){0},
                                    high = sums.high[i], sum = high + by * column,
                                    part = sum - high;
            sums.low[i] = sums.low[i] + ((high - (sum - part)) + MATMUL_FMA_f32(by, column, -part));
            sums.high[i] = sum;
        }
    }
    return sums;
}

/* detmath_convolution_sum of some rows and a vector of columns; n is not 0. */
DETMATH_INLINED void convolution_tile_sum(int rows, float *high, float *low, const float *a,
                                          const float *b, size_t n) {
    struct convolution_tile level[DETMATH_TREE_LEVELS], sums;
    size_t block = 0;
    for (size_t from = 0; from < n; from += DETMATH_CONVOLUTION_BLOCK, block++) {
        int k = 0;
        sums = convolution_tile_block(rows, a + from, n, b + from * DETMATH_CONVOLUTION_COLUMNS,
                                      detmath_at_most(n - from, DETMATH_CONVOLUTION_BLOCK));
        for (size_t index = block; index & 1u; index >>= 1, k++)
            convolution_tile_plus(rows, &sums, &level[k]);
        level[k] = sums;
    }
    int at = 0;
    while (!(block >> at & 1u))
        at++;
    sums = level[at];
    for (at++; block >> at; at++)
        if (block >> at & 1u)
            convolution_tile_plus(rows, &sums, &level[at]);
    for (int i = 0; i < rows; i++) {
        memcpy(high + i * DETMATH_CONVOLUTION_COLUMNS, &sums.high[i], sizeof sums.high[i]);
        memcpy(low + i * DETMATH_CONVOLUTION_COLUMNS, &sums.low[i], sizeof sums.low[i]);
    }
}
#endif

DETMATH_FLATTENED static void convolution_sums(float *high, float *low, const float *a,
                                               const float *b, size_t rows, size_t n) {
    enum { WIDE = DETMATH_CONVOLUTION_COLUMNS };
#if defined(MATMUL_BYTES)
    for (size_t row = 0, done; row < rows; row += done) {
        done = rows - row >= CONVOLUTION_ROWS ? CONVOLUTION_ROWS : 1;
        for (size_t i = 0; i < WIDE; i += CONVOLUTION_LANES)
            if (done == 1)
                convolution_tile_sum(1, high + row * WIDE + i, low + row * WIDE + i, a + row * n,
                                     b + i, n);
            else
                convolution_tile_sum(CONVOLUTION_ROWS, high + row * WIDE + i, low + row * WIDE + i,
                                     a + row * n, b + i, n);
    }
#else
    for (size_t at = 0; at < rows * WIDE; at++) {
        const struct detmath_parts sum =
            detmath_convolution_sum(a + at / WIDE * n, b + at % WIDE, n, WIDE);
        high[at] = sum.high;
        low[at] = sum.low;
    }
#endif
}

#endif
