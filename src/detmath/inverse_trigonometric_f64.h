/* atan, asin and acos in fp64, and atanpi, asinpi and acospi, which are these over pi: detmath_NAME is det, within 0.505 ulp (atan,
 * atanpi), 0.54 or 0.545 (asinpi, acospi), and detmath_cr_NAME correctly rounded. The kernels and why their errors are no larger:
 * inverse_trigonometric_f64_lanes.inc, arc_sine_f64_lanes.inc, angle_last_f64.h.
 *
 * NaN gives the canonical one, and so do asin and acos of |x| > 1; asin(-0) = atan(-0) = -0, acos 1 = +0, atan(inf) = pi/2; over pi
 * likewise, and subnormal results are rounded once. */
#ifndef DETMATH_INVERSE_TRIGONOMETRIC_F64_H
#define DETMATH_INVERSE_TRIGONOMETRIC_F64_H

#include "angle_last_f64.h"
#include "inverse_trigonometric_f64_table.h"
#include "last_f64.h"
#include "quick_arc_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

#include "one_lane.inc"

#include "inverse_trigonometric_f64_lanes.inc"

#include "arc_sine_f64_lanes.inc"

/* det where the steps do not do. */
DETMATH_SELDOM_FUNCTION double detmath_atan_f64_full(double x) {
    double y = detmath_magnitude_f64(x) < 1.0 ? x : detmath_with_sign_f64(0x1.921fb54442d18p0, x);
    return detmath_unless_nan_f64(x, y);
}

DETMATH_SELDOM_FUNCTION double detmath_asin_f64_full(double x) {
    double size = detmath_magnitude_f64(x);
    double y = size < 1.0 ? x : detmath_with_sign_f64(0x1.921fb54442d18p0, x);
    return size <= 1.0 ? y : detmath_from_bits_f64(DETMATH_NAN_BITS_F64);
}

DETMATH_SELDOM_FUNCTION double detmath_acos_f64_full(double x) {
    double y = x < 0.0 ? 0x1.921fb54442d18p1 : 0.0;
    return detmath_magnitude_f64(x) <= 1.0 ? y : detmath_from_bits_f64(DETMATH_NAN_BITS_F64);
}

/* The angle of (d, n), of doubles next to these, to 2^-50. */
DETMATH_FUNCTION double detmath_arc_f64_near(double n, double d) {
    double inverse, rest, square, low;
    detmath_u64 row = detmath_arc_f64_row(n, d);
    double q = detmath_arc_f64_quotient(n, d, detmath_look_up_f64(detmath_arc_f64_tangents, row),
                                        &inverse, &rest);
    double base = detmath_arc_f64_base(row, 0.0, 0.0, &low);
    double sum = detmath_arc_f64_sum(q, 0.0, base, low, &square, &rest);
    return sum + rest;
}

/* What is below 2^-54 and not 0, by integers. */
DETMATH_FUNCTION double detmath_arc_f64_small(double size, int sine, int over_pi) {
    detmath_i32 exponent;
    double n = detmath_angle_split(size, &exponent);
    return detmath_angle_small(n, 1.0, exponent, sine, over_pi);
}

/* x/pi of a size below 2^-400 and not 0, which is the arc over pi to 2^-800: by 192 bits of 1/pi. */
DETMATH_FUNCTION double detmath_arc_f64_least_over_pi(double size) {
    struct detmath_fraction inverse = {{DETMATH_LAST_WORD(0x6db14accu, 0x9e21c820u),
                                        DETMATH_LAST_WORD(0xfe13abe8u, 0xfa9a6ee0u),
                                        DETMATH_LAST_WORD(0x517cc1b7u, 0x27220a94u)}};
    detmath_i32 exponent;
    detmath_u32 negative;
    detmath_u64 m = detmath_real_parts(size, &exponent, &negative);
    struct detmath_long_fixed a = {{0, 0, m, 0}};
    struct detmath_last top = detmath_last_of(&a);
    top.y = detmath_fraction_product(&top.y, &inverse);
    for (int i = 0; i < 3; i++)
        a.word[i] = top.y.word[i];
    return detmath_last_round(&a, top.exponent + exponent + 64, 0);
}

/* atan of a size above 0 and up to 2^64, or that over pi, rounded. Far out, what is missing to pi/2 is below the last place of
 * the integers. */
DETMATH_FUNCTION double detmath_atan_f64_rounded(double size, int over_pi) {
    if (over_pi && size < 0x1p-400)
        return detmath_arc_f64_least_over_pi(size);
    if (size < 0x1p-54)
        return detmath_arc_f64_small(size, 0, over_pi);
    struct detmath_long one = detmath_long_of(DETMATH_ANGLE_WORDS, 1), n = one, d = one;
    const int steep = size > 1.0;
    *(steep ? &d : &n) = detmath_angle_long(size);
    struct detmath_long angle = detmath_angle_of_tangent(
        &n, &d, detmath_arc_f64_near(steep ? 1.0 : size, steep ? size : 1.0));
    detmath_angle_turn(&angle, steep, 0);
    return detmath_angle_round(&angle, 0, over_pi);
}

/* The angle of the point (s, |x|) or (|x|, s), the one below pi/4. */
DETMATH_WORDS_FUNCTION struct detmath_long detmath_arc_f64_last(double size, int *steep) {
    double low, side = detmath_arc_f64_side(size, &low);
    *steep = size > side;
    return detmath_angle_of_sine(
        size, detmath_arc_f64_near(*steep ? side : size, *steep ? size : side), *steep);
}
DETMATH_FUNCTION double detmath_asin_f64_rounded(double size, int over_pi) {
    int steep;
    if (over_pi && size < 0x1p-400)
        return detmath_arc_f64_least_over_pi(size);
    if (size < 0x1p-54)
        return detmath_arc_f64_small(size, 1, over_pi);
    struct detmath_long angle = detmath_arc_f64_last(size, &steep);
    detmath_angle_turn(&angle, steep, 0);
    return detmath_angle_round(&angle, 0, over_pi);
}
DETMATH_FUNCTION double detmath_acos_f64_rounded(double x, int over_pi) {
    int steep;
    struct detmath_long angle = detmath_arc_f64_last(detmath_magnitude_f64(x), &steep);
    detmath_angle_turn(&angle, !steep, x < 0.0);
    return detmath_angle_round(&angle, 0, over_pi);
}

/* cr of operands that are no NaN. */
DETMATH_FUNCTION double detmath_atan_f64_last(double x) {
    double size = detmath_magnitude_f64(x);
    if (detmath_bits_f64(size) == 0 || detmath_atan_f64_away(x))
        return detmath_atan_f64_full(x);
    return detmath_with_sign_f64(detmath_atan_f64_rounded(size, 0), x);
}
DETMATH_FUNCTION double detmath_asin_f64_last(double x) {
    if (detmath_cr_asin_f64_away(x))
        return detmath_asin_f64_full(x);
    return detmath_with_sign_f64(detmath_asin_f64_rounded(detmath_magnitude_f64(x), 0), x);
}
DETMATH_FUNCTION double detmath_acos_f64_last(double x) {
    return detmath_cr_acos_f64_away(x) ? detmath_acos_f64_full(x) : detmath_acos_f64_rounded(x, 0);
}

/* In half turns. Small operands are left to integers, since only these round a subnormal result once; so det has cr's results
 * there. */
DETMATH_FUNCTION double detmath_atanpi_f64_last(double x) {
    double size = detmath_magnitude_f64(x), y = size < 1.0 ? 0.0 : 0.5;
    if (detmath_bits_f64(size) != 0 && size < 0x1p64)
        y = detmath_atan_f64_rounded(size, 1);
    return detmath_unless_nan_f64(x, detmath_with_sign_f64(y, x));
}
DETMATH_FUNCTION double detmath_asinpi_f64_last(double x) {
    double size = detmath_magnitude_f64(x), y = size < 1.0 ? 0.0 : 0.5;
    if (!(size <= 1.0))
        return detmath_from_bits_f64(DETMATH_NAN_BITS_F64);
    if (detmath_bits_f64(size) != 0 && size < 1.0)
        y = detmath_asin_f64_rounded(size, 1);
    return detmath_with_sign_f64(y, x);
}
DETMATH_FUNCTION double detmath_acospi_f64_last(double x) {
    double size = detmath_magnitude_f64(x);
    if (size < 1.0)
        return detmath_acos_f64_rounded(x, 1);
    double y = x < 0.0 ? 1.0 : 0.0;
    return size <= 1.0 ? y : detmath_from_bits_f64(DETMATH_NAN_BITS_F64);
}

DETMATH_FORMS_QUICK_BOTH_F64(_atan, detmath_signed_f64)
DETMATH_FORMS_F64(_asin)
DETMATH_FORMS_F64(_acos)
#define DETMATH_ARC_PI_F64_FORMS(SUFFIX)                                                           \
    DETMATH_SELDOM_FUNCTION double detmath##SUFFIX##_f64_full(double x) {                          \
        return detmath##SUFFIX##_f64_last(x);                                                      \
    }                                                                                              \
    DETMATH_FORMS_F64(SUFFIX)
DETMATH_ARC_PI_F64_FORMS(_atanpi)
DETMATH_ARC_PI_F64_FORMS(_asinpi)
DETMATH_ARC_PI_F64_FORMS(_acospi)
#undef DETMATH_ARC_PI_F64_FORMS

#endif

#include "shield_end.inc"

#endif
