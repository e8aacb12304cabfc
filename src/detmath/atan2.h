/* atan2, and atan2pi, which is that over pi. Tables: inverse_trigonometric.sollya.
 *
 * With n the smaller and d the larger of |y|, |x|, the angle is a = atan(n/d), and by octant a,
 * pi/2 - a, pi/2 + a or pi - a, with the sign of y. Zeros and infinities are as Annex F has them:
 * a zero y gives 0 or pi by the sign of x, a zero x pi/2, two infinities pi/4 or 3 pi/4. Over pi
 * these are numbers, and no other quotient has an angle that is one. */
#ifndef DETMATH_ATAN2_H
#define DETMATH_ATAN2_H

#include "core.h"
#include "inverse_trigonometric.h"
#include "round.h"
#include "trigonometric_pi.h"

#include "shield.inc"

/* |x| = m 2^*e with 1 <= m < 2, of a subnormal x too; zero as 2^-276, infinity as 2^128. */
DETMATH_FUNCTION float detmath_atan2_split(detmath_u32 magnitude, DETMATH_PRIVATE detmath_i32 *e) {
    detmath_u32 small = magnitude < 0x00800000u;
    detmath_u32 scaled = detmath_bits_f32((float)(detmath_i32)(magnitude & 0x007fffffu));
    detmath_u32 bits = small ? scaled : magnitude;
    *e = (detmath_i32)(bits >> 23) - (small ? 276 : 127);
    return detmath_from_bits_f32((bits & 0x007fffffu) | 0x3f800000u);
}

#include "one_lane.inc"

#include "atan2_lanes.inc"

/* Three forms: see exp.h. Here the larger operand is between 1 and 2 and the smaller one not below 2^-60 of that, or both are
 * as infinite or as 0 as they were. A smaller quotient is taken for as many times 2^-60, and its angle, if it is one with the
 * positive x-axis, is scaled, so that it may be subnormal. */
#define DETMATH_ANGLE_FORMS(NAME)                                                                  \
    DETMATH_FUNCTION float detmath_##NAME##_full(float y, float x) {                               \
        detmath_u32 ym = detmath_magnitude_f32(y), xm = detmath_magnitude_f32(x);                  \
        detmath_u32 steep = ym > xm, nm = steep ? xm : ym, dm = steep ? ym : xm;                   \
        detmath_i32 ne, de;                                                                        \
        float n = detmath_atan2_split(nm, &ne), d = detmath_atan2_split(dm, &de);                  \
        detmath_i32 e = ne - de, bounded = e < -60 ? -60 : e;                                      \
        detmath_u32 none = nm == 0u || (dm == DETMATH_INFINITY_BITS && nm != dm);                  \
        detmath_u32 small = detmath_bits_f32(n) + ((detmath_u32)bounded << 23);                    \
        n = detmath_from_bits_f32(none ? 0u : small);                                              \
        detmath_u32 away;                                                                          \
        float angle = detmath_##NAME##_steps(detmath_copy_sign(steep ? d : n, y),                  \
                                             detmath_copy_sign(steep ? n : d, x), &away);          \
        detmath_u32 tiny = (e < -60) & !(steep | none | (detmath_bits_f32(x) >> 31));              \
        angle = tiny ? detmath_scale_f32(angle, e - bounded) : angle;                              \
        return detmath_from_bits_f32(dm > DETMATH_INFINITY_BITS ? DETMATH_NAN_BITS                 \
                                                                : detmath_bits_f32(angle));        \
    }                                                                                              \
    DETMATH_FUNCTION float detmath_##NAME##_quick(float y, float x,                                \
                                                  DETMATH_PRIVATE detmath_u32 *doubt) {            \
        detmath_u32 away;                                                                          \
        float angle = detmath_##NAME##_steps(y, x, &away);                                         \
        *doubt |= away < DETMATH_REACH_atan2 ? 0u : 0x80000000u;                                   \
        return angle;                                                                              \
    }
DETMATH_ANGLE_FORMS(atan2)
DETMATH_ANGLE_FORMS(atan2pi)
DETMATH_QUICK_OR_FULL_BINARY(_atan2)
DETMATH_QUICK_OR_FULL_BINARY(_atan2pi)

#if !defined(DETMATH_NO_DOUBLE)

/* high + low with |low| at most half a unit of high's last place. */
struct detmath_pair {
    double high, low;
};

/* a + b to about 2^-103 of it where a is 0 or |a| >= 2 |b|. */
DETMATH_FUNCTION struct detmath_pair detmath_pair_sum(struct detmath_pair a,
                                                      struct detmath_pair b) {
    double sum = a.high + b.high;
    double rest = ((a.high - sum) + b.high) + (a.low + b.low);
    struct detmath_pair result = {sum + rest, 0.0};
    result.low = (sum - result.high) + rest;
    return result;
}

/* a b to about 2^-103 of it. */
DETMATH_FUNCTION struct detmath_pair detmath_pair_product(struct detmath_pair a,
                                                          struct detmath_pair b) {
    double product = detmath_product(a.high, b.high);
    double rest = detmath_fma(a.high, b.high, -product);
    rest = detmath_fma(a.low, b.high, detmath_fma(a.high, b.low, rest));
    struct detmath_pair result = {product + rest, 0.0};
    result.low = (product - result.high) + rest;
    return result;
}

/* atan(k/16). */
DETMATH_CONSTANT struct detmath_pair detmath_atan_sixteenths[17] = {
    {0.0, 0.0},
    {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.0657e94db30dp-1, -0x1.d5b495f6349e6p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* (-1)^k / (2 k + 1) for k = 5, 4, ..., 1. */
DETMATH_CONSTANT struct detmath_pair detmath_atan_series[5] = {
    {-0x1.745d1745d1746p-4, 0x1.745d1745d1746p-59},  {0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71cp-58},
    {-0x1.2492492492492p-3, -0x1.2492492492492p-57}, {0x1.999999999999ap-3, -0x1.999999999999ap-57},
    {-0x1.5555555555555p-2, -0x1.5555555555555p-56},
};

/* atan(n/d) for 0 <= n <= d, 0 < d, fp32 numbers, to about 2^-100 of it.
 *
 * For k nearest 16 n/d, it is atan(k/16) + atan u, u = (16 n - k d) / (16 d + k n). Both are
 * exact: where k is not 0, n and d differ by no more than 2^5, and they have 24 bits. The
 * quotient's low part comes from an exact residual. As u^2 <= 2^-10, ten terms of the series are
 * right to 2^-114.32 (atan_series); those from the sixth on are below 2^-50 together, so that they
 * can be in double. */
DETMATH_FUNCTION struct detmath_pair detmath_pair_atan(double n, double d) {
    double shifted = detmath_fma(n / d, 16.0, 0x1.8p52), k = shifted - 0x1.8p52;
    double above = detmath_fma(k, -d, detmath_product(n, 16.0));
    double below = detmath_fma(k, n, detmath_product(d, 16.0));
    struct detmath_pair u = {above / below, 0.0};
    u.low = detmath_fma(-u.high, below, above) / below;
    struct detmath_pair s = detmath_pair_product(u, u);
    double p = detmath_fma(s.high, 0x1.8618618618618p-5, -0x1.af286bca1af28p-5);
    p = detmath_fma(s.high, p, 0x1.e1e1e1e1e1e1ep-5);
    p = detmath_fma(s.high, p, -0x1.1111111111111p-4);
    p = detmath_fma(s.high, p, 0x1.3b13b13b13b14p-4);
    struct detmath_pair sum = {p, 0.0};
    for (int i = 0; i < 5; i++)
        sum = detmath_pair_sum(detmath_atan_series[i], detmath_pair_product(s, sum));
    sum = detmath_pair_sum(u, detmath_pair_product(u, detmath_pair_product(s, sum)));
    return detmath_pair_sum(detmath_atan_sixteenths[detmath_bits_f64(shifted) & 31u], sum);
}

/* atan2 of fp32 numbers that are not NaN, or that over pi, to about 2^-100 of it, rounded to odd:
 * rounding that to 51 bits or less is as good as rounding the sum of both parts.
 *
 * That the error changes no rounding: there are 2^64 pairs, and a result is that near to a middle
 * between two floats with a chance of 2^-75. That does not hold of y/x below 2^-37, which atan
 * changes by less than 2^-75 of it; but there a quotient of numbers of 24 bits differs from every
 * middle by 2^-49 of it or more, or is one (of two subnormal floats), is u.high exactly, and what
 * atan takes away, whose sign is right, decides. Over pi such a quotient is irrational, but depends
 * on two significands alone: the nearest of 2^48 is to be expected 2^-73 beside a middle. */
DETMATH_FUNCTION double detmath_core_angle_odd(double y, double x, int over_pi) {
    const struct detmath_pair inverse = {0x1.45f306dc9c883p-2, -0x1.6b01ec5417056p-56};
    double ya = detmath_core_absolute(y), xa = detmath_core_absolute(x);
    int steep = ya > xa, left = (int)(detmath_bits_f64(x) >> 63);
    double n = steep ? xa : ya, d = steep ? ya : xa;
    double infinity = detmath_from_bits_f64(0x7ff0000000000000u);
    if (d == infinity) {
        n = n == infinity ? 1.0 : 0.0;
        d = 1.0;
    }
    struct detmath_pair angle = detmath_pair_atan(n, d == 0.0 ? 1.0 : d);
    struct detmath_pair base = {0.0, 0.0};
    if (over_pi) {
        struct detmath_pair quarter = {0.25, 0.0};
        angle = n == d && n != 0.0 ? quarter : detmath_pair_product(angle, inverse);
        base.high = steep ? 0.5 : left ? 1.0 : 0.0;
    } else if (steep) {
        base.high = 0x1.921fb54442d18p0;
        base.low = 0x1.1a62633145c07p-54;
    } else if (left) {
        base.high = 0x1.921fb54442d18p1;
        base.low = 0x1.1a62633145c07p-53;
    }
    if (steep != left) {
        angle.high = -angle.high;
        angle.low = -angle.low;
    }
    angle = detmath_pair_sum(base, angle);
    detmath_u64 bits = detmath_bits_f64(angle.high);
    if (angle.low != 0.0 && !(bits & 1))
        bits += angle.low > 0.0 ? 1u : ~(detmath_u64)0;
    return detmath_core_signed(y, detmath_from_bits_f64(bits));
}

/* The same to about 2^-51, for numbers that are neither zero nor infinite. */
DETMATH_FUNCTION double detmath_core_atan2(double y, double x) {
    double angle = detmath_core_arc_tangent(detmath_core_absolute(y), detmath_core_absolute(x),
                                            (int)(detmath_bits_f64(x) >> 63));
    return detmath_core_signed(y, angle);
}

DETMATH_FUNCTION double detmath_core_atan2pi(double y, double x) {
    double angle = detmath_core_arc_tangent_over_pi(
        detmath_core_absolute(y), detmath_core_absolute(x), (int)(detmath_bits_f64(x) >> 63));
    return detmath_core_signed(y, angle);
}

/* The functions that follow:
 *   detmath_cr_NAME_code   correctly rounded in any format, code to code
 *   detmath_cr_NAME_quick  for array forms: see detmath_round_quick. Operands that are zero,
 *                          subnormal, infinite or NaN are doubts too.
 *   detmath_cr_NAMEf */
#define DETMATH_ANGLE_ROUNDED(NAME, OVER_PI)                                                       \
    DETMATH_FUNCTION detmath_u32 detmath_cr_##NAME##_code(detmath_u32 y_code, detmath_u32 x_code,  \
                                                          struct detmath_format format) {          \
        double y = detmath_decode(y_code, format), x = detmath_decode(x_code, format);             \
        if (y != y || x != x)                                                                      \
            return format.nan;                                                                     \
        detmath_u64 y_bits = detmath_bits_f64(y) << 1, x_bits = detmath_bits_f64(x) << 1;          \
        if (y_bits && x_bits && y_bits < 0xffe0000000000000u && x_bits < 0xffe0000000000000u) {    \
            detmath_u64 quick = detmath_bits_f64(detmath_core_##NAME(y, x));                       \
            detmath_u32 below = detmath_encode(detmath_from_bits_f64(quick - 16), format);         \
            detmath_u32 above = detmath_encode(detmath_from_bits_f64(quick + 16), format);         \
            if (below == above)                                                                    \
                return below;                                                                      \
        }                                                                                          \
        return detmath_encode(detmath_core_angle_odd(y, x, OVER_PI), format);                      \
    }                                                                                              \
    DETMATH_INLINED float detmath_cr_##NAME##_quick(float y, float x,                              \
                                                    DETMATH_PRIVATE detmath_u32 *doubt) {          \
        detmath_u32 y_plain = detmath_magnitude_f32(y) - 0x00800000u < 0x7f000000u;                \
        detmath_u32 x_plain = detmath_magnitude_f32(x) - 0x00800000u < 0x7f000000u;                \
        *doubt |= !(y_plain & x_plain);                                                            \
        return detmath_round_quick(y, detmath_core_##NAME((double)y, (double)x), 16, doubt);       \
    }                                                                                              \
    DETMATH_FUNCTION float detmath_cr_##NAME##f(float y, float x) {                                \
        detmath_u32 doubt = 0;                                                                     \
        float quick = detmath_cr_##NAME##_quick(y, x, &doubt);                                     \
        if (!doubt)                                                                                \
            return quick;                                                                          \
        return detmath_from_bits_f32(detmath_cr_##NAME##_code(                                     \
            detmath_bits_f32(y), detmath_bits_f32(x), detmath_formats[DETMATH_F32]));              \
    }

DETMATH_ANGLE_ROUNDED(atan2, 0)
DETMATH_ANGLE_ROUNDED(atan2pi, 1)

#endif

#include "shield_end.inc"

#endif
