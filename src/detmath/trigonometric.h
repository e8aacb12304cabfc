/* sin, cos, sincos, tan. Coefficients and their bounds: trigonometric.sollya.
 *
 * det: x = k pi/8 + r, where k picks a row of tables (trigonometric_lanes.inc). cr: |x| = k pi/2 + r, where k modulo 4 says
 * which of +-sin, +-cos of r it is. Infinities and NaNs give the canonical NaN. The errors are the budgets in functions.inc. */
#ifndef DETMATH_TRIGONOMETRIC_H
#define DETMATH_TRIGONOMETRIC_H

#include "core.h"
#include "root.h"
#include "round.h"
#include "trigonometric_reduction.h"

#include "shield.inc"

/* Rows of 8: the sine of pi k/8 and what it lacks, its cosine and what it lacks. That of 0 is -0: see trigonometric_lanes.inc. */
DETMATH_CONSTANT float detmath_sine_rows[32] = {
    -0.0f,  0x1.87de2ap-2f,   0x1.6a09e6p-1f,   0x1.d906bcp-1f,
    0x1p0f, 0x1.d906bcp-1f,   0x1.6a09e6p-1f,   0x1.87de2ap-2f,
    0.0f,   0x1.abaa58p-28f,  0x1.9fcef4p-27f,  0x1.e651a8p-26f,
    0.0f,   0x1.e651a8p-26f,  0x1.9fcef4p-27f,  0x1.abaa58p-28f,
    0x1p0f, 0x1.d906bcp-1f,   0x1.6a09e6p-1f,   0x1.87de2ap-2f,
    0.0f,   -0x1.87de2ap-2f,  -0x1.6a09e6p-1f,  -0x1.d906bcp-1f,
    0.0f,   0x1.e651a8p-26f,  0x1.9fcef4p-27f,  0x1.abaa58p-28f,
    0.0f,   -0x1.abaa58p-28f, -0x1.9fcef4p-27f, -0x1.e651a8p-26f};

/* a and b of a / b = tan(pi k/8), of which that of pi/8, sqrt(2) - 1, is the quotient of two Pell numbers. */
DETMATH_CONSTANT float detmath_tangent_rows[16] = {
    -0.0f,   0x1.945d54p-2f,  0x1p0f, 0x1.e81c78p-1f, 0x1p0f, -0x1.e81c78p-1f,
    -0x1p0f, -0x1.945d54p-2f, 0x1p0f, 0x1.e81c78p-1f, 0x1p0f, 0x1.945d54p-2f,
    0.0f,    0x1.945d54p-2f,  0x1p0f, 0x1.e81c78p-1f};

#include "one_lane.inc"

#include "trigonometric_lanes.inc"

/* y, or the canonical NaN where x is NaN or infinite. */
DETMATH_FUNCTION float detmath_trig_if_finite(float x, float y) {
    return detmath_from_bits_f32(
        detmath_magnitude_f32(x) >= DETMATH_INFINITY_BITS ? DETMATH_NAN_BITS : detmath_bits_f32(y));
}

/* y, or x where that is so small that it is the result, and may be subnormal. */
DETMATH_FUNCTION float detmath_trig_unless_tiny(float x, float y) {
    return detmath_from_bits_f32(detmath_magnitude_f32(x) < 0x30000000u ? detmath_bits_f32(x)
                                                                        : detmath_bits_f32(y));
}

/* r and *low of x in every range. */
DETMATH_FUNCTION float detmath_trig_reduce(float x, DETMATH_PRIVATE float *low,
                                           DETMATH_PRIVATE detmath_u32 *row) {
    return detmath_magnitude_f32(x) >= DETMATH_REACH_sin ? detmath_trig_reduce_large(x, low, row)
                                                         : detmath_trig_reduce_quick(x, low, row);
}

/* Three forms of each: see exp.h. */
#define DETMATH_TRIGONOMETRIC(NAME, LEAST, FINITE)                                                 \
    DETMATH_FUNCTION float detmath_##NAME##_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {   \
        *doubt |= detmath_outside_magnitude(x, LEAST, DETMATH_REACH_##NAME);                       \
        return detmath_##NAME##_steps(x);                                                          \
    }                                                                                              \
    DETMATH_FUNCTION float detmath_##NAME##_full(float x) {                                        \
        float low;                                                                                 \
        detmath_u32 row;                                                                           \
        float r = detmath_trig_reduce(x, &low, &row);                                              \
        return detmath_trig_if_finite(x, FINITE);                                                  \
    }                                                                                              \
    DETMATH_QUICK_OR_FULL(_##NAME)

DETMATH_TRIGONOMETRIC(sin, 0x30000000u,
                      detmath_trig_unless_tiny(x, detmath_sine_of_row(r, low, row)))
DETMATH_TRIGONOMETRIC(cos, 0, detmath_sine_of_row(r, low, row + 4u))
DETMATH_TRIGONOMETRIC(tan, 0x30000000u,
                      detmath_trig_unless_tiny(x, detmath_tangent_of_row(r, low, row)))

/* The same bits as sin and cos. */
DETMATH_FUNCTION void detmath_sincos_quick(float x, DETMATH_PRIVATE float *sine,
                                           DETMATH_PRIVATE float *cosine,
                                           DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_outside_magnitude(x, 0x30000000u, DETMATH_REACH_sincos);
    *sine = detmath_sincos_steps(x, cosine);
}

DETMATH_FUNCTION void detmath_sincosf(float x, DETMATH_PRIVATE float *sine,
                                      DETMATH_PRIVATE float *cosine) {
    detmath_u32 doubt = 0;
    detmath_sincos_quick(x, sine, cosine, &doubt);
    if (DETMATH_SELDOM(doubt)) {
        *sine = detmath_sin_full(x);
        *cosine = detmath_cos_full(x);
    }
}

#if !defined(DETMATH_NO_DOUBLE)

/* A polynomial of degree 5 in s, ascending. */
DETMATH_FUNCTION double detmath_core_trig_polynomial(double s, double c0, double c1, double c2,
                                                     double c3, double c4, double c5) {
    double fourth = detmath_product(s, s);
    double p = detmath_fma(fourth, detmath_fma(s, c5, c4), detmath_fma(s, c3, c2));
    return detmath_fma(fourth, p, detmath_fma(s, c1, c0));
}

/* (sin r - r) / r^3 and (cos r - 1 + r^2/2) / r^4 in powers of r^2: the sine to 2^-55.94
 * (double_sin), the cosine to 2^-60.46 (double_cos). */
#define DETMATH_CORE_SIN                                                                           \
    -0x1.5555555555555p-3, 0x1.1111111110c83p-7, -0x1.a01a019ea130ap-13, 0x1.71de37b1ca273p-19,    \
        -0x1.ae60210233a95p-26, 0x1.5e118e8484eeep-33
#define DETMATH_CORE_COS                                                                           \
    0x1.5555555555555p-5, -0x1.6c16c16c168ccp-10, 0x1.a01a019f38afap-16, -0x1.27e4fa036d38fp-22,   \
        0x1.1eeb58509df39p-29, -0x1.9073d444493acp-37

DETMATH_FUNCTION double detmath_core_trig_sin(double r) {
    double s = detmath_product(r, r);
    double p = detmath_core_trig_polynomial(s, DETMATH_CORE_SIN);
    return detmath_fma(detmath_product(s, r), p, r);
}

DETMATH_FUNCTION double detmath_core_trig_cos(double r) {
    double s = detmath_product(r, r);
    double p = detmath_core_trig_polynomial(s, DETMATH_CORE_COS);
    return detmath_fma(detmath_product(s, s), p, detmath_fma(s, -0.5, 1.0));
}

/* sin, cos and tan of k pi/2 + r, where that is not 0. */
DETMATH_FUNCTION double detmath_core_turned_sin(double r, detmath_u64 k) {
    double y = k & 1 ? detmath_core_trig_cos(r) : detmath_core_trig_sin(r);
    return detmath_from_bits_f64(detmath_bits_f64(y) ^ (k << 62 & 0x8000000000000000u));
}

DETMATH_FUNCTION double detmath_core_turned_cos(double r, detmath_u64 k) {
    return detmath_core_turned_sin(r, k + 1);
}

DETMATH_FUNCTION double detmath_core_turned_tan(double r, detmath_u64 k) {
    double sine = detmath_core_trig_sin(r), cosine = detmath_core_trig_cos(r);
    double above = k & 1 ? -cosine : sine, below = k & 1 ? sine : cosine;
    return above / below;
}

/* detmath_core_NAME for every fp32 number, with ZERO in place of its value y for a zero. */
#define DETMATH_CORE_TRIGONOMETRIC(NAME, ZERO)                                                     \
    DETMATH_FUNCTION double detmath_core_##NAME(double x) {                                        \
        detmath_u64 k;                                                                             \
        double r = detmath_core_trig_reduce(x, &k);                                                \
        double y = detmath_core_turned_##NAME(r, k);                                               \
        return x == 0.0 ? (ZERO) : y;                                                              \
    }

DETMATH_CORE_TRIGONOMETRIC(sin, x)
DETMATH_CORE_TRIGONOMETRIC(cos, y)
DETMATH_CORE_TRIGONOMETRIC(tan, x)

/* The quick cores of sin and cos reduce to (-1)^k sin r with |r| <= pi/2, so that one polynomial
 * does, and no choice between two: x = k pi + r for sin, (k - 1/2) pi + r for cos. As for the
 * others, the first difference is exact. */
DETMATH_FUNCTION double detmath_quick_reduce_by(double x, double halves) {
    return detmath_fma(halves, -0x1.1a62633145c07p-53,
                       detmath_fma(halves, -0x1.921fb54442d18p1, x));
}

DETMATH_FUNCTION double detmath_quick_reduce_sin(double x, DETMATH_PRIVATE detmath_u64 *k) {
    double shifted = detmath_fma(x, 0x1.45f306dc9c883p-2, 0x1.8p52);
    *k = detmath_bits_f64(shifted);
    return detmath_quick_reduce_by(x, shifted - 0x1.8p52);
}

DETMATH_FUNCTION double detmath_quick_reduce_cos(double x, DETMATH_PRIVATE detmath_u64 *k) {
    double shifted = detmath_fma(x, 0x1.45f306dc9c883p-2, 0.5) + 0x1.8p52;
    *k = detmath_bits_f64(shifted);
    return detmath_quick_reduce_by(x, (shifted - 0x1.8p52) - 0.5);
}

/* (sin r - r) / r^3, for s = r^2: the sine to 2^-41.52 (quick_sin). */
DETMATH_FUNCTION double detmath_quick_sin(double s) {
    double p = detmath_fma(s, 0x1.54e87989ad804p-33, -0x1.ae20d29b1ef15p-26);
    p = detmath_fma(s, p, 0x1.71dd8e1e933bdp-19);
    p = detmath_fma(s, p, -0x1.a01a001290565p-13);
    p = detmath_fma(s, p, 0x1.1111110fc14ebp-7);
    return detmath_fma(s, p, -0x1.55555555549d8p-3);
}

DETMATH_CONSTANT double detmath_trig_signs[2] = {1.0, -1.0};

/* Precise to 2^-41. Arrays turn r by its sign bit, scalars by a factor, both exactly. Products here
 * are factors only. */
#define DETMATH_QUICK_TRIGONOMETRIC(NAME)                                                          \
    DETMATH_FUNCTION double detmath_quick_core_##NAME(float x) {                                   \
        detmath_u64 k;                                                                             \
        double r = detmath_quick_reduce_##NAME((double)x, &k);                                     \
        double turned = detmath_from_bits_f64(detmath_bits_f64(r) ^ k << 63), s = r * r;           \
        return turned * detmath_fma(s, detmath_quick_sin(s), 1.0);                                 \
    }                                                                                              \
    DETMATH_FUNCTION double detmath_quick_scalar_##NAME(float x) {                                 \
        detmath_u64 k;                                                                             \
        double r = detmath_quick_reduce_##NAME((double)x, &k);                                     \
        double turned = r * detmath_trig_signs[k & 1u], s = r * r;                                 \
        return detmath_fma(turned * s, detmath_quick_sin(s), turned);                              \
    }

DETMATH_QUICK_TRIGONOMETRIC(sin)
DETMATH_QUICK_TRIGONOMETRIC(cos)

/* By trial of all 2^32 inputs. */
DETMATH_EXCEPTIONS(sin) = {{0x46199998u, 0xbeb1fa5du}, {0xc6199998u, 0x3eb1fa5du}, DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(cos) = {{0x5922aa80u, 0x3f08aebfu},
                           {0x5f18b878u, 0x3f7f14bbu},
                           {0x6115cb11u, 0x3f78142fu},
                           {0xd922aa80u, 0x3f08aebfu},
                           {0xdf18b878u, 0x3f7f14bbu},
                           {0xe115cb11u, 0x3f78142fu},
                           DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(tan) = {DETMATH_NO_MORE};

DETMATH_QUICKLY_ROUNDED_BY(_sin, quick_scalar, magnitude, 0x00800000u, DETMATH_CORE_TRIG_LIMIT,
                           8192)
DETMATH_QUICKLY_ROUNDED_BY(_cos, quick_scalar, magnitude, 0, DETMATH_CORE_TRIG_LIMIT, 8192)

/* The same bits as cr's sin and cos. */
DETMATH_FUNCTION void detmath_cr_sincosf(float x, DETMATH_PRIVATE float *sine,
                                         DETMATH_PRIVATE float *cosine) {
    *sine = detmath_cr_sinf(x);
    *cosine = detmath_cr_cosf(x);
}

/* tan has no quicker core: its array form goes the quick way of reduction only. */
DETMATH_FUNCTION float detmath_cr_tan_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    detmath_u64 k;
    double r = detmath_core_trig_reduce_quick((double)x, &k);
    double y = detmath_core_turned_tan(r, k);
    *doubt |= detmath_trig_is_large(x, DETMATH_CORE_TRIG_LIMIT);
    return detmath_round_quick(x, detmath_magnitude_f32(x) == 0 ? (double)x : y, 8, doubt);
}
DETMATH_CORRECTLY_ROUNDED_CODE(_tan)
DETMATH_CORRECTLY_ROUNDED_SCALAR(_tan)

#endif

#include "shield_end.inc"

#endif
