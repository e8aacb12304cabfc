/* Array forms of cr in formats of 16 and 8 bits, by those of fp32: codes become numbers, and results become codes. Only what
 * could round another way that way is rounded from the exact result. */
#ifndef DETMATH_LIBRARY_NARROW_H
#define DETMATH_LIBRARY_NARROW_H

#include "detmath/round.h"
#include "kernels.h"
#include "strips.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static void codes_load(detmath_u32 *codes, const void *from, int format, struct strip strip) {
    if (format >= DETMATH_E4M3FN)
        for (size_t i = 0; i < strip.count; i++)
            codes[i] = ((const uint8_t *)from)[strip.at + i];
    else
        for (size_t i = 0; i < strip.count; i++) {
            uint16_t two;
            memcpy(&two, (const char *)from + (strip.at + i) * sizeof two, sizeof two);
            codes[i] = two;
        }
}

static void codes_store(void *to, const detmath_u32 *codes, int format, struct strip strip) {
    if (format >= DETMATH_E4M3FN)
        for (size_t i = 0; i < strip.count; i++)
            ((uint8_t *)to)[strip.at + i] = (uint8_t)codes[i];
    else
        for (size_t i = 0; i < strip.count; i++)
            memcpy((char *)to + (strip.at + i) * 2, &(uint16_t){(uint16_t)codes[i]}, 2);
}

/* What is the same for all numbers of a narrow format: its codes are the upper bits of those of
 * fp32, less so many; those of subnormal numbers count units, unless fp32's smallest exponent is
 * theirs. */
struct narrow {
    struct detmath_format row;
    detmath_u32 shift, sign_shift, less, lowest;
    float unit, middle; /* to which a number is added for its units to be the last bits */
};

static struct narrow narrow_of(int format) {
    struct detmath_format row = detmath_formats[format];
    detmath_u32 last = (detmath_u32)(row.emin - row.precision + 1 + 127);
    bool has_units = row.emin > -126;
    return (struct narrow){row,
                           24u - (detmath_u32)row.precision,
                           format < DETMATH_E4M3FN ? 16 : 24,
                           (detmath_u32)(row.emin + 126) << 23,
                           has_units ? (detmath_u32)(row.emin + 127) << 23 : 0,
                           detmath_from_bits_f32(has_units ? last << 23 : 0),
                           detmath_from_bits_f32(has_units ? (last + 23) << 23 : 0)};
}

/* The numbers of codes. Doubt about NaN, some of which are to signal. */
DETMATH_FLATTENED static void widen_codes(float *restrict x, const detmath_u32 *restrict codes,
                                          detmath_u32 *restrict doubts, size_t count,
                                          struct narrow narrow) {
    const struct detmath_format row = narrow.row;
    detmath_u32 beyond = row.overflow == row.nan ? DETMATH_NAN_BITS : DETMATH_INFINITY_BITS;
    for (size_t i = 0; i < count; i++) {
        detmath_u32 magnitude = codes[i] & (row.sign_bit - 1u), sign = codes[i] & row.sign_bit;
        detmath_u32 bits = (magnitude << narrow.shift) + narrow.less;
        detmath_u32 units = detmath_bits_f32((float)(detmath_i32)magnitude * narrow.unit);
        bits = bits < narrow.lowest ? units : bits;
        bits = magnitude > row.max_finite ? beyond : bits;
        detmath_u32 is_nan =
            codes[i] == row.nan || (magnitude > row.max_finite && magnitude != row.overflow);
        doubts[i] |= is_nan;
        x[i] = detmath_from_bits_f32(is_nan ? DETMATH_NAN_BITS : sign << narrow.sign_shift | bits);
    }
}

/* The codes of numbers that are rounded right to fp32. Doubt about those in the middle between two
 * codes: the others lie on the same side of it as what they were rounded from. */
DETMATH_FLATTENED static detmath_u32 narrow_numbers(detmath_u32 *restrict codes,
                                                    const float *restrict y,
                                                    detmath_u32 *restrict doubts, size_t count,
                                                    struct narrow narrow) {
    const struct detmath_format row = narrow.row;
    const detmath_u32 half = 1u << (narrow.shift - 1u), below = 2u * half - 1u;
    const detmath_u32 beyond = row.overflow,
                      keeps_sign = row.overflow == row.nan ? 0 : row.sign_bit;
    detmath_u32 any = 0;
    for (size_t i = 0; i < count; i++) {
        detmath_u32 bits = detmath_magnitude_f32(y[i]);
        detmath_u32 sign = detmath_bits_f32(y[i]) >> narrow.sign_shift & row.sign_bit;
        detmath_u32 is_small = bits < narrow.lowest;
        detmath_u32 code = ((bits + (half - 1u) + (bits >> narrow.shift & 1u)) >> narrow.shift) -
                           (narrow.less >> narrow.shift);
        detmath_u32 units = detmath_bits_f32(detmath_from_bits_f32(bits) + narrow.middle) -
                            detmath_bits_f32(narrow.middle);
        code = is_small ? units : code;
        sign = code > row.max_finite ? sign & keeps_sign : sign == row.nan && !code ? 0 : sign;
        code = code > row.max_finite ? beyond : code;
        codes[i] = bits > DETMATH_INFINITY_BITS ? row.nan : sign | code;
        doubts[i] |= bits && (bits & below) == (is_small ? 0 : half);
        any |= doubts[i];
    }
    return any;
}

/* Results in a narrow format: in fp32 first, and where that could round another way by its code. */
typedef void narrow_fill(void *const *results, const void *const *operands, size_t n);
typedef detmath_u32 narrow_code(const detmath_u32 *codes, struct detmath_format format);

static void fill_narrow(int format, void *to, const void *const *operands, int count, size_t n,
                        narrow_fill *fill, narrow_code *right) {
    _Alignas(64) float numbers[3][STRIP];
    _Alignas(64) detmath_u32 codes[3][STRIP], doubts[STRIP];
    const void *const in[] = {numbers[0], numbers[1]};
    void *const out[] = {numbers[2]};
    const struct narrow narrow = narrow_of(format);
    for (size_t at = 0; at < n; at += STRIP) {
        const struct strip strip = strip_at(at, n);
        memset(doubts, 0, sizeof doubts);
        for (int k = 0; k < count; k++) {
            codes_load(codes[k], operands[k], format, strip);
            widen_codes(numbers[k], codes[k], doubts, strip.count, narrow);
        }
        fill(out, in, strip.count);
        detmath_u32 any = narrow_numbers(codes[2], numbers[2], doubts, strip.count, narrow);
        for (size_t i = 0; any && i < strip.count; i++)
            if (doubts[i])
                codes[2][i] = right((const detmath_u32[]){codes[0][i], codes[1][i]}, narrow.row);
        codes_store(to, codes[2], format, strip);
    }
}

#endif
