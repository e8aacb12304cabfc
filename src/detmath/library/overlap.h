/* Which arrays of a call are one, which lie apart, and which overlap in a way that has no right result.
 * Not installed. */
#ifndef DETMATH_LIBRARY_OVERLAP_H
#define DETMATH_LIBRARY_OVERLAP_H

#include "detmath/strided.h"

enum detmath_sharing {
    DETMATH_APART, /* no byte belongs to both */
    DETMATH_SAME,  /* each element of the one is the element of the same indices of the other */
    DETMATH_MIXED
};

/* How two arrays of n codes share memory; the codes have so many bytes and lie side by side. */
enum detmath_sharing detmath_sharing_of_codes(const void *a, size_t a_bytes, const void *b,
                                              size_t b_bytes, size_t n);
/* Whether not one of so many bytes belongs to both. */
int detmath_lie_apart(const void *a, size_t a_bytes, const void *b, size_t b_bytes);

/* The same for arrays of any strides, whose dimensions are matched from the last one backwards. To find out whether
 * arrays that interleave have a byte in common can take long in theory: where it does, they count as
 * DETMATH_MIXED. Codes NULL: apart. */
enum detmath_sharing detmath_sharing_of(const struct detmath_strided *a,
                                        const struct detmath_strided *b);
/* Whether each element lies in a place of its own. */
int detmath_has_own_places(const struct detmath_strided *array);

/* DETMATH_TROUBLE_OVERLAP where a result has not places of its own, or overlaps an operand, but with it in
 * place where `in_place`. */
int detmath_check_overlap(const struct detmath_strided *result,
                          const struct detmath_strided *operand, int in_place);

/* For calls that have no status: an operand of n codes of so many bytes, or a copy of it where a result of
 * `result_n` such codes overlaps it and, where `in_place`, is not the same array. *copy is to be freed. Without
 * memory it is NULL, and the result is filled with NaN. */
const void *detmath_operand_apart(const void *operand, size_t n, void *result, size_t result_n,
                                  int in_place, int format, void **copy);
void detmath_fill_nan(void *codes, int format, size_t n);

#endif
