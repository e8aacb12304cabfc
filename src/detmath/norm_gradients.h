/* Gradients of the root mean square norm and the layer norm of a line, with respect to its elements, for the gradient g of the
 * result: with a = g weight, x^ the normed line and s what it was divided by,
 *   y[i] = (a[i] - mean of a x^ x^[i]) / s,   and of the layer norm less the mean of a, over s, too.
 * fp32 arithmetic and fma in pairs, in the order of norms.h: it depends on the line's length alone, and y alone is rounded.
 * The error is below 0.51 ulp where nothing cancels. A line of which an element, g or a weight is infinite or NaN, or all
 * whose x^ are 0 / 0, is NaN. */
#ifndef DETMATH_NORM_GRADIENTS_H
#define DETMATH_NORM_GRADIENTS_H

#include "norms.h"

#include "parts_over.h"

#include "shield.inc"

/* a and x^ of an element; no weight is the weight 1. */
DETMATH_INLINED struct detmath_parts
detmath_norm_slope_of(const struct detmath_norm_line *line, float x, float g, float weight,
                      int has_weight, int centred, DETMATH_PRIVATE struct detmath_parts *normed) {
    struct detmath_parts d = detmath_parts_of(detmath_exact_productf(x, line->scale)),
                         a = detmath_parts_of(g);
    if (centred)
        d = detmath_norm_deviation(d.high, line->mean);
    *normed = detmath_parts_product(d, line->root);
    if (has_weight) {
        a.high = detmath_productf(g, weight);
        a.low = detmath_fmaf(g, weight, -a.high);
    }
    return a;
}

/* What a block of n <= 1024 elements contributes to the sum of a x^; *sum: to that of a. */
DETMATH_INLINED struct detmath_parts
detmath_norm_slopes_block(DETMATH_ARRAY const float *x, DETMATH_ARRAY const float *g,
                          DETMATH_ARRAY const float *weight, detmath_u64 n,
                          const struct detmath_norm_line *line, int centred,
                          DETMATH_PRIVATE struct detmath_parts *sum) {
    float high[DETMATH_LANES], low[DETMATH_LANES], of_a[DETMATH_LANES], low_of_a[DETMATH_LANES];
    detmath_lanes_clearf(high);
    detmath_lanes_clearf(low);
    detmath_lanes_clearf(of_a);
    detmath_lanes_clearf(low_of_a);
    for (detmath_u64 at = 0; at < n; at += DETMATH_LANES) {
        int there = (int)detmath_at_most(n - at, DETMATH_LANES);
        for (int l = 0; l < there; l++) {
            const detmath_u64 i = at + (detmath_u64)l;
            struct detmath_parts normed,
                a = detmath_norm_slope_of(line, x[i], g[i], weight ? weight[i] : 1.0f, weight != 0,
                                          centred, &normed);
            struct detmath_parts product = detmath_parts_product(a, normed);
            float total = high[l] + product.high;
            low[l] = low[l] + (detmath_sum_restf(high[l], product.high, total) + product.low);
            high[l] = total;
            total = of_a[l] + a.high;
            low_of_a[l] = low_of_a[l] + (detmath_sum_restf(of_a[l], a.high, total) + a.low);
            of_a[l] = total;
        }
    }
    *sum = detmath_parts_fold(of_a, low_of_a);
    return detmath_parts_fold(high, low);
}

/* A line of n elements; weight may be 0. y may be x or g. */
DETMATH_INLINED void detmath_norm_gradientf(DETMATH_ARRAY float *y, DETMATH_ARRAY const float *x,
                                            DETMATH_ARRAY const float *g,
                                            DETMATH_ARRAY const float *weight, detmath_u64 n,
                                            float epsilon, int which) {
    struct detmath_parts level[DETMATH_TREE_LEVELS], of_a[DETMATH_TREE_LEVELS], sum, mean, share;
    const int centred = which == DETMATH_LAYER_NORM;
    const detmath_u64 blocks = (n + DETMATH_BLOCK - 1) / DETMATH_BLOCK;
    if (n == 0)
        return;
    const struct detmath_norm_line line = detmath_norm_line_of(x, n, epsilon, which);
    const int is_bad = line.scale == 0.0f || line.root.high - line.root.high != 0.0f ||
                       detmath_largest_magnitudef(g, n) >= DETMATH_INFINITY_BITS ||
                       (weight && detmath_largest_magnitudef(weight, n) >= DETMATH_INFINITY_BITS);
    level[0] = of_a[0] = detmath_parts_of(0.0f);
    for (detmath_u64 i = 0; i < blocks && !is_bad; i++) {
        const detmath_u64 from = i * DETMATH_BLOCK,
                          there = detmath_at_most(n - from, DETMATH_BLOCK);
        detmath_parts_tree_add(level, i,
                               detmath_norm_slopes_block(x + from, g + from,
                                                         weight ? weight + from : 0, there, &line,
                                                         centred, &sum));
        detmath_parts_tree_add(of_a, i, sum);
    }
    share = mean = detmath_parts_of(0.0f);
    if (!is_bad)
        share = detmath_parts_by_count(detmath_parts_tree_total(level, blocks), n);
    if (!is_bad && centred)
        mean = detmath_parts_by_count(detmath_parts_tree_total(of_a, blocks), n);
    for (detmath_u64 i = 0; i < n; i++) {
        struct detmath_parts normed,
            slope = detmath_norm_slope_of(&line, x[i], g[i], weight ? weight[i] : 1.0f, weight != 0,
                                          centred, &normed);
        if (centred)
            slope = detmath_parts_plus(slope, detmath_parts_negative(mean));
        slope =
            detmath_parts_plus(slope, detmath_parts_negative(detmath_parts_product(normed, share)));
        slope = detmath_parts_product(slope, line.root);
        float high = detmath_productf(slope.high, line.scale);
        float number = detmath_parts_rounded(high, detmath_productf(slope.low, line.scale));
        number = number == 0.0f ? 0.0f : detmath_canonicalf(number);
        y[i] = is_bad ? detmath_from_bits_f32(DETMATH_NAN_BITS) : number;
    }
}

#include "shield_end.inc"

#endif
