/* asinh, acosh, atanh: det's by inverse_hyperbolic_lanes.inc; cr's are the logarithms of a + (a^2 + 1)^(1/2), of
 * x + (x^2 - 1)^(1/2), and half of that of (1 + a) / (1 - a), for a = |x|, taken of two parts, good to 2^-75, so that it may be
 * near 1; where a < 2^-12, three terms of the series do. Constants: inverse_hyperbolic.sollya.
 *
 * asinh and atanh are odd; acosh 1 = +0, atanh(+-1) = +-inf; acosh of x < 1 and atanh of |x| > 1 are NaN, asinh and acosh of
 * inf inf. The errors are the budgets in functions.inc. */
#ifndef DETMATH_INVERSE_HYPERBOLIC_H
#define DETMATH_INVERSE_HYPERBOLIC_H

#include "core.h"
#include "hyperbolic.h"
#include "inverse_trigonometric.h"
#include "log.h"
#include "root.h"
#include "round.h"

#include "shield.inc"

#include "one_lane.inc"

#include "inverse_hyperbolic_lanes.inc"

/* ln 2 x for x from 2^63 on, and inf and NaN as they are to be: 2 x may be 2^128 in the bits. */
DETMATH_FUNCTION float detmath_area_beyond(float x) {
    detmath_u32 bits = detmath_magnitude_f32(x), twice = bits + 0x00800000u;
    float m, k = detmath_log_split(twice, &m);
    detmath_u32 y = detmath_bits_f32(detmath_log_of(twice, k, m));
    return detmath_unless_nan(x, detmath_from_bits_f32(bits < DETMATH_INFINITY_BITS ? y : bits));
}

/* Three forms: see exp.h. What is below 2^-31 is the result, and may be subnormal. */
DETMATH_FUNCTION float detmath_asinh_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_asinh_away(x) < DETMATH_REACH_asinh ? 0u : 0x80000000u;
    return detmath_arc_signed(x, detmath_asinh_steps(x));
}

DETMATH_FUNCTION float detmath_asinh_full(float x) {
    detmath_u32 doubt = 0, bits = detmath_bits_f32(detmath_asinh_quick(x, &doubt));
    float beyond = detmath_with_sign(detmath_area_beyond(x), x);
    return detmath_unless_nan(x, detmath_from_bits_f32(doubt ? detmath_bits_f32(beyond) : bits));
}

DETMATH_QUICK_OR_FULL(_asinh)

DETMATH_FUNCTION float detmath_acosh_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_acosh_away(x) < DETMATH_REACH_acosh ? 0u : 0x80000000u;
    return detmath_acosh_steps(x);
}

/* In doubt are numbers below 1, negative ones and NaN, too. */
DETMATH_FUNCTION float detmath_acosh_full(float x) {
    detmath_u32 doubt = 0, bits = detmath_bits_f32(detmath_acosh_quick(x, &doubt));
    detmath_u32 beyond = detmath_bits_f32(detmath_area_beyond(x)),
                far = detmath_bits_f32(x) - 0x3f800000u;
    beyond = far > DETMATH_INFINITY_BITS - 0x3f800000u ? DETMATH_NAN_BITS : beyond;
    return detmath_from_bits_f32(doubt ? beyond : bits);
}

DETMATH_QUICK_OR_FULL(_acosh)

DETMATH_FUNCTION float detmath_atanh_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_atanh_away(x) < DETMATH_REACH_atanh ? 0u : 0x80000000u;
    return detmath_arc_signed(x, detmath_atanh_steps(x));
}

/* Beyond are two numbers below 1, atanh of which are constants, and 1. */
DETMATH_FUNCTION float detmath_atanh_full(float x) {
    detmath_u32 doubt = 0, magnitude = detmath_magnitude_f32(x);
    float y = detmath_atanh_quick(x, &doubt);
    float most = magnitude == 0x3f7fffffu ? 0x1.154246p3f : 0x1.0a2b24p3f;
    detmath_u32 end = magnitude == 0x3f800000u ? DETMATH_INFINITY_BITS : detmath_bits_f32(most);
    float beyond = detmath_with_sign(detmath_from_bits_f32(end), x);
    return detmath_arc_domain(
        x, detmath_from_bits_f32(doubt ? detmath_bits_f32(beyond) : detmath_bits_f32(y)));
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
