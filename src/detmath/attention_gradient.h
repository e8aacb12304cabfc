/* Gradients of attention (attention.h) with respect to q, k and v, of that of the result, g, in fp32 arithmetic and fma, in one
 * written order: what a query gives depends on it and its keys alone, and what a key gets on its queries.
 *
 *   s[j]  the scores of attention; m the largest, and r the first key that has it
 *   w[j]  2^32 e^(s[j] - m); t is their sum, and p[j] = w[j] / t
 *   d[j]  g[0] v[j][0] + ..., by the steps of a score's products
 *   D     (w[0] (d[0] - d[r]) + ...) / t
 *   a[j]  p[j] ((d[j] - d[r]) - D), with a soft cap times its slope 4 e / (1 + e)^2
 *   dq    scale (a[0] k[0] + ...), from the first key to the last
 *   dk, dv  of key j scale times the sum of a[j] q, and the sum of p[j] g, over its queries, from the first to the last
 *
 * As d[r] is taken away, a key r that has nearly all weight loses nothing: its a is made of the other keys' weights alone. All but
 * q, k, v, g has two parts of fp32 (parts.h), and a result alone is rounded. t and the sum of D have the order of norms.h, by the
 * places of the keys; of the sums of dq, dk and dv the two parts are settled after each 64 terms.
 *
 * How far an element is off. For each query, let h be the sum of p[l] f[l] k[l] (for dq: f is the slope of the soft cap, else 1)
 * and c the sum of p[l] f[l] (d[l] - D) k[l],
 *
 *   U  of dq  the sum of p[j] |(d[j] - D) (f[j] k[j] - h) - c|     how far dq moves with the scores
 *      of dk  p[j] f[j] |q| (|1 - 2 p[j]| |d[j] - D| + the sum of p[l] |d[j] + d[l] - 2 D| over all other l)
 *      of dv  2 p[j] (1 - p[j]) |g|
 *   X  of dq  the sum of p[j] |f[j] k[j] - h|;  of dk  2 p[j] (1 - p[j]) f[j] |q|;  of dv  0     how far with d
 *   Z  of dq  the sum of p[j] (|d[j] - d[r]| + the sum of p[l] |d[l] - d[r]|) f[j] |k[j]|, of dk likewise with |q|;  of dv  p[j] |g|
 *
 * dk and dv add up those of all queries that have the key; scale multiplies what dq and dk have. To first order the error is at most
 * half an ulp and
 *
 *   (2^-29 + S) U + E X + 2^-34 Z,  S = W^3 2^-47 scale Q K,  E = W^3 2^-47 G V,
 *
 * with W the width rounded up to a power of two, and Q, K, G, V the largest elements of the query, its keys, g and the values. A soft
 * cap adds 2^-27 of the largest score before it, times f, and 2^-43 of the cap to S, and 2^-28 + 2 S / cap of the sum of
 * |a| |k| or |q|. That holds for 4096 keys and queries or less, where scores are below 4096, no number, product of g and v or sum of
 * these but 0 is above 2^90 or below 2^-50, and weights that matter are 2^-60 of the largest or more. Why:
 *   - Weights are off by 2^-29 of themselves, and by their scores' errors (attention.h). The same weights go into p and D, so that
 *     this moves a result as other scores would: by U.
 *   - An error of d moves a[j] by that of p[j] (d[j] - D), which is X.
 *   - What is rounded elsewhere loses 2^-42 or so of what is added up, and sums of 4096 terms 2^-35: of |d[j] - d[r]| and D in their
 *     own size, which is Z.
 *
 * So an element is within 1 ulp, without a soft cap, where U is at most 4 |y|, S at most 2^-29, E X at most 2^-27 |y| and Z at most
 * 2^7 |y|.
 *
 * U and X are sums over the keys l of |dy / ds[l]| and |dy / dd[l]|. The condition of an element, how far it moves when terms, weights
 * and products move by parts of themselves, is the sum of its |terms| (a k, a q or p g), of |dy / ds[l]| (1 + T[l]) and of
 * |dy / dd[l]| E[l], divided by |y|, with T and E the sums of the |terms| of s (under a cap times f) and of d; a bias is taken to be exact.
 * Where it was 8 or less, in draws of 1 to 140 keys and widths of 1 to 64, with one weight near 1, masks, soft caps, ALiBi and
 * windows, the largest error was 0.52 ulp.
 *
 * A score that is NaN or +inf makes NaN of the query's gradient and those of all keys and values that it has. Where an element of g,
 * or of the value of a key that counts, is infinite or NaN, a is NaN. A key whose score is -inf has no part in any. */
#ifndef DETMATH_ATTENTION_GRADIENT_H
#define DETMATH_ATTENTION_GRADIENT_H

#include "attention_scores.h"
#include "norms.h"

#include "shield.inc"

/* What all keys of a query share: m, t and D; `counts` 0: no key counts. */
struct detmath_attention_share {
    float m;
    struct detmath_parts total, mean;
    int counts, is_bad;
};

/* Numbers in two parts, one for each key of a query: scores, which become p, and d, which become a; and the slopes of the soft cap, or
 * 0. */
struct detmath_attention_slopes {
    DETMATH_ARRAY float *s, *s_low, *d, *d_low, *slope, *slope_low;
};

/* What n <= 1024 keys from `from` on contribute to t, and *sum: to that of D. Their scores become w, but for -inf, and their d
 * becomes d[j] - d[r]. */
DETMATH_INLINED struct detmath_parts
detmath_attention_share_block(const struct detmath_attention_slopes *slopes, detmath_u64 from,
                              detmath_u64 n, float m, struct detmath_parts first,
                              DETMATH_PRIVATE struct detmath_parts *sum) {
    float high[DETMATH_LANES], low[DETMATH_LANES], of_d[DETMATH_LANES], low_of_d[DETMATH_LANES];
    detmath_lanes_clearf(high);
    detmath_lanes_clearf(low);
    detmath_lanes_clearf(of_d);
    detmath_lanes_clearf(low_of_d);
    first = detmath_parts_negative(first);
    for (detmath_u64 at = 0; at < n; at += DETMATH_LANES) {
        const int there = (int)detmath_at_most(n - at, DETMATH_LANES);
        for (int l = 0; l < there; l++) {
            const detmath_u64 j = from + at + (detmath_u64)l;
            const int is_none = slopes->s[j] == detmath_attention_none();
            struct detmath_parts w, d;
            w.high = slopes->s[j];
            w.low = slopes->s_low[j];
            d.high = slopes->d[j];
            d.low = slopes->d_low[j];
            w = detmath_attention_raised_weight(w, m);
            d = detmath_parts_plus(d, first);
            d.high = is_none ? 0.0f : d.high;
            d.low = is_none ? 0.0f : d.low;
            detmath_parts_count(&high[l], &low[l], w);
            detmath_parts_count(&of_d[l], &low_of_d[l], detmath_parts_product(w, d));
            slopes->s[j] = is_none ? slopes->s[j] : w.high;
            slopes->s_low[j] = w.low;
            slopes->d[j] = d.high;
            slopes->d_low[j] = d.low;
        }
    }
    *sum = detmath_parts_fold(of_d, low_of_d);
    return detmath_parts_fold(high, low);
}

/* What the n keys of a query share, from their scores and products, whose parts are settled; detmath_attention_share_block says what
 * becomes of these. */
DETMATH_INLINED struct detmath_attention_share
detmath_attention_share_of(const struct detmath_attention_slopes *slopes, detmath_u64 n) {
    const float none = detmath_attention_none();
    const detmath_u64 blocks = (n + DETMATH_BLOCK - 1) / DETMATH_BLOCK;
    struct detmath_parts totals[DETMATH_TREE_LEVELS], sums[DETMATH_TREE_LEVELS], sum, first;
    struct detmath_attention_share share;
    int is_lost = 0;
    share.m = none;
    share.is_bad = 0;
    share.mean = sum = first = detmath_parts_of(0.0f);
    share.total = detmath_parts_of(1.0f);
    for (detmath_u64 j = 0; j < n; j++) {
        share.is_bad |= !(slopes->s[j] < detmath_from_bits_f32(DETMATH_INFINITY_BITS));
        is_lost |= slopes->s[j] != none && !(slopes->d[j] - slopes->d[j] == 0.0f);
        share.m = slopes->s[j] > share.m ? slopes->s[j] : share.m;
    }
    share.counts = share.m != none && !share.is_bad;
    if (!share.counts)
        return share;
    for (detmath_u64 j = n; j-- > 0;)
        if (slopes->s[j] == share.m) {
            first.high = slopes->d[j];
            first.low = slopes->d_low[j];
        }
    totals[0] = sums[0] = sum;
    for (detmath_u64 i = 0; i < blocks; i++) {
        const detmath_u64 from = i * DETMATH_BLOCK;
        detmath_parts_tree_add(
            totals, i,
            detmath_attention_share_block(slopes, from, detmath_at_most(n - from, DETMATH_BLOCK),
                                          share.m, first, &sum));
        detmath_parts_tree_add(sums, i, sum);
    }
    share.total = detmath_attention_settled(detmath_parts_tree_total(totals, blocks));
    share.mean = detmath_parts_over(detmath_parts_tree_total(sums, blocks), share.total);
    if (is_lost)
        share.mean = detmath_parts_of(detmath_from_bits_f32(DETMATH_NAN_BITS));
    return share;
}

/* Then these become p and a of key j; of a key that does not count 0. */
DETMATH_INLINED void detmath_attention_slope_of(const struct detmath_attention_slopes *slopes,
                                                detmath_u64 j,
                                                const struct detmath_attention_share *share) {
    struct detmath_parts p, a, slope;
    const int is_none = slopes->s[j] == detmath_attention_none();
    p.high = slopes->s[j];
    p.low = slopes->s_low[j];
    p = detmath_parts_over(p, share->total);
    a.high = slopes->d[j];
    a.low = slopes->d_low[j];
    a = detmath_parts_plus(a, detmath_parts_negative(share->mean));
    a = detmath_parts_product(p, detmath_attention_settled(a));
    if (slopes->slope) {
        slope.high = slopes->slope[j];
        slope.low = slopes->slope_low[j];
        a = detmath_parts_product(a, slope);
    }
    slopes->s[j] = is_none ? 0.0f : p.high;
    slopes->s_low[j] = is_none ? 0.0f : p.low;
    slopes->d[j] = is_none ? 0.0f : a.high;
    slopes->d_low[j] = is_none ? 0.0f : a.low;
}

/* sum[i] + low[i] += a x[i]; `count` terms are in the sums. */
DETMATH_INLINED void detmath_attention_gather(DETMATH_ARRAY float *sum, DETMATH_ARRAY float *low,
                                              struct detmath_parts a, DETMATH_ARRAY const float *x,
                                              detmath_u64 n, detmath_u64 count) {
    for (detmath_u64 i = 0; i < n; i++) {
        float high = sum[i], rest = low[i];
        detmath_parts_count(&high, &rest, detmath_parts_times(a, x[i]));
        sum[i] = high;
        low[i] = rest;
    }
    for (detmath_u64 i = 0; count % 64u == 63u && i < n; i++) {
        struct detmath_parts both;
        both.high = sum[i];
        both.low = low[i];
        both = detmath_attention_settled_number(both);
        sum[i] = both.high;
        low[i] = both.high - both.high == 0.0f ? both.low : 0.0f;
    }
}

/* A sum of these, times a scale, rounded; a 0 is +0. */
DETMATH_FUNCTION float detmath_attention_gathered(float sum, float low, float scale) {
    struct detmath_parts both;
    both.high = sum;
    both.low = low;
    both = detmath_parts_times(detmath_attention_settled_number(both), scale);
    return detmath_canonicalf(detmath_parts_rounded(both.high, both.low) + 0.0f);
}

#include "shield_end.inc"

#endif
