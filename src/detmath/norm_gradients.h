/* Gradients of the norms of a line, for the gradient g of the result: with a = g weight, x^ the normed line and s what it was
 * divided by, with respect to its elements
 *   y[i] = (a[i] - mean of a x^ x^[i]) / s,   of the layer norm less the mean of a, over s, too,
 *   y[i] = (a[i] - sum of a x^ x^[i]) / s of the L2 norm, and a[i] / epsilon where the root is not above epsilon.
 * Those with respect to weights and biases are sums over lines, of g x^ and of g.
 * fp32 arithmetic and fma in pairs, in the order of norms.h: it depends on the number of what is summed alone, and results
 * alone are rounded. Powers of two bring g and the weights to the size of 1, so that nothing overflows on the way: the error
 * is below 0.51 ulp where nothing cancels and the result is a normal number. A line of which an element, g or a weight is
 * infinite or NaN, or all whose x^ are 0 / 0, has a gradient of NaN. To a weight's sum a line that holds an infinity or NaN
 * gives NaN, and so does one whose x^ are 0 / 0; else it is as IEEE 754 has it. A zero is +0. */
#ifndef DETMATH_NORM_GRADIENTS_H
#define DETMATH_NORM_GRADIENTS_H

#include "norms.h"

#include "parts_over.h"

#include "shield.inc"

/* A power of two, which brings numbers of at most this magnitude to below 4, and of which *n is the exponent. */
DETMATH_FUNCTION float detmath_power_to_one(detmath_u32 magnitude, DETMATH_PRIVATE detmath_i32 *n) {
    *n = 127 - (detmath_i32)(magnitude >> 23);
    *n = *n > 126 ? 126 : *n < -126 ? -126 : *n;
    return detmath_from_bits_f32((detmath_u32)(127 + *n) << 23);
}

/* (high + low) 2^n, where the sum is 0, infinite or NaN itself; a zero is +0. */
DETMATH_FUNCTION float detmath_slope_number(struct detmath_parts sum, detmath_i32 n) {
    float number = detmath_parts_rounded(sum.high, sum.low);
    detmath_u32 size = detmath_magnitude_f32(number);
    if (size - 0x00800000u >= DETMATH_INFINITY_BITS - 0x00800000u)
        return size < 0x00800000u ? 0.0f : detmath_canonicalf(number);
    return detmath_scale_f32(number, n);
}

/* What brings g and weights to the size of 1. */
struct detmath_slope_scales {
    float of_g, of_weight;
    detmath_i32 n; /* of their product the exponent */
};

/* a, scaled, and x^ of an element; no weight is the weight 1. */
DETMATH_INLINED struct detmath_parts
detmath_norm_slope_of(const struct detmath_norm_line *line, struct detmath_slope_scales scales,
                      float x, float g, float weight, int has_weight, int centred,
                      DETMATH_PRIVATE struct detmath_parts *normed) {
    struct detmath_parts d = detmath_parts_of(detmath_exact_productf(x, line->scale)),
                         a = detmath_parts_of(detmath_productf(g, scales.of_g));
    if (centred)
        d = detmath_norm_deviation(d.high, line->mean);
    *normed = detmath_parts_product(d, line->root);
    if (has_weight) {
        float scaled = detmath_productf(weight, scales.of_weight), by = a.high;
        a.high = detmath_productf(by, scaled);
        a.low = detmath_fmaf(by, scaled, -a.high);
    }
    return a;
}

/* What a block of n <= 1024 elements contributes to the sum of a x^; *sum: to that of a. */
DETMATH_INLINED struct detmath_parts
detmath_norm_slopes_block(DETMATH_ARRAY const float *x, DETMATH_ARRAY const float *g,
                          DETMATH_ARRAY const float *weight, detmath_u64 n,
                          const struct detmath_norm_line *line, struct detmath_slope_scales scales,
                          int centred, DETMATH_PRIVATE struct detmath_parts *sum) {
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
                a = detmath_norm_slope_of(line, scales, x[i], g[i], weight ? weight[i] : 1.0f,
                                          weight != 0, centred, &normed);
            detmath_parts_count(&high[l], &low[l], detmath_parts_product(a, normed));
            detmath_parts_count(&of_a[l], &low_of_a[l], a);
        }
    }
    *sum = detmath_parts_fold(of_a, low_of_a);
    return detmath_parts_fold(high, low);
}

/* Whether a line has been divided by epsilon. */
DETMATH_FUNCTION int detmath_norm_is_epsilon(const struct detmath_norm_line *line, detmath_u64 n,
                                             float epsilon, int which) {
    struct detmath_parts least;
    if (which != DETMATH_L2_NORM || epsilon == 0.0f || line->scale == 0.0f)
        return 0;
    least = detmath_norm_root(detmath_parts_of(0.0f), n, line->scale, epsilon, which);
    return line->root.high == least.high && line->root.low == least.low;
}

/* A line of n elements; weight may be 0. y may be x or g. */
DETMATH_INLINED void detmath_norm_gradientf(DETMATH_ARRAY float *y, DETMATH_ARRAY const float *x,
                                            DETMATH_ARRAY const float *g,
                                            DETMATH_ARRAY const float *weight, detmath_u64 n,
                                            float epsilon, int which) {
    struct detmath_parts level[DETMATH_TREE_LEVELS], of_a[DETMATH_TREE_LEVELS], sum, mean, share;
    const int centred = which == DETMATH_LAYER_NORM;
    const detmath_u64 blocks = (n + DETMATH_BLOCK - 1) / DETMATH_BLOCK,
                      shared = which == DETMATH_L2_NORM ? 1 : n;
    if (n == 0)
        return;
    const struct detmath_norm_line line = detmath_norm_line_of(x, n, epsilon, which);
    const int is_apart = detmath_norm_is_epsilon(&line, n, epsilon, which);
    const detmath_u32 of_g = detmath_largest_magnitudef(g, n),
                      of_weight = weight ? detmath_largest_magnitudef(weight, n) : 0x3f800000u;
    const int is_bad = line.scale == 0.0f || line.root.high - line.root.high != 0.0f ||
                       of_g >= DETMATH_INFINITY_BITS || of_weight >= DETMATH_INFINITY_BITS;
    detmath_i32 n_g, n_weight;
    struct detmath_slope_scales scales;
    scales.of_g = detmath_power_to_one(of_g, &n_g);
    scales.of_weight = detmath_power_to_one(of_weight, &n_weight);
    scales.n = n_g + n_weight;
    const detmath_i32 shift = (detmath_i32)(detmath_bits_f32(line.scale) >> 23) - 127 - scales.n;
    level[0] = of_a[0] = detmath_parts_of(0.0f);
    for (detmath_u64 i = 0; i < blocks && !is_bad; i++) {
        const detmath_u64 from = i * DETMATH_BLOCK,
                          there = detmath_at_most(n - from, DETMATH_BLOCK);
        detmath_parts_tree_add(level, i,
                               detmath_norm_slopes_block(x + from, g + from,
                                                         weight ? weight + from : 0, there, &line,
                                                         scales, centred, &sum));
        detmath_parts_tree_add(of_a, i, sum);
    }
    share = mean = detmath_parts_of(0.0f);
    if (!is_bad && !is_apart)
        share = detmath_parts_by_count(detmath_parts_tree_total(level, blocks), shared);
    if (!is_bad && centred)
        mean = detmath_parts_by_count(detmath_parts_tree_total(of_a, blocks), n);
    for (detmath_u64 i = 0; i < n; i++) {
        struct detmath_parts normed,
            slope = detmath_norm_slope_of(&line, scales, x[i], g[i], weight ? weight[i] : 1.0f,
                                          weight != 0, centred, &normed);
        if (centred)
            slope = detmath_parts_plus(slope, detmath_parts_negative(mean));
        slope =
            detmath_parts_plus(slope, detmath_parts_negative(detmath_parts_product(normed, share)));
        slope = detmath_parts_product(slope, line.root);
        y[i] =
            is_bad ? detmath_from_bits_f32(DETMATH_NAN_BITS) : detmath_slope_number(slope, shift);
    }
}

/* The sums for one weight and bias, of the n elements x that have it, and of their g: element i is one of line i / per. */
DETMATH_INLINED float
detmath_norm_weight_gradientf(DETMATH_ARRAY const float *x, DETMATH_ARRAY const float *g,
                              DETMATH_ARRAY const struct detmath_norm_line *lines, detmath_u64 n,
                              detmath_u64 per, int which, DETMATH_PRIVATE float *bias) {
    struct detmath_parts level[DETMATH_TREE_LEVELS], of_g[DETMATH_TREE_LEVELS], sum;
    const detmath_u64 blocks = (n + DETMATH_BLOCK - 1) / DETMATH_BLOCK;
    const detmath_u32 largest = detmath_largest_magnitudef(g, n);
    struct detmath_slope_scales scales;
    scales.of_weight = 1.0f;
    scales.of_g =
        detmath_power_to_one(largest < DETMATH_INFINITY_BITS ? largest : 0x3f800000u, &scales.n);
    level[0] = of_g[0] = detmath_parts_of(0.0f);
    for (detmath_u64 block = 0; block < blocks; block++) {
        float high[DETMATH_LANES], low[DETMATH_LANES], slope[DETMATH_LANES],
            low_slope[DETMATH_LANES];
        const detmath_u64 from = block * DETMATH_BLOCK,
                          there = detmath_at_most(n - from, DETMATH_BLOCK);
        detmath_lanes_clearf(high);
        detmath_lanes_clearf(low);
        detmath_lanes_clearf(slope);
        detmath_lanes_clearf(low_slope);
        for (detmath_u64 i = 0; i < there; i++) {
            const struct detmath_norm_line line = lines[(from + i) / per];
            const int l = (int)(i % DETMATH_LANES);
            struct detmath_parts normed,
                a = detmath_norm_slope_of(&line, scales, x[from + i], g[from + i], 1.0f, 0,
                                          which == DETMATH_LAYER_NORM, &normed);
            if (line.scale == 0.0f || line.root.high - line.root.high != 0.0f)
                normed = detmath_parts_of(detmath_from_bits_f32(DETMATH_NAN_BITS));
            detmath_parts_count(&high[l], &low[l], detmath_parts_product(a, normed));
            detmath_parts_count(&slope[l], &low_slope[l], a);
        }
        detmath_parts_tree_add(level, block, detmath_parts_fold(high, low));
        detmath_parts_tree_add(of_g, block, detmath_parts_fold(slope, low_slope));
    }
    sum = blocks ? detmath_parts_tree_total(of_g, blocks) : of_g[0];
    *bias = detmath_slope_number(sum, -scales.n);
    sum = blocks ? detmath_parts_tree_total(level, blocks) : level[0];
    return detmath_slope_number(sum, -scales.n);
}

#include "shield_end.inc"

#endif
