/* Products of matrices for one instruction set, in the order that reductions.h writes: each element is the dot product
 * of its row and its column. Lanes of vectors are columns, so that what an element goes through is the same for any
 * number of them.
 *
 * In a block of 1024 terms lane l of 64 (here: leaf) has the terms l, l + 64, ... The leaves are folded as a tree whose
 * nearest neighbours are 32 apart, then 16, ..., 1, and block totals go up a tree of neighbours. Leaves that are visited
 * by their numbers with the bits reversed are neighbours of both trees alike, which a binary counter of sums then folds:
 * a leaf is done in registers before the next one, and six sums, not 64, are kept. Leaves without a term are -0,
 * which changes no sum; where fewer than 33 terms are there the upper half has none and is left out, and so on.
 *
 * Columns of b are packed in the order of the visits, a block and as many columns as registers hold at a time, for all of
 * up to GROUP rows. Few rows are not worth that; of so many columns they read b as it lies. */
#ifndef DETMATH_LIBRARY_MATMUL_H
#define DETMATH_LIBRARY_MATMUL_H

#include "detmath/reductions.h"
#include "kernels.h"
#include "matmul_vectors.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(MATMUL_BYTES)
enum {
    MATMUL_FOLDS = 6,                                      /* of 64 leaves */
    MATMUL_PANELS = 512 / (MATMUL_VECTORS * MATMUL_BYTES), /* of columns */
    MATMUL_FEW = 3,
    MATMUL_GROUP = 128
};

/* The leaves of a block of n terms, and the order of visits. */
struct matmul_leaves {
    int folds, visits; /* 2^folds */
    size_t n;
};

static inline struct matmul_leaves matmul_leaves_of(size_t n) {
    int folds = 0;
    while (folds < MATMUL_FOLDS && (size_t)1 << folds < n)
        folds++;
    return (struct matmul_leaves){folds, 1 << folds, n};
}

static inline size_t matmul_leaf(struct matmul_leaves leaves, int visit) {
#define EIGHT(A) A, A + 32, A + 16, A + 48, A + 8, A + 40, A + 24, A + 56
    static const unsigned char reversed[DETMATH_LANES] = {EIGHT(0), EIGHT(4), EIGHT(2), EIGHT(6),
                                                          EIGHT(1), EIGHT(5), EIGHT(3), EIGHT(7)};
#undef EIGHT
    return (size_t)reversed[visit] >> (MATMUL_FOLDS - leaves.folds);
}

static inline size_t matmul_terms(struct matmul_leaves leaves, size_t leaf) {
    return leaf < leaves.n ? (leaves.n - leaf + DETMATH_LANES - 1) / DETMATH_LANES : 0;
}

#define MATMUL_REAL        float
#define MATMUL_VECTOR      matmul_vector_f32
#define MATMUL_BITS        matmul_bits_f32
#define MATMUL_NAN         DETMATH_NAN_BITS
#define MATMUL_FMA         MATMUL_FMA_f32
#define MATMUL_TYPED(NAME) NAME##_f32
#include "matmul.inc"
#undef MATMUL_REAL
#undef MATMUL_VECTOR
#undef MATMUL_FMA
#undef MATMUL_TYPED
#undef MATMUL_BITS
#undef MATMUL_NAN

#define MATMUL_REAL        double
#define MATMUL_VECTOR      matmul_vector_f64
#define MATMUL_BITS        matmul_bits_f64
#define MATMUL_NAN         0x7ff8000000000000u
#define MATMUL_FMA         MATMUL_FMA_f64
#define MATMUL_TYPED(NAME) NAME##_f64
#include "matmul.inc"
#endif

#endif
