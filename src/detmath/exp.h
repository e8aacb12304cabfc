/* exp, exp2, exp10, expm1. Coefficients and their bounds: exp.sollya.
 *
 * All reduce to 2^n (1 + s) with |r| at most half a step of n. The NaN of every function is the
 * canonical one; exp(-inf) = +0, exp(inf) = inf, expm1(-inf) = -1, expm1(-0) = -0. Errors
 * are the largest of all 2^32 inputs, as `detcheck sweep` finds them. */
#ifndef DETMATH_EXP_H
#define DETMATH_EXP_H

#include "core.h"
#include "round.h"

/* x rounded to an integer, as long as |x| < 2^22; the integer is in the low bits of *bits too. */
DETMATH_FUNCTION float detmath_exp_integer(float scaled, detmath_i32 *n) {
    *n = (detmath_i32)(detmath_bits_f32(scaled) - 0x4b400000u); /* of 0x1.8p23 */
    return scaled - 0x1.8p23f;
}

/* x within [low, high]; NaN stays NaN. */
DETMATH_FUNCTION float detmath_clamp(float x, float low, float high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}

/* e^(r + low) - 1 - r for |r| < 0.3475, |low| < 2^-25, with r^2 / 2 in two parts. The polynomial is
 * (e^r - 1 - r - r^2/2) / r^3 to 2^-23.7. */
DETMATH_FUNCTION float detmath_exp_tail(float r, float low) {
    float p = detmath_fmaf(r, 0x1.a303dcp-13f, 0x1.6d13p-10f);
    p = detmath_fmaf(r, p, 0x1.110faep-7f);
    p = detmath_fmaf(r, p, 0x1.555518p-5f);
    p = detmath_fmaf(r, p, 0x1.555556p-3f);
    float halved = detmath_productf(r, 0.5f);
    float square = detmath_productf(r, halved);
    float square_low = detmath_fmaf(r, halved, -square);
    float cube = detmath_productf(detmath_productf(r, r), r);
    float rest = detmath_fmaf(cube, p, square_low);
    return square + (rest + detmath_fmaf(low, r, low));
}

/* base + r + tail, where base is 0 or |base| >= |r|. */
DETMATH_FUNCTION float detmath_exp_sum(float base, float r, float tail) {
    float sum = base + r;
    float rest = (base - sum) + r; /* exact */
    return sum + (rest + tail);
}

/* e^x; error at most 0.5611 ulp, 0.75 where the result is subnormal and so rounded twice. */
DETMATH_FUNCTION float detmath_expf(float x) {
    detmath_i32 n;
    float bounded = detmath_clamp(x, -105.0f, 90.0f);
    float k = detmath_exp_integer(detmath_fmaf(bounded, 0x1.715476p0f, 0x1.8p23f), &n);
    float exact = detmath_fmaf(k, -0x1.62e4p-1f, bounded);
    float r = detmath_fmaf(k, -0x1.7f7d1cp-20f, exact);
    float low = detmath_fmaf(k, -0x1.7f7d1cp-20f, exact - r);
    float y = detmath_exp_sum(1.0f, r, detmath_exp_tail(r, low));
    return detmath_unless_nan(x, detmath_scale_f32(y, n));
}

/* 2^x; error at most 0.5608 ulp, 0.75 where the result is subnormal; exact for integers. */
DETMATH_FUNCTION float detmath_exp2f(float x) {
    detmath_i32 n;
    float bounded = detmath_clamp(x, -152.0f, 130.0f);
    float k = detmath_exp_integer(bounded + 0x1.8p23f, &n);
    float t = bounded - k;
    float r = detmath_productf(t, 0x1.62e43p-1f);
    float low = detmath_fmaf(t, -0x1.05c61p-29f, detmath_fmaf(t, 0x1.62e43p-1f, -r));
    float y = detmath_exp_sum(1.0f, r, detmath_exp_tail(r, low));
    return detmath_unless_nan(x, detmath_scale_f32(y, n));
}

/* 10^x; error at most 0.5790 ulp, 0.75 where the result is subnormal. */
DETMATH_FUNCTION float detmath_exp10f(float x) {
    detmath_i32 n;
    float bounded = detmath_clamp(x, -46.0f, 39.0f);
    float k = detmath_exp_integer(detmath_fmaf(bounded, 0x1.a934fp1f, 0x1.8p23f), &n);
    float exact = detmath_fmaf(k, -0x1.344p-2f, bounded);
    float t = detmath_fmaf(k, -0x1.3509f8p-18f, exact);
    float t_low = detmath_fmaf(k, -0x1.3509f8p-18f, exact - t);
    float r = detmath_productf(t, 0x1.26bb1cp1f);
    float low = detmath_fmaf(t, -0x1.12aabap-25f, detmath_fmaf(t, 0x1.26bb1cp1f, -r));
    low = detmath_fmaf(t_low, 0x1.26bb1cp1f, low);
    float y = detmath_exp_sum(1.0f, r, detmath_exp_tail(r, low));
    return detmath_unless_nan(x, detmath_scale_f32(y, n));
}

/* e^x - 1; error at most 0.6997 ulp. 2^n e^r - 1 = 2^n (1 - 2^-n + e^r - 1). */
DETMATH_FUNCTION float detmath_expm1f(float x) {
    detmath_i32 n;
    float bounded = detmath_clamp(x, -18.0f, 90.0f);
    float k = detmath_exp_integer(detmath_fmaf(bounded, 0x1.715476p0f, 0x1.8p23f), &n);
    float exact = detmath_fmaf(k, -0x1.62e4p-1f, bounded);
    float r = detmath_fmaf(k, -0x1.7f7d1cp-20f, exact);
    float low = detmath_fmaf(k, -0x1.7f7d1cp-20f, exact - r);
    detmath_i32 m = n > 60 ? 60 : n; /* 2^-60 is as good as nothing */
    float power = detmath_from_bits_f32((detmath_u32)(127 - m) << 23);
    float base = 1.0f - power;
    float other = base - 1.0f; /* what is left of -power, and of 1, is what base lacks */
    float base_low = (1.0f - (base - other)) - (power + other);
    float y = detmath_exp_sum(base, r, detmath_exp_tail(r, low) + base_low);
    y = detmath_scale_f32(y, n);
    y = detmath_magnitude_f32(x) < 0x33000000u ? x : y; /* below 2^-25 the sum is x */
    return detmath_unless_nan(x, y);
}

#if !defined(DETMATH_NO_DOUBLE)

/* The cores take the value of any fp32 number and are precise to about 2^-53. */

DETMATH_FUNCTION double detmath_core_clamp(double x, double low, double high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}

DETMATH_FUNCTION double detmath_core_integer(double scaled, detmath_i64 *n) {
    *n = (detmath_i64)(detmath_bits_f64(scaled) - 0x4338000000000000u); /* of 0x1.8p52 */
    return scaled - 0x1.8p52;
}

/* (e^r - 1) / r. */
DETMATH_FUNCTION double detmath_core_exp_slope(double r) {
    double p = detmath_fma(r, 0x1.1f19a3ad920bfp-29, 0x1.af5f2f23db406p-26);
    p = detmath_fma(r, p, 0x1.27e513892c2p-22);
    p = detmath_fma(r, p, 0x1.71ddf80df465ap-19);
    p = detmath_fma(r, p, 0x1.a01a018df3672p-16);
    p = detmath_fma(r, p, 0x1.a01a01b003fbbp-13);
    p = detmath_fma(r, p, 0x1.6c16c16c1ab2fp-10);
    p = detmath_fma(r, p, 0x1.111111110f654p-7);
    p = detmath_fma(r, p, 0x1.555555555554dp-5);
    p = detmath_fma(r, p, 0x1.5555555555559p-3);
    p = detmath_fma(r, p, 0.5);
    return detmath_fma(r, p, 1.0);
}

/* x - n ln 2. */
DETMATH_FUNCTION double detmath_core_exp_reduce(double x, detmath_i64 *n) {
    double k = detmath_core_integer(detmath_fma(x, 0x1.71547652b82fep0, 0x1.8p52), n);
    double r = detmath_fma(k, -0x1.62e42fefa38p-1, x);
    return detmath_fma(k, -0x1.ef35793c7673p-45, r);
}

DETMATH_FUNCTION double detmath_core_exp(double x) {
    detmath_i64 n;
    double r = detmath_core_exp_reduce(detmath_core_clamp(x, -200.0, 200.0), &n);
    double y = detmath_fma(r, detmath_core_exp_slope(r), 1.0);
    return y * detmath_power_of_two(n);
}

DETMATH_FUNCTION double detmath_core_exp2(double x) {
    detmath_i64 n;
    double bounded = detmath_core_clamp(x, -300.0, 300.0);
    double r = bounded - detmath_core_integer(bounded + 0x1.8p52, &n);
    double p = detmath_fma(r, 0x1.e0f3bd5baa0ap-36, 0x1.ec5de15e71755p-32);
    p = detmath_fma(r, p, 0x1.e4bb8386d7f49p-28);
    p = detmath_fma(r, p, 0x1.b5233e262135dp-24);
    p = detmath_fma(r, p, 0x1.62c0272dcc249p-20);
    p = detmath_fma(r, p, 0x1.ffcbfd44215p-17);
    p = detmath_fma(r, p, 0x1.430912f755655p-13);
    p = detmath_fma(r, p, 0x1.5d87fe787529dp-10);
    p = detmath_fma(r, p, 0x1.3b2ab6fba51a1p-7);
    p = detmath_fma(r, p, 0x1.c6b08d704a1d1p-5);
    p = detmath_fma(r, p, 0x1.ebfbdff82c58ep-3);
    p = detmath_fma(r, p, 0x1.62e42fefa39efp-1);
    return detmath_fma(r, p, 1.0) * detmath_power_of_two(n);
}

/* The whole powers from 10^0 to 10^15 are made exact: they are results or middles between two. */
DETMATH_FUNCTION double detmath_core_exp10(double x) {
    detmath_i64 n;
    double bounded = detmath_core_clamp(x, -90.0, 90.0);
    double k = detmath_core_integer(detmath_fma(bounded, 0x1.a934f0979a371p1, 0x1.8p52), &n);
    double r = detmath_fma(k, -0x1.34413509f78p-2, bounded);
    r = detmath_fma(k, -0x1.fef311f12b358p-46, r);
    double p = detmath_fma(r, 0x1.3a63991fdcfcfp-15, 0x1.f4c949a1513b4p-13);
    p = detmath_fma(r, p, 0x1.2ecadb661f88ap-10);
    p = detmath_fma(r, p, 0x1.489b1c965de38p-8);
    p = detmath_fma(r, p, 0x1.4116a28aa9dacp-6);
    p = detmath_fma(r, p, 0x1.16e4de82a187cp-4);
    p = detmath_fma(r, p, 0x1.a7ed7088f31b5p-3);
    p = detmath_fma(r, p, 0x1.1429ffd23c00fp-1);
    p = detmath_fma(r, p, 0x1.2bd7609fd8f4p0);
    p = detmath_fma(r, p, 0x1.0470591de2af6p1);
    p = detmath_fma(r, p, 0x1.53524c73cea6ap1);
    p = detmath_fma(r, p, 0x1.26bb1bbb55516p1);
    double y = detmath_fma(r, p, 1.0) * detmath_power_of_two(n);
    double bare = detmath_core_clamp(bounded, 0.0, 15.0);
    double whole = (bare + 0x1.8p52) - 0x1.8p52;
    double snapped = (y + 0x1p52) - 0x1p52;
    return whole == bounded ? snapped : y;
}

DETMATH_FUNCTION double detmath_core_expm1(double x) {
    detmath_i64 n;
    double bounded = detmath_core_clamp(x, -60.0, 200.0);
    double r = detmath_core_exp_reduce(bounded, &n);
    double power = detmath_power_of_two(n);
    double y = detmath_fma(r, detmath_core_exp_slope(r), 1.0 - detmath_power_of_two(-n)) * power;
    return x == 0.0 ? x : y;
}

/* By trial of all 2^32 inputs. */
DETMATH_EXCEPTIONS(exp) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(exp2) = {
    {0x3b429d37u, 0x3f804385u}, {0xbcf3a937u, 0x3f7ac6b1u}, DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(exp10) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(expm1) = {DETMATH_NO_MORE};

DETMATH_CORRECTLY_ROUNDED(exp, 8)
DETMATH_CORRECTLY_ROUNDED(exp2, 8)
DETMATH_CORRECTLY_ROUNDED(exp10, 8)
DETMATH_CORRECTLY_ROUNDED(expm1, 16)

#endif
#endif
