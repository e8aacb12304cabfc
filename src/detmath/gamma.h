/* tgamma. Coefficients and their bounds: gamma.sollya.
 *
 * gamma(+-0) = +-inf, gamma(inf) = inf; negative integers, which all numbers below -2^23 are, and -inf give NaN.
 *   det  gamma_lanes.inc: rows of polynomials, and farther from 0 Stirling's formula.
 *   cr   x = k + f with the integer k nearest to it, and f exact. 1 / gamma(1 + f) is a polynomial, since that has no pole,
 *        and gamma(x) is 1 / (1 / gamma(1 + f)) times (1 + f) (2 + f) ... (x - 1), or divided by x (x + 1) ... f. All factors
 *        are exact, so that those next to a pole and the results there are no less precise than others. Below -46 all
 *        else is +-0: the next pole is 2^-18 away at least, and 46! > 2^191.
 * The errors are the budgets in functions.inc. */
#ifndef DETMATH_GAMMA_H
#define DETMATH_GAMMA_H

#include "core.h"
#include "exp.h"
#include "gamma_table.h"
#include "inverse_trigonometric.h"
#include "power.h"
#include "root.h"
#include "round.h"

#include "shield.inc"

#include "one_lane.inc"

#include "gamma_lanes.inc"

/* By Stirling's formula, and what is special. |x| < 2^-60 has 1/x, which is less than 2^-60 of it off. */
DETMATH_FUNCTION float detmath_tgamma_beyond(float x) {
    detmath_u32 bits = detmath_bits_f32(x), magnitude = bits & detmath_magnitude_mask();
    detmath_u32 negative = bits >> 31, place;
    float a = detmath_clamp(detmath_from_bits_f32(magnitude), 7.0f, 60.0f), rest;
    float q = detmath_gamma_far(x, a, &place, &rest);
    detmath_u32 sign = detmath_bits_f32(q) & 0x80000000u;
    q = detmath_from_bits_f32(detmath_bits_f32(q) ^ sign);
    rest = detmath_from_bits_f32(detmath_bits_f32(rest) ^ sign);
    float y = q + rest;
    detmath_i32 n = (detmath_i32)((place - 0x49c00000u) & ~7u) / 8;
    detmath_u32 gamma = detmath_bits_f32(detmath_scale_rest_f32(y, (q - y) + rest, n)) | sign;
    gamma = magnitude < 0x21800000u ? detmath_bits_f32(detmath_recip_full(x)) : gamma; /* 2^-60 */
    /* Below -60, where f may be lost, the sign is that of (-1)^floor(x). */
    detmath_u32 limited = magnitude < 0x4b000000u ? magnitude : 0x4b000000u; /* 2^23 */
    detmath_u32 whole = (detmath_u32)(detmath_i32)detmath_from_bits_f32(limited);
    detmath_u32 vanishes = negative & (magnitude > 0x42700000u); /* 60 */
    gamma = vanishes ? ~whole << 31 : gamma;
    detmath_u32 nan = negative & (magnitude != 0) & (detmath_pow_parity(magnitude) != 2u);
    nan |= magnitude > DETMATH_INFINITY_BITS;
    return detmath_from_bits_f32(nan ? DETMATH_NAN_BITS : gamma);
}

/* Both, without a branch. */
DETMATH_FUNCTION float detmath_tgamma_full(float x) {
    detmath_u32 away;
    float near = detmath_tgamma_rows(x, &away);
    return detmath_arc_choose(away < DETMATH_REACH_tgamma_rows ? ~0u : 0u, near,
                              detmath_tgamma_beyond(x));
}

DETMATH_FUNCTION float detmath_tgammaf(float x) {
    detmath_u32 away;
    float y = detmath_tgamma_rows(x, &away);
    return away < DETMATH_REACH_tgamma_rows ? y : detmath_tgamma_beyond(x);
}

#if !defined(DETMATH_NO_DOUBLE)

/* (1 / gamma(1 + f) - 1) / f for |f| <= 1/2: the polynomial gives 1 / gamma(1 + f) to 2^-62.17 (double_gamma). */
DETMATH_FUNCTION double detmath_core_gamma_slope(double f) {
    double p = detmath_fma(f, 0x1.8343d44589d85p-34, 0x1.67a207ca82098p-28);
    p = detmath_fma(f, p, 0x1.4805c8fcaa272p-28);
    p = detmath_fma(f, p, -0x1.b9f554e401e4fp-23);
    p = detmath_fma(f, p, 0x1.304d55570a328p-20);
    p = detmath_fma(f, p, -0x1.4fa923d5e88ecp-20);
    p = detmath_fma(f, p, -0x1.51cf206eb0b5p-16);
    p = detmath_fma(f, p, 0x1.0c8a773364633p-13);
    p = detmath_fma(f, p, -0x1.c364fbf7637dcp-13);
    p = detmath_fma(f, p, -0x1.317112c898d63p-10);
    p = detmath_fma(f, p, 0x1.d919c5267b783p-8);
    p = detmath_fma(f, p, -0x1.3b4af2848ea03p-7);
    p = detmath_fma(f, p, -0x1.59af103c3228p-5);
    p = detmath_fma(f, p, 0x1.5512320b4400dp-3);
    p = detmath_fma(f, p, -0x1.5815e8fa270d1p-5);
    p = detmath_fma(f, p, -0x1.4fcf4026afa2ep-1);
    return detmath_fma(f, p, 0x1.2788cfc6fb619p-1);
}

/* The factors from + start and the next seven, by turns, as far as there are. */
DETMATH_INLINED void detmath_core_gamma_eight(double from, double start, double count,
                                              DETMATH_PRIVATE double *even,
                                              DETMATH_PRIVATE double *odd) {
    for (int j = 0; j < 4; j++) {
        double i = start + (double)(2 * j), next = i + 1.0;
        *even = *even * (i >= count ? 1.0 : from + i);
        *odd = *odd * (next >= count ? 1.0 : from + next);
    }
}

/* Products of up to 47 factors and the quotient err by less than 2^-47 of it. */
DETMATH_FUNCTION double detmath_core_tgamma(double x) {
    detmath_i64 whole;
    double a = detmath_core_clamp(x, -0x1p40, 40.0);
    double k = detmath_core_integer(a + 0x1.8p52, &whole), f = a - k, n = k - 1.0;
    int divides = n < 0.0;
    double count = divides ? -n : n, from = divides ? a : 1.0 + f, even = 1.0, odd = 1.0;
    detmath_core_gamma_eight(from, 0.0, count, &even, &odd);
    detmath_core_gamma_eight(from, 8.0, count, &even, &odd);
    detmath_core_gamma_eight(from, 16.0, count, &even, &odd);
    detmath_core_gamma_eight(from, 24.0, count, &even, &odd);
    detmath_core_gamma_eight(from, 32.0, count, &even, &odd);
    detmath_core_gamma_eight(from, 40.0, count, &even, &odd);
    double product = even * odd, reciprocal = detmath_fma(f, detmath_core_gamma_slope(f), 1.0);
    double above = divides ? 1.0 : product;
    double below = divides ? product * reciprocal : reciprocal; /* factors only */
    double y = above / below;
    detmath_u64 negative = ((detmath_u64)whole - (f < 0.0 ? 1u : 0u)) << 63;
    y = a < -46.0 ? detmath_from_bits_f64(negative) : y;
    int pole = (f == 0.0) & (a < 0.0);
    y = pole ? detmath_from_bits_f64(0x7ff8000000000000u) : y;
    return detmath_from_bits_f64(detmath_bits_f64(y) |
                                 (x == 0.0 ? detmath_bits_f64(x) : 0u)); /* of -0 */
}

/* By trial of all 2^32 inputs. */
DETMATH_EXCEPTIONS(tgamma) = {{0x27de86a9u, 0x57134133u},
                              {0x27e05475u, 0x57121211u},
                              {0x3c7bb570u, 0x42810ec8u},
                              {0x41e886d1u, 0x709989b5u},
                              DETMATH_NO_MORE};

DETMATH_CORRECTLY_ROUNDED(tgamma, 64)

#endif

#include "shield_end.inc"

#endif
