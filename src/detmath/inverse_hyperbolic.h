/* asinh, acosh, atanh: the logarithms of a + (a^2 + 1)^(1/2), of x + (x^2 - 1)^(1/2), and half of
 * that of (1 + a) / (1 - a), for a = |x|. Constants: inverse_hyperbolic.sollya.
 *
 * What the logarithm is taken of is in two parts, good to 2^-38 and in double to 2^-75, so that it
 * may be near 1; where a < 2^-12, two or three terms of the series do. det's atanh takes no logarithm. asinh and atanh are odd;
 * acosh 1 = +0, atanh(+-1) = +-inf; acosh of x < 1 and atanh of |x| > 1 are NaN, asinh and acosh of
 * inf inf. The errors are the budgets in functions.inc. */
#ifndef DETMATH_INVERSE_HYPERBOLIC_H
#define DETMATH_INVERSE_HYPERBOLIC_H

#include "core.h"
#include "hyperbolic.h"
#include "inverse_trigonometric.h"
#include "log.h"
#include "round.h"

#include "shield.inc"

#include "one_lane.inc"

#include "inverse_hyperbolic_lanes.inc"

/* Three forms: see exp.h. What is below 2^-31 is the result, and may be subnormal. */
DETMATH_FUNCTION float detmath_asinh_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_asinh_away(x) < DETMATH_REACH_asinh ? 0u : 0x80000000u;
    return detmath_arc_signed(x, detmath_asinh_steps(x));
}

DETMATH_FUNCTION float detmath_asinh_full(float x) {
    detmath_u32 doubt = 0, bits = detmath_bits_f32(detmath_asinh_quick(x, &doubt));
    return detmath_unless_nan(x, detmath_from_bits_f32(doubt ? detmath_bits_f32(x) : bits));
}

DETMATH_QUICK_OR_FULL(_asinh)

DETMATH_FUNCTION float detmath_acosh_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_acosh_away(x) < DETMATH_REACH_acosh ? 0u : 0x80000000u;
    return detmath_acosh_steps(x);
}

DETMATH_FUNCTION float detmath_acosh_full(float x) {
    detmath_u32 doubt = 0, bits = detmath_bits_f32(detmath_acosh_quick(x, &doubt));
    bits = doubt ? DETMATH_NAN_BITS : bits; /* below 1 and NaN */
    return detmath_from_bits_f32(
        detmath_bits_f32(x) == DETMATH_INFINITY_BITS ? DETMATH_INFINITY_BITS : bits);
}

DETMATH_QUICK_OR_FULL(_acosh)

/* atanh of a < 1. With the k for which the ratio of over = 1 + a and under 2^k = (1 - a) 2^k lies from
 * 2^-0.587 to 2^0.587, it is k ln 2 / 2 + atanh s, s = (over - under 2^k) / (over + under 2^k), |s| <= 0.2007.
 * Where a < 1/6, k is 0 and s is a. Else over - under 2^k is a multiple of 2^-23 below 1, and exact; the
 * sum is 2 over less that, and what it lacks is exact too. s is right to 2^-17, and s_low has the rest.
 * The polynomial gives atanh s to 2^-32.63 (float_atanh). */
DETMATH_FUNCTION float detmath_atanh_of(float a) {
    float over = 1.0f + a, over_low = (1.0f - over) + a;
    float under = 1.0f - a, under_low = (1.0f - under) - a;
    detmath_u32 apart = detmath_bits_f32(over) - detmath_bits_f32(under);
    detmath_i32 k = (detmath_i32)(apart + 0x00400000u) >> 23;
    float power = detmath_from_bits_f32(0x3f800000u + ((detmath_u32)k << 23));
    float top = detmath_fmaf(-power, under, over);
    float top_low = detmath_fmaf(-power, under_low, over_low);
    float twice = detmath_exact_productf(2.0f, over), bottom = twice - top;
    float bottom_low = ((twice - bottom) - top) + detmath_fmaf(2.0f, over_low, -top_low);
    float s_low, s = detmath_quotientf(top, top_low, bottom, bottom_low, &s_low);
    s_low = k == 0 ? 0.0f : s_low;
    s = k == 0 ? a : s;
    float z = detmath_productf(s, s), m = (float)k;
    float p = detmath_fmaf(z, 0x1.dfb5c6p-4f, 0x1.246956p-3f);
    p = detmath_fmaf(z, p, 0x1.99993p-3f);
    p = detmath_fmaf(z, p, 0x1.555556p-2f);
    float low = detmath_fmaf(s_low, z, detmath_fmaf(m, -0x1.e8082ep-17f, s_low));
    low = detmath_fmaf(detmath_productf(s, z), p, low);
    return detmath_log_sum(detmath_productf(m, 0x1.62e8p-2f), s, low); /* that product is exact */
}

/* Three forms again: see exp.h. */
DETMATH_FUNCTION float detmath_atanh_full(float x) {
    detmath_u32 magnitude = detmath_magnitude_f32(x);
    float y = detmath_atanh_of(detmath_from_bits_f32(magnitude < 0x3f800000u ? magnitude : 0u));
    y = detmath_from_bits_f32(magnitude == 0x3f800000u ? DETMATH_INFINITY_BITS
                                                       : detmath_bits_f32(y));
    y = detmath_from_bits_f32(magnitude < 0x00800000u ? magnitude : detmath_bits_f32(y));
    return detmath_arc_domain(x, detmath_with_sign(y, x));
}

DETMATH_FUNCTION float detmath_atanh_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_outside_magnitude(x, 0x00800000u, 0x3f800000u);
    return detmath_with_sign(detmath_atanh_of(detmath_from_bits_f32(detmath_magnitude_f32(x))), x);
}

DETMATH_QUICK_OR_FULL(_atanh)

#if !defined(DETMATH_NO_DOUBLE)

/* ln(z + z_low). */
DETMATH_FUNCTION double detmath_core_log_of_sum(double z, double z_low) {
    double n, r;
    detmath_u64 row = detmath_core_log_reduce_sum(z, z_low, &n, &r);
    return detmath_core_log_at(row, n, r);
}

/* ln(a + (a^2 + one)^(1/2)), of an fp32 number a, whose square is exact; a sum of squares near 0 is
 * exact too. */
DETMATH_INLINED double detmath_core_area(double a, double one) {
    double square = detmath_product(a, a);
    double sum = square + one, part = sum - square;
    double lost = (square - (sum - part)) + (one - part);
    double low, root = detmath_core_arc_root(sum, lost, &low);
    double larger = one > 0.0 ? root : a, smaller = one > 0.0 ? a : root;
    double z = larger + smaller;
    return detmath_core_log_of_sum(z, ((larger - z) + smaller) + low);
}

/* y with the sign of x; below 2^-12, x + x^3 (third + fifth x^2), which lacks less than 2^-72 of it. */
DETMATH_FUNCTION double detmath_core_area_signed(double x, double y, double third, double fifth) {
    double square = detmath_product(x, x), slope = detmath_fma(square, fifth, third);
    double small = x == 0.0 ? x : detmath_fma(detmath_product(square, x), slope, x);
    return detmath_core_magnitude(x) < 0x1p-12 ? small : detmath_core_with_sign(y, x);
}

DETMATH_FUNCTION double detmath_core_asinh(double x) {
    double a = detmath_core_magnitude(x), bounded = a > 0x1p130 ? 0x1p130 : a;
    double y = detmath_core_area(bounded, 1.0);
    return detmath_core_area_signed(x, a > 0x1p130 ? a : y, -0x1.5555555555555p-3,
                                    0x1.3333333333333p-4);
}

DETMATH_FUNCTION double detmath_core_acosh(double x) {
    double bounded = x > 0x1p130 ? 0x1p130 : x;
    double y = detmath_core_area(x < 1.0 ? 1.0 : bounded, -1.0);
    y = x < 1.0 ? detmath_from_bits_f64(0x7ff8000000000000u) : y;
    return x > 0x1p130 ? x : y;
}

/* 1 + a and 1 - a are exact from 2^-12 on. */
DETMATH_FUNCTION double detmath_core_atanh(double x) {
    double a = detmath_core_magnitude(x), bounded = a < 1.0 ? a : 0.0;
    double over = 1.0 + bounded, under = 1.0 - bounded, reciprocal = 1.0 / under;
    double q = detmath_product(over, reciprocal);
    double low = detmath_product(detmath_fma(-q, under, over), reciprocal);
    double z = q + low;
    double y = detmath_product(detmath_core_log_of_sum(z, (q - z) + low), 0.5);
    double ends = detmath_from_bits_f64(a == 1.0 ? 0x7ff0000000000000u : 0x7ff8000000000000u);
    return detmath_core_area_signed(x, a < 1.0 ? y : ends, 0x1.5555555555555p-2,
                                    0x1.999999999999ap-3);
}

/* By trial of all 2^32 inputs. */
DETMATH_EXCEPTIONS(asinh) = {{0x4bdd65a5u, 0x418f034bu},
                             {0x655890d3u, 0x4254d1f9u},
                             {0x6eb1a8ecu, 0x42845a89u},
                             {0xcbdd65a5u, 0xc18f034bu},
                             {0xe55890d3u, 0xc254d1f9u},
                             {0xeeb1a8ecu, 0xc2845a89u},
                             DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(acosh) = {
    {0x655890d3u, 0x4254d1f9u}, {0x6eb1a8ecu, 0x42845a89u}, DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(atanh) = {DETMATH_NO_MORE};

DETMATH_NORMALLY_ROUNDED(asinh, magnitude, 0x00800000u, 0x7f800000u, 16)
DETMATH_NORMALLY_ROUNDED(acosh, bits, 0x3f800000u, 0x7f800000u, 16)
DETMATH_NORMALLY_ROUNDED(atanh, magnitude, 0x00800000u, 0x3f800000u, 16)

#endif

#include "shield_end.inc"

#endif
