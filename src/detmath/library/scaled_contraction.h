/* Tables of loops for sums of products of scaled arrays: over batches, over rows and columns of the
 * result, and over the terms of a sum. A loop says which dimension of each array it steps along, and
 * how far. */
#ifndef DETMATH_LIBRARY_SCALED_CONTRACTION_H
#define DETMATH_LIBRARY_SCALED_CONTRACTION_H

#include "detmath/scaled_tensors.h"
#include "scaled_tensor.h"

enum { A, B, C, ARRAYS, NONE = -1, MOST_LOOPS = 2 * DETMATH_MOST_DIMENSIONS };
enum { BATCH, ROW, COLUMN, TERM, KINDS };

struct loop {
    int kind;
    size_t extent;
    int dimension[ARRAYS]; /* NONE: it stays where it is */
    size_t step[ARRAYS];
};

struct contraction {
    const struct detmath_scaled_tensor *arrays[ARRAYS]; /* B NULL: ones */
    struct detmath_scaled_places places[ARRAYS];
    struct loop loops[MOST_LOOPS];
    int count;
    size_t sizes[KINDS];
    size_t *ends;          /* of runs of terms whose scales are the same */
    ptrdiff_t *offsets[2]; /* of the terms from the first one, in a and in b */
    int is_line[2];        /* those terms are equally far from each other, */
    ptrdiff_t apart[2];    /* by that many elements */
    int has_padding;
    size_t segments;
    ptrdiff_t before[DETMATH_MOST_DIMENSIONS]; /* padding of a */
    size_t every
        [DETMATH_MOST_DIMENSIONS]; /* a has only the indices that are multiples of it; 0: all */
    enum detmath_scaled_strategy strategy;
    int mean;
    const struct detmath_cast *cast;
};

/* A loop more: the extent, and for each array the dimension and the step. */
void detmath_contraction_add(struct contraction *given, int kind, size_t extent, int a,
                             size_t a_step, int b, size_t b_step, int c, size_t c_step);

/* Rows first to before last of the result, of all batches together; an enum detmath_trouble. */
int detmath_contraction_run(struct contraction *given, size_t first, size_t last);

#endif
