/* Sums and means of losses of two parts. */
#ifndef DETMATH_LOSS_SUMS_H
#define DETMATH_LOSS_SUMS_H

#include "norms.h"

#include "parts_over.h"

#include "shield.inc"

/* The sum of n > 0 numbers of two parts, in the order of a sum. */
DETMATH_INLINED struct detmath_parts
detmath_parts_total(DETMATH_ARRAY const struct detmath_parts *x, detmath_u64 n) {
    struct detmath_parts level[DETMATH_TREE_LEVELS];
    float high[DETMATH_LANES], low[DETMATH_LANES];
    detmath_u64 blocks = 0;
    level[0] = detmath_parts_of(0.0f);
    for (detmath_u64 from = 0; from < n; from += DETMATH_BLOCK) {
        const detmath_u64 there = detmath_at_most(n - from, DETMATH_BLOCK);
        detmath_lanes_clearf(high);
        detmath_lanes_clearf(low);
        for (detmath_u64 i = 0; i < there; i++) {
            const int l = (int)(i % DETMATH_LANES);
            detmath_parts_count(&high[l], &low[l], x[from + i]);
        }
        detmath_parts_tree_add(level, blocks++, detmath_parts_fold(high, low));
    }
    return detmath_parts_tree_total(level, blocks);
}

/* The mean of losses whose sum it is, over that of their weights. */
DETMATH_FUNCTION struct detmath_parts detmath_mean_weighted_loss(struct detmath_parts sum,
                                                                 struct detmath_parts weights) {
    if (detmath_bits_f32(weights.high) << 1 == 0)
        return detmath_parts_of(
            detmath_from_bits_f32(detmath_bits_f32(sum.high) << 1 == 0 || !(sum.high == sum.high)
                                      ? DETMATH_NAN_BITS
                                      : DETMATH_INFINITY_BITS));
    return sum.high - sum.high == 0.0f ? detmath_parts_over(sum, weights) : sum;
}

/* The mean of `count` losses whose sum it is; of none NaN. */
DETMATH_FUNCTION struct detmath_parts detmath_mean_loss(struct detmath_parts sum,
                                                        detmath_u64 count) {
    if (count == 0)
        return detmath_parts_of(detmath_from_bits_f32(DETMATH_NAN_BITS));
    return sum.high - sum.high == 0.0f ? detmath_parts_by_count(sum, count) : sum;
}

/* A loss, or a sum or a mean of losses, as a number. */
DETMATH_FUNCTION float detmath_loss_rounded(struct detmath_parts loss) {
    return detmath_canonicalf(detmath_parts_rounded(loss.high, loss.low));
}

#include "shield_end.inc"

#endif
