/* Gradients of the norms of a line, for the gradient g of the result: with a = g weight, x^ the normed line and s what it was
 * divided by, with respect to its elements
 *   y[i] = (a[i] - mean of a x^ x^[i]) / s,   of the layer norm less the mean of a, over s, too,
 *   y[i] = (a[i] - sum of a x^ x^[i]) / s of the L2 norm, and a[i] / epsilon where the root is not above epsilon.
 * In a layer norm of two elements, and in an RMS norm of one, all cancels but epsilon's part. These are computed as what is
 * left: (a[i] - mean of a) epsilon / s^3, and a[i] epsilon / s^3.
 * Those with respect to weights and biases are sums over lines, of g x^ and of g.
 * fp32 arithmetic and fma in pairs, in the order of norms.h: it depends on the number of what is summed alone, and results
 * alone are rounded. Each number is its significand and its exponent, and sums are over the power of two of their largest
 * term, so that nothing overflows or is lost on the way, whatever the exponents: the error is below 0.51 ulp where a result is
 * 2^-10 or more of what it is added up from, deviations from a mean are 2^-12 or more of the elements, and the result is a
 * normal number. A subnormal result is rounded once more, a sum that is 0 is +0. A line of which an element, g or a weight is
 * infinite or NaN, or all whose x^ are 0 / 0, has a gradient of NaN. To a weight's sum a line that holds an infinity or NaN
 * gives NaN, and so does one whose x^ are 0 / 0; else it is as IEEE 754 has it. */
#ifndef DETMATH_NORM_GRADIENTS_H
#define DETMATH_NORM_GRADIENTS_H

#include "gates.h"

#include "norms.h"

#include "parts_over.h"

#include "shield.inc"

/* 2^n times two parts of about the size of 1; what is 0, infinite or NaN has an n far below all others. */
struct detmath_sized {
    struct detmath_parts parts;
    detmath_i32 n;
};

DETMATH_FUNCTION detmath_i32 detmath_larger_of(detmath_i32 a, detmath_i32 b) {
    return a > b ? a : b;
}

DETMATH_FUNCTION struct detmath_sized detmath_sized_of(struct detmath_parts x) {
    struct detmath_sized y;
    float significand = detmath_significand_of(x.high, &y.n);
    detmath_i32 up = y.n < -126 ? 126 : y.n > 126 ? -126 : -y.n;
    int is_number = detmath_magnitude_f32(x.high) - 1u < DETMATH_INFINITY_BITS - 1u;
    y.parts.high = is_number ? significand : x.high;
    y.parts.low = detmath_productf(x.low, detmath_from_bits_f32((detmath_u32)(127 + up) << 23));
    y.parts.low = is_number ? y.parts.low : 0.0f;
    y.n = is_number ? y.n : -4000;
    return y;
}

DETMATH_FUNCTION struct detmath_sized detmath_sized_product(struct detmath_sized a,
                                                            struct detmath_sized b) {
    a.parts = detmath_parts_product(a.parts, b.parts);
    a.n = a.n + b.n;
    return a;
}

/* x over 2^n, for an n of x's or above; what is below 2^-126 there is 0. */
DETMATH_FUNCTION struct detmath_parts detmath_sized_at(struct detmath_sized x, detmath_i32 n) {
    detmath_i32 down = x.n - n;
    float power =
        detmath_from_bits_f32(down < -126 ? 0u : (detmath_u32)(127 + (down < 0 ? down : 0)) << 23);
    power = x.parts.high - x.parts.high == 0.0f ? power : 1.0f;
    x.parts.high = detmath_productf(x.parts.high, power);
    x.parts.low = detmath_productf(x.parts.low, power);
    return x.parts;
}

/* (high + low) 2^n, where the sum is 0, infinite or NaN itself; a zero is +0. */
DETMATH_FUNCTION float detmath_slope_number(struct detmath_parts sum, detmath_i32 n) {
    float number = detmath_parts_rounded(sum.high, sum.low);
    detmath_u32 size = detmath_magnitude_f32(number);
    if (size - 0x00800000u >= DETMATH_INFINITY_BITS - 0x00800000u)
        return size < 0x00800000u ? 0.0f : detmath_canonicalf(number);
    return detmath_scale_f32(number, n);
}

/* Where a line's x^ come from: root is its own, times its scale. */
struct detmath_slope_line {
    float scale;
    struct detmath_parts mean;
    struct detmath_sized root;
    int centred;
};

DETMATH_FUNCTION struct detmath_slope_line
detmath_slope_line_of(const struct detmath_norm_line *line, int which) {
    struct detmath_slope_line own;
    own.scale = line->scale;
    own.mean = line->mean;
    own.root = detmath_sized_of(line->root);
    own.root.n = own.root.n + (detmath_i32)(detmath_bits_f32(line->scale) >> 23) - 127;
    own.centred = which == DETMATH_LAYER_NORM;
    return own;
}

/* x^ of an element. */
DETMATH_FUNCTION struct detmath_sized detmath_slope_normed(const struct detmath_slope_line *line,
                                                           float x) {
    struct detmath_sized d = detmath_sized_of(detmath_parts_of(x));
    if (line->centred) {
        d = detmath_sized_of(
            detmath_norm_deviation(detmath_exact_productf(x, line->scale), line->mean));
        d.n = d.n - ((detmath_i32)(detmath_bits_f32(line->scale) >> 23) - 127);
    }
    return detmath_sized_product(d, line->root);
}

/* a of an element; no weight is the weight 1. */
DETMATH_FUNCTION struct detmath_sized detmath_slope_weighed(float g, float weight, int has_weight) {
    struct detmath_sized a = detmath_sized_of(detmath_parts_of(g));
    return has_weight ? detmath_sized_product(a, detmath_sized_of(detmath_parts_of(weight))) : a;
}

/* The largest exponent among those of a x^, and *of_a: of a. */
DETMATH_INLINED detmath_i32 detmath_slopes_size(DETMATH_ARRAY const float *x,
                                                DETMATH_ARRAY const float *g,
                                                DETMATH_ARRAY const float *weight, detmath_u64 n,
                                                const struct detmath_slope_line *line,
                                                DETMATH_PRIVATE detmath_i32 *of_a) {
    detmath_i32 size = -8000;
    *of_a = size;
    for (detmath_u64 i = 0; i < n; i++) {
        struct detmath_sized a =
            detmath_slope_weighed(g[i], weight ? weight[i] : 1.0f, weight != 0);
        size = detmath_larger_of(size, a.n + detmath_slope_normed(line, x[i]).n);
        *of_a = detmath_larger_of(*of_a, a.n);
    }
    return size;
}

/* What a block of n <= 1024 elements contributes to the sum of a x^, over 2^size; *sum: to that of a, over 2^size_of_a. */
DETMATH_INLINED struct detmath_parts
detmath_norm_slopes_block(DETMATH_ARRAY const float *x, DETMATH_ARRAY const float *g,
                          DETMATH_ARRAY const float *weight, detmath_u64 n,
                          const struct detmath_slope_line *line, detmath_i32 size,
                          detmath_i32 size_of_a, DETMATH_PRIVATE struct detmath_parts *sum) {
    float high[DETMATH_LANES], low[DETMATH_LANES], of_a[DETMATH_LANES], low_of_a[DETMATH_LANES];
    detmath_lanes_clearf(high);
    detmath_lanes_clearf(low);
    detmath_lanes_clearf(of_a);
    detmath_lanes_clearf(low_of_a);
    for (detmath_u64 at = 0; at < n; at += DETMATH_LANES) {
        int there = (int)detmath_at_most(n - at, DETMATH_LANES);
        for (int l = 0; l < there; l++) {
            const detmath_u64 i = at + (detmath_u64)l;
            struct detmath_sized a =
                detmath_slope_weighed(g[i], weight ? weight[i] : 1.0f, weight != 0);
            struct detmath_sized product =
                detmath_sized_product(a, detmath_slope_normed(line, x[i]));
            detmath_parts_count(&high[l], &low[l], detmath_sized_at(product, size));
            detmath_parts_count(&of_a[l], &low_of_a[l], detmath_sized_at(a, size_of_a));
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

/* A total of blocks, over the count n and times 2^size. */
DETMATH_FUNCTION struct detmath_sized detmath_slope_share(const struct detmath_parts *level,
                                                          detmath_u64 blocks, detmath_u64 n,
                                                          detmath_i32 size) {
    struct detmath_sized share =
        detmath_sized_of(detmath_parts_by_count(detmath_parts_tree_total(level, blocks), n));
    share.n = share.n + size;
    return share;
}

/* a - mean - x^ share, over s. */
DETMATH_FUNCTION float detmath_slope_element(struct detmath_sized a, struct detmath_sized normed,
                                             struct detmath_sized mean, struct detmath_sized share,
                                             const struct detmath_slope_line *line) {
    struct detmath_sized away = detmath_sized_product(normed, share);
    detmath_i32 n = detmath_larger_of(a.n, away.n);
    n = line->centred ? detmath_larger_of(n, mean.n) : n;
    struct detmath_parts slope = detmath_sized_at(a, n);
    if (line->centred)
        slope = detmath_parts_plus(slope, detmath_parts_negative(detmath_sized_at(mean, n)));
    slope = detmath_parts_plus(slope, detmath_parts_negative(detmath_sized_at(away, n)));
    return detmath_slope_number(detmath_parts_product(slope, line->root.parts), n + line->root.n);
}

/* (a - mean) epsilon / s^3 */
DETMATH_FUNCTION float detmath_slope_of_epsilon(struct detmath_sized a, struct detmath_sized mean,
                                                float epsilon,
                                                const struct detmath_slope_line *line) {
    const detmath_i32 n = line->centred ? detmath_larger_of(a.n, mean.n) : a.n;
    struct detmath_parts part = detmath_sized_at(a, n);
    struct detmath_sized slope;
    if (line->centred)
        part = detmath_parts_plus(part, detmath_parts_negative(detmath_sized_at(mean, n)));
    slope = detmath_sized_of(part);
    slope.n = slope.n + n;
    for (int i = 0; i < 3; i++)
        slope = detmath_sized_product(slope, line->root);
    slope = detmath_sized_product(slope, detmath_sized_of(detmath_parts_of(epsilon)));
    return detmath_slope_number(slope.parts, slope.n);
}

/* A line of n elements; weight may be 0. y may be x or g. */
DETMATH_INLINED void detmath_norm_gradientf(DETMATH_ARRAY float *y, DETMATH_ARRAY const float *x,
                                            DETMATH_ARRAY const float *g,
                                            DETMATH_ARRAY const float *weight, detmath_u64 n,
                                            float epsilon, int which) {
    struct detmath_parts level[DETMATH_TREE_LEVELS], of_a[DETMATH_TREE_LEVELS], sum;
    const detmath_u64 blocks = (n + DETMATH_BLOCK - 1) / DETMATH_BLOCK;
    if (n == 0)
        return;
    const struct detmath_norm_line line = detmath_norm_line_of(x, n, epsilon, which);
    const int is_bad = line.scale == 0.0f || line.root.high - line.root.high != 0.0f ||
                       detmath_largest_magnitudef(g, n) >= DETMATH_INFINITY_BITS ||
                       (weight && detmath_largest_magnitudef(weight, n) >= DETMATH_INFINITY_BITS);
    if (is_bad) {
        for (detmath_u64 i = 0; i < n; i++)
            y[i] = detmath_from_bits_f32(DETMATH_NAN_BITS);
        return;
    }
    const struct detmath_slope_line own = detmath_slope_line_of(&line, which);
    detmath_i32 size_of_a;
    const detmath_i32 size = detmath_slopes_size(x, g, weight, n, &own, &size_of_a);
    level[0] = of_a[0] = detmath_parts_of(0.0f);
    for (detmath_u64 i = 0; i < blocks; i++) {
        const detmath_u64 from = i * DETMATH_BLOCK,
                          there = detmath_at_most(n - from, DETMATH_BLOCK);
        detmath_parts_tree_add(level, i,
                               detmath_norm_slopes_block(x + from, g + from,
                                                         weight ? weight + from : 0, there, &own,
                                                         size, size_of_a, &sum));
        detmath_parts_tree_add(of_a, i, sum);
    }
    struct detmath_sized share = detmath_sized_of(detmath_parts_of(0.0f)), mean = share;
    if (!detmath_norm_is_epsilon(&line, n, epsilon, which))
        share = detmath_slope_share(level, blocks, which == DETMATH_L2_NORM ? 1 : n, size);
    if (own.centred)
        mean = detmath_slope_share(of_a, blocks, n, size_of_a);
    const int cancels = n == (own.centred ? 2u : 1u) && which != DETMATH_L2_NORM;
    for (detmath_u64 i = 0; i < n; i++) {
        struct detmath_sized a =
            detmath_slope_weighed(g[i], weight ? weight[i] : 1.0f, weight != 0);
        y[i] = cancels
                   ? detmath_slope_of_epsilon(a, mean, epsilon, &own)
                   : detmath_slope_element(a, detmath_slope_normed(&own, x[i]), mean, share, &own);
    }
}

/* g x^ of element i for its weight's sum: what has no x^ gives NaN. */
DETMATH_INLINED struct detmath_sized
detmath_weight_slope(float x, float g, DETMATH_ARRAY const struct detmath_norm_line *lines,
                     detmath_u64 index, int which) {
    const struct detmath_norm_line line = lines[index];
    const struct detmath_slope_line own = detmath_slope_line_of(&line, which);
    struct detmath_sized normed = detmath_slope_normed(&own, x);
    if (line.scale == 0.0f || line.root.high - line.root.high != 0.0f)
        normed.parts = detmath_parts_of(detmath_from_bits_f32(DETMATH_NAN_BITS));
    return detmath_sized_product(detmath_sized_of(detmath_parts_of(g)), normed);
}

/* The sums for one weight and bias, of the n elements x that have it, and of their g: element i is one of line i / per. */
DETMATH_INLINED float
detmath_norm_weight_gradientf(DETMATH_ARRAY const float *x, DETMATH_ARRAY const float *g,
                              DETMATH_ARRAY const struct detmath_norm_line *lines, detmath_u64 n,
                              detmath_u64 per, int which, DETMATH_PRIVATE float *bias) {
    struct detmath_parts level[DETMATH_TREE_LEVELS], of_g[DETMATH_TREE_LEVELS], sum;
    const detmath_u64 blocks = (n + DETMATH_BLOCK - 1) / DETMATH_BLOCK;
    detmath_i32 size = -8000, size_of_g = -8000;
    for (detmath_u64 i = 0; i < n; i++) {
        size = detmath_larger_of(size, detmath_weight_slope(x[i], g[i], lines, i / per, which).n);
        size_of_g = detmath_larger_of(size_of_g, detmath_sized_of(detmath_parts_of(g[i])).n);
    }
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
        for (detmath_u64 i = from; i < from + there; i++) {
            const int l = (int)(i % DETMATH_LANES);
            struct detmath_sized own = detmath_sized_of(detmath_parts_of(g[i]));
            detmath_parts_count(
                &high[l], &low[l],
                detmath_sized_at(detmath_weight_slope(x[i], g[i], lines, i / per, which), size));
            detmath_parts_count(&slope[l], &low_slope[l], detmath_sized_at(own, size_of_g));
        }
        detmath_parts_tree_add(level, block, detmath_parts_fold(high, low));
        detmath_parts_tree_add(of_g, block, detmath_parts_fold(slope, low_slope));
    }
    sum = blocks ? detmath_parts_tree_total(of_g, blocks) : of_g[0];
    *bias = detmath_slope_number(sum, size_of_g);
    sum = blocks ? detmath_parts_tree_total(level, blocks) : level[0];
    return detmath_slope_number(sum, size);
}

#include "shield_end.inc"

#endif
