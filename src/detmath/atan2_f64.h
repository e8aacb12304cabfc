/* atan2 in fp64: detmath_atan2(y, x) is det, within 0.505 ulp, and detmath_cr_atan2(y, x) correctly rounded as far as anyone
 * knows: see below. The kernel: atan2_f64_lanes.inc.
 *
 * Zeros and infinities are as Annex F has them: a zero y gives 0 or pi by the sign of x, a zero x pi/2, two infinities pi/4 or
 * 3 pi/4. NaN gives the canonical one. Subnormal results are rounded once.
 *
 * cr. With n and d the smaller and the larger operand, atan(n/d) is n/d less a third of its cube where that is below 2^-64. That
 * decides, since n/d differs from every middle between two numbers by 2^-107 of it, or is one, of two subnormal numbers, or a
 * number, and what atan takes away is below 2^-128. Else the last phase (angle_last_f64.h) is right to 2^-248, which is
 * 2^-(248 - e) of an angle of 2^-e. Of 2^106 pairs of significands for each e the nearest to a middle is to be expected
 * 2^-160 of the result beside it; that some pair for some e up to 64 is nearer than that bound has a chance of some 2^-22. No
 * counterexample is known. */
#ifndef DETMATH_ATAN2_F64_H
#define DETMATH_ATAN2_F64_H

#include "inverse_trigonometric_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

#include "one_lane.inc"

#include "atan2_f64_lanes.inc"

/* n 2^exponent over d for the smaller and the larger of |y| and |x|: both from 1 to 2, or n is 0. Infinity is taken for a number
 * far above all others, and a d of 0 for 1. */
struct detmath_angle {
    double n, d;
    detmath_i32 exponent;
    int steep, left;
};

DETMATH_FUNCTION double detmath_atan2_split_f64(double size, detmath_i32 *exponent) {
    detmath_u32 negative;
    detmath_u64 significand = detmath_real_parts(size, exponent, &negative);
    for (; significand && !(significand >> 52); (*exponent)--)
        significand <<= 1;
    return detmath_exact_product((double)(detmath_i64)significand, 0x1p-52);
}

DETMATH_FUNCTION struct detmath_angle detmath_angle_of(double y, double x) {
    double up = detmath_magnitude_f64(y), across = detmath_magnitude_f64(x);
    const int steep = up > across;
    double n = steep ? across : up, d = steep ? up : across;
    detmath_i32 n_exponent, d_exponent;
    struct detmath_angle angle = {detmath_atan2_split_f64(n, &n_exponent),
                                  detmath_atan2_split_f64(d, &d_exponent), 0, steep,
                                  (int)(detmath_bits_f64(x) >> 63)};
    angle.exponent = n_exponent - d_exponent;
    if (d > 0x1.fffffffffffffp1023) { /* infinite */
        angle.n = n == d ? 1.0 : 0.0;
        angle.d = 1.0;
    } else if (d == 0.0) {
        angle.d = 1.0;
    }
    angle.exponent = angle.n == 0.0 || n == d ? 0 : angle.exponent;
    return angle;
}

/* atan of a quotient below 2^-64, rounded: the quotient to 256 bits, less a third of its cube, or less one unit. */
DETMATH_FUNCTION double detmath_angle_small(double n, double d, detmath_i32 exponent) {
    detmath_i32 unused;
    detmath_u32 negative;
    detmath_u64 rest = detmath_real_parts(n, &unused, &negative);
    detmath_u64 divisor = detmath_real_parts(d, &unused, &negative);
    struct detmath_long q = detmath_long_of(DETMATH_ANGLE_WORDS, 0);
    for (int i = 32 * DETMATH_ANGLE_WORDS; i >= 0; i--, rest <<= 1)
        if (rest >= divisor) {
            q.word[i >> 5] |= 1u << (i & 31);
            rest -= divisor;
        }
    struct detmath_long cube = detmath_long_product(&q, &q);
    cube = detmath_long_product(&cube, &q);
    detmath_long_divide(&cube, 3u);
    for (detmath_i32 i = -2 * exponent; i > 0 && detmath_long_top(&cube) >= 0; i -= 16)
        detmath_long_divide(&cube, 1u << (i < 16 ? i : 16));
    if (detmath_long_top(&cube) < 0)
        cube.word[0] = 1u;
    detmath_long_add(&q, &cube, 1);
    return detmath_angle_round(&q, exponent);
}

/* det where the steps do not do: of quotients below 2^-64 that are the angle itself the one that cr has, too. */
DETMATH_SELDOM_FUNCTION double detmath_atan2_f64_full(double y, double x) {
    detmath_u64 away;
    if (y != y || x != x)
        return detmath_from_bits_f64(DETMATH_NAN_BITS_F64);
    struct detmath_angle angle = detmath_angle_of(y, x);
    if (angle.n != 0.0 && angle.exponent < -64 && !angle.steep && !angle.left)
        return detmath_with_sign_f64(detmath_angle_small(angle.n, angle.d, angle.exponent), y);
    detmath_i32 bounded = angle.exponent < -100 ? -100 : angle.exponent;
    double n = detmath_exact_product(angle.n, detmath_power_of_two(bounded));
    return detmath_atan2_f64_steps(detmath_with_sign_f64(angle.steep ? angle.d : n, y),
                                   detmath_with_sign_f64(angle.steep ? n : angle.d, x), &away);
}

/* cr. Beside pi/2 and pi, quotients below 2^-64 change no rounding. */
DETMATH_FUNCTION double detmath_atan2_f64_last(double y, double x) {
    struct detmath_angle angle = detmath_angle_of(y, x);
    if (y != y || x != x || angle.exponent < -64)
        return detmath_atan2_f64_full(y, x);
    if (angle.n == 0.0 && !angle.steep && !angle.left)
        return detmath_with_sign_f64(0.0, y);
    double n = detmath_exact_product(angle.n, detmath_power_of_two(angle.exponent));
    struct detmath_long above = detmath_angle_long(n), below = detmath_angle_long(angle.d);
    struct detmath_long result =
        detmath_angle_of_tangent(&above, &below, detmath_arc_f64_near(n, angle.d));
    detmath_angle_turn(&result, angle.steep, angle.left);
    return detmath_with_sign_f64(detmath_angle_round(&result, 0), y);
}

DETMATH_FORMS_BINARY_F64(_atan2)

#endif

#include "shield_end.inc"

#endif
