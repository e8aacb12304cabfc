/* Columns of attention (attention.h) that are infinite, NaN or zero, each by itself: keys that count nothing are left out, and where
 * sums overflow they are made of smaller values. */
#ifndef DETMATH_ATTENTION_ODD_H
#define DETMATH_ATTENTION_ODD_H

#include "attention.h"

#include "shield.inc"

/* The scores of all keys of a row. */
struct detmath_attention_scores {
    DETMATH_ARRAY const float *high, *low;
};

/* The sum of a block's values times `by`, of one column. */
DETMATH_FUNCTION struct detmath_parts
detmath_attention_column(DETMATH_PRIVATE const float *w, DETMATH_PRIVATE const float *low,
                         DETMATH_ARRAY const float *values, detmath_u64 step, int there, float by) {
    struct detmath_parts sum = detmath_parts_of(0.0f);
    detmath_u32 most = 0u;
    float anchor;
    for (int l = 0; l < there; l++) {
        detmath_u32 size =
            detmath_magnitude_f32(detmath_productf(values[(detmath_u64)l * step], by));
        most = w[l] != 0.0f && size > most ? size : most;
    }
    sum.high = anchor = detmath_attention_value_anchor(most);
    for (int l = 0; l < there; l++) {
        float v = detmath_productf(values[(detmath_u64)l * step], by);
        if (w[l] == 0.0f) /* then v may be no number */
            continue;
        detmath_attention_count_value(&sum, w[l], low[l], v);
    }
    sum.high = sum.high - anchor;
    return sum;
}

/* Element i in the order of the whole, with values times `by`. */
DETMATH_SELDOM_FUNCTION float
detmath_attention_again(DETMATH_PRIVATE const struct detmath_attention_row *row,
                        struct detmath_attention_scores scores, detmath_u64 i, float by) {
    struct detmath_attention_part level[DETMATH_ATTENTION_LEVELS], part;
    struct detmath_parts sums[DETMATH_ATTENTION_LEVELS], sum = detmath_parts_of(0.0f);
    float s[DETMATH_KEYS], low[DETMATH_KEYS];
    detmath_u64 count = 0;
    part.m = detmath_attention_none();
    part.total = sum;
    for (detmath_u64 at = 0; at < row->n; at += DETMATH_KEYS, count++) {
        int there = row->n - at < DETMATH_KEYS ? (int)(row->n - at) : DETMATH_KEYS, k = 0;
        for (int l = 0; l < DETMATH_KEYS; l++) {
            s[l] = l < there ? scores.high[at + (detmath_u64)l] : detmath_attention_none();
            low[l] = l < there ? scores.low[at + (detmath_u64)l] : 0.0f;
        }
        part = detmath_attention_weights(s, low);
        sum = detmath_attention_column(s, low, row->values + at * row->value_step + i,
                                       row->value_step, there, by);
        for (detmath_u64 bits = count; bits & 1u; bits >>= 1, k++) {
            struct detmath_attention_joint joint = detmath_attention_merge(&part, level[k]);
            sum = detmath_attention_joined(&joint, sum, sums[k]);
        }
        level[k] = part;
        sums[k] = sum;
    }
    for (int k = 0, is_first = 1; count >> k; k++)
        if (count >> k & 1u) {
            if (!is_first) {
                struct detmath_attention_joint joint = detmath_attention_merge(&level[k], part);
                sums[k] = detmath_attention_joined(&joint, sums[k], sum);
            }
            part = level[k];
            sum = sums[k];
            is_first = 0;
        }
    part.total = detmath_attention_settled(part.total);
    return detmath_attention_quotient(sum, part.total, detmath_recipf(part.total.high));
}

/* Element i where detmath_attention_is_odd says so of y, from the scores of all keys, at least one of which is no -inf. */
DETMATH_SELDOM_FUNCTION float
detmath_attention_odd(DETMATH_PRIVATE const struct detmath_attention_row *row,
                      struct detmath_attention_scores scores, float y, detmath_u64 i) {
    int has_nan = 0, has_plus = 0, has_minus = 0, has_other = 0;
    for (detmath_u64 j = 0; j < row->n; j++) {
        float v = row->values[j * row->value_step + i];
        detmath_u32 bits = detmath_bits_f32(v);
        if (detmath_bits_f32(scores.high[j]) == 0xff800000u)
            continue;
        has_nan |= v != v;
        has_plus |= bits == DETMATH_INFINITY_BITS;
        has_minus |= bits == 0xff800000u;
        has_other |= bits != 0x80000000u;
    }
    if (has_nan || (has_plus && has_minus))
        return detmath_from_bits_f32(DETMATH_NAN_BITS);
    if (has_plus || has_minus)
        return detmath_from_bits_f32(has_plus ? DETMATH_INFINITY_BITS : 0xff800000u);
    if (y != 0.0f)
        y = detmath_attention_again(row, scores, i, 1.0f);
    if (!(y - y == 0.0f)) {
        y = detmath_attention_again(row, scores, i, 0x1p-64f);
        y = detmath_productf(detmath_productf(y, 0x1p32f), 0x1p32f);
    }
    return y != 0.0f ? y : has_other ? 0.0f : detmath_from_bits_f32(0x80000000u);
}

#include "shield_end.inc"

#endif
