/* atan2 and atan2pi, which is that over pi, in fp64: detmath_NAME(y, x) is det, within 0.505 ulp, and detmath_cr_NAME(y, x)
 * correctly rounded as far as anyone knows: see below. The kernel: atan2_f64_lanes.inc.
 *
 * Zeros and infinities are as Annex F has them: a zero y gives 0 or pi by the sign of x, a zero x pi/2, two infinities pi/4 or
 * 3 pi/4; or 1, 1/2, 1/4 and 3/4. NaN gives the canonical one. Subnormal results are rounded once.
 *
 * cr. With n and d the smaller and the larger operand, atan(n/d) is n/d less a third of its cube where that is below 2^-64. That
 * decides, since n/d differs from every middle between two numbers by 2^-107 of it, or is one, of two subnormal numbers, or a
 * number, and what atan takes away is below 2^-128. Else the last phase (angle_last_f64.h) is right to 2^-248, which is
 * 2^-(248 - e) of an angle of 2^-e. Of 2^106 pairs of significands for each e the nearest to a middle is to be expected
 * 2^-160 of the result beside it; that some pair for some e up to 64 is nearer than that bound has a chance of some 2^-22. No
 * counterexample is known. atan2pi needs the same precision: over pi, the small quotient, too, is irrational, and by chance alone
 * as near to a middle. */
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

DETMATH_FUNCTION struct detmath_angle detmath_angle_of(double y, double x) {
    double up = detmath_magnitude_f64(y), across = detmath_magnitude_f64(x);
    const int steep = detmath_bits_f64(up) > detmath_bits_f64(across);
    double n = steep ? across : up, d = steep ? up : across;
    detmath_i32 n_exponent, d_exponent;
    struct detmath_angle angle = {detmath_angle_split(n, &n_exponent),
                                  detmath_angle_split(d, &d_exponent), 0, steep,
                                  (int)(detmath_bits_f64(x) >> 63)};
    angle.exponent = n_exponent - d_exponent;
    if (d > 0x1.fffffffffffffp1023) { /* infinite */
        angle.n = n == d ? 1.0 : 0.0;
        angle.d = 1.0;
    } else if (detmath_bits_f64(d) == 0) {
        angle.d = 1.0;
    }
    angle.exponent =
        angle.n == 0.0 || detmath_bits_f64(n) == detmath_bits_f64(d) ? 0 : angle.exponent;
    return angle;
}

DETMATH_WORDS_FUNCTION struct detmath_long detmath_angle_long_of(struct detmath_angle angle) {
    double n = detmath_exact_product(angle.n, detmath_power_of_two(angle.exponent));
    struct detmath_long above = detmath_angle_long(n), below = detmath_angle_long(angle.d);
    struct detmath_long result =
        detmath_angle_of_tangent(&above, &below, detmath_arc_f64_near(n, angle.d));
    detmath_angle_turn(&result, angle.steep, angle.left);
    return result;
}

/* det where the steps do not do: of quotients below 2^-64 that are the angle itself the one that cr has, too. cr: beside 1/2, pi/2,
 * 1 and pi, quotients below 2^-64 change no rounding. */
#define DETMATH_ATAN2_F64_FORMS(SUFFIX, OVER_PI)                                                   \
    DETMATH_SELDOM_FUNCTION double detmath##SUFFIX##_f64_full(double y, double x) {                \
        detmath_u64 away;                                                                          \
        if (y != y || x != x)                                                                      \
            return detmath_from_bits_f64(DETMATH_NAN_BITS_F64);                                    \
        struct detmath_angle angle = detmath_angle_of(y, x);                                       \
        if (angle.n != 0.0 && angle.exponent < -64 && !angle.steep && !angle.left)                 \
            return detmath_with_sign_f64(                                                          \
                detmath_angle_small(angle.n, angle.d, angle.exponent, 0, OVER_PI), y);             \
        detmath_i32 bounded = angle.exponent < -100 ? -100 : angle.exponent;                       \
        double n = detmath_exact_product(angle.n, detmath_power_of_two(bounded));                  \
        return detmath##SUFFIX##_f64_steps(detmath_with_sign_f64(angle.steep ? angle.d : n, y),    \
                                           detmath_with_sign_f64(angle.steep ? n : angle.d, x),    \
                                           &away);                                                 \
    }                                                                                              \
    DETMATH_FUNCTION double detmath##SUFFIX##_f64_last(double y, double x) {                       \
        struct detmath_angle angle = detmath_angle_of(y, x);                                       \
        if (y != y || x != x || angle.exponent < -64)                                              \
            return detmath##SUFFIX##_f64_full(y, x);                                               \
        if (angle.n == 0.0 && !angle.steep && !angle.left)                                         \
            return detmath_with_sign_f64(0.0, y);                                                  \
        struct detmath_long result = detmath_angle_long_of(angle);                                 \
        return detmath_with_sign_f64(detmath_angle_round(&result, 0, OVER_PI), y);                 \
    }                                                                                              \
    DETMATH_FORMS_BINARY_F64(SUFFIX)
DETMATH_ATAN2_F64_FORMS(_atan2, 0)
DETMATH_ATAN2_F64_FORMS(_atan2pi, 1)
#undef DETMATH_ATAN2_F64_FORMS

#endif

#include "shield_end.inc"

#endif
