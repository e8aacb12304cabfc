/* The gradient of a softmax with respect to its operand x, of n elements, for the gradient g of the result, in fp32 arithmetic
 * and fma, in one written order that depends on n alone. With p the softmax and k the first index of the largest x,
 *   y[i] = p[i] ((g[i] - g[k]) - (sum of p[j] (g[j] - g[k])))
 * so that equal g have no gradient, and a sure p[k] cancels nothing. Each of these has two parts of fp32 (parts.h), and
 * y alone is rounded: where y is a normal number, p is 2^-100 or more and g lie within 2^100 of each other, the error is at
 * most 0.5 ulp and, beside that, 2^-28 p[i] (|g[i] - g[k]| + the sum of p[j] |g[j] - g[k]|), which is 0.57 ulp where the
 * differences do not cancel, and many ulps where they do. The sum has the order of norms.h.
 *
 * A line of which an element is NaN or +inf, all are -inf, or a g is infinite or NaN, is NaN; an element that is -inf has the
 * gradient +0. */
#ifndef DETMATH_SOFTMAX_GRADIENT_H
#define DETMATH_SOFTMAX_GRADIENT_H

#include "cross_entropy.h"

#include "shield.inc"

/* What a block of n <= 1024 elements contributes to the sum of 2^64 e^(x[j] - m) times 1, and *slopes: times
 * g[j] f - first. */
DETMATH_INLINED struct detmath_parts
detmath_softmax_block(DETMATH_ARRAY const float *x, DETMATH_ARRAY const float *g, detmath_u64 n,
                      const struct detmath_scores *scores, float f, float first,
                      DETMATH_PRIVATE struct detmath_parts *slopes) {
    float high[DETMATH_LANES], low[DETMATH_LANES], of_g[DETMATH_LANES], low_of_g[DETMATH_LANES];
    detmath_lanes_clearf(high);
    detmath_lanes_clearf(low);
    detmath_lanes_clearf(of_g);
    detmath_lanes_clearf(low_of_g);
    for (detmath_u64 at = 0; at < n; at += DETMATH_LANES) {
        int there = (int)detmath_at_most(n - at, DETMATH_LANES);
        for (int l = 0; l < there; l++) {
            const detmath_u64 i = at + (detmath_u64)l;
            struct detmath_parts power = detmath_score_power(
                detmath_score_below(x[i], scores->most, scores->scale), scores->scale);
            detmath_parts_count(&high[l], &low[l], power);
            detmath_parts_count(
                &of_g[l], &low_of_g[l],
                detmath_parts_product(power,
                                      detmath_parts_difference(detmath_productf(g[i], f), first)));
        }
    }
    *slopes = detmath_parts_fold(of_g, low_of_g);
    return detmath_parts_fold(high, low);
}

/* A line of n elements. y may be x or g. */
DETMATH_INLINED void detmath_softmax_gradientf(DETMATH_ARRAY float *y, DETMATH_ARRAY const float *x,
                                               DETMATH_ARRAY const float *g, detmath_u64 n) {
    struct detmath_parts powers[DETMATH_TREE_LEVELS], slopes[DETMATH_TREE_LEVELS], share, whole;
    const struct detmath_scores scores = detmath_scores_of(x, n);
    const detmath_u32 largest = detmath_largest_magnitudef(g, n);
    const int is_bad = scores.is_bad || largest >= DETMATH_INFINITY_BITS;
    const detmath_u64 blocks = (n + DETMATH_BLOCK - 1) / DETMATH_BLOCK;
    /* f brings the largest g to 2^30, so that no sum overflows */
    const detmath_i32 up = 29 + 127 - (detmath_i32)(largest >> 23);
    const detmath_i32 few = up > 126 ? 126 : up;
    const float f = detmath_from_bits_f32((detmath_u32)(127 + few) << 23);
    float first = 0.0f;
    for (detmath_u64 i = n; i-- > 0 && !is_bad;)
        first = x[i] == scores.most ? detmath_productf(g[i], f) : first;
    powers[0] = slopes[0] = detmath_parts_of(0.0f);
    for (detmath_u64 i = 0; i < blocks && !is_bad; i++) {
        const detmath_u64 from = i * DETMATH_BLOCK;
        detmath_parts_tree_add(powers, i,
                               detmath_softmax_block(x + from, g + from,
                                                     detmath_at_most(n - from, DETMATH_BLOCK),
                                                     &scores, f, first, &share));
        detmath_parts_tree_add(slopes, i, share);
    }
    whole = share = detmath_parts_of(1.0f);
    if (!is_bad && blocks) {
        whole = detmath_parts_tree_total(powers, blocks);
        whole.high = detmath_productf(whole.high, 0x1p-64f);
        whole.low = detmath_productf(whole.low, 0x1p-64f);
        share = detmath_parts_tree_total(slopes, blocks);
        share.high = detmath_productf(share.high, 0x1p-64f);
        share.low = detmath_productf(share.low, 0x1p-64f);
        share = detmath_parts_over(share, whole);
    }
    for (detmath_u64 i = 0; i < n; i++) {
        struct detmath_parts power = detmath_score_power(
                                 detmath_score_below(x[i], scores.most, scores.scale),
                                 scores.scale),
                             slope = detmath_parts_difference(detmath_productf(g[i], f), first);
        const int is_lost = detmath_bits_f32(x[i]) == 0xff800000u;
        slope = detmath_parts_plus(slope, detmath_parts_negative(share));
        const detmath_u32 sign = detmath_bits_f32(slope.high + 0.0f) & 0x80000000u;
        slope = detmath_parts_product(detmath_parts_over(power, whole), slope);
        float sum = slope.high + slope.low;
        y[i] = is_bad        ? detmath_from_bits_f32(DETMATH_NAN_BITS)
               : is_lost     ? 0.0f
               : sum == 0.0f ? detmath_from_bits_f32(sign) /* of a share below 2^-173 */
                             : detmath_scale_f32(sum, -64 - few);
    }
}

#include "shield_end.inc"

#endif
