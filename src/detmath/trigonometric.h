/* sin, cos, sincos, tan. Coefficients and their bounds: trigonometric.sollya.
 *
 * |x| = k pi/2 + r (trigonometric_reduction.h); k modulo 4 says which of +-sin, +-cos of r it is.
 * Infinities and NaNs give the canonical NaN. The errors are the budgets in functions.inc. */
#ifndef DETMATH_TRIGONOMETRIC_H
#define DETMATH_TRIGONOMETRIC_H

#include "core.h"
#include "round.h"
#include "trigonometric_reduction.h"

#include "shield.inc"

/* sin(r + low). The polynomial is (sin r - r) / r^3, the sine to 2^-30.85 (float_sin). */
DETMATH_FUNCTION float detmath_trig_sin(float r, float low) {
    float s = detmath_productf(r, r);
    float p = detmath_fmaf(s, 0x1.86495cp-19f, -0x1.a07fbcp-13f);
    p = detmath_fmaf(s, p, 0x1.111196p-7f);
    p = detmath_fmaf(s, p, -0x1.555556p-3f);
    float slope = detmath_fmaf(s, -0.5f, 1.0f);
    return r + detmath_fmaf(detmath_productf(s, r), p, detmath_productf(low, slope));
}

/* cos(r + low). The polynomial is (cos r - 1 + r^2/2) / r^4, the cosine to 2^-29.70 (float_cos). */
DETMATH_FUNCTION float detmath_trig_cos(float r, float low) {
    float s = detmath_productf(r, r);
    float s_low = detmath_fmaf(r, r, -s);
    float p = detmath_fmaf(s, 0x1.9bb824p-16f, -0x1.6c1286p-10f);
    p = detmath_fmaf(s, p, 0x1.555554p-5f);
    float most = detmath_fmaf(s, -0.5f, 1.0f);
    float rest = detmath_fmaf(s, -0.5f, 1.0f - most); /* exact */
    rest = detmath_fmaf(s_low, -0.5f, rest);
    rest = detmath_fmaf(r, -low, rest);
    return most + detmath_fmaf(detmath_productf(s, s), p, rest);
}

/* sin(k pi/2 + r + low), or the canonical NaN where x is NaN or infinite; negated where `sign` has
 * the sign bit. */
DETMATH_FUNCTION float detmath_trig_turned(float x, detmath_u32 sign, detmath_i32 k, float sine,
                                           float cosine) {
    detmath_u32 bits = detmath_bits_f32(k & 1 ? cosine : sine);
    bits ^= ((detmath_u32)k << 30 & 0x80000000u) ^ (sign & 0x80000000u);
    bits = detmath_magnitude_f32(x) >= DETMATH_INFINITY_BITS ? DETMATH_NAN_BITS : bits;
    return detmath_from_bits_f32(bits);
}

/* y, or x where that is so small that it is the result, and may be subnormal. */
DETMATH_FUNCTION float detmath_trig_unless_tiny(float x, float y) {
    return detmath_from_bits_f32(detmath_magnitude_f32(x) < 0x30000000u ? detmath_bits_f32(x)
                                                                        : detmath_bits_f32(y));
}

DETMATH_FUNCTION void detmath_trig_both(float x, float r, float low, detmath_i32 k,
                                        DETMATH_PRIVATE float *sine,
                                        DETMATH_PRIVATE float *cosine) {
    float a = detmath_trig_sin(r, low), b = detmath_trig_cos(r, low);
    *sine = detmath_trig_unless_tiny(x, detmath_trig_turned(x, detmath_bits_f32(x), k, a, b));
    detmath_i32 next = (detmath_i32)((detmath_u32)k + 1u); /* of NaN k may be the largest integer */
    *cosine = detmath_trig_turned(x, 0, next, a, b);
}

/* tan(r + low) as what is returned + *rest. The polynomial is (tan r - r) / r^3, the tangent to
 * 2^-27.84 (float_tan), and r^3 is in two parts. */
DETMATH_FUNCTION float detmath_trig_tangent(float r, float low, DETMATH_PRIVATE float *rest) {
    float s = detmath_productf(r, r);
    float p = detmath_fmaf(s, 0x1.041ceep-8f, 0x1.f8041ep-11f);
    p = detmath_fmaf(s, p, 0x1.4b5602p-7f);
    p = detmath_fmaf(s, p, 0x1.617c8ep-6f);
    p = detmath_fmaf(s, p, 0x1.ba6022p-5f);
    p = detmath_fmaf(s, p, 0x1.11105ap-3f);
    p = detmath_fmaf(s, p, 0x1.555556p-2f);
    float cube = detmath_productf(s, r);
    float cube_low = detmath_fmaf(detmath_fmaf(r, r, -s), r, detmath_fmaf(s, r, -cube));
    float more = detmath_fmaf(low, detmath_fmaf(s, 1.5f, 1.0f), detmath_productf(cube_low, p));
    float tail = detmath_fmaf(cube, p, more);
    float high = r + tail;
    *rest = (r - high) + tail;
    return high;
}

/* -1 / (high + rest): the reciprocal of high begins with its bits, off by 0.051, which is cubed and
 * squared; the last step takes rest along. */
DETMATH_FUNCTION float detmath_trig_cotangent(float high, float rest) {
    detmath_u32 sign = detmath_bits_f32(high) & 0x80000000u;
    float q = detmath_from_bits_f32(sign | (0x7ef311c7u - detmath_magnitude_f32(high)));
    float off = detmath_fmaf(-high, q, 1.0f);
    q = detmath_fmaf(q, detmath_fmaf(off, off, off), q);
    q = detmath_fmaf(q, detmath_fmaf(-high, q, 1.0f), q);
    off = detmath_fmaf(-rest, q, detmath_fmaf(-high, q, 1.0f));
    return -detmath_fmaf(q, off, q);
}

/* tan(r + low) where k is even, -1/tan(r + low) where it is odd. */
DETMATH_FUNCTION float detmath_trig_tan(float x, float r, float low, detmath_i32 k) {
    float rest, high = detmath_trig_tangent(r, low, &rest);
    float q = detmath_trig_cotangent(high, rest);
    return detmath_trig_unless_tiny(x, detmath_trig_turned(x, detmath_bits_f32(x), k & 1, high, q));
}

/* The functions of one operand that follow from FINISH(x, r, low, k): detmath_NAME_quick for array
 * forms, which adds to *doubt where only the other is right, and detmath_NAMEf. */
#define DETMATH_TRIGONOMETRIC(NAME, FINISH)                                                        \
    DETMATH_FUNCTION float detmath_##NAME##_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {   \
        float low;                                                                                 \
        detmath_i32 k;                                                                             \
        float r = detmath_trig_reduce_quick(detmath_absolute(x), &low, &k);                        \
        *doubt |= detmath_trig_is_large(x, DETMATH_TRIG_LIMIT);                                    \
        return FINISH(x, r, low, k);                                                               \
    }                                                                                              \
    DETMATH_FUNCTION float detmath_##NAME##f(float x) {                                            \
        float low;                                                                                 \
        detmath_i32 k;                                                                             \
        float r = detmath_trig_reduce(x, &low, &k);                                                \
        return FINISH(x, r, low, k);                                                               \
    }                                                                                              \
    DETMATH_FUNCTION float detmath_##NAME##_full(float x) {                                        \
        return detmath_##NAME##f(x);                                                               \
    }

DETMATH_FUNCTION float detmath_trig_finish_sin(float x, float r, float low, detmath_i32 k) {
    float sine, cosine;
    detmath_trig_both(x, r, low, k, &sine, &cosine);
    return sine;
}

DETMATH_FUNCTION float detmath_trig_finish_cos(float x, float r, float low, detmath_i32 k) {
    float sine, cosine;
    detmath_trig_both(x, r, low, k, &sine, &cosine);
    return cosine;
}

DETMATH_TRIGONOMETRIC(sin, detmath_trig_finish_sin)
DETMATH_TRIGONOMETRIC(cos, detmath_trig_finish_cos)
DETMATH_TRIGONOMETRIC(tan, detmath_trig_tan)

DETMATH_FUNCTION void detmath_sincos_quick(float x, DETMATH_PRIVATE float *sine,
                                           DETMATH_PRIVATE float *cosine,
                                           DETMATH_PRIVATE detmath_u32 *doubt) {
    float low;
    detmath_i32 k;
    float r = detmath_trig_reduce_quick(detmath_absolute(x), &low, &k);
    *doubt |= detmath_trig_is_large(x, DETMATH_TRIG_LIMIT);
    detmath_trig_both(x, r, low, k, sine, cosine);
}

/* The same bits as sin and cos. */
DETMATH_FUNCTION void detmath_sincosf(float x, DETMATH_PRIVATE float *sine,
                                      DETMATH_PRIVATE float *cosine) {
    float low;
    detmath_i32 k;
    float r = detmath_trig_reduce(x, &low, &k);
    detmath_trig_both(x, r, low, k, sine, cosine);
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
