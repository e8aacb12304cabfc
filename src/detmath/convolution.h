/* Elements of convolutions and of their gradients: sums of products in fp32 arithmetic and fma, rounded once.
 *
 * Terms are added in blocks of 64, from the first to the last. The sum of a block has two parts of fp32 (parts.h): rounded
 * products are added to the high one, and what that loses to the low one. The sums of blocks go up a tree of neighbours, then a bias
 * is added, and the two parts are rounded. So an element depends on its own row of terms alone.
 *
 * How far an element is off. Let T be the sum of the magnitudes of its n products and of its bias, and L the number of levels of the
 * tree, log2(n / 64) rounded up or 0. No sum of magnitudes is above 2^126. Then the error is at most half an ulp and
 *
 *   2^-48 (2400 + 140 L + L^2) T + n 2^-150,
 *
 * which is at most 2^-35 T + n 2^-150 for up to 2^22 terms. The condition of an element y is T / |y|. Where it is 1024 or less, y is
 * 2^-100 or more in magnitude, and there are 2^22 terms at most, the element is within 1 ulp; at a condition of 8 within 0.504 ulp. Why,
 * with u = 2^-24:
 *   - For p the rounded a b, sum the rounded high + p and part the rounded sum - high, what is lost is
 *     (high - (sum - part)) + (a b - part), in which high - (sum - part) and p - part are exact. It is u (|sum| + |p|) at most, and
 *     u^2 (2 |sum| + 3 |p|) of it is lost. Below 2^-126 that is 2^-150.
 *   - After i terms of a block low is at most (i + 1) u T, and adding to it loses u of that. The 64 terms of a block lose 2275 u^2 T.
 *   - Level k adds numbers whose low parts are (64 + k) u T at most: it loses (131 + 2 k) u^2 T. A bias loses (66 + L) u^2 T.
 *
 * A row of nothing but products that are -0 has the sum -0. Where a sum is infinite or NaN the high part is the result. */
#ifndef DETMATH_CONVOLUTION_H
#define DETMATH_CONVOLUTION_H

#include "norms.h"

#include "shield.inc"

enum { DETMATH_CONVOLUTION_BLOCK = 64 };

/* Adds a b to a sum. */
DETMATH_INLINED void detmath_convolution_count(DETMATH_PRIVATE float *high,
                                               DETMATH_PRIVATE float *low, float a, float b) {
    float sum = *high + detmath_productf(a, b), part = sum - *high;
    *low = *low + ((*high - (sum - part)) + detmath_fmaf(a, b, -part));
    *high = sum;
}

/* a[0] b[0] + a[1] b[b_step] + ..., of n products; of none 0. */
DETMATH_FUNCTION struct detmath_parts detmath_convolution_sum(DETMATH_ARRAY const float *a,
                                                              DETMATH_ARRAY const float *b,
                                                              detmath_u64 n, detmath_u64 b_step) {
    struct detmath_parts level[DETMATH_TREE_LEVELS], sum;
    detmath_u64 block = 0;
    level[0] = detmath_parts_of(0.0f);
    for (detmath_u64 from = 0; from < n; from += DETMATH_CONVOLUTION_BLOCK, block++) {
        const detmath_u64 count = detmath_at_most(n - from, DETMATH_CONVOLUTION_BLOCK);
        sum = detmath_parts_of(detmath_from_bits_f32(0x80000000u));
        for (detmath_u64 i = from; i < from + count; i++)
            detmath_convolution_count(&sum.high, &sum.low, a[i], b[i * b_step]);
        detmath_parts_tree_add(level, block, sum);
    }
    return block ? detmath_parts_tree_total(level, block) : level[0];
}

/* The element that has this sum. */
DETMATH_FUNCTION float detmath_convolution_element(struct detmath_parts sum, float bias,
                                                   int has_bias) {
    if (has_bias)
        sum = detmath_parts_plus(sum, detmath_parts_of(bias));
    return detmath_canonicalf(
        detmath_parts_rounded(sum.high, sum.low - sum.low == 0.0f ? sum.low : 0.0f));
}

#include "shield_end.inc"

#endif
