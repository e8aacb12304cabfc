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
    int lacks_scales[ARRAYS]; /* there are none where a sum has no terms */
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

/* Adds the index in an array of number `at` of a kind of loops. */
void detmath_contraction_add_index(const struct contraction *given, int kind, size_t at, int array,
                                   ptrdiff_t index[DETMATH_MOST_DIMENSIONS]);
/* Whether there is an element at an index, which in the padding of a there is not, and where. */
int detmath_contraction_locate(const struct contraction *given, int array, const ptrdiff_t *index,
                               ptrdiff_t *at);
/* Where the scale of an index is; in the padding, that of the nearest element, as scales do not vary there. */
ptrdiff_t detmath_contraction_scale_at(const struct detmath_scaled_places *places,
                                       const ptrdiff_t *index);
/* The scale of a term of number `at` of rows or columns. */
struct detmath_scale detmath_contraction_scale(const struct contraction *given, int array,
                                               size_t batch, int kind, size_t at, size_t term);
/* `count` rows or columns from `first` on as the kernel has them: terms from..to-1, `wide` beside each other, 0
 * where there is none, where a window is in the padding, and where the scale is 0. */
void detmath_contraction_pack(const struct contraction *given, int array, int kind, size_t batch,
                              size_t first, size_t count, size_t from, size_t to, size_t lanes,
                              size_t lane_step, size_t term_step, double *packed);

/* Finds `ends` and `segments`; `offsets` and what follows from them. 0 where there is no memory; what there is, is to
 * be freed. */
int detmath_contraction_find_runs(struct contraction *given);
int detmath_contraction_find_offsets(struct contraction *given);

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
