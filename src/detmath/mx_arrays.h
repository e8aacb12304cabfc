/* Arrays to MX blocks and back (mx.h), dispatched at run time over the instruction sets that the
 * library was built for. Link with -ldetmath.
 *
 * An array of n numbers is blocks of 32, the last one of what is left. Codes of elements take a
 * byte each, whatever their width; there are n of them, and (n + 31) / 32 codes of scales. Arrays
 * need no alignment. Every code is what the functions of mx.h give.
 *
 * The calls on arrays return DETMATH_NO_TROUBLE, or DETMATH_TROUBLE_OVERLAP (strided.h) where a result
 * overlaps another array of the call, and nothing has been written. */
#ifndef DETMATH_MX_ARRAYS_H
#define DETMATH_MX_ARRAYS_H

#include "mx.h"

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The number of a format (enum detmath_mx_format_index) by its name ("mxfp8_e4m3"), or -1. */
int detmath_mx_find(const char *name);

/* The names of the profiles of detcheck-mx(7): of index 0, 1, ...; NULL beyond the last. */
const char *detmath_mx_profile_name(int index);

/* Makes the conversion by a profile. `rounding` and `random_bits` are as in cast_arrays.h. 1; or 0, and
 * *mx is untouched, where there is no profile of that name, it says nothing of the format of elements,
 * or that, the rounding or the random bits are none. */
int detmath_mx_profile(struct detmath_mx *mx, const char *profile, int element, int rounding,
                       unsigned random_bits);

/* From DETMATH_F32, DETMATH_F16 or DETMATH_BF16 (`from`). For stochastic rounding `random` has
 * mx->cast.random_bits random bits for each number; otherwise it is not looked at. */
int detmath_mx_quantise(const struct detmath_mx *mx, unsigned char *elements, unsigned char *scales,
                        int from, const void *x, size_t n, const detmath_u32 *random);

/* To `to_index`, one of the same formats, which is that of `to` (detmath_cast_make). */
int detmath_mx_dequantise(const struct detmath_mx_format *element, int to_index,
                          const struct detmath_cast *to, void *y, const unsigned char *elements,
                          const unsigned char *scales, size_t n, const detmath_u32 *random);

#if defined(__cplusplus)
}
#endif
#endif
