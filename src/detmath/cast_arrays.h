/* Conversions of arrays, dispatched at run time over the instruction sets that the library was
 * built for. Link with -ldetmath. */
#ifndef DETMATH_CAST_ARRAYS_H
#define DETMATH_CAST_ARRAYS_H

#include "cast_integer.h"

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* From one format to another: numbers of enum detmath_format_index or enum detmath_integer_index. `cast` is
 * what detmath_cast_make gives for the target, or for DETMATH_F32 where the target is fp64 or integers; the
 * next two are the codes for a target fp64, of a positive and a negative source; `integer` is for integers. */
struct detmath_conversion {
    int from, to;
    struct detmath_cast cast;
    detmath_u64 infinity_f64[2], nan_f64[2];
    struct detmath_integer_cast integer;
};

/* A rule for numbers that a target does not hold: those of detcheck-casts(7), by their names
 * ("onnx-24", "ocp", ...), in exactly that spelling. NULL where there is none of that name. */
struct detmath_profile;
const struct detmath_profile *detmath_profile_find(const char *name);
/* The names: of index 0, 1, ...; NULL beyond the last. */
const char *detmath_profile_name(int index);

/* The number of a format (enum detmath_format_index, or of integers) by its name ("fp8_e4m3fn") or one of its other names
 * ("float8_e4m3fn"), in any case and with '-' for '_'; or -1. And its name, or NULL. */
int detmath_format_find(const char *name);
const char *detmath_format_name(int format);

/* How what the profile cites rounds to that format where its user names no rounding (enum
 * detmath_rounding): ONNX's Cast rounds up to fp8_e8m0fnu, from operator set 24 on, and what cuts off
 * on its way to integers is DETMATH_TOWARD_ZERO; all else is DETMATH_NEAREST_EVEN, also for a number that
 * is no format's. */
int detmath_profile_rounding(const struct detmath_profile *profile, int to);

/* Makes the conversion by that profile, for detmath_cast_array; conversion->cast is for the casts of
 * one number in cast.h. `rounding` is one of enum detmath_rounding
 * (detmath_profile_rounding has that of the source), and `random_bits` (1 to 31)
 * matters for DETMATH_STOCHASTIC alone. 1; or 0, and *conversion is untouched, where the profile says
 * nothing of the target, or a format, the rounding or the random bits are none. */
int detmath_profile_conversion(struct detmath_conversion *conversion,
                               const struct detmath_profile *profile, int from, int to,
                               int rounding, unsigned random_bits);

/* Converts n codes: element for element what detmath_cast_code gives, or detmath_cast_f64 from
 * fp64; to fp64 every conversion is exact, but from integers of 64 bits; to and from integers those of
 * cast_integer.h, and 0 where the profile leaves a result undefined. A code takes 1, 2, 4 or 8 bytes, the fewest that hold
 * it; arrays need no alignment. `to` may be `from` where their codes take as many bytes. For stochastic
 * rounding `random` has cast.random_bits random bits for each element; otherwise it is not looked at. Returns
 * DETMATH_NO_TROUBLE, or DETMATH_TROUBLE_OVERLAP (strided.h) where arrays overlap otherwise, and nothing has
 * been written. */
int detmath_cast_array(const struct detmath_conversion *conversion, void *to, const void *from,
                       size_t n, const detmath_u32 *random);

#if defined(__cplusplus)
}
#endif
#endif
