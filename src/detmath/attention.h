/* Attention of one query: softmax of its scores with n keys, times their values, in fp32 and fma, in one written order that
 * depends on n and the widths alone. So a query has the bits that it has alone, however queries are batched, and in
 * decoding those that it has in a prefill; a mask, a window or causality change n, and the order with it.
 *
 *   s[j] = scale (q[0] k[j][0] + ... + q[w-1] k[j][w-1]), by fma from the first to the last;
 *          with a soft cap c it becomes c tanh(s[j] / c); the bias is added
 *   y[i] = (e^(s[0] - m) v[0][i] + ... + e^(s[n-1] - m) v[n-1][i]) / (e^(s[0] - m) + ...)
 *
 * Keys go in blocks of 64, counted from the first that the query has. A block's m is its largest score; its weights are
 * folded, lane l with lane l + 32, then 16, 8, 4, 2, 1; its values are added by fma from the first to the last. Blocks go up
 * the binary tree of a sum (reductions.h): of two parts that with the smaller m is multiplied by e^(m - m'), and added.
 * So who splits keys at multiples of 64 and merges the parts in this tree (detmath_attention_merge) has the same bits.
 *
 * A key whose score is -inf counts nothing, whatever its value is, and a query without any other key gives +0. A score
 * that is NaN or +inf makes all NaN. A column that overflows on the way is done again with values divided by 2^64.
 * The error is at most 2^-24 (2 (w + 1) S + 2 log2(n / 64 + 1) + 84) times the sum of p[j] |v[j][i]|, S being the largest sum
 * of a score's |terms|, without a soft cap and a bias. */
#ifndef DETMATH_ATTENTION_H
#define DETMATH_ATTENTION_H

#include "hyperbolic.h"
#include "reductions.h"

#include "shield.inc"

enum { DETMATH_KEYS = 64, DETMATH_ATTENTION_LEVELS = 48 };

/* What all queries of a call share; soft_cap 0: none. */
struct detmath_attention_scoring {
    float scale, soft_cap;
};

/* A query, and keys and values as they lie in memory: element d of key j is keys[d * key_step + j], and element i of its value
 * is values[j * value_step + i]. bias is 0, or has a number for each key. */
struct detmath_attention_row {
    DETMATH_ARRAY const float *q, *keys, *values, *bias;
    detmath_u64 n, width, key_step, value_width, value_step;
};

DETMATH_FUNCTION float detmath_attention_score(const struct detmath_attention_scoring *all,
                                               float dot, float cap_inverse, float bias,
                                               int has_bias) {
    float s = detmath_productf(dot, all->scale);
    if (all->soft_cap != 0.0f)
        s = detmath_productf(all->soft_cap, detmath_tanhf(detmath_productf(s, cap_inverse)));
    return has_bias ? s + bias : s;
}

/* The score with key j. */
DETMATH_FUNCTION float detmath_attention_score_of(const struct detmath_attention_scoring *all,
                                                  const struct detmath_attention_row *row,
                                                  detmath_u64 j) {
    float dot = detmath_from_bits_f32(0x80000000u);
    for (detmath_u64 d = 0; d < row->width; d++)
        dot = detmath_fmaf(row->q[d], row->keys[d * row->key_step + j], dot);
    return detmath_attention_score(all, dot,
                                   all->soft_cap != 0.0f ? detmath_inversef(all->soft_cap) : 0.0f,
                                   row->bias ? row->bias[j] : 0.0f, row->bias != 0);
}

/* Scores of a block, -inf after the last, become its weights; the result is their largest, NaN where there is a NaN or
 * +inf. *total is the sum of the weights. */
DETMATH_INLINED float detmath_attention_weights(float *s, float *total) {
    float fold[DETMATH_KEYS], m = detmath_from_bits_f32(0xff800000u);
    int is_bad = 0, is_far = 0;
    for (int l = 0; l < DETMATH_KEYS; l++)
        is_bad |= !(s[l] < detmath_from_bits_f32(DETMATH_INFINITY_BITS));
    for (int l = 0; l < DETMATH_KEYS; l++)
        fold[l] = s[l];
    for (int distance = DETMATH_KEYS / 2; distance; distance /= 2)
        for (int l = 0; l < distance; l++)
            fold[l] = fold[l] > fold[l + distance] ? fold[l] : fold[l + distance];
    *total = 0.0f;
    if (is_bad)
        return detmath_from_bits_f32(DETMATH_NAN_BITS);
    if (fold[0] == m)
        return m;
    m = fold[0];
    for (int l = 0; l < DETMATH_KEYS; l++)
        is_far |= s[l] - m <= DETMATH_NEAR;
    if (is_far)
        for (int l = 0; l < DETMATH_KEYS; l++)
            fold[l] = s[l] = detmath_powerf(s[l], m);
    else
        for (int l = 0; l < DETMATH_KEYS; l++)
            fold[l] = s[l] = detmath_near_powerf(s[l], m);
    for (int distance = DETMATH_KEYS / 2; distance; distance /= 2)
        for (int l = 0; l < distance; l++)
            fold[l] = fold[l] + fold[l + distance];
    *total = fold[0];
    return m;
}

#if !defined(DETMATH_OPENCL) && !defined(DETMATH_METAL) /* whose pointers have spaces */
/* What blocks of keys contribute: m, the sum of weights, and that of values; m is -inf where they contribute nothing. */
struct detmath_attention_part {
    float m, total;
    DETMATH_ARRAY float *sums;
};

/* b becomes both; it does not matter which has the earlier keys. */
DETMATH_INLINED void detmath_attention_merge(struct detmath_attention_part *b,
                                             const struct detmath_attention_part *a,
                                             detmath_u64 width) {
    float none = detmath_from_bits_f32(0xff800000u), m = a->m > b->m ? a->m : b->m;
    if (a->m == none)
        return;
    if (b->m == none) {
        b->m = a->m;
        b->total = a->total;
        for (detmath_u64 i = 0; i < width; i++)
            b->sums[i] = a->sums[i];
        return;
    }
    DETMATH_ARRAY const float *more = a->m > b->m ? a->sums : b->sums;
    DETMATH_ARRAY const float *less = a->m > b->m ? b->sums : a->sums;
    float by = detmath_powerf(a->m > b->m ? b->m : a->m, m);
    b->total =
        a->m > b->m ? detmath_fmaf(b->total, by, a->total) : detmath_fmaf(a->total, by, b->total);
    b->m = m;
    for (detmath_u64 i = 0; i < width; i++)
        b->sums[i] = detmath_fmaf(less[i], by, more[i]);
}

#endif

/* sum / total, total being 1 or more. */
DETMATH_FUNCTION float detmath_attention_quotient(float sum, float total, float inverse) {
    float q = detmath_productf(sum, inverse);
    return detmath_fmaf(detmath_fmaf(-q, total, sum), inverse, q);
}

/* Whether a column has to be done by itself: it is infinite, NaN, or a zero, whose sign is that of all values. */
DETMATH_FUNCTION int detmath_attention_is_odd(float y) {
    return !(y - y == 0.0f) || y == 0.0f;
}

#if !defined(DETMATH_OPENCL) && !defined(DETMATH_METAL)
/* Element i in the order of the whole, with values divided by 2^64 where they overflow otherwise; `scores` are all
 * of the row's. */
DETMATH_SELDOM_FUNCTION float detmath_attention_again(const struct detmath_attention_row *row,
                                                      DETMATH_ARRAY const float *scores,
                                                      detmath_u64 i) {
    struct detmath_attention_part level[DETMATH_ATTENTION_LEVELS];
    float sums[DETMATH_ATTENTION_LEVELS], s[DETMATH_KEYS],
        none = detmath_from_bits_f32(0xff800000u);
    detmath_u64 count = 0;
    struct detmath_attention_part part;
    part.m = none;
    part.total = 0.0f;
    for (detmath_u64 at = 0; at < row->n; at += DETMATH_KEYS, count++) {
        int there = (int)detmath_at_most(row->n - at, DETMATH_KEYS), k = 0;
        float sum = 0.0f;
        for (int l = 0; l < DETMATH_KEYS; l++)
            s[l] = l < there ? scores[at + (detmath_u64)l] : none;
        part.m = detmath_attention_weights(s, &part.total);
        for (int l = 0; l < there; l++) {
            float v = detmath_productf(row->values[(at + (detmath_u64)l) * row->value_step + i],
                                       0x1p-64f);
            sum = s[l] != 0.0f ? detmath_fmaf(s[l], v, sum) : sum; /* of -inf v may be no number */
        }
        part.sums = &sum;
        for (detmath_u64 bits = count; bits & 1u; bits >>= 1, k++)
            detmath_attention_merge(&part, &level[k], 1);
        sums[k] = sum;
        level[k] = part;
        level[k].sums = &sums[k];
    }
    for (int k = 0, is_first = 1; count >> k; k++)
        if (count >> k & 1u) {
            if (!is_first)
                detmath_attention_merge(&level[k], &part, 1);
            part = level[k];
            is_first = 0;
        }
    float y = detmath_attention_quotient(part.sums[0], part.total, detmath_inversef(part.total));
    return detmath_productf(detmath_productf(y, 0x1p32f), 0x1p32f);
}

/* Element i where detmath_attention_is_odd says so of y, from the scores of all keys, at least one of which is no -inf. */
DETMATH_SELDOM_FUNCTION float detmath_attention_odd(const struct detmath_attention_row *row,
                                                    DETMATH_ARRAY const float *scores, float y,
                                                    detmath_u64 i) {
    int has_nan = 0, has_plus = 0, has_minus = 0, has_other = 0;
    for (detmath_u64 j = 0; j < row->n; j++) {
        float v = row->values[j * row->value_step + i];
        detmath_u32 bits = detmath_bits_f32(v);
        if (detmath_bits_f32(scores[j]) == 0xff800000u)
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
    y = y == 0.0f ? y : detmath_attention_again(row, scores, i);
    return y != 0.0f ? y : has_other ? 0.0f : detmath_from_bits_f32(0x80000000u);
}

#endif

#include "shield_end.inc"

#endif
