/* Norms of a line of fp32 numbers: the root mean square norm, the layer norm and the L2 norm, from which those of
 * groups, instances and batches are made (transformer.h). fp32 arithmetic and fma, in one written order that depends on
 * the line's length alone.
 *
 * With f the power of two that brings the largest magnitude, and the root of epsilon, to 1 at most, and z = x f:
 *   m = (z[0] + ... + z[n-1]) / n of a centred norm, else 0
 *   s = (z[0] - m)^2 + ... + (z[n-1] - m)^2
 *   r = (s / n + epsilon f^2)^(-1/2), of the L2 norm max(s, (epsilon f)^2)^(-1/2)
 *   y[i] = (z[i] - m) r weight[i] + bias[i]
 * Each of these has two parts of fp32 (parts.h) and y alone is rounded, so that its error is below 0.51 ulp where
 * nothing cancels: README.md has the bound in terms of what does. Both sums have the order of a sum (reductions.h): lane
 * l of 64 takes the elements l, l + 64, ... of a block of 1024, lanes are folded, and blocks go up a binary tree. In
 * each addition the rounded sum is the high part, and what it lost is added to the low one. So 64 threads do a block.
 *
 * A NaN makes all of the line NaN, and so does an infinity of a centred norm; of the others it makes numbers zeros of
 * their own sign, and itself NaN. No weight is the weight 1 and no bias -0, to the bit. */
#ifndef DETMATH_NORMS_H
#define DETMATH_NORMS_H

#include "parts.h"

#include "reductions.h"

#include "shield.inc"

enum detmath_norm { DETMATH_RMS_NORM, DETMATH_LAYER_NORM, DETMATH_L2_NORM };

/* What all elements of a line share. */
struct detmath_norm_line {
    float scale; /* f; 0 where an infinity or NaN decides */
    struct detmath_parts mean, root;
};

/* a - b, exactly. */
DETMATH_FUNCTION struct detmath_parts detmath_parts_difference(float a, float b) {
    struct detmath_parts difference;
    difference.high = a - b;
    difference.low = detmath_sum_restf(a, -b, difference.high);
    return difference;
}

/* Counts a number in a lane's sum: what the rounded sum lost is added to the low part. */
DETMATH_FUNCTION void detmath_parts_count(DETMATH_PRIVATE float *high, DETMATH_PRIVATE float *low,
                                          struct detmath_parts x) {
    float sum = *high + x.high;
    *low = *low + (detmath_sum_restf(*high, x.high, sum) + x.low);
    *high = sum;
}

/* s / n; its high part is what n goes into n times. */
DETMATH_FUNCTION struct detmath_parts detmath_parts_by_count(struct detmath_parts s,
                                                             detmath_u64 n) {
    struct detmath_parts quotient;
    float high = (float)n, low = (float)((detmath_i64)n - (detmath_i64)high);
    float inverse = detmath_inversef(high), q = detmath_productf(s.high, inverse);
    float rest = detmath_fmaf(-low, q, detmath_fmaf(-high, q, s.high)) + s.low;
    q = detmath_fmaf(rest, inverse, q);
    rest = detmath_fmaf(-low, q, detmath_fmaf(-high, q, s.high)) + s.low;
    quotient.high = q;
    quotient.low = detmath_productf(rest, inverse);
    return quotient;
}

/* v^(-1/2), of the root's one step by the residual. */
DETMATH_FUNCTION struct detmath_parts detmath_parts_rsqrt(struct detmath_parts v) {
    struct detmath_parts root;
    float r = detmath_rsqrtf(v.high), square = detmath_productf(r, r);
    float rest = detmath_fmaf(-v.high, square, 1.0f);
    rest = detmath_fmaf(-v.high, detmath_fmaf(r, r, -square), rest);
    rest = detmath_fmaf(-v.low, square, rest);
    root.high = r;
    root.low = detmath_productf(detmath_productf(r, 0.5f), rest);
    return root;
}

/* z - m. */
DETMATH_FUNCTION struct detmath_parts detmath_norm_deviation(float z, struct detmath_parts mean) {
    struct detmath_parts deviation;
    float d = z - mean.high, rest = detmath_sum_restf(z, -mean.high, d) - mean.low;
    deviation.high = (d + rest) + 0.0f; /* of two equal numbers it is +0 */
    deviation.low = detmath_sum_restf(d, rest, deviation.high);
    return deviation;
}

/* The largest magnitude, as bits: above those of infinity where there is a NaN. In any order. */
DETMATH_INLINED detmath_u32 detmath_largest_magnitudef(DETMATH_ARRAY const float *x,
                                                       detmath_u64 n) {
    detmath_u32 most[DETMATH_LANES];
    detmath_u64 at = 0;
    for (int l = 0; l < DETMATH_LANES; l++)
        most[l] = 0;
    for (; at + DETMATH_LANES <= n; at += DETMATH_LANES)
        for (int l = 0; l < DETMATH_LANES; l++) {
            detmath_u32 bits = detmath_bits_f32(x[at + (detmath_u64)l]) & 0x7fffffffu;
            most[l] = most[l] > bits ? most[l] : bits;
        }
    for (; at < n; at++) {
        detmath_u32 bits = detmath_bits_f32(x[at]) & 0x7fffffffu;
        most[0] = most[0] > bits ? most[0] : bits;
    }
    for (int l = 1; l < DETMATH_LANES; l++)
        most[0] = most[0] > most[l] ? most[0] : most[l];
    return most[0];
}

/* The power of two f. */
DETMATH_FUNCTION float detmath_norm_scale(detmath_u32 magnitude, float epsilon, int which) {
    detmath_i32 above = (detmath_i32)(magnitude >> 23) - 126, least = -100;
    detmath_u32 bits = detmath_bits_f32(epsilon);
    detmath_i32 exponent = (detmath_i32)(bits >> 23) - 126; /* epsilon is below 2^exponent */
    if (which != DETMATH_L2_NORM)
        exponent = (exponent + 1001) / 2 - 500;
    if (bits != 0u && exponent > least)
        least = exponent;
    above = above > least ? above : least;
    above = above < 126 ? above : 126;
    return detmath_from_bits_f32((detmath_u32)(127 - above) << 23);
}

DETMATH_INLINED struct detmath_parts detmath_parts_fold(float *high, float *low) {
    struct detmath_parts total;
    for (int distance = DETMATH_LANES / 2; distance; distance /= 2)
        for (int l = 0; l < distance; l++) {
            float sum = high[l] + high[l + distance];
            low[l] =
                (low[l] + low[l + distance]) + detmath_sum_restf(high[l], high[l + distance], sum);
            high[l] = sum;
        }
    total.high = high[0];
    total.low = low[0];
    return total;
}

/* Counts z of 64 elements, of which n are there, in the sums of their lanes. */
DETMATH_INLINED void detmath_norm_count(float *high, float *low, DETMATH_ARRAY const float *x,
                                        detmath_u64 n, float scale) {
    float v[DETMATH_LANES];
    detmath_lanes_loadf(v, x, n);
    for (int l = 0; l < DETMATH_LANES; l++) {
        float z = detmath_exact_productf(v[l], scale), sum = high[l] + z;
        low[l] = low[l] + detmath_sum_restf(high[l], z, sum);
        high[l] = sum;
    }
}

/* The same of the squares of z - m. */
DETMATH_INLINED void detmath_norm_count_squares(float *high, float *low,
                                                DETMATH_ARRAY const float *x, detmath_u64 n,
                                                float scale, struct detmath_parts mean,
                                                int centred) {
    float v[DETMATH_LANES];
    int there = (int)detmath_at_most(n, DETMATH_LANES);
    detmath_lanes_loadf(v, x, n);
    for (int l = 0; l < DETMATH_LANES; l++) {
        struct detmath_parts d = detmath_parts_of(detmath_exact_productf(v[l], scale));
        if (centred)
            d = detmath_norm_deviation(d.high, mean);
        d.high = l < there ? d.high : 0.0f;
        d.low = l < there ? d.low : 0.0f;
        float square = detmath_productf(d.high, d.high), sum = high[l] + square;
        float rest = detmath_fmaf(d.high, d.high, -square);
        if (centred)
            rest = detmath_fmaf(d.high + d.high, d.low, rest);
        low[l] = low[l] + (detmath_sum_restf(high[l], square, sum) + rest);
        high[l] = sum;
    }
}

/* What a block of n <= 1024 elements contributes to the sum of z. */
DETMATH_INLINED struct detmath_parts detmath_norm_sum_block(DETMATH_ARRAY const float *x,
                                                            detmath_u64 n, float scale) {
    float high[DETMATH_LANES], low[DETMATH_LANES];
    detmath_lanes_clearf(high);
    detmath_lanes_clearf(low);
    for (detmath_u64 at = 0; at < n; at += DETMATH_LANES)
        detmath_norm_count(high, low, x + at, n - at, scale);
    return detmath_parts_fold(high, low);
}

/* The same of the squares of z - m. */
DETMATH_INLINED struct detmath_parts detmath_norm_squares_block(DETMATH_ARRAY const float *x,
                                                                detmath_u64 n, float scale,
                                                                struct detmath_parts mean,
                                                                int centred) {
    float high[DETMATH_LANES], low[DETMATH_LANES];
    detmath_lanes_clearf(high);
    detmath_lanes_clearf(low);
    for (detmath_u64 at = 0; at < n; at += DETMATH_LANES)
        detmath_norm_count_squares(high, low, x + at, n - at, scale, mean, centred);
    return detmath_parts_fold(high, low);
}

/* Counts the total of block number `index` in the levels of the tree, as detmath_tree_addf. */
DETMATH_FUNCTION void detmath_parts_tree_add(struct detmath_parts *level, detmath_u64 index,
                                             struct detmath_parts value) {
    int k = 0;
    for (; index & 1u; index >>= 1, k++)
        value = detmath_parts_plus(level[k], value);
    level[k] = value;
}

/* The total of `count` blocks, at least one. */
DETMATH_FUNCTION struct detmath_parts detmath_parts_tree_total(const struct detmath_parts *level,
                                                               detmath_u64 count) {
    struct detmath_parts total;
    int k = 0;
    while (!(count >> k & 1u))
        k++;
    total = level[k];
    for (k++; count >> k; k++)
        if (count >> k & 1u)
            total = detmath_parts_plus(level[k], total);
    return total;
}

/* From s, the sum of the squares: r. */
DETMATH_FUNCTION struct detmath_parts detmath_norm_root(struct detmath_parts s, detmath_u64 n,
                                                        float scale, float epsilon, int which) {
    struct detmath_parts added;
    float scaled = detmath_productf(epsilon, scale);
    if (which == DETMATH_L2_NORM) {
        added.high = detmath_productf(scaled, scaled);
        added.low = detmath_fmaf(scaled, scaled, -added.high);
        if (added.high > s.high || (added.high == s.high && added.low > s.low))
            s = added;
        return detmath_parts_rsqrt(s);
    }
    added = detmath_parts_of(detmath_productf(scaled, scale));
    if (epsilon != 0.0f && added.high < 0x1p-120f) /* below all sums but that of equal numbers */
        added.high = 0x1p-120f;
    s = detmath_parts_plus(detmath_parts_by_count(s, n), added);
    return detmath_parts_rsqrt(s);
}

/* What the elements of a line of n > 0 share, by functions of a block. */
#define DETMATH_NORM_LINE(LARGEST, SUM_BLOCK, SQUARES_BLOCK)                                       \
    struct detmath_parts level[DETMATH_TREE_LEVELS];                                               \
    struct detmath_norm_line line;                                                                 \
    const int centred = which == DETMATH_LAYER_NORM;                                               \
    const detmath_u64 blocks = (n + DETMATH_BLOCK - 1) / DETMATH_BLOCK;                            \
    detmath_u32 magnitude = LARGEST(x, n);                                                         \
    line.mean = line.root = detmath_parts_of(0.0f);                                                \
    level[0] = line.mean; /* for compilers that do not see that there is a block */                \
    line.scale = 0.0f;                                                                             \
    if (magnitude >= DETMATH_INFINITY_BITS) {                                                      \
        if (centred || magnitude > DETMATH_INFINITY_BITS)                                          \
            line.root.high = detmath_from_bits_f32(DETMATH_NAN_BITS);                              \
        return line;                                                                               \
    }                                                                                              \
    line.scale = detmath_norm_scale(magnitude, epsilon, which);                                    \
    if (centred) {                                                                                 \
        for (detmath_u64 i = 0; i < blocks; i++)                                                   \
            detmath_parts_tree_add(                                                                \
                level, i,                                                                          \
                SUM_BLOCK(x + i * DETMATH_BLOCK,                                                   \
                          detmath_at_most(n - i * DETMATH_BLOCK, DETMATH_BLOCK), line.scale));     \
        line.mean = detmath_parts_by_count(detmath_parts_tree_total(level, blocks), n);            \
    }                                                                                              \
    for (detmath_u64 i = 0; i < blocks; i++)                                                       \
        detmath_parts_tree_add(                                                                    \
            level, i,                                                                              \
            SQUARES_BLOCK(x + i * DETMATH_BLOCK,                                                   \
                          detmath_at_most(n - i * DETMATH_BLOCK, DETMATH_BLOCK), line.scale,       \
                          line.mean, centred));                                                    \
    line.root =                                                                                    \
        detmath_norm_root(detmath_parts_tree_total(level, blocks), n, line.scale, epsilon, which); \
    return line

DETMATH_INLINED struct detmath_norm_line
detmath_norm_line_of(DETMATH_ARRAY const float *x, detmath_u64 n, float epsilon, int which) {
    DETMATH_NORM_LINE(detmath_largest_magnitudef, detmath_norm_sum_block,
                      detmath_norm_squares_block);
}

/* high + low, rounded once; the high part alone where that is infinite, NaN, or a zero with a sign. */
DETMATH_FUNCTION float detmath_parts_rounded(float high, float low) {
    low = high - high == 0.0f ? low : 0.0f;
    return low == 0.0f ? high : high + low;
}

/* An element of the line. Without a weight that is 1, and without a bias -0. */
DETMATH_INLINED float detmath_norm_element(const struct detmath_norm_line *line, float x,
                                           float weight, float bias, int centred, int has_weight,
                                           int has_bias) {
    struct detmath_parts d = detmath_parts_of(detmath_exact_productf(x, line->scale));
    if (centred)
        d = detmath_norm_deviation(d.high, line->mean);
    float y = detmath_productf(d.high, line->root.high);
    float rest = detmath_fmaf(d.high, line->root.high, -y);
    rest = detmath_fmaf(d.high, line->root.low, rest);
    if (centred)
        rest = detmath_fmaf(d.low, line->root.high, rest);
    if (has_weight) {
        float product = detmath_productf(y, weight);
        rest = detmath_fmaf(rest, weight, detmath_fmaf(y, weight, -product));
        y = product;
    }
    if (has_bias) {
        float sum = y + bias;
        rest = y - y == 0.0f ? rest : 0.0f;
        rest = detmath_sum_restf(y, bias, sum) + rest;
        y = sum;
    }
    return detmath_canonicalf(detmath_parts_rounded(y, rest));
}

DETMATH_INLINED void detmath_norm_elements(DETMATH_ARRAY float *y, DETMATH_ARRAY const float *x,
                                           DETMATH_ARRAY const float *weight,
                                           DETMATH_ARRAY const float *bias, detmath_u64 n,
                                           const struct detmath_norm_line *line, int centred) {
    if (weight && bias)
        for (detmath_u64 i = 0; i < n; i++)
            y[i] = detmath_norm_element(line, x[i], weight[i], bias[i], centred, 1, 1);
    else if (weight)
        for (detmath_u64 i = 0; i < n; i++)
            y[i] = detmath_norm_element(line, x[i], weight[i], 0.0f, centred, 1, 0);
    else if (bias)
        for (detmath_u64 i = 0; i < n; i++)
            y[i] = detmath_norm_element(line, x[i], 1.0f, bias[i], centred, 0, 1);
    else
        for (detmath_u64 i = 0; i < n; i++)
            y[i] = detmath_norm_element(line, x[i], 1.0f, 0.0f, centred, 0, 0);
}

/* A line of n elements; weight and bias may be 0. y may be x. */
DETMATH_INLINED void detmath_normf(DETMATH_ARRAY float *y, DETMATH_ARRAY const float *x,
                                   DETMATH_ARRAY const float *weight,
                                   DETMATH_ARRAY const float *bias, detmath_u64 n, float epsilon,
                                   int which) {
    if (n == 0)
        return;
    const struct detmath_norm_line line = detmath_norm_line_of(x, n, epsilon, which);
    if (which == DETMATH_LAYER_NORM)
        detmath_norm_elements(y, x, weight, bias, n, &line, 1);
    else
        detmath_norm_elements(y, x, weight, bias, n, &line, 0);
}

#include "shield_end.inc"

#endif
