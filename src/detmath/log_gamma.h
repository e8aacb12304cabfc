/* lgamma: ln|gamma|. Constants and bounds: log_gamma.sollya; the zeros: log_gamma_table.h. det goes by log_gamma_lanes.inc.
 * What that leaves is here: negative integers, what lies next to them from -7 1/4 to -10, and what is tiny or huge.
 *
 * |x| < 15.5 goes by 1 / gamma(x), as cr's tgamma: x = k + f, and 1 / gamma(1 + f) is a polynomial, divided or multiplied
 * by factors that are exact. lgamma(x) = -ln|1 / gamma(x)|. Where that is next to 1, so that lgamma has a zero, the number
 * that counts is u = |1 / gamma(x)| - 1, of which the logarithm loses nothing:
 *   around 1  u = h, h = 1 / gamma(1 + f) - 1 being f times a polynomial (cr alone);
 *   around 2  u = (h - f) / (1 + f), both sums being exact but for the parts of h (cr alone);
 *   around the zeros from -2 to -10, two next to each integer but -2, u is a power series of the distance d from the zero,
 *   which is in two parts. 1 / gamma is an entire function, so that the series is as good next to a pole of lgamma.
 * The other zeros lie within 1/10! < 2^-21 of a negative integer, and x, a multiple of 2^-20 there, next to none of them.
 * What 1 / gamma errs by, over |u|, is what lgamma errs by around a zero, relative to itself:
 *   det  1 / gamma errs by 2^-28 at most. Series serve for |u| up to 0.1 or more. Beyond, what it errs by is less than
 *        half an ulp of the result, to which a logarithm's 0.6 ulp is added at worst. What is found of all inputs is the
 *        budget.
 *   cr   16 products and the polynomial err by 20 roundings at most, below 2^-48.6. Series serve for |u| up to 2^-9 or
 *        more; beyond, that is below 2^-39.5 of the result, and the window is 2^-38. What is within the window is right
 *        by the trial of all inputs (DETMATH_EXCEPTIONS).
 *
 * From a = |x| = 15.5 on, Stirling's formula gives
 *   lgamma(a) = (a - 1/2) (ln a - 1) + (ln(2 pi) - 1) / 2 + t, t = 1/(12 a) - 1/(360 a^3) + 1/(1260 a^5) - ...,
 * where t errs by less than the first term left out. Left of 0, by the reflection, a = k + f and s = |sin(pi f) / pi|:
 *   -lgamma(-a) = lgamma(a) + ln(a s) = (a + 1/2) (ln a - 1) + (ln(2 pi) + 1) / 2 + t + ln s.
 * No result is below 15 there: nothing cancels. ln a - 1 and its product with a have two parts.
 *
 * lgamma of 1 and 2 is +0, of zeros, negative integers and infinities inf. The errors are the budgets in functions.inc. */
#ifndef DETMATH_LOG_GAMMA_H
#define DETMATH_LOG_GAMMA_H

#include "core.h"
#include "exp.h"
#include "gamma.h"
#include "inverse_trigonometric.h"
#include "log.h"
#include "log_gamma_table.h"
#include "parts.h"
#include "round.h"

#include "shield.inc"

#include "one_lane.inc"

#include "log_gamma_lanes.inc"

/* 1 / gamma(1 + f) - 1 for |f| <= 1/2, in two parts: the first terms in two parts each. The polynomial
 * gives 1 / gamma(1 + f) to 2^-33.37 (float_gamma). */
DETMATH_FUNCTION struct detmath_parts detmath_gamma_reciprocal_less_1(float f) {
    float p = detmath_fmaf(f, 0x1.0b4436p-13f, -0x1.d98f98p-13f);
    p = detmath_fmaf(f, p, -0x1.316c44p-10f);
    p = detmath_fmaf(f, p, 0x1.d938a2p-8f);
    p = detmath_fmaf(f, p, -0x1.3b4afp-7f);
    p = detmath_fmaf(f, p, -0x1.59af4ep-5f);
    p = detmath_fmaf(f, p, 0x1.551232p-3f);
    p = detmath_fmaf(f, p, -0x1.5815e8p-5f);
    float t = detmath_productf(f, p);
    float v = -0x1.4fcf4p-1f + t;
    float v_low = ((-0x1.4fcf4p-1f - v) + t) + -0x1.357d16p-28f;
    float g = detmath_productf(f, v);
    float g_low = detmath_fmaf(f, v_low, detmath_fmaf(f, v, -g));
    float w = 0x1.2788dp-1f + g;
    float w_low = ((0x1.2788dp-1f - w) + g) + (g_low + -0x1.c824f4p-28f);
    struct detmath_parts h = {detmath_productf(f, w), 0.0f};
    h.low = detmath_fmaf(f, w_low, detmath_fmaf(f, w, -h.high));
    return h;
}

/* 1 + h. */
DETMATH_FUNCTION struct detmath_parts detmath_gamma_more_by_1(struct detmath_parts h) {
    struct detmath_parts sum = {1.0f + h.high, 0.0f};
    sum.low = ((1.0f - sum.high) + h.high) + h.low;
    return sum;
}

/* a |t|, but a where t is beyond those factors. */
DETMATH_FUNCTION struct detmath_parts detmath_gamma_times(struct detmath_parts a, float t,
                                                          detmath_u32 beyond) {
    t = detmath_from_bits_f32(beyond ? 0x3f800000u : detmath_magnitude_f32(t));
    struct detmath_parts product = {detmath_productf(a.high, t), 0.0f};
    product.low = detmath_fmaf(a.low, t, detmath_fmaf(a.high, t, -product.high));
    return product;
}

/* from + start and the next seven, by turns. There are 16 factors at most. */
DETMATH_INLINED void detmath_gamma_eight(float from, float start, float count,
                                         DETMATH_PRIVATE struct detmath_parts *even,
                                         DETMATH_PRIVATE struct detmath_parts *odd) {
    for (int j = 0; j < 4; j++) {
        float i = start + (float)(2 * j), next = i + 1.0f;
        *even = detmath_gamma_times(*even, from + i, i >= count);
        *odd = detmath_gamma_times(*odd, from + next, next >= count);
    }
}

/* |1 / gamma(x)|, or that less 1 where *less_1, for -15.5 < x < 0. */
DETMATH_INLINED struct detmath_parts detmath_log_gamma_near(float x,
                                                            DETMATH_PRIVATE detmath_u32 *less_1) {
    detmath_i32 whole;
    float k = detmath_exp_integer(x + 0x1.8p23f, &whole), f = x - k, count = 1.0f - k;
    struct detmath_parts even = detmath_parts_of(1.0f), odd = even;
    detmath_gamma_eight(x, 0.0f, count, &even, &odd);
    detmath_gamma_eight(x, 8.0f, count, &even, &odd);
    struct detmath_parts product = detmath_parts_product(even, odd);
    struct detmath_parts reciprocal = detmath_gamma_more_by_1(detmath_gamma_reciprocal_less_1(f));
    struct detmath_parts both = detmath_parts_product(product, reciprocal);
    detmath_u32 within;
    struct detmath_parts u;
    u.high = detmath_log_gamma_series(x, &u.low, &within);
    *less_1 = k <= -2.0f ? within : 0u;
    both.high = detmath_arc_choose(*less_1, u.high, both.high);
    both.low = detmath_arc_choose(*less_1, u.low, both.low);
    return both;
}

/* ln|q|, or ln(1 + q) where less_1, as base + high + low; q 2^-up for q. */
struct detmath_log_gamma_sum {
    float base, high, low;
};

DETMATH_FUNCTION struct detmath_log_gamma_sum
detmath_log_gamma_log(struct detmath_parts q, detmath_u32 less_1, detmath_i32 up) {
    detmath_i32 n;
    detmath_u32 bits = detmath_bits_f32(q.high), sign = bits & 0x80000000u;
    float f = detmath_log_reduce(bits ^ sign, &n);
    float low = detmath_from_bits_f32(detmath_bits_f32(q.low) ^ sign);
    low = detmath_productf(low, detmath_from_bits_f32((detmath_u32)(127 - n) << 23));
    float sum = f + low;
    low = (f - sum) + low;
    sum = detmath_arc_choose(less_1, q.high, sum);
    low = detmath_arc_choose(less_1, q.low, low);
    float k = detmath_arc_choose(less_1, 0.0f, (float)(n - up));
    struct detmath_log_gamma_sum y;
    y.high = detmath_log_parts_of(sum, low, &y.low);
    y.base = detmath_productf(k, 0x1.62e4p-1f); /* exact */
    y.low = detmath_fmaf(k, 0x1.7f7d1cp-20f, y.low);
    return y;
}

/* sin(pi f) / pi for 0 <= f <= 1/2 to 2^-27.23 (float_sinc). */
DETMATH_FUNCTION float detmath_log_gamma_sine(float f) {
    float z = detmath_productf(f, f);
    float p = detmath_fmaf(z, 0x1.950198p-6f, -0x1.8607dp-3f);
    p = detmath_fmaf(z, p, 0x1.9f993cp-1f);
    p = detmath_fmaf(z, p, -0x1.a51a5ap0f);
    return detmath_fmaf(detmath_productf(f, z), p, f);
}

/* Stirling's formula for a >= 15.5, or the reflection of it and ln s. */
DETMATH_FUNCTION float detmath_log_gamma_far(float a, detmath_u32 negative,
                                             struct detmath_log_gamma_sum s) {
    detmath_i32 n;
    float f = detmath_log_reduce(detmath_bits_f32(a), &n), k = (float)n;
    float low, high = detmath_log_parts(f, &low);
    float base = detmath_productf(k, 0x1.62e4p-1f) - 1.0f; /* exact */
    float log = base + high;
    float log_low = ((base - log) + high) + detmath_fmaf(k, 0x1.7f7d1cp-20f, low);
    /* Halves, since a (ln a - 1) overflows before lgamma does; ln a - 1 itself is log + log_low. */
    float halved = detmath_productf(a, 0.5f), product = detmath_productf(halved, log);
    float rest = detmath_fmaf(halved, log_low, detmath_fmaf(halved, log, -product));
    float by = negative ? 0.25f : -0.25f, more = detmath_productf(log, by);
    float sum = product + more;
    rest += (product - sum) + more;
    float s_sum = s.base + s.high, s_low = ((s.base - s_sum) + s.high) + s.low;
    s_sum = detmath_productf(s_sum, 0.5f);
    float total = sum + s_sum;
    rest += (sum - total) + s_sum;
    float w = detmath_arc_reciprocal(a);
    float t = detmath_fmaf(detmath_productf(w, w), -0x1.6c16c2p-9f, 0x1.555556p-4f);
    t = detmath_fmaf(w, t, negative ? 0x1.6b3f8ep0f : 0x1.acfe3ap-2f);
    rest += detmath_productf(t, 0.5f) + detmath_fmaf(log_low, by, detmath_productf(s_low, 0.5f));
    float y = detmath_productf(total + rest, 2.0f);
    return negative ? -y : y;
}

/* What the steps leave. |x| < 2^-28 has -ln|x|, which is less than 2^-28 off. */
DETMATH_FUNCTION float detmath_lgamma_beyond(float x) {
    detmath_u32 bits = detmath_bits_f32(x), magnitude = bits & detmath_magnitude_mask();
    detmath_u32 negative = bits >> 31, far = magnitude >= 0x41780000u ? ~0u : 0u; /* 15.5 */
    detmath_u32 tiny = magnitude < 0x31800000u ? ~0u : 0u, less_1;
    struct detmath_parts q = detmath_log_gamma_near(x, &less_1); /* far: any numbers */
    detmath_u32 pole = negative & (q.high == 0.0f) & ~(less_1 | far | tiny);
    detmath_i32 up;
    detmath_u32 normal = detmath_normalized_f32(magnitude, &up);
    q.high = detmath_arc_choose(tiny, detmath_from_bits_f32(normal), q.high);
    q.low = detmath_arc_choose(tiny | far, 0.0f, q.low);

    /* Where x is far right, s = 1. */
    float a = detmath_clamp(detmath_from_bits_f32(magnitude), 15.5f, 0x1.895f1ap121f);
    float bounded = a < 0x1p23f ? a : 0x1p23f;
    float k = (bounded + 0x1p23f) - 0x1p23f;
    float f = detmath_from_bits_f32(detmath_magnitude_f32(bounded - k));
    float s = negative ? detmath_log_gamma_sine(f) : 1.0f;
    q.high = detmath_arc_choose(far, s, q.high);
    pole |= far & negative & (f == 0.0f);
    struct detmath_log_gamma_sum log = detmath_log_gamma_log(q, less_1 & ~far, tiny ? up : 0);
    float y = detmath_arc_choose(far, detmath_log_gamma_far(a, negative, log),
                                 0.0f - detmath_log_sum(log.base, log.high, log.low));

    pole |= magnitude == 0u;
    pole |= magnitude > (negative ? 0x4b000000u : detmath_bits_f32(0x1.895f1ap121f)); /* 2^23 */
    detmath_u32 result = pole ? DETMATH_INFINITY_BITS : detmath_bits_f32(y);
    return detmath_unless_nan(x, detmath_from_bits_f32(result));
}

/* All of them. */
DETMATH_FUNCTION float detmath_lgamma_full(float x) {
    detmath_u32 away;
    float y = detmath_lgamma_steps(x, &away);
    return detmath_arc_choose(away < DETMATH_REACH_lgamma ? ~0u : 0u, y, detmath_lgamma_beyond(x));
}

DETMATH_FUNCTION float detmath_lgammaf(float x) {
    detmath_u32 away;
    float y = detmath_lgamma_rows(x, &away);
    if (away < DETMATH_REACH_lgamma_rows)
        return y;
    y = detmath_lgamma_steps(x, &away);
    return away < DETMATH_REACH_lgamma ? y : detmath_lgamma_beyond(x);
}

#if !defined(DETMATH_NO_DOUBLE)

/* The row of the zero next to x = k + f, for -10 <= k <= -2; for others some row, of a zero that is far. */
DETMATH_FUNCTION detmath_u32 detmath_log_gamma_row_of(detmath_u32 k, detmath_u32 above) {
    return (0u - 2u * k - above - 4u) & 15u;
}

/* u by the series of a row, to 2^-53.68 (double_zeros), where x is within its reach; else *beyond. */
DETMATH_FUNCTION double detmath_core_log_gamma_series(double x, detmath_u32 row,
                                                      DETMATH_PRIVATE int *beyond) {
    double d =
        (x - detmath_core_log_gamma_table[row].zero) - detmath_core_log_gamma_table[row].zero_low;
    *beyond = !(detmath_core_absolute(d) <= detmath_core_log_gamma_table[row].reach);
    double p = detmath_fma(d, detmath_core_log_gamma_table[row].seventh,
                           detmath_core_log_gamma_table[row].sixth);
    p = detmath_fma(d, p, detmath_core_log_gamma_table[row].fifth);
    p = detmath_fma(d, p, detmath_core_log_gamma_table[row].fourth);
    p = detmath_fma(d, p, detmath_core_log_gamma_table[row].third);
    p = detmath_fma(d, p, detmath_core_log_gamma_table[row].second);
    p = detmath_fma(d, p, detmath_core_log_gamma_table[row].slope);
    return detmath_product(d, p);
}

/* |1 / gamma(x)| as sum + *lost, for |x| < 15.5: what is lost counts next to 1 only. */
DETMATH_INLINED double detmath_core_log_gamma_near(double x, DETMATH_PRIVATE double *lost) {
    detmath_i64 whole;
    double k = detmath_core_integer(x + 0x1.8p52, &whole), f = x - k, n = k - 1.0;
    int multiplies = n < 0.0, beyond;
    double count = multiplies ? -n : n, from = multiplies ? x : 1.0 + f, even = 1.0, odd = 1.0;
    detmath_core_gamma_eight(from, 0.0, count, &even, &odd);
    detmath_core_gamma_eight(from, 8.0, count, &even, &odd);
    double product = even * odd, slope = detmath_core_gamma_slope(f);
    double reciprocal = detmath_fma(f, slope, 1.0);
    double above = multiplies ? product * reciprocal : reciprocal; /* factors only */
    double below = multiplies ? 1.0 : product, magnitude = detmath_core_absolute(above / below);
    detmath_u32 row = detmath_log_gamma_row_of((detmath_u32)whole, f > 0.0);
    double u = detmath_core_log_gamma_series(x, row, &beyond);
    u = k == 1.0 ? detmath_product(f, slope) : u;
    u = k == 2.0 ? detmath_product(f, slope - 1.0) / (1.0 + f) : u;
    int less_1 = (k == 1.0) | (k == 2.0) | ((k <= -2.0) & !beyond);
    double sum = 1.0 + u;
    *lost = less_1 ? u - (sum - 1.0) : 0.0;
    return less_1 ? sum : magnitude;
}

/* sin(pi f) / pi for |f| <= 1/2 to 2^-61.26 (double_sinc). */
DETMATH_FUNCTION double detmath_core_log_gamma_sine(double f) {
    double z = detmath_product(f, f);
    double p = detmath_fma(z, 0x1.07408898b3723p-22, -0x1.d3e675515065dp-18);
    p = detmath_fma(z, p, 0x1.3746a0f040ac4p-13);
    p = detmath_fma(z, p, -0x1.33816995d46bcp-9);
    p = detmath_fma(z, p, 0x1.ac6805cc82f08p-6);
    p = detmath_fma(z, p, -0x1.86a8e4720a11fp-3);
    p = detmath_fma(z, p, 0x1.9f9cb402bc428p-1);
    p = detmath_fma(z, p, -0x1.a51a6625307d3p0);
    return detmath_fma(detmath_product(f, z), p, f);
}

/* As in fp32. The logarithm of a, which has 24 bits, errs by 2^-55 with the row's number, and Stirling's series by less
 * than 2^-58. */
DETMATH_FUNCTION double detmath_core_log_gamma_far(double a, int negative, double log_of_s) {
    double k, r, low;
    detmath_u64 row = detmath_core_log_reduce(a, &k, &r);
    double base = detmath_product(k, 0x1.62e42fefa38p-1); /* exact */
    double start = base + detmath_log_table[row].ln;
    low = (base - start) + detmath_log_table[row].ln;
    double sum = start + r;
    low += (start - sum) + r;
    low += detmath_fma(detmath_product(r, r), detmath_core_log_bend(r),
                       detmath_product(k, 0x1.ef35793c7673p-45));
    double log = sum + low;
    low = (sum - log) + low;
    double less = log - 1.0; /* exact */
    double product = detmath_product(a, less);
    double rest = detmath_fma(a, low, detmath_fma(a, less, -product));
    double by = negative ? 0.5 : -0.5, w = 1.0 / a, z = detmath_product(w, w);
    double t = detmath_fma(z, -0x1.f6ab0d9993c7dp-10, 0x1.b951e2b18ff23p-11);
    t = detmath_fma(z, t, -0x1.3813813813814p-11);
    t = detmath_fma(z, t, 0x1.a01a01a01a01ap-11);
    t = detmath_fma(z, t, -0x1.6c16c16c16c17p-9);
    t = detmath_fma(z, t, 0x1.5555555555555p-4);
    t = detmath_fma(w, t, negative ? 0x1.6b3f8e4325f5ap0 : 0x1.acfe390c97d69p-2);
    t = detmath_fma(less, by, t);
    sum = product + log_of_s;
    rest += (product - sum) + log_of_s;
    double y = sum + (t + rest);
    return negative ? -y : y;
}

DETMATH_FUNCTION double detmath_core_lgamma(double x) {
    double a = detmath_core_absolute(x), lost, n, r;
    int far = a >= 15.5, negative = x < 0.0;
    double q = detmath_core_log_gamma_near(x, &lost); /* far: any numbers */
    double f = a - ((a + 0x1p52) - 0x1p52);
    double s = negative ? detmath_core_absolute(detmath_core_log_gamma_sine(f)) : 1.0;
    q = far ? s : q;
    lost = far ? 0.0 : lost;
    detmath_u64 row = detmath_core_log_reduce_sum(q, lost, &n, &r);
    double log = detmath_core_log_at(row, n, r), y = 0.0 - log;
    y = far ? detmath_core_log_gamma_far(detmath_core_clamp(a, 15.5, 0x1p130), negative, log) : y;
    y = a <= 0x1p130 ? y : a;
    return far & negative & ((f == 0.0) | !(a < 0x1p52))
               ? detmath_from_bits_f64(0x7ff0000000000000u)
               : y;
}

/* By trial of all 2^32 inputs. */
DETMATH_EXCEPTIONS(lgamma) = {
    {0x3b7c53aau, 0x40b1d661u}, {0xb0d6f2cau, 0x41a23559u}, DETMATH_NO_MORE};

DETMATH_CORRECTLY_ROUNDED(lgamma, 16384)

#endif

#include "shield_end.inc"

#endif
