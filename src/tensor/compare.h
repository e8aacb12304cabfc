/* Two tensors beside one another: how many elements have the same bits, and how far the others are apart. */
#ifndef DETCHECK_TENSOR_COMPARE_H
#define DETCHECK_TENSOR_COMPARE_H

#include "tensor/file.h"

#include <signal.h>

/* Distances by their size: 0 (zeros of two signs), 1, 2, 3 to 4, 5 to 8, ... */
enum { TENSOR_DISTANCES = 66 };

struct tensor_pair_element {
    uint64_t index; /* of the component, in C's order */
    uint64_t a, b;  /* codes */
};

struct tensor_difference {
    uint64_t elements; /* components: two of each complex number */
    uint64_t differ;   /* that have other bits, NaNs beside NaNs aside */
    uint64_t nans;     /* NaN in both, of other bits: no difference, but counted */
    /* Of those that differ: */
    uint64_t nan_in[2]; /* NaN in A alone, in B alone */
    uint64_t infinite;  /* infinite in one, or in both of two signs */
    uint64_t
        distances[TENSOR_DISTANCES]; /* numbers in both: by their distance in steps of the format */
    uint64_t largest;                /* distance of numbers */
    struct tensor_pair_element first,
        worst;                    /* the first that differs; the first with the largest distance */
    const struct format *format;  /* of the codes; NULL: bits of which nothing is known */
    const struct tensor *fortran; /* in whose order elements come, where it is not C's; else NULL */
    const struct format *rounded; /* of the side that was rounded to `format`, or NULL */
};

/* Why two tensors cannot be compared element by element. */
enum tensor_mismatch { TENSOR_COMPARED, TENSOR_OTHER_SHAPE, TENSOR_OTHER_TYPE };

/* The row of distances that one is counted in, and what a row holds: "1", "3 to 4". */
int tensor_distance_row(uint64_t distance);
enum { TENSOR_DISTANCE_TEXT = 48 };
const char *tensor_distance_text(int row, char text[TENSOR_DISTANCE_TEXT]);

/* Compares two tensors of one shape and of one format; or of two formats of which one holds every number of the
 * other: then the wider one is rounded to the narrower (nearest, ties to even) before they are compared, and
 * `rounded` says so. Else *mismatch says why not. False with an error, or when *stop became nonzero. */
bool tensor_compare(const struct tensor_file *file_a, const struct tensor *a,
                    const struct tensor_file *file_b, const struct tensor *b,
                    const volatile sig_atomic_t *stop, struct tensor_difference *difference,
                    enum tensor_mismatch *mismatch, struct error *error);

/* "[3, 5]", "[3, 5].imag": the place of component `index`; empty for a number. */
enum { TENSOR_INDEX_TEXT = 1408 };
const char *tensor_index_text(const struct tensor *tensor, uint64_t index,
                              char text[TENSOR_INDEX_TEXT]);

#endif
