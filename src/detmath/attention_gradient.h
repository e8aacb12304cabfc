/* Gradients of attention (attention.h) with respect to q, k and v, of that of the result, g, in fp32 arithmetic and fma, in one
 * written order: what a query gives depends on it and its keys alone, and what a key gets on its queries.
 *
 *   m, t  the largest score of the query, and the sum of e^(s[j] - m), from the first key to the last
 *   d[j]  g[0] v[j][0] + ..., by fma from the first to the last
 *   D     (e^(s[0] - m) d[0] + ...) / t, likewise
 *   p[j]  e^(s[j] - m) / t
 *   a[j]  p[j] (d[j] - D), with a soft cap c times 1 - tanh(s / c)^2 of the score s before it
 *   dq    scale (a[0] k[0] + ...), from the first key to the last
 *   dk, dv  of key j scale times the sum of a[j] q, and the sum of p[j] g, over its queries, from the first to the last
 *
 * A score is a single number, of products by fma from the first to the last. Each sum but a score and d has two parts of fp32
 * (parts.h) and is rounded once. Where nothing overflows, and but for what is below 2^-126, with w the width, without a soft cap and
 * a bias, and S and V the largest sums of a score's |terms| and of d's, an element is off by at most
 * 2^-24 (2 (w + 1) S + 2 w + 24) times the sum of p |g|, or 2^-24 (4 (w + 1) S + 4 w + 48) V times the sum of p |k| or p |q|
 * and the scale.
 *
 * A score that is NaN or +inf makes NaN of the query's gradient and those of all keys and values that it has. Where an element of g,
 * or of the value of a key that counts, is infinite or NaN, a is NaN. A key whose score is -inf has no part in any. */
#ifndef DETMATH_ATTENTION_GRADIENT_H
#define DETMATH_ATTENTION_GRADIENT_H

#include "attention.h"
#include "norms.h"

#include "shield.inc"

/* What all keys of a query share; `counts` 0: no key counts. */
struct detmath_attention_share {
    float m, total, mean;
    int counts, is_bad;
};

/* A score from the sum of its products. */
DETMATH_FUNCTION float detmath_attention_rounded_score(const struct detmath_attention_scoring *all,
                                                       float dot, float cap_inverse, float bias,
                                                       int has_bias) {
    float s = detmath_productf(dot, all->scale);
    if (all->soft_cap != 0.0f)
        s = detmath_productf(all->soft_cap, detmath_tanhf(detmath_productf(s, cap_inverse)));
    return has_bias ? s + bias : s;
}

/* sum / total, total being 1 or more. */
DETMATH_FUNCTION float detmath_attention_rounded_quotient(float sum, float total, float inverse) {
    float q = detmath_productf(sum, inverse);
    return detmath_fmaf(detmath_fmaf(-q, total, sum), inverse, q);
}

/* From the first to the last; step: from element to element of y. */
DETMATH_FUNCTION float detmath_attention_dot(DETMATH_ARRAY const float *x,
                                             DETMATH_ARRAY const float *y, detmath_u64 n,
                                             detmath_u64 step) {
    float dot = detmath_from_bits_f32(0x80000000u);
    for (detmath_u64 i = 0; i < n; i++)
        dot = detmath_fmaf(x[i], y[i * step], dot);
    return dot;
}

/* A score before the bias and the soft cap makes a of p (d - D). */
DETMATH_FUNCTION float detmath_attention_capped(const struct detmath_attention_scoring *all,
                                                float dot, float a) {
    float tangent;
    if (all->soft_cap == 0.0f)
        return a;
    tangent = detmath_tanhf(
        detmath_productf(detmath_productf(dot, all->scale), detmath_inversef(all->soft_cap)));
    return detmath_productf(a, detmath_fmaf(-tangent, tangent, 1.0f));
}

/* scores[j] becomes that of key j, whose element d is keys[j * width + d]; g has value_width elements. */
DETMATH_INLINED struct detmath_attention_share
detmath_attention_share_of(const struct detmath_attention_scoring *all,
                           const struct detmath_attention_row *row, DETMATH_ARRAY const float *g,
                           DETMATH_ARRAY float *scores) {
    const float none = detmath_from_bits_f32(0xff800000u);
    struct detmath_attention_share share;
    struct detmath_parts total = detmath_parts_of(0.0f), sum = total;
    float cap_inverse = all->soft_cap != 0.0f ? detmath_inversef(all->soft_cap) : 0.0f;
    share.m = none;
    share.is_bad = 0;
    for (detmath_u64 j = 0; j < row->n; j++) {
        float dot = detmath_attention_dot(row->q, row->keys + j * row->width, row->width, 1);
        scores[j] = detmath_attention_rounded_score(
            all, dot, cap_inverse, row->bias ? row->bias[j] : 0.0f, row->bias != 0);
        share.is_bad |= !(scores[j] < detmath_from_bits_f32(DETMATH_INFINITY_BITS));
        share.m = scores[j] > share.m ? scores[j] : share.m;
    }
    share.counts = share.m != none && !share.is_bad;
    for (detmath_u64 j = 0; share.counts && j < row->n; j++) {
        float e, d;
        if (scores[j] == none)
            continue;
        e = detmath_powerf(scores[j], share.m);
        d = detmath_attention_dot(g, row->values + j * row->value_step, row->value_width, 1);
        detmath_parts_count(&total.high, &total.low, detmath_parts_of(e));
        detmath_parts_count(&sum.high, &sum.low,
                            detmath_parts_product(detmath_parts_of(e), detmath_parts_of(d)));
    }
    share.total = share.counts ? detmath_parts_rounded(total.high, total.low) : 1.0f;
    share.mean = detmath_attention_rounded_quotient(detmath_parts_rounded(sum.high, sum.low),
                                                    share.total, detmath_inversef(share.total));
    return share;
}

/* p of key j, and *a, from its score. */
DETMATH_INLINED float detmath_attention_slope(const struct detmath_attention_scoring *all,
                                              const struct detmath_attention_row *row,
                                              DETMATH_ARRAY const float *g,
                                              const struct detmath_attention_share *share,
                                              detmath_u64 j, float score,
                                              DETMATH_PRIVATE float *a) {
    float d = detmath_attention_dot(g, row->values + j * row->value_step, row->value_width, 1);
    float p = detmath_attention_rounded_quotient(detmath_powerf(score, share->m), share->total,
                                                 detmath_inversef(share->total));
    float dot = all->soft_cap != 0.0f
                    ? detmath_attention_dot(row->q, row->keys + j * row->width, row->width, 1)
                    : 0.0f;
    *a = detmath_attention_capped(all, dot, detmath_productf(p, d - share->mean));
    return p;
}

/* sum[i] + low[i] += a x[i]. */
DETMATH_INLINED void detmath_attention_gather(DETMATH_ARRAY float *sum, DETMATH_ARRAY float *low,
                                              float a, DETMATH_ARRAY const float *x,
                                              detmath_u64 n) {
    for (detmath_u64 i = 0; i < n; i++) {
        float high = sum[i], rest = low[i];
        detmath_parts_count(&high, &rest,
                            detmath_parts_product(detmath_parts_of(a), detmath_parts_of(x[i])));
        sum[i] = high;
        low[i] = rest;
    }
}

/* A sum of these, times a scale, as a number; a 0 is +0. */
DETMATH_FUNCTION float detmath_attention_gathered(float sum, float low, float scale) {
    float high = sum - sum == 0.0f ? sum + low : sum;
    return detmath_canonicalf(detmath_productf(high, scale) + 0.0f);
}

#include "shield_end.inc"

#endif
