/* Attention of one query: softmax of its scores with n keys, times their values, in fp32 and fma, in one written order that
 * depends on n and the widths alone. So a query has the bits that it has alone, however queries are batched, and in
 * decoding those that it has in a prefill; a mask, a window or causality change n, and the order with it.
 *
 *   s[j] = scale (q[0] k[j][0] + ... + q[w-1] k[j][w-1]), from the first to the last;
 *          with a soft cap c it becomes c tanh(s[j] / c), by e = e^(-2 |s[j]| / c) as c (1 - e) / (1 + e); the bias is added
 *   y[i] = (e^(s[0] - m) v[0][i] + ... + e^(s[n-1] - m) v[n-1][i]) / (e^(s[0] - m) + ...)
 *
 * Scores, weights e^(s - m) and sums have two parts of fp32 (parts.h); y is rounded once. A sum of products a b begins at an
 * anchor, 3/2 of a power of two above all that the products can add up to. Each product goes by fma to the high part, so that
 * high parts grow by multiples of the anchor's last place, exactly; what that rounding lost, the fma of a b and what the high part
 * was before less what it is after, goes to the low part.
 *
 * Keys go in blocks of 64, counted from the first that the query has. A block's m is its largest score; its weights are
 * folded, lane l with lane l + 32, then 16, 8, 4, 2, 1; its values are added from the first to the last, and the low part of a
 * weight times the value is added to what goes to the low part. Blocks go up the binary tree of a sum (reductions.h): of two
 * parts that with the smaller m is multiplied by e^(m - m'), and added. So who splits keys at multiples of 64 and merges the
 * parts in this tree (detmath_attention_merge) has the same bits.
 *
 * A key whose score is -inf counts nothing, whatever its value is, and a query without any other key gives +0. A score
 * that is NaN or +inf makes all NaN. A column that overflows on the way is done again with values divided by 2^64.
 *
 * With p the exact weights divided by their sum, the error of y[i] is at most half an ulp and
 *
 *   2^-29 of the largest |v[j][i]|,
 *   (1 + l) 2^-29 + W^3 2^-47 scale Q K of the sum of p[j] |v[j][i] - y[i]|,
 *
 * where l is the number of levels of the tree, log2 of the number of blocks rounded up, W the width rounded up to a power of two,
 * and Q and K are the largest elements of the query and of its keys. That holds where scores are below 4096, weights that matter
 * are 2^-57 of the largest or more and no number but 0 is above 2^118 or below 2^-75. A soft cap c adds 2^-27 of the largest score before it and 2^-43 c to the
 * factor of the second sum. Why:
 *   - A low part of a sum of k products has come to at most k half units of the anchor's last place, and each of its
 *     additions loses half a unit of that: of 64 values 2^-29 of the largest, and of a score W^3 2^-47 Q K, as
 *     the anchor is at most 6 W Q K.
 *   - e^r has been tried with all reduced arguments: a weight is off by 2^-29 of itself, and again at each level; an error
 *     of a weight moves y by that of p (v - y).
 *   - All else loses 2^-45 or so of what is added up.
 * So an element is within 1 ulp of the exact one where the sum of p |v - y| is at most |y|, no |v| is above 4 |y|, there are no more
 * than 4096 keys, and W^3 scale Q K is at most 2^20: scale Q K up to 4 for a width of 64.
 *
 * The condition of y[i] with respect to relative changes of q, k, v and the scale is the sum of p |v| and three times that of
 * p |v - y| T, divided by |y|, T being the sum of |terms| of a score. Where it was 2 or less, in draws of 1 to 4096 keys and widths from 8 to 128,
 * the largest error was 0.51 ulp. */
#ifndef DETMATH_ATTENTION_H
#define DETMATH_ATTENTION_H

#include "attention_scores.h"

#include "shield.inc"

enum { DETMATH_KEYS = 64, DETMATH_KEY_LEVELS = 6, DETMATH_ATTENTION_LEVELS = 48 };

/* What blocks of keys contribute, beside the sums of values: m, -inf where they contribute nothing, and the sum of weights. */
struct detmath_attention_part {
    float m;
    struct detmath_parts total;
};

/* That of a block's values, whose largest magnitude has these bits: weights are 1 at most, but for a rounding error. */
DETMATH_FUNCTION float detmath_attention_value_anchor(detmath_u32 most) {
    return detmath_attention_anchor(0x3f000000u, most, DETMATH_KEY_LEVELS);
}

/* Adds w v, of a weight in two parts. */
DETMATH_INLINED void detmath_attention_count_value(DETMATH_PRIVATE struct detmath_parts *sum,
                                                   float w, float w_low, float v) {
    float high = detmath_fmaf(w, v, sum->high);
    sum->low = sum->low + detmath_fmaf(w_low, v, detmath_fmaf(w, v, sum->high - high));
    sum->high = high;
}

/* A weight as a multiple of 2^-17, of which 64 add up exactly, and what is left of it. */
DETMATH_FUNCTION struct detmath_parts detmath_attention_coarse(struct detmath_parts w) {
    struct detmath_parts coarse;
    coarse.high = (w.high + 96.0f) - 96.0f;
    coarse.low = (w.high - coarse.high) + w.low;
    return coarse;
}

DETMATH_INLINED void detmath_attention_halve(DETMATH_PRIVATE float *fold, int distance, int adds) {
    for (int l = 0; l < distance; l++) {
        float a = fold[l], b = fold[l + distance];
        fold[l] = adds ? a + b : a > b ? a : b;
    }
}

/* The largest of 64, or their sum. No loop, so that vectors are as long as each step allows. */
DETMATH_INLINED float detmath_attention_fold(DETMATH_PRIVATE float *fold, int adds) {
    detmath_attention_halve(fold, 32, adds);
    detmath_attention_halve(fold, 16, adds);
    detmath_attention_halve(fold, 8, adds);
    detmath_attention_halve(fold, 4, adds);
    detmath_attention_halve(fold, 2, adds);
    detmath_attention_halve(fold, 1, adds);
    return fold[0];
}

/* Scores of a block, -inf after the last, become its weights, 0 where none counts; what they add up to. The m of the result is NaN
 * where there is a NaN or +inf. */
DETMATH_INLINED struct detmath_attention_part
detmath_attention_weights(DETMATH_PRIVATE float *s, DETMATH_PRIVATE float *low) {
    struct detmath_attention_part part;
    float fold[DETMATH_KEYS], rest[DETMATH_KEYS];
    int is_bad = 0, is_far = 0;
    for (int l = 0; l < DETMATH_KEYS; l++)
        is_bad |= !(s[l] < detmath_from_bits_f32(DETMATH_INFINITY_BITS));
    for (int l = 0; l < DETMATH_KEYS; l++)
        fold[l] = s[l];
    part.m = detmath_attention_fold(fold, 0);
    part.total = detmath_parts_of(0.0f);
    if (is_bad || part.m == detmath_attention_none()) {
        for (int l = 0; l < DETMATH_KEYS; l++)
            s[l] = low[l] = 0.0f;
        part.m = is_bad ? detmath_from_bits_f32(DETMATH_NAN_BITS) : part.m;
        return part;
    }
    for (int l = 0; l < DETMATH_KEYS; l++)
        is_far |= s[l] - part.m <= -80.0f;
    if (is_far)
        for (int l = 0; l < DETMATH_KEYS; l++) {
            struct detmath_parts w = {s[l], low[l]};
            w = detmath_attention_weight(w, part.m);
            s[l] = w.high;
            low[l] = w.low;
        }
    else
        for (int l = 0; l < DETMATH_KEYS; l++) {
            struct detmath_parts w = {s[l], low[l]};
            w = detmath_attention_near_weight(w, part.m);
            s[l] = w.high;
            low[l] = w.low;
        }
    for (int l = 0; l < DETMATH_KEYS; l++) {
        struct detmath_parts w = {s[l], low[l]};
        w = detmath_attention_coarse(w);
        fold[l] = w.high;
        rest[l] = w.low;
    }
    part.total.high = detmath_attention_fold(fold, 1);
    part.total.low = detmath_attention_fold(rest, 1);
    return part;
}

/* What the sums of two parts are multiplied by, and whether the parts contribute anything. */
struct detmath_attention_joint {
    struct detmath_parts by_a, by_b;
    int has_a, has_b;
};

/* Sums of b and of a, or weights, as those of both. */
DETMATH_FUNCTION struct detmath_parts
detmath_attention_joined(DETMATH_PRIVATE const struct detmath_attention_joint *joint,
                         struct detmath_parts b, struct detmath_parts a) {
    struct detmath_parts x, y;
    if (!joint->has_a)
        return b;
    if (!joint->has_b)
        return a;
    x = detmath_parts_product(b, joint->by_b);
    y = detmath_parts_product(a, joint->by_a);
    return detmath_parts_plus(x, y);
}

/* b becomes both, with the sums that detmath_attention_joined makes; it does not matter which has the earlier keys. */
DETMATH_FUNCTION struct detmath_attention_joint
detmath_attention_merge(DETMATH_PRIVATE struct detmath_attention_part *b,
                        struct detmath_attention_part a) {
    const float none = detmath_attention_none();
    struct detmath_attention_joint joint;
    float m = a.m > b->m ? a.m : b->m;
    joint.has_a = a.m != none;
    joint.has_b = b->m != none;
    joint.by_a = detmath_attention_weight(detmath_parts_of(a.m), m);
    joint.by_b = detmath_attention_weight(detmath_parts_of(b->m), m);
    b->total = detmath_attention_joined(&joint, b->total, a.total);
    b->m = m;
    return joint;
}

/* sum / total, rounded; inverse is 1 / total.high. */
DETMATH_FUNCTION float detmath_attention_quotient(struct detmath_parts sum,
                                                  struct detmath_parts total, float inverse) {
    float high = sum.high + sum.low, low = detmath_sum_restf(sum.high, sum.low, high);
    float q = detmath_productf(high, inverse);
    float rest = detmath_fmaf(-q, total.low, detmath_fmaf(-q, total.high, high) + low);
    return detmath_fmaf(rest, inverse, q);
}

/* Whether a column has to be done by itself: it is infinite, NaN, or a zero, whose sign is that of all values. */
DETMATH_FUNCTION int detmath_attention_is_odd(float y) {
    return !(y - y == 0.0f) || y == 0.0f;
}

#include "shield_end.inc"

#endif
