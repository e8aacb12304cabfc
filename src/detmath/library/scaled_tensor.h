/* Where the data and the scales of a scaled array lie, for the calls of scaled_tensors.h. Not
 * installed. */
#ifndef DETMATH_LIBRARY_SCALED_TENSOR_H
#define DETMATH_LIBRARY_SCALED_TENSOR_H

#include "detmath/scaled_tensors.h"
#include "geometry.h"

/* An array as an operand of a call of `dimensions` dimensions. */
struct detmath_scaled_places {
    const struct detmath_scaled_tensor *array;
    ptrdiff_t stride[DETMATH_MOST_DIMENSIONS]; /* 0 where it broadcasts */
    ptrdiff_t scale_stride[DETMATH_MOST_DIMENSIONS];
    size_t block[DETMATH_MOST_DIMENSIONS]; /* elements of one scale; 0: all */
};

/* What of the result's a call writes, and where operands may lie under it. */
enum detmath_scaled_writes {
    DETMATH_SCALED_WRITES_DATA = 1,
    DETMATH_SCALED_WRITES_SCALES = 2,
    DETMATH_SCALED_IN_PLACE = 4 /* data and scales may be those of an operand */
};
/* DETMATH_TROUBLE_OVERLAP where what is written has not places of its own, or lies over data or scales
 * that are read; operands may be NULL. */
int detmath_scaled_check_overlap(const struct detmath_scaled_tensor *c,
                                 const struct detmath_scaled_tensor *a,
                                 const struct detmath_scaled_tensor *b, unsigned writes);

size_t detmath_common_multiple(size_t a, size_t b);
/* The extent of the scales along dimension i of the data. */
size_t detmath_scale_extent(const struct detmath_scaled_tensor *tensor, int i);
/* Dimensions, formats and the extents of scales. */
int detmath_scaled_check(const struct detmath_scaled_tensor *a);
/* The scales of c and of its operands (b may be NULL) are of one kind. */
int detmath_scaled_kinds(const struct detmath_scaled_tensor *c,
                         const struct detmath_scaled_tensor *a,
                         const struct detmath_scaled_tensor *b);
void detmath_scaled_place(struct detmath_scaled_places *places,
                          const struct detmath_scaled_tensor *array, int dimensions);
/* Where the datum of an index lies, and its scale, in elements. */
ptrdiff_t detmath_scaled_index(const struct detmath_scaled_places *places, const size_t *at,
                               int dimensions);
/* Whether no element after that of an index, in row-major order, has its scale; along `axis`, which may be -1, an
 * index stands for all. A scale that is written only then may be that of an operand. */
int detmath_scaled_ends(const struct detmath_scaled_places *places, const size_t *at,
                        int dimensions, int axis);
ptrdiff_t detmath_scaled_scale_index(const struct detmath_scaled_places *places, const size_t *at,
                                     int dimensions);
char *detmath_scaled_codes(const struct detmath_scaled_places *places, ptrdiff_t index);
struct detmath_scale detmath_scaled_load_scale(const struct detmath_strided *scales, ptrdiff_t at);
void detmath_scaled_store_scale(const struct detmath_strided *scales, ptrdiff_t at,
                                struct detmath_scale scale);

#endif
