/* asin, acos, atan. Coefficients and their bounds: inverse_trigonometric.sollya.
 *
 * asin and acos beyond 1/2 go by asin a = pi/2 - 2 asin(((1 - a) / 2)^(1/2)), atan by rows of
 * polynomials, and far out by atan a = pi/2 - atan(1/a). Roots and quotients are made in fp32 from a first guess by their
 * bits and fma. asin and acos of |x| > 1 are NaN, acos 1 = +0, asin(-0) = atan(-0) = -0, atan(inf) =
 * pi/2. The errors are the budgets in functions.inc. */
#ifndef DETMATH_INVERSE_TRIGONOMETRIC_H
#define DETMATH_INVERSE_TRIGONOMETRIC_H

#include "core.h"
#include "exp.h"
#include "hyperbolic.h"
#include "inverse_trigonometric_table.h"
#include "root.h"
#include "round.h"

#include "shield.inc"

/* a where `mask` is all ones, b where it is 0: a compiler that makes a branch of a choice, and
 * moves into it what only one side needs, does not vectorise a loop. */
DETMATH_FUNCTION float detmath_arc_choose(detmath_u32 mask, float a, float b) {
    return detmath_from_bits_f32((detmath_bits_f32(a) & mask) | (detmath_bits_f32(b) & ~mask));
}

/* base + base_low + w + tail, where base is 0 or |base| >= |w|. */
DETMATH_FUNCTION float detmath_arc_sum(float base, float base_low, float w, float tail) {
    float sum = base + w;
    float rest = (base - sum) + w; /* exact */
    return sum + (rest + (base_low + tail));
}

/* y >= 0 with the sign of x; x where that is so small that it is the result, and may be subnormal.
 */
DETMATH_FUNCTION float detmath_arc_signed(float x, float y) {
    detmath_u32 bits = detmath_bits_f32(x), sign = bits & 0x80000000u;
    return detmath_from_bits_f32((bits ^ sign) < 0x30000000u ? bits : sign | detmath_bits_f32(y));
}

/* y, or the canonical NaN where x is beyond 1 or NaN. */
DETMATH_FUNCTION float detmath_arc_domain(float x, float y) {
    detmath_u32 bits =
        detmath_magnitude_f32(x) > 0x3f800000u ? DETMATH_NAN_BITS : detmath_bits_f32(y);
    return detmath_from_bits_f32(bits);
}

#include "one_lane.inc"

#include "inverse_trigonometric_lanes.inc"

/* Three forms: see exp.h. */
DETMATH_FUNCTION float detmath_asin_full(float x) {
    return detmath_arc_domain(x, detmath_arc_signed(x, detmath_asin_steps(x)));
}

DETMATH_FUNCTION float detmath_asin_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_asin_away(x) < DETMATH_REACH_asin ? 0u : 0x80000000u;
    return detmath_arc_signed(x, detmath_asin_steps(x));
}

DETMATH_QUICK_OR_FULL(_asin)

DETMATH_FUNCTION float detmath_acos_full(float x) {
    return detmath_arc_domain(x, detmath_acos_steps(x));
}

DETMATH_FUNCTION float detmath_acos_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_acos_away(x) < DETMATH_REACH_acos ? 0u : 0x80000000u;
    return detmath_acos_steps(x);
}

DETMATH_QUICK_OR_FULL(_acos)

/* 1/a to about 2^-23 for 2^-100 < a <= 2^100: the guess is off by 0.051 of it, which is cubed and
 * squared. */
DETMATH_FUNCTION float detmath_arc_reciprocal(float a) {
    float q = detmath_from_bits_f32(0x7ef311c7u - detmath_bits_f32(a));
    float off = detmath_fmaf(-a, q, 1.0f);
    q = detmath_fmaf(q, detmath_fmaf(off, off, off), q);
    return detmath_fmaf(q, detmath_fmaf(-a, q, 1.0f), q);
}

/* atan(r + low) - r for |r| <= 1. The polynomial is (atan r - r) / r^3, the angle
 * to 2^-28.20 (float_atan), and r^3 is in two parts. */
DETMATH_INLINED float detmath_arc_tangent_tail(float r, float low) {
    float s = detmath_productf(r, r);
    float p = detmath_fmaf(s, 0x1.c78b04p-10f, -0x1.51c7dap-7f);
    p = detmath_fmaf(s, p, 0x1.d462d8p-6f);
    p = detmath_fmaf(s, p, -0x1.a516p-5f);
    p = detmath_fmaf(s, p, 0x1.265b42p-4f);
    p = detmath_fmaf(s, p, -0x1.704154p-4f);
    p = detmath_fmaf(s, p, 0x1.c6b586p-4f);
    p = detmath_fmaf(s, p, -0x1.24917p-3f);
    p = detmath_fmaf(s, p, 0x1.9999c4p-3f);
    p = detmath_fmaf(s, p, -0x1.555556p-2f);
    float cube = detmath_productf(s, r);
    float cube_low = detmath_fmaf(detmath_fmaf(r, r, -s), r, detmath_fmaf(s, r, -cube));
    float rest = detmath_fmaf(low, detmath_fmaf(s, -0.5f, 1.0f), detmath_productf(cube_low, p));
    return detmath_fmaf(cube, p, rest);
}

/* Three forms: see exp.h. */
DETMATH_FUNCTION float detmath_atan_full(float x) {
    float a = detmath_from_bits_f32(detmath_magnitude_f32(x));
    float y = detmath_atan_steps(detmath_smaller(a, 0x1p99f));
    return detmath_unless_nan(x, detmath_arc_signed(x, y));
}

DETMATH_FUNCTION float detmath_atan_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_atan_away(x) < DETMATH_REACH_atan ? 0u : 0x80000000u;
    return detmath_arc_signed(x,
                              detmath_atan_steps(detmath_from_bits_f32(detmath_magnitude_f32(x))));
}

DETMATH_QUICK_OR_FULL(_atan)

#if !defined(DETMATH_NO_DOUBLE)

/* The same in double; quotients by division, which is correctly rounded there in every language. */

DETMATH_FUNCTION double detmath_core_absolute(double x) {
    return detmath_from_bits_f64(detmath_bits_f64(x) & 0x7fffffffffffffffu);
}

DETMATH_FUNCTION double detmath_core_signed(double x, double y) {
    return detmath_from_bits_f64(detmath_bits_f64(y) ^ (detmath_bits_f64(x) & 0x8000000000000000u));
}

DETMATH_FUNCTION double detmath_core_arc_choose(detmath_u64 mask, double a, double b) {
    return detmath_from_bits_f64((detmath_bits_f64(a) & mask) | (detmath_bits_f64(b) & ~mask));
}

DETMATH_FUNCTION double detmath_core_arc_sum(double base, double base_low, double w, double tail) {
    double sum = base + w;
    double rest = (base - sum) + w; /* exact */
    return sum + (rest + (base_low + tail));
}

/* r + *low = (z + z_low)^(1/2). The guess is off by 0.035, then by 2^-13 and 2^-38, which the
 * residual mends. */
DETMATH_FUNCTION double detmath_core_arc_root(double z, double z_low, double *low) {
    double q = detmath_from_bits_f64(0x5fe6eb50c7b537a9u - (detmath_bits_f64(z) >> 1));
    double off = detmath_fma(-detmath_product(z, q), q, 1.0);
    q = detmath_fma(detmath_product(q, off), detmath_fma(off, 0.375, 0.5), q);
    off = detmath_fma(-detmath_product(z, q), q, 1.0);
    q = detmath_fma(detmath_product(q, off), detmath_fma(off, 0.375, 0.5), q);
    double product = detmath_product(z, q);
    double residual = detmath_fma(-product, product, z) + z_low;
    double rest = detmath_product(residual, detmath_product(q, 0.5));
    double r = product + rest;
    *low = (product - r) + rest;
    return r;
}

/* (asin r - r) / r^3 of z = r^2, even and odd powers apart; the arc to 2^-58.15 (double_asin). */
DETMATH_FUNCTION double detmath_core_arc_sine_slope(double z) {
    double w = detmath_product(z, z);
    double even = detmath_fma(w, 0x1.dc181d63e5323p-6, 0x1.220541f36f9ap-6);
    even = detmath_fma(w, even, 0x1.532a9148f185fp-7);
    even = detmath_fma(w, even, 0x1.c9d30ac3ce59bp-7);
    even = detmath_fma(w, even, 0x1.6e8bb37521acap-6);
    even = detmath_fma(w, even, 0x1.6db6db6e48603p-5);
    even = detmath_fma(w, even, 0x1.5555555555556p-3);
    double odd = detmath_fma(w, -0x1.f58c57c0bb66bp-7, 0x1.5e2915e074c7dp-8);
    odd = detmath_fma(w, odd, 0x1.78010220135eap-7);
    odd = detmath_fma(w, odd, 0x1.1c4d112ced722p-6);
    odd = detmath_fma(w, odd, 0x1.f1c71c11deeap-6);
    odd = detmath_fma(w, odd, 0x1.3333333332da2p-4);
    return detmath_fma(z, odd, even);
}

DETMATH_INLINED double detmath_core_arc_sine(double a, double *tail) {
    double root_low, root = detmath_core_arc_root(detmath_fma(a, -0.5, 0.5), 0.0, &root_low);
    double z = a > 0.5 ? detmath_fma(a, -0.5, 0.5) : detmath_product(a, a);
    detmath_u64 beyond = a > 0.5 ? ~(detmath_u64)0 : 0;
    double r = detmath_core_arc_choose(beyond, root, a);
    double low = detmath_core_arc_choose(beyond, root_low, 0.0);
    *tail = detmath_fma(detmath_product(z, r), detmath_core_arc_sine_slope(z), low);
    return r;
}

DETMATH_FUNCTION double detmath_core_arc_domain(double a, double y) {
    return detmath_from_bits_f64(detmath_bits_f64(y) | (a > 1.0 ? 0x7ff8000000000000u : 0u));
}

DETMATH_FUNCTION double detmath_core_asin(double x) {
    double a = detmath_core_absolute(x);
    double tail, r = detmath_core_arc_sine(a, &tail), by = a > 0.5 ? -2.0 : 1.0;
    double base = a > 0.5 ? 0x1.921fb54442d18p0 : 0.0;
    double y = detmath_core_arc_sum(base, a > 0.5 ? 0x1.1a62633145c07p-54 : 0.0,
                                    detmath_product(r, by), detmath_product(tail, by));
    return detmath_core_arc_domain(a, detmath_core_signed(x, y));
}

DETMATH_FUNCTION double detmath_core_acos(double x) {
    double a = detmath_core_absolute(x);
    double tail, r = detmath_core_arc_sine(a, &tail);
    double by = detmath_core_signed(x, a > 0.5 ? 2.0 : -1.0);
    double base = a > 0.5 ? 0.0 : 0x1.921fb54442d18p0;
    double base_low = a > 0.5 ? 0.0 : 0x1.1a62633145c07p-54;
    base = x < -0.5 ? 0x1.921fb54442d18p1 : base;
    base_low = x < -0.5 ? 0x1.1a62633145c07p-53 : base_low;
    double y =
        detmath_core_arc_sum(base, base_low, detmath_product(r, by), detmath_product(tail, by));
    return detmath_core_arc_domain(a, y);
}

/* (atan r - r) / r^3 of s = r^2 for |r| <= tan(pi/8), even and odd powers apart; the angle to
 * 2^-57.35 (double_atan). */
DETMATH_FUNCTION double detmath_core_arc_tangent_slope(double s) {
    double w = detmath_product(s, s);
    double even = detmath_fma(w, -0x1.3b6fea68a0facp-6, -0x1.a0cd519eca1e7p-5);
    even = detmath_fma(w, even, -0x1.10fb24631823bp-4);
    even = detmath_fma(w, even, -0x1.745d0bd21e6eap-4);
    even = detmath_fma(w, even, -0x1.249249243faa8p-3);
    even = detmath_fma(w, even, -0x1.5555555555555p-2);
    double odd = detmath_fma(w, 0x1.41eda3f8489f5p-5, 0x1.dff0fee7a7de5p-5);
    odd = detmath_fma(w, odd, 0x1.3b12709f90fd6p-4);
    odd = detmath_fma(w, odd, 0x1.c71c718a1a80ep-4);
    odd = detmath_fma(w, odd, 0x1.9999999999452p-3);
    return detmath_fma(s, odd, even);
}

/* The angle of (d, n), or of (-d, n) where `left`: n, d >= 0 and not both 0 or infinite, fp32
 * numbers. By the nearest of 0, pi/4, pi/2; sum and difference, of numbers that differ by little,
 * are exact. */
DETMATH_INLINED double detmath_core_arc_tangent(double n, double d, int left) {
    int low = n <= detmath_product(d, 0x1.a8279ap-2), high = detmath_product(n, 0x1.a8279ap-2) > d;
    double above = low ? n : high ? -d : n - d;
    double below = low ? d : high ? n : n + d;
    double base = low ? 0.0 : high ? 0x1.921fb54442d18p0 : 0x1.921fb54442d18p-1;
    double base_low = low ? 0.0 : high ? 0x1.1a62633145c07p-54 : 0x1.1a62633145c07p-55;
    double t = above / below;
    if (left) { /* pi less that */
        base = low ? 0x1.921fb54442d18p1 : high ? 0x1.921fb54442d18p0 : 0x1.2d97c7f3321d2p1;
        base_low = low    ? 0x1.1a62633145c07p-53
                   : high ? 0x1.1a62633145c07p-54
                          : 0x1.a79394c9e8a0ap-54;
        t = -t;
    }
    double s = detmath_product(t, t);
    double tail = detmath_product(detmath_product(s, t), detmath_core_arc_tangent_slope(s));
    return detmath_core_arc_sum(base, base_low, t, tail);
}

DETMATH_FUNCTION double detmath_core_atan(double x) {
    return detmath_core_signed(x, detmath_core_arc_tangent(detmath_core_absolute(x), 1.0, 0));
}

/* By trial of all 2^32 inputs. */
DETMATH_EXCEPTIONS(asin) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(acos) = {
    {0x328885a3u, 0x3fc90fdbu}, {0x39826222u, 0x3fc907b5u}, DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(atan) = {
    {0x3d8d6b23u, 0x3d8d31c3u}, {0xbd8d6b23u, 0xbd8d31c3u}, DETMATH_NO_MORE};

DETMATH_NORMALLY_ROUNDED(asin, magnitude, 0x00800000u, 0x3f800001u, 8)
DETMATH_NORMALLY_ROUNDED(acos, magnitude, 0x00800000u, 0x3f800001u, 8)
DETMATH_NORMALLY_ROUNDED(atan, magnitude, 0x00800000u, 0x7f800000u, 8)

#endif

#include "shield_end.inc"

#endif
