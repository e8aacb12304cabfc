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
    double *greatest; /* measured: the largest magnitude of each of c's scales; else NULL, */
    struct detmath_scaled_places dense; /* where c's scales lie in it */
    const struct detmath_cast *cast;
};

/* A loop more: the extent, and for each array the dimension and the step. */
void detmath_contraction_add(struct contraction *given, int kind, size_t extent, int a,
                             size_t a_step, int b, size_t b_step, int c, size_t c_step);

/* Where scales are measured (scaled_tensors.h): zeros, a number for each scale of an array, and where
 * these lie in them; NULL where there is no memory. */
double *detmath_measured_open(struct detmath_scaled_places *dense,
                              const struct detmath_scaled_places *array);
/* The larger of `greatest` and those data, sums times a, that count. */
double detmath_measured_greatest(double greatest, const double *sums, size_t count, double a);
/* The plan of sums for c of which the greatest is that. */
struct detmath_scaled_plan detmath_measured_plan(const struct detmath_scaled_tensor *c,
                                                 struct detmath_scaled_plan plan, double greatest);

/* Rows first to before last of the result, of all batches together; an enum detmath_trouble. */
int detmath_contraction_run(struct contraction *given, size_t first, size_t last);

#endif
