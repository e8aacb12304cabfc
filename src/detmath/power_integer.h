/* powr, and C23's powers and roots with integers, pown, rootn and compoundn, whose second operand is
 * a long long there, and a float here. Made of the logarithm and the power of power.h.
 *
 * What is no integer from -2^63 to 2^63 - 1 gives NaN. Special cases are C's, Annex F: pown and
 * compoundn have x^0 = 1 even for a NaN that does not signal; powr, which is e^(y ln x), is NaN for
 * x < 0, 0^0, inf^0 and 1^(+-inf); rootn is NaN for y = 0, and for x < 0 where y is even; compoundn
 * is NaN for x < -1. */
#ifndef DETMATH_POWER_INTEGER_H
#define DETMATH_POWER_INTEGER_H

#include "core.h"
#include "inverse_trigonometric.h"
#include "parts.h"
#include "power.h"
#include "round.h"

#include "shield.inc"

/* Whether y is an integer from -2^63 to 2^63 - 1. */
DETMATH_FUNCTION detmath_u32 detmath_is_long_long(detmath_u32 y) {
    detmath_u32 b = y & detmath_magnitude_mask();
    detmath_u32 whole = (b == 0) | (detmath_pow_parity(b) != 2u);
    return whole & ((b < 0x5f000000u) | (y == 0xdf000000u));
}

/* For quick ways: in doubt unless x is ordinary, and y an integer and |y| < 2^22. */
DETMATH_FUNCTION detmath_u32 detmath_outside_integer(float y) {
    detmath_u32 broken = detmath_bits_f32((y + 0x1.8p23f) - 0x1.8p23f) ^ detmath_bits_f32(y);
    return ((broken | (0u - broken)) & 0x80000000u) | detmath_outside_magnitude(y, 0u, 0x4a800000u);
}

/* 1^(+-inf) is NaN, and the cores take y for 2^34 there. */
DETMATH_FUNCTION detmath_u32 detmath_powr_outside(float x, float y) {
    return detmath_pow_outside(x, y) | detmath_outside_magnitude(y, 0u, DETMATH_INFINITY_BITS);
}

DETMATH_FUNCTION detmath_u32 detmath_pown_outside(float x, float y) {
    return detmath_pow_outside(x, y) | detmath_outside_integer(y);
}

DETMATH_FUNCTION detmath_u32 detmath_rootn_outside(float x, float y) {
    float n = detmath_from_bits_f32(detmath_magnitude_f32(y));
    return detmath_pown_outside(x, y) | detmath_outside_bits(n, 0x3f800000u, 0x4a800000u);
}

DETMATH_FUNCTION detmath_u32 detmath_compoundn_outside(float x, float y) {
    return detmath_outside_integer(y) | detmath_outside_magnitude(x, 0x12800000u, 0x5d800000u) |
           detmath_outside_bits(1.0f + x, 0x00800000u, DETMATH_INFINITY_BITS);
}

/* The bits of the results, given those of |x|^y and so on where x and y are nonzero and finite. */

DETMATH_FUNCTION detmath_u32 detmath_powr_special(detmath_u32 x, detmath_u32 y, detmath_u32 power) {
    detmath_u32 a = x & detmath_magnitude_mask(), b = y & detmath_magnitude_mask();
    detmath_u32 nan = (x > 0x80000000u) | (a > DETMATH_INFINITY_BITS) | (b > DETMATH_INFINITY_BITS);
    nan |= (b == 0) & ((a == 0) | (a == DETMATH_INFINITY_BITS));
    nan |= (a == 0x3f800000u) & (b == DETMATH_INFINITY_BITS);
    return nan ? DETMATH_NAN_BITS : detmath_pow_special(a, y, power);
}

DETMATH_FUNCTION detmath_u32 detmath_pown_special(detmath_u32 x, detmath_u32 y, detmath_u32 power) {
    return detmath_is_long_long(y) ? detmath_pow_special(x, y, power) : DETMATH_NAN_BITS;
}

DETMATH_FUNCTION detmath_u32 detmath_rootn_special(detmath_u32 x, detmath_u32 y, detmath_u32 root) {
    detmath_u32 a = x & detmath_magnitude_mask(), b = y & detmath_magnitude_mask();
    detmath_u32 infinite = a == DETMATH_INFINITY_BITS, odd = detmath_pow_parity(b) & 1u;
    detmath_u32 grows = infinite ^ (y >> 31);
    root = (a == 0) | infinite ? (grows ? DETMATH_INFINITY_BITS : 0) : root;
    root |= x & (odd << 31);
    detmath_u32 nan = (a > DETMATH_INFINITY_BITS) | (b == 0) | (detmath_is_long_long(y) ^ 1u);
    nan |= (x > 0x80000000u) & (odd ^ 1u);
    return nan ? DETMATH_NAN_BITS : root;
}

DETMATH_FUNCTION detmath_u32 detmath_compoundn_special(detmath_u32 x, detmath_u32 y,
                                                       detmath_u32 power) {
    detmath_u32 a = x & detmath_magnitude_mask(), b = y & detmath_magnitude_mask();
    detmath_u32 infinite = a == DETMATH_INFINITY_BITS, nothing = x == 0xbf800000u;
    detmath_u32 grows = infinite ^ (y >> 31);
    power = nothing | infinite ? (grows ? DETMATH_INFINITY_BITS : 0) : power;
    power = a > DETMATH_INFINITY_BITS ? DETMATH_NAN_BITS : power;
    power = b == 0 ? 0x3f800000u : power;
    detmath_u32 nan = (x > 0xbf800000u) & (a <= DETMATH_INFINITY_BITS);
    nan |= detmath_signals_f32(x) | (detmath_is_long_long(y) ^ 1u);
    return nan ? DETMATH_NAN_BITS : power;
}

/* 2^(y logarithm). */
DETMATH_FUNCTION detmath_u32 detmath_pow_of(struct detmath_parts logarithm, float y) {
    float p = detmath_productf(y, logarithm.high);
    float low = detmath_fmaf(y, logarithm.low, detmath_fmaf(y, logarithm.high, -p));
    return detmath_bits_f32(detmath_pow_exp2(p, low));
}

/* The logarithm over |y|, which is n, with the sign of y. The product with what the reciprocal of n
 * leaves goes along. */
DETMATH_FUNCTION struct detmath_parts detmath_rootn_log2(struct detmath_parts logarithm, float n,
                                                         float y) {
    struct detmath_parts reciprocal = detmath_parts_of(detmath_arc_reciprocal(n));
    reciprocal.low = detmath_productf(reciprocal.high, detmath_fmaf(-n, reciprocal.high, 1.0f));
    struct detmath_parts p = detmath_parts_product(logarithm, reciprocal);
    detmath_u32 sign = detmath_bits_f32(y) & 0x80000000u;
    p.high = detmath_from_bits_f32(detmath_bits_f32(p.high) ^ sign);
    p.low = detmath_from_bits_f32(detmath_bits_f32(p.low) ^ sign);
    return p;
}

DETMATH_FUNCTION float detmath_rootn_quick(float x, float y, DETMATH_PRIVATE detmath_u32 *doubt) {
    float n = detmath_from_bits_f32(detmath_magnitude_f32(y));
    struct detmath_parts p = detmath_rootn_log2(detmath_pow_log2_quick(x), n, y);
    *doubt |= detmath_rootn_outside(x, y);
    return detmath_pow_exp2_quick(p.high, p.low, doubt);
}

DETMATH_FUNCTION float detmath_rootn_full(float x, float y) {
    struct detmath_parts logarithm = detmath_pow_log2(detmath_extend_f32(detmath_magnitude_f32(x)));
    float n = detmath_clamp(detmath_from_bits_f32(detmath_magnitude_f32(y)), 1.0f, 0x1p63f);
    struct detmath_parts p = detmath_rootn_log2(logarithm, n, y);
    detmath_u32 root = detmath_bits_f32(detmath_pow_exp2(p.high, p.low));
    return detmath_from_bits_f32(
        detmath_rootn_special(detmath_bits_f32(x), detmath_bits_f32(y), root));
}

DETMATH_QUICK_OR_FULL_BINARY(_rootn)

/* log2(1 + x) for x > -1, to about 2^-35 of itself. 1 + x = 2^e (m + m_low), and what rounding 1 + x
 * left is no less precise than x. A power of 1 + x with |x| < 2^-90 is 1. */
DETMATH_FUNCTION struct detmath_parts detmath_compound_log2(float x) {
    detmath_u32 bits = detmath_bits_f32(x);
    x = detmath_from_bits_f32((bits & detmath_magnitude_mask()) < 0x12800000u ? 0u : bits);
    float sum = 1.0f + x;
    float left = x > 1.0f ? (x - sum) + 1.0f : (1.0f - sum) + x; /* exact */
    detmath_u32 shifted = detmath_magnitude_f32(sum) + (149u << 23) - 0x3f3504f3u;
    float m = detmath_from_bits_f32((shifted & 0x007fffffu) + 0x3f3504f3u);
    detmath_i32 e = (detmath_i32)(shifted >> 23) - 149;
    /* Beside a sum of 2^60, 1 is nothing. */
    float scale = detmath_from_bits_f32(e > 60 ? 0u : (detmath_u32)(127 - e) << 23);
    float m_low = detmath_productf(left, scale);
    float f = (m - 1.0f) + m_low, f_low = ((m - 1.0f) - f) + m_low; /* for e = 0, x and 0 */
    float w = m + 1.0f, w_low = (m - (w - 1.0f)) + m_low;
    return detmath_pow_log2_of((float)e, f, f_low, w, w_low);
}

DETMATH_FUNCTION float detmath_compoundn_quick(float x, float y,
                                               DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_compoundn_outside(x, y);
    return detmath_pow_quick_of(detmath_compound_log2(x), y, doubt);
}

DETMATH_FUNCTION float detmath_compoundn_full(float x, float y) {
    detmath_u32 power = detmath_pow_of(detmath_compound_log2(x), y);
    return detmath_from_bits_f32(
        detmath_compoundn_special(detmath_bits_f32(x), detmath_bits_f32(y), power));
}

DETMATH_QUICK_OR_FULL_BINARY(_compoundn)

/* Where x is positive, powr is pow. */
DETMATH_FUNCTION float detmath_powr_quick(float x, float y, DETMATH_PRIVATE detmath_u32 *doubt) {
    return detmath_pow_quick(x, y, doubt);
}

DETMATH_FUNCTION float detmath_powr_full(float x, float y) {
    struct detmath_parts logarithm = detmath_pow_log2(detmath_extend_f32(detmath_magnitude_f32(x)));
    detmath_u32 power = detmath_pow_of(logarithm, detmath_clamp(y, -0x1p34f, 0x1p34f));
    return detmath_from_bits_f32(
        detmath_powr_special(detmath_bits_f32(x), detmath_bits_f32(y), power));
}

DETMATH_QUICK_OR_FULL_BINARY(_powr)

DETMATH_FUNCTION float detmath_pown_quick(float x, float y, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_outside_integer(y);
    return detmath_pow_quick(x, y, doubt);
}

DETMATH_FUNCTION float detmath_pown_full(float x, float y) {
    detmath_u32 power = detmath_bits_f32(detmath_pow_full(x, y));
    return detmath_from_bits_f32(detmath_is_long_long(detmath_bits_f32(y)) ? power
                                                                           : DETMATH_NAN_BITS);
}

DETMATH_QUICK_OR_FULL_BINARY(_pown)

#if !defined(DETMATH_NO_DOUBLE)

DETMATH_FUNCTION double detmath_core_powr_product(double x, double y) {
    return detmath_core_pow_product(x, y);
}

DETMATH_FUNCTION struct detmath_fixed detmath_fixed_powr_product(double x, double y) {
    return detmath_fixed_pow_product(x, y);
}

DETMATH_FUNCTION double detmath_core_pown_product(double x, double y) {
    return detmath_core_pow_product(x, y);
}

DETMATH_FUNCTION struct detmath_fixed detmath_fixed_pown_product(double x, double y) {
    return detmath_fixed_pow_product(x, y);
}

DETMATH_FUNCTION double detmath_core_rootn_product(double x, double y) {
    return detmath_core_pow_log2(x) / y;
}

/* log2 x / y, in which the error is less than that of log2 x and 2^-180. So a root that is a number
 * of fp64 is taken for that, as a power is, and |y| <= 2^63 or not, what is no tie is no nearer to
 * one than the logarithm says: from |y| = 2^33 on, roots are within 2^-26 of 1. */
DETMATH_FUNCTION struct detmath_fixed detmath_fixed_rootn_product(double x, double y) {
    struct detmath_fixed a = detmath_fixed_log2(x), quotient;
    detmath_u64 bits = detmath_bits_f64(y), negative = a.high >> 63, rest = 0;
    detmath_u64 divisor = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    int exponent = (int)(bits >> 52 & 0x7ffu) - 1023;
    divisor >>= exponent < 24 ? 52 - exponent : 29; /* an integer below 2^24 */
    a = negative ? detmath_fixed_negate(a) : a;
    detmath_u64 words[3] = {a.high, a.middle, a.low};
    for (int i = 0; i < 3; i++) {
        detmath_u64 high = rest << 32 | words[i] >> 32;
        detmath_u64 low = (high % divisor) << 32 | (words[i] & 0xffffffffu);
        words[i] = (high / divisor) << 32 | low / divisor;
        rest = low % divisor;
    }
    quotient.high = words[0];
    quotient.middle = words[1];
    quotient.low = words[2];
    quotient = detmath_fixed_right(quotient, exponent < 24 ? 0 : exponent - 23);
    return negative ^ (bits >> 63) ? detmath_fixed_negate(quotient) : quotient;
}

/* y log2(1 + x) to 2^-50 of itself: near 1, x itself is what a sum is more than 1. */
DETMATH_FUNCTION double detmath_core_compoundn_product(double x, double y) {
    double e, m = detmath_core_pow_split(detmath_pow_magnitude(1.0 + x), &e);
    double f = e == 0.0 ? x : m - 1.0, w = e == 0.0 ? 2.0 + x : m + 1.0;
    return detmath_product(y, detmath_core_pow_log2_of(e, f, w));
}

/* y log2(1 + x) of x > -1 that is not 0, 1 + x being exact to 2^-180 of itself. The error of the
 * logarithm, 2^-171, counts |y| times: up to 2^-139 as for pow, for |x| >= 2^-24. A smaller x takes
 * a larger y for a power that is 2^-26 from 1, and the error becomes 2^-108 at most, for |y| = 2^63;
 * those of 2^63 pairs that are nearest to a tie are to be expected at 2^-87. Ties themselves have
 * 25 bits, and |y| < 25 or 1 + x a power of two. */
DETMATH_FUNCTION struct detmath_fixed detmath_fixed_compoundn_product(double x, double y) {
    detmath_i32 e, up = 0;
    struct detmath_fixed one = {0x10000000000000u, 0, 0};
    struct detmath_fixed m = detmath_fixed_split(x, &e);
    if (e > 0) {
        m = detmath_fixed_add(m, detmath_fixed_right(one, e));
        up = e;
    } else {
        m = detmath_fixed_right(m, -e);
        m = detmath_fixed_add(one, x < 0.0 ? detmath_fixed_negate(m) : m);
    }
    for (; m.high >> 53; up++)
        m = detmath_fixed_right(m, 1);
    for (; !(m.high >> 52); up--)
        m = detmath_fixed_add(m, m);
    return detmath_fixed_times(detmath_fixed_log2_of(up, m), y);
}

DETMATH_POWER_ROUNDED(powr, magnitude)
DETMATH_POWER_ROUNDED(pown, magnitude)
DETMATH_POWER_ROUNDED(rootn, magnitude)
DETMATH_POWER_ROUNDED(compoundn, signed)

#endif

#include "shield_end.inc"

#endif
