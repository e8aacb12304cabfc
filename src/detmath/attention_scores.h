/* What attention and its gradients share: sums of products, scores and their powers, in two parts of fp32 (parts.h). attention.h says
 * what they are, and how far they are off. */
#ifndef DETMATH_ATTENTION_SCORES_H
#define DETMATH_ATTENTION_SCORES_H

#include "exp.h"
#include "parts_over.h"

#include "shield.inc"

/* What all queries of a call share; soft_cap 0: none. */
struct detmath_attention_scoring {
    float scale, soft_cap;
};

/* A query, and keys and values as they lie in memory: element d of key j is keys[d * key_step + j], and element i of its value
 * is values[j * value_step + i]. bias is 0, or has a number for each key; bias_low is 0, or has what each lacks. */
struct detmath_attention_row {
    DETMATH_ARRAY const float *q, *keys, *values, *bias, *bias_low;
    detmath_u64 n, width, key_step, value_width, value_step;
};

/* The score of a key that counts nothing. */
DETMATH_FUNCTION float detmath_attention_none(void) {
    return detmath_from_bits_f32(0xff800000u);
}

/* The least power of two, as its exponent, that is n or more. */
DETMATH_FUNCTION int detmath_attention_levels(detmath_u64 n) {
    int levels = 0;
    while ((detmath_u64)1 << levels < n)
        levels++;
    return levels;
}

/* Two parts with the high one rounded. */
DETMATH_FUNCTION struct detmath_parts detmath_attention_settled(struct detmath_parts total) {
    struct detmath_parts settled;
    settled.high = total.high + total.low;
    settled.low = detmath_sum_restf(total.high, total.low, settled.high);
    return settled;
}

/* The same of what may be infinite or NaN. */
DETMATH_FUNCTION struct detmath_parts detmath_attention_settled_number(struct detmath_parts sum) {
    sum.low = sum.high - sum.high == 0.0f ? sum.low : 0.0f;
    return detmath_attention_settled(sum);
}

/* The anchor of 2^levels products of numbers whose magnitudes have no larger bits than a and b. Beyond the range of exponents it
 * stays within, so that low parts lose bits. */
DETMATH_FUNCTION float detmath_attention_anchor(detmath_u32 a, detmath_u32 b, int levels) {
    int exponent = (int)(a >> 23) + (int)(b >> 23) + levels - 125;
    exponent = exponent < 48 ? 48 : exponent;
    exponent = exponent > 253 ? 253 : exponent;
    return detmath_from_bits_f32((detmath_u32)exponent << 23 | 0x00400000u);
}

/* Adds a b to a sum. */
DETMATH_INLINED void detmath_attention_count(DETMATH_PRIVATE float *high,
                                             DETMATH_PRIVATE float *low, float a, float b) {
    float sum = detmath_fmaf(a, b, *high);
    *low = *low + detmath_fmaf(a, b, *high - sum);
    *high = sum;
}

/* e^(x - m) / 2^*n for x up to m, but for a rounding error; the low part is up to 2^-20, and 2^-25 for x near m. x below m - 105
 * counts as that. The result is off by at most 2^-29 of itself. */
DETMATH_FUNCTION struct detmath_parts detmath_attention_power(struct detmath_parts x, float m,
                                                              DETMATH_PRIVATE detmath_i32 *n) {
    struct detmath_parts power;
    float d = x.high - m, low = detmath_sum_restf(x.high, -m, d) + x.low, sum = d + low, rest;
    int is_there = sum > -105.0f;
    low = is_there ? detmath_sum_restf(d, low, sum) : 0.0f;
    d = is_there ? sum : -105.0f;
    float k = detmath_exp_integer(detmath_fmaf(d, 0x1.715476p0f, 0x1.8p23f), n);
    float exact = detmath_fmaf(k, -0x1.62e4p-1f, d), r = detmath_fmaf(k, -0x1.7f7d1cp-20f, exact);
    float square = detmath_exp_tail_parts(r, &rest), one = 1.0f + r, head = one + square;
    low = low + detmath_fmaf(k, -0x1.7f7d1cp-20f, exact - r);
    rest = rest + (((1.0f - one) + r) + ((one - head) + square));
    power.high = head + rest;
    power.low = detmath_fmaf(low, power.high, (head - power.high) + rest);
    return power;
}

/* Low times 2^n; nothing for n below -57, so that no result is subnormal. */
DETMATH_FUNCTION float detmath_attention_scaled_low(float low, detmath_i32 n) {
    detmath_u32 scale = n > -58 ? (detmath_u32)(127 + n) << 23 : 0u;
    return detmath_productf(low, detmath_from_bits_f32(scale));
}

/* e^(x - m). */
DETMATH_FUNCTION struct detmath_parts detmath_attention_weight(struct detmath_parts x, float m) {
    detmath_i32 n;
    struct detmath_parts w = detmath_attention_power(x, m, &n);
    w.high = detmath_exp_full_scale(w.high, w.high, w.low, n);
    w.low = detmath_attention_scaled_low(w.low, n);
    return w;
}

/* The same, to the bit, for x above m - 80. */
DETMATH_FUNCTION struct detmath_parts detmath_attention_near_weight(struct detmath_parts x,
                                                                    float m) {
    detmath_i32 n;
    struct detmath_parts w = detmath_attention_power(x, m, &n);
    w.high = detmath_from_bits_f32(detmath_bits_f32(w.high) + ((detmath_u32)n << 23));
    w.low = detmath_attention_scaled_low(w.low, n);
    return w;
}

/* 2^32 e^(x - m), whose low part is not lost; 0 for x below m - 104. */
DETMATH_FUNCTION struct detmath_parts detmath_attention_raised_weight(struct detmath_parts x,
                                                                      float m) {
    detmath_i32 n;
    struct detmath_parts w = detmath_attention_power(x, m, &n);
    const float scale =
        detmath_from_bits_f32(x.high - m > -104.0f ? (detmath_u32)(127 + 32 + n) << 23 : 0u);
    w.high = detmath_productf(w.high, scale);
    w.low = detmath_productf(w.low, scale);
    return w;
}

/* c tanh(x / c) of a score x, and *slope, 4 e / (1 + e)^2 with e = e^(-2 |x| / c). The error is at most 2^-27 |x| times the slope, and
 * 2^-43 c beside it, for e is off by 2^-29 of itself, and near 1 by r^3 / 6 2^-24 for r = 2 |x| / c; that of the slope is 2^-28 of
 * itself. */
DETMATH_FUNCTION struct detmath_parts
detmath_attention_capped(struct detmath_parts x, float c, float inverse,
                         DETMATH_PRIVATE struct detmath_parts *slope) {
    const struct detmath_parts one = detmath_parts_of(1.0f);
    struct detmath_parts u, raised, e, under;
    const float sign = x.high < 0.0f ? 1.0f : -1.0f;
    if (x.high != x.high) {
        *slope = x;
        return x;
    }
    u.high = detmath_productf(x.high, inverse);
    u.low = detmath_productf(detmath_fmaf(-u.high, c, x.high) + x.low, inverse);
    u.low = u.high - u.high == 0.0f ? detmath_productf(u.low, 2.0f * sign) : 0.0f;
    u.high = detmath_productf(u.high, 2.0f * sign);
    raised = detmath_attention_raised_weight(u, 0.0f);
    e = detmath_parts_times(raised, 0x1p-32f);
    under = detmath_parts_plus(one, e);
    u = detmath_parts_over(detmath_parts_plus(one, detmath_parts_negative(e)), under);
    raised = detmath_parts_over(detmath_parts_over(raised, under), under);
    *slope = detmath_parts_times(raised, 0x1p-30f);
    return detmath_parts_times(u, -sign * c);
}

/* The score of a sum of products, from whose high part the anchor is taken away, and *slope, that of the soft cap there. */
DETMATH_FUNCTION struct detmath_parts
detmath_attention_score_slope(DETMATH_PRIVATE const struct detmath_attention_scoring *all,
                              float high, float low, float cap_inverse, struct detmath_parts bias,
                              int has_bias, DETMATH_PRIVATE struct detmath_parts *slope) {
    struct detmath_parts s, dot;
    dot.high = high;
    dot.low = low;
    dot = detmath_attention_settled_number(dot);
    s = detmath_parts_times(dot, all->scale);
    *slope = detmath_parts_of(1.0f);
    if (all->soft_cap != 0.0f)
        s = detmath_attention_capped(s, all->soft_cap, cap_inverse, slope);
    if (has_bias) {
        float sum = s.high + bias.high;
        s.low = (s.low + bias.low) + detmath_sum_restf(s.high, bias.high, sum);
        s.high = sum;
    }
    /* Where a rounding error of the score is no small exponent any more; not of NaN and infinities. */
    s.low = s.high > -4096.0f && s.high < 4096.0f ? s.low : 0.0f;
    return s;
}

DETMATH_FUNCTION struct detmath_parts
detmath_attention_score(DETMATH_PRIVATE const struct detmath_attention_scoring *all, float high,
                        float low, float cap_inverse, struct detmath_parts bias, int has_bias) {
    struct detmath_parts slope;
    return detmath_attention_score_slope(all, high, low, cap_inverse, bias, has_bias, &slope);
}

/* ALiBi's bias of a key `distance` places behind the query, exactly up to 2^24 places. */
DETMATH_FUNCTION struct detmath_parts detmath_attention_alibi(float slope, detmath_i64 distance) {
    return detmath_parts_times(detmath_parts_of(slope), (float)distance);
}

/* What the score with key j has added. */
DETMATH_FUNCTION struct detmath_parts
detmath_attention_bias(DETMATH_PRIVATE const struct detmath_attention_row *row, detmath_u64 j) {
    struct detmath_parts bias;
    bias.high = row->bias ? row->bias[j] : 0.0f;
    bias.low = row->bias_low ? row->bias_low[j] : 0.0f;
    return bias;
}

/* x[0] y[0] + ... + x[n-1] y[n-1], where elements of y lie `step` apart. */
DETMATH_FUNCTION struct detmath_parts detmath_attention_products(DETMATH_ARRAY const float *x,
                                                                 DETMATH_ARRAY const float *y,
                                                                 detmath_u64 n, detmath_u64 step) {
    detmath_u32 most_x = 0u, most_y = 0u;
    struct detmath_parts sum = detmath_parts_of(0.0f);
    float anchor;
    for (detmath_u64 i = 0; i < n; i++) {
        detmath_u32 size_x = detmath_magnitude_f32(x[i]),
                    size_y = detmath_magnitude_f32(y[i * step]);
        most_x = size_x > most_x ? size_x : most_x;
        most_y = size_y > most_y ? size_y : most_y;
    }
    sum.high = anchor = detmath_attention_anchor(most_x, most_y, detmath_attention_levels(n));
    for (detmath_u64 i = 0; i < n; i++)
        detmath_attention_count(&sum.high, &sum.low, x[i], y[i * step]);
    sum.high = sum.high - anchor;
    return sum;
}

/* The score with key j. */
DETMATH_FUNCTION struct detmath_parts
detmath_attention_score_of(DETMATH_PRIVATE const struct detmath_attention_scoring *all,
                           DETMATH_PRIVATE const struct detmath_attention_row *row, detmath_u64 j) {
    const struct detmath_parts dot =
        detmath_attention_products(row->q, row->keys + j, row->width, row->key_step);
    return detmath_attention_score(all, dot.high, dot.low,
                                   all->soft_cap != 0.0f ? detmath_recipf(all->soft_cap) : 0.0f,
                                   detmath_attention_bias(row, j), row->bias != 0);
}

#include "shield_end.inc"

#endif
