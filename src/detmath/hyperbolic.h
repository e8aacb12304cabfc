/* sinh, cosh, tanh. Coefficients and their bounds: hyperbolic.sollya.
 *
 * All are computed of |x| = k ln 2 + r (tanh: 2 |x|), and the odd ones get the sign of x. sinh and
 * tanh of -0 are -0, of -inf -inf and -1; cosh(-inf) = inf. The errors are the budgets
 * in functions.inc. */
#ifndef DETMATH_HYPERBOLIC_H
#define DETMATH_HYPERBOLIC_H

#include "core.h"
#include "exp.h"
#include "round.h"

#include "shield.inc"

/* r and its low part, where x = k ln 2 + r + low, for |k| < 2^9. */
DETMATH_FUNCTION float detmath_reduce_ln2(float x, DETMATH_PRIVATE float *low,
                                          DETMATH_PRIVATE detmath_i32 *n) {
    float k = detmath_exp_integer(detmath_fmaf(x, 0x1.715476p0f, 0x1.8p23f), n);
    float exact = detmath_fmaf(k, -0x1.62e4p-1f, x);
    float r = detmath_fmaf(k, -0x1.7f7d1cp-20f, exact);
    *low = detmath_fmaf(k, -0x1.7f7d1cp-20f, exact - r);
    return r;
}

/* y with the sign bit of x, for y > 0. */
DETMATH_FUNCTION float detmath_with_sign(float y, float x) {
    return detmath_from_bits_f32(detmath_bits_f32(y) | (detmath_bits_f32(x) & 0x80000000u));
}

/* even cosh r + odd sinh r, where even is 0 or even >= |odd r|; what is meant of each is its sum
 * with its low part. cosh r - 1 to 2^-28.10 (float_cosh), with r^2 / 2 in two parts; sinh r - r to
 * 2^-24.99 (float_sinh). */
DETMATH_FUNCTION float detmath_hyperbolic_sum(float even, float even_low, float odd, float odd_low,
                                              float r, float low) {
    float halved = detmath_productf(r, 0.5f);
    float square = detmath_productf(r, halved);
    float square_low = detmath_fmaf(r, halved, -square);
    float c = detmath_fmaf(square, 0x1.6d30cep-7f, 0x1.5555p-3f); /* of r^2 / 2 */
    c = detmath_fmaf(detmath_productf(square, square), c, square_low);
    float s = detmath_fmaf(square, 0x1.a35d7ep-10f, 0x1.110f8ap-5f);
    s = detmath_fmaf(square, s, 0x1.555556p-2f);
    s = detmath_fmaf(detmath_productf(square, r), s, low);
    float first = detmath_productf(odd, r);
    float rest = detmath_fmaf(even, c, even_low) + detmath_fmaf(odd, r, -first);
    rest = detmath_fmaf(odd_low, r, detmath_fmaf(odd, s, rest));
    return detmath_exp_sum(even, first, detmath_fmaf(even, square, rest));
}

/* e^|x| / 2 = 2^(k - 1) (cosh r + sinh r), e^-|x| / 2 = 2^(-k - 1) (cosh r - sinh r). */
DETMATH_FUNCTION float detmath_hyperbolic(float x, int is_cosh) {
    detmath_i32 n;
    float low,
        bounded = detmath_clamp(detmath_from_bits_f32(detmath_magnitude_f32(x)), 0.0f, 89.5f);
    float r = detmath_reduce_ln2(bounded, &low, &n);
    detmath_u32 k = (detmath_u32)n, few = n > 60 ? 60u : k; /* 2^-120 is as good as nothing */
    float power = detmath_from_bits_f32((128u - 2u * few) << 23);
    float sum = 2.0f + power, difference = 2.0f - power;
    float sum_low = (2.0f - sum) + power, difference_low = (2.0f - difference) - power;
    float y = is_cosh ? detmath_hyperbolic_sum(sum, sum_low, difference, difference_low, r, low)
                      : detmath_hyperbolic_sum(difference, difference_low, sum, sum_low, r, low);
    /* k <= 129; the power is at least 2^-2 and y at least the least |x|, so nothing is subnormal.
     */
    return detmath_productf(y, detmath_from_bits_f32((125u + k) << 23));
}

/* sinh x. */
DETMATH_FUNCTION float detmath_sinhf(float x) {
    float y = detmath_with_sign(detmath_hyperbolic(x, 0), x);
    y = detmath_magnitude_f32(x) < 0x39000000u ? x : y; /* x^2 / 6 < 2^-28 */
    return detmath_unless_nan(x, y);
}

/* cosh x. */
DETMATH_FUNCTION float detmath_coshf(float x) {
    return detmath_unless_nan(x, detmath_hyperbolic(x, 1));
}

/* 1 / d to 2^-17, for normal d whose reciprocal is normal: a seed to 2^-4.3 whose error e gets to
 * the fourth power, 1 / (1 - e) being near (1 + e) (1 + e^2). */
DETMATH_FUNCTION float detmath_coarse_reciprocal(float d) {
    float y = detmath_from_bits_f32(0x7ef311c7u - detmath_bits_f32(d));
    float e = detmath_fmaf(-d, y, 1.0f);
    float once = detmath_fmaf(y, e, y);
    return detmath_fmaf(once, detmath_productf(e, e), once);
}

/* (n + n_low) / (d + d_low) as the quotient to 2^-17, and *rest to be added to it. */
DETMATH_FUNCTION float detmath_quotientf(float n, float n_low, float d, float d_low,
                                         DETMATH_PRIVATE float *rest) {
    float reciprocal = detmath_coarse_reciprocal(d);
    float q = detmath_productf(n, reciprocal);
    float remainder = detmath_fmaf(-q, d, n) + detmath_fmaf(-q, d_low, n_low);
    *rest = detmath_productf(remainder, reciprocal);
    return q;
}

/* tanh x = (e^2x - 1) / (e^2x + 1), both divided by 2^k. */
DETMATH_FUNCTION float detmath_tanhf(float x) {
    detmath_i32 n;
    float low, bounded = detmath_clamp(detmath_from_bits_f32(detmath_magnitude_f32(x)), 0.0f, 9.5f);
    float r = detmath_reduce_ln2(bounded + bounded, &low, &n);
    float tail = detmath_exp_tail(r, low);
    float s = r + tail, s_low = (r - s) + tail;
    float power = detmath_from_bits_f32((127u - (detmath_u32)n) << 23);
    float less = 1.0f - power, more = 1.0f + power;
    float less_low = (1.0f - less) - power, more_low = (1.0f - more) + power;
    float over = less + s, under = more + s;
    float over_low = ((less - over) + s) + (s_low + less_low);
    float under_low = ((more - under) + s) + (s_low + more_low);
    float rest, q = detmath_quotientf(over, over_low, under, under_low, &rest);
    float y = detmath_with_sign(q + rest, x);
    y = detmath_magnitude_f32(x) < 0x39000000u ? x : y; /* x^2 / 3 < 2^-27 */
    return detmath_unless_nan(x, y);
}

#if !defined(DETMATH_NO_DOUBLE)

DETMATH_FUNCTION double detmath_core_magnitude(double x) {
    return detmath_from_bits_f64(detmath_bits_f64(x) & 0x7fffffffffffffffu);
}

DETMATH_FUNCTION double detmath_core_with_sign(double y, double x) {
    return detmath_from_bits_f64(detmath_bits_f64(y) | (detmath_bits_f64(x) & 0x8000000000000000u));
}

/* even cosh r + odd sinh r. cosh r - 1 to 2^-64.29 (double_cosh), sinh r - r to 2^-53.99
 * (double_sinh). */
DETMATH_FUNCTION double detmath_core_hyperbolic_sum(double even, double odd, double r) {
    double square = detmath_product(r, r);
    double c = detmath_fma(square, 0x1.1f78ec418c353p-29, 0x1.27e4d813915fap-22);
    c = detmath_fma(square, c, 0x1.a01a01a819ac2p-16);
    c = detmath_fma(square, c, 0x1.6c16c16c15ff9p-10);
    c = detmath_fma(square, c, 0x1.5555555555556p-5);
    c = detmath_product(square, detmath_fma(square, c, 0.5));
    double s = detmath_fma(square, 0x1.ad7ed46c9ed0cp-33, 0x1.ae321d66d18f3p-26);
    s = detmath_fma(square, s, 0x1.71de46620d09bp-19);
    s = detmath_fma(square, s, 0x1.a01a019d920c8p-13);
    s = detmath_fma(square, s, 0x1.111111111148ap-7);
    s = detmath_fma(square, s, 0x1.5555555555555p-3);
    s = detmath_fma(detmath_product(square, r), s, r);
    return even + detmath_fma(odd, s, detmath_product(even, c));
}

DETMATH_FUNCTION double detmath_core_hyperbolic(double x, int is_cosh) {
    detmath_i64 n;
    double bounded = detmath_core_clamp(detmath_core_magnitude(x), 0.0, 200.0);
    double r = detmath_core_exp_reduce(bounded, &n);
    double root = detmath_power_of_two(-n);
    double sum = detmath_fma(root, root, 1.0), difference = detmath_fma(-root, root, 1.0);
    double y = is_cosh ? detmath_core_hyperbolic_sum(sum, difference, r)
                       : detmath_core_hyperbolic_sum(difference, sum, r);
    return detmath_exact_product(y, detmath_power_of_two(n - 1));
}

DETMATH_FUNCTION double detmath_core_sinh(double x) {
    return detmath_core_with_sign(detmath_core_hyperbolic(x, 0), x);
}

DETMATH_FUNCTION double detmath_core_cosh(double x) {
    return detmath_core_hyperbolic(x, 1);
}

DETMATH_FUNCTION double detmath_core_tanh(double x) {
    detmath_i64 n;
    double bounded = detmath_core_clamp(detmath_core_magnitude(x), 0.0, 20.0);
    double r = detmath_core_exp_reduce(bounded + bounded, &n);
    double power = detmath_power_of_two(-n), slope = detmath_core_exp_slope(r);
    double over = detmath_fma(r, slope, 1.0 - power), under = detmath_fma(r, slope, 1.0 + power);
    return detmath_core_with_sign(over / under, x);
}

/* By trial of all 2^32 inputs. */
DETMATH_EXCEPTIONS(sinh) = {
    {0x3a1285ffu, 0x3a1285ffu}, {0xba1285ffu, 0xba1285ffu}, DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(cosh) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(tanh) = {DETMATH_NO_MORE};

DETMATH_NORMALLY_ROUNDED(sinh, magnitude, 0x00800000u, 0x42b20000u, 16)
DETMATH_NORMALLY_ROUNDED(cosh, magnitude, 0x00800000u, 0x42b20000u, 16)
DETMATH_NORMALLY_ROUNDED(tanh, magnitude, 0x00800000u, 0x7f800000u, 16)

#endif

#include "shield_end.inc"

#endif
