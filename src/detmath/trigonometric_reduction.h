/* How far is a number from a multiple of pi/8, or for cr of pi/2, and from which? For sin, cos and tan.
 *
 * |x| = k pi/8 + r with |r| <= pi/16 or little more. Up to a limit k is found and subtracted in
 * floating point (the quick way, which array forms take for all elements; det's is in
 * trigonometric_lanes.inc); beyond, where that takes ever more bits of pi, it is done in integers. */
#ifndef DETMATH_TRIGONOMETRIC_REDUCTION_H
#define DETMATH_TRIGONOMETRIC_REDUCTION_H

#include "core.h"

#include "shield.inc"

/* 32 zero bits, then 2/pi: as much as fp64 needs. */
DETMATH_CONSTANT detmath_u32 detmath_two_over_pi[43] = {
    0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u,
    0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu,
    0xb129a73eu, 0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u,
    0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu,
    0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau,
    0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du, 0xa9e39161u,
    0x5ee61b08u};

/* Two of these words. */
DETMATH_FUNCTION detmath_u64 detmath_turn_words(detmath_u32 at) {
    return (detmath_u64)detmath_two_over_pi[at] << 32 | detmath_two_over_pi[at + 1];
}
/* The i-th 32 bits of it from bit `place` on. */
DETMATH_FUNCTION detmath_u64 detmath_turn_word(detmath_u32 place, detmath_u32 i) {
    return detmath_turn_words((place >> 5) + i) << (place & 31u) >> 32;
}

/* m 2^e 2^bits / (2 pi), of which this returns the k that is nearest, modulo 2^bits, and what is left in units of
 * 2^-64 and 2^-96: m < 2^24, -23 <= e <= 104, bits 2 or 4. The product is with the 128 bits of 2/pi that begin
 * where a product with m is 2 2^-e; those before add whole turns, those after less than 2^-102 of pi/2,
 * while no fp32 number that is not 0 leaves less than 2^-31. */
DETMATH_FUNCTION detmath_i32 detmath_turn(detmath_u32 m, detmath_i32 e, detmath_u32 bits,
                                          DETMATH_PRIVATE detmath_i64 *left,
                                          DETMATH_PRIVATE detmath_u32 *left_low) {
    detmath_u32 place = (detmath_u32)(e + 30);
    detmath_u64 last = m * detmath_turn_word(place, 3);
    detmath_u64 third = m * detmath_turn_word(place, 2) + (last >> 32);
    detmath_u64 top = m * detmath_turn_word(place, 1) + (third >> 32);
    top += m * detmath_turn_word(place, 0) << 32;
    *left = (detmath_i64)(top << bits | (third & 0xffffffffu) >> (32u - bits));
    *left_low = (detmath_u32)third << bits;
    return (detmath_i32)((top + ((detmath_u64)1 << (63u - bits))) >> (64u - bits));
}

/* r + *low = x - k pi/8, with k in the last four bits of *row, for 1 <= |x|, finite. */
DETMATH_FUNCTION float detmath_trig_reduce_large(float x, DETMATH_PRIVATE float *low,
                                                 DETMATH_PRIVATE detmath_u32 *row) {
    detmath_u32 bits = detmath_magnitude_f32(x), left_low;
    detmath_i64 left;
    detmath_u32 k = (detmath_u32)detmath_turn((bits & 0x007fffffu) | 0x00800000u,
                                              (detmath_i32)(bits >> 23) - 150, 4, &left, &left_low);
    detmath_u32 sign = detmath_bits_f32(x) ^ bits;
    left >>= 2; /* so that no rounding leaves its range */
    *row = sign ? 0u - k : k;
    float high = (float)left;
    float rest = (float)(left - (detmath_i64)high);
    float r = detmath_productf(high, 0x1.921fb6p-64f);
    float rest_product = detmath_productf(rest, 0x1.921fb6p-64f);
    *low = detmath_fmaf(high, -0x1.777a5cp-89f, rest_product);
    rest_product = *low + detmath_fmaf(high, 0x1.921fb6p-64f, -r);
    *low = detmath_from_bits_f32(detmath_bits_f32(rest_product) ^ sign);
    return detmath_from_bits_f32(detmath_bits_f32(r) ^ sign);
}

DETMATH_FUNCTION detmath_u32 detmath_trig_is_large(float x, detmath_u32 limit) {
    detmath_u32 magnitude = detmath_magnitude_f32(x);
    return (magnitude >= limit) & (magnitude < DETMATH_INFINITY_BITS);
}

#if !defined(DETMATH_NO_DOUBLE)

/* Where the quick way of the cores ends: 2^28. */
#define DETMATH_CORE_TRIG_LIMIT 0x4d800000u

/* x - k pi/2 with pi/2 the sum of two doubles: the first difference is exact, as a multiple of
 * 2^-52 (or of the last place of x) below 1, and the bits of pi/2 left out are 2^28 2^-107 at most.
 */
DETMATH_FUNCTION double detmath_core_trig_reduce_quick(double x,
                                                       DETMATH_PRIVATE detmath_u64 *quadrant) {
    double shifted = detmath_fma(x, 0x1.45f306dc9c883p-1, 0x1.8p52);
    double k = shifted - 0x1.8p52;
    *quadrant = detmath_bits_f64(shifted);
    return detmath_fma(k, -0x1.1a62633145c07p-54, detmath_fma(k, -0x1.921fb54442d18p0, x));
}

/* The same for |x| >= 1, finite and an fp32 number. */
DETMATH_FUNCTION double detmath_core_trig_reduce_large(double x,
                                                       DETMATH_PRIVATE detmath_u64 *quadrant) {
    detmath_u64 bits = detmath_bits_f64(x);
    detmath_u32 m = (detmath_u32)(bits >> 29 & 0x007fffffu) | 0x00800000u, left_low;
    detmath_i32 e = (detmath_i32)(bits >> 52 & 0x7ff) - 1023 - 23;
    detmath_i64 left;
    detmath_u64 k = (detmath_u64)detmath_turn(m, e, 2, &left, &left_low);
    double f = detmath_fma((double)left_low, 0x1p-32, (double)left);
    double r = detmath_fma(f, 0x1.921fb54442d18p-64, detmath_product(f, 0x1.1a62633145c07p-118));
    *quadrant = bits >> 63 ? 0 - k : k;
    return bits >> 63 ? -r : r;
}

DETMATH_FUNCTION double detmath_core_trig_reduce(double x, DETMATH_PRIVATE detmath_u64 *quadrant) {
    detmath_u64 magnitude = detmath_bits_f64(x) & detmath_magnitude_mask_f64();
    int large = magnitude >= 0x41b0000000000000u && magnitude < 0x7ff0000000000000u;
    return large ? detmath_core_trig_reduce_large(x, quadrant)
                 : detmath_core_trig_reduce_quick(x, quadrant);
}

#endif

#include "shield_end.inc"

#endif
