/* Cross entropy of a line of n scores x whose class is t, with the label smoothing s, in fp32 arithmetic and fma, in one
 * written order that depends on n alone:
 *   ln(e^x[0] + ... + e^x[n-1]) - (1 - s) x[t] - s (x[0] + ... + x[n-1]) / n
 *
 * With m the largest score, which p of them are, it is a sum of what is not negative, so that nothing cancels:
 *   ln(p + sum of the other e^(x[i] - m)) + (1 - s) (m - x[t]) + s (sum of m - x[i]) / n
 * Each of these has two parts of fp32 (parts.h), and the loss alone is rounded: its error is below 0.55 ulp where it is 2^-100
 * or more. Both sums, and that of losses, have the order of norms.h: lane l of 64 takes elements l, l + 64, ... of
 * a block of 1024, lanes are folded, blocks go up a binary tree.
 *
 * NaN and +inf, or nothing but -inf, make the loss NaN; else -inf makes it +inf as the class, and with smoothing
 * anywhere. */
#ifndef DETMATH_CROSS_ENTROPY_H
#define DETMATH_CROSS_ENTROPY_H

#include "gates.h"

#include "log.h"

#include "loss_sums.h"

#include "norms.h"

#include "parts_over.h"

#include "sigmoid.h"

#include "shield.inc"

/* What all elements of a line tell: the largest, a power of two that keeps sums of them finite, and whether there is a NaN
 * or +inf, and a -inf. Numbers are compared as integers, as subnormal ones may count as 0 otherwise. */
struct detmath_scores {
    float most, scale;
    int is_bad, has_none;
    detmath_u64 finite; /* how many are numbers */
};

DETMATH_INLINED struct detmath_scores detmath_scores_of(DETMATH_ARRAY const float *x,
                                                        detmath_u64 n) {
    struct detmath_scores scores;
    detmath_u32 most = 0x007fffffu, largest = 0; /* -inf in that order */
    scores.is_bad = scores.has_none = 0;
    scores.finite = 0;
    for (detmath_u64 i = 0; i < n; i++) {
        detmath_u32 bits = detmath_bits_f32(x[i]);
        detmath_u32 order = bits >> 31 ? ~bits : bits | 0x80000000u, size = bits & 0x7fffffffu;
        scores.is_bad |= size > DETMATH_INFINITY_BITS;
        scores.is_bad |= bits == DETMATH_INFINITY_BITS;
        scores.has_none |= bits == 0xff800000u;
        scores.finite += size < DETMATH_INFINITY_BITS;
        most = order > most ? order : most;
        largest = size > largest && size < DETMATH_INFINITY_BITS ? size : largest;
    }
    scores.is_bad |= most == 0x007fffffu;
    scores.most = detmath_from_bits_f32(most >> 31 ? most & 0x7fffffffu : ~most);
    scores.scale = largest < 0x5d800000u ? 1.0f : 0x1p-64f; /* 2^60 */
    return scores;
}

/* m f - x f, exactly. */
DETMATH_FUNCTION struct detmath_parts detmath_score_below(float x, float most, float scale) {
    return detmath_parts_difference(detmath_productf(most, scale), detmath_productf(x, scale));
}

/* 2^64 e^-(d / f); 0 beyond e^-120, which no sum with anything but such terms notices. */
DETMATH_FUNCTION struct detmath_parts detmath_score_power(struct detmath_parts below, float scale) {
    detmath_i32 n;
    float up = scale == 1.0f ? 1.0f : 0x1p64f, d = detmath_productf(below.high, up);
    int is_there = d <= 120.0f;
    struct detmath_parts e = detmath_sigmoid_power(
        is_there ? d : 120.0f, is_there ? detmath_productf(below.low, up) : 0.0f, &n);
    float power = detmath_from_bits_f32((detmath_u32)(127 + 64 + n) << 23);
    e.high = is_there ? detmath_productf(e.high, power) : 0.0f;
    e.low = is_there ? detmath_productf(e.low, power) : 0.0f;
    return e;
}

/* How many of a block of n <= 1024 elements are the largest; what the others add to the sum of powers, and all of them to that
 * of distances. */
DETMATH_INLINED detmath_u64 detmath_scores_block(DETMATH_ARRAY const float *x, detmath_u64 n,
                                                 float most, float scale,
                                                 struct detmath_parts *powers,
                                                 struct detmath_parts *distances) {
    float high[DETMATH_LANES], low[DETMATH_LANES], far[DETMATH_LANES], far_low[DETMATH_LANES],
        v[DETMATH_LANES];
    detmath_u64 peers = 0;
    detmath_lanes_clearf(high);
    detmath_lanes_clearf(low);
    detmath_lanes_clearf(far);
    detmath_lanes_clearf(far_low);
    for (detmath_u64 at = 0; at < n; at += DETMATH_LANES) {
        int there = (int)detmath_at_most(n - at, DETMATH_LANES);
        detmath_lanes_loadf(v, x + at, n - at);
        for (int l = 0; l < there; l++) {
            struct detmath_parts d = detmath_score_below(v[l], most, scale);
            int is_most = d.high == 0.0f;
            peers += (detmath_u64)is_most;
            struct detmath_parts e = detmath_score_power(d, scale);
            e.high = is_most ? 0.0f : e.high;
            e.low = is_most ? 0.0f : e.low;
            detmath_parts_count(&high[l], &low[l], e);
            detmath_parts_count(&far[l], &far_low[l], d);
        }
    }
    *powers = detmath_parts_fold(high, low);
    *distances = detmath_parts_fold(far, far_low);
    return peers;
}

/* ln s for an s of 1.3 or more. */
DETMATH_FUNCTION struct detmath_parts detmath_parts_log(struct detmath_parts s) {
    detmath_i32 n;
    struct detmath_parts base, log;
    float f = detmath_log_reduce(detmath_bits_f32(s.high), &n);
    float power = detmath_from_bits_f32((detmath_u32)(127 - n) << 23);
    log.high = detmath_log_parts_of(f, detmath_productf(s.low, power), &log.low);
    base.high = detmath_productf((float)n, 0x1.62e4p-1f); /* exact */
    base.low = detmath_productf((float)n, 0x1.7f7d1cp-20f);
    return detmath_parts_plus(base, log);
}

/* ln(peers + t), of 2^64 t. */
DETMATH_FUNCTION struct detmath_parts detmath_scores_log(detmath_u64 peers,
                                                         struct detmath_parts t) {
    struct detmath_parts whole, log;
    int is_small = t.high < 0x1p34f; /* of one peer t itself is as good */
    t.high = detmath_productf(t.high, 0x1p-64f);
    t.low = detmath_productf(t.low, 0x1p-64f);
    if (peers == 1 && is_small)
        return t;
    if (peers == 1 && t.high < 0.375f) {
        log.high = detmath_log_parts_of(t.high, t.low, &log.low);
        return log;
    }
    whole.high = (float)peers;
    whole.low = (float)((detmath_i64)peers - (detmath_i64)whole.high);
    return detmath_parts_log(detmath_parts_plus(whole, t));
}

/* Whether x is no weight of a class: below 0, an infinity or NaN. */
DETMATH_FUNCTION int detmath_is_no_class_weight(float x) {
    const detmath_u32 bits = detmath_bits_f32(x);
    return bits >= DETMATH_INFINITY_BITS && bits != 0x80000000u;
}

/* A weight, +0 for -0. */
DETMATH_FUNCTION float detmath_class_weight(float x) {
    return detmath_bits_f32(x) == 0x80000000u ? 0.0f : x;
}

/* What the weights of a line's classes come to with smoothing: their sum, and that of each times its distance from the largest
 * score, in the order of a sum; whether one is none, and whether one is 0 where the score is -inf. */
struct detmath_weighed {
    struct detmath_parts sum, distances;
    int has_bad, is_lost;
};

DETMATH_INLINED struct detmath_weighed detmath_scores_weighed(DETMATH_ARRAY const float *x,
                                                              DETMATH_ARRAY const float *weights,
                                                              detmath_u64 n, float most,
                                                              float scale) {
    struct detmath_parts sums[DETMATH_TREE_LEVELS], distances[DETMATH_TREE_LEVELS];
    float high[DETMATH_LANES], low[DETMATH_LANES], far[DETMATH_LANES], far_low[DETMATH_LANES];
    struct detmath_weighed weighed;
    detmath_u64 blocks = 0;
    weighed.has_bad = weighed.is_lost = 0;
    sums[0] = distances[0] = detmath_parts_of(0.0f);
    for (detmath_u64 from = 0; from < n; from += DETMATH_BLOCK) {
        const detmath_u64 there = detmath_at_most(n - from, DETMATH_BLOCK);
        detmath_lanes_clearf(high);
        detmath_lanes_clearf(low);
        detmath_lanes_clearf(far);
        detmath_lanes_clearf(far_low);
        for (detmath_u64 i = 0; i < there; i++) {
            const int l = (int)(i % DETMATH_LANES);
            const float score = x[from + i], weight = weights[from + i];
            const int is_lost = detmath_bits_f32(score) == 0xff800000u;
            struct detmath_parts w = detmath_parts_of(weight);
            weighed.has_bad |= detmath_is_no_class_weight(weight);
            weighed.is_lost |= is_lost && detmath_bits_f32(weight) << 1 == 0;
            detmath_parts_count(&high[l], &low[l], w);
            if (!is_lost)
                detmath_parts_count(
                    &far[l], &far_low[l],
                    detmath_parts_product(detmath_score_below(score, most, scale), w));
        }
        detmath_parts_tree_add(sums, blocks, detmath_parts_fold(high, low));
        detmath_parts_tree_add(distances, blocks++, detmath_parts_fold(far, far_low));
    }
    weighed.sum = detmath_parts_tree_total(sums, blocks);
    weighed.distances = detmath_parts_tree_total(distances, blocks);
    return weighed;
}

/* w s / n. */
DETMATH_FUNCTION struct detmath_parts detmath_label_share(struct detmath_parts w, float smoothing,
                                                          detmath_u64 n) {
    return detmath_parts_by_count(detmath_parts_product(w, detmath_parts_of(smoothing)), n);
}

/* Whether a line with weights has no loss: one that counts is none, or is 0 and the score of its class -inf. */
DETMATH_FUNCTION int detmath_lacks_loss(float score, float weight, int is_bad) {
    const int is_lost = detmath_bits_f32(score) == 0xff800000u;
    return is_bad || detmath_is_no_class_weight(weight) ||
           (is_lost && detmath_bits_f32(weight) << 1 == 0);
}

/* The loss of a line in two parts, the second one 0 where the first is no number. target is below n, and smoothing
 * from 0 to 1. weights, one for each class, may be NULL: they are 1 then. */
DETMATH_INLINED struct detmath_parts detmath_cross_entropyf(DETMATH_ARRAY const float *x,
                                                            DETMATH_ARRAY const float *weights,
                                                            detmath_u64 n, detmath_u64 target,
                                                            float smoothing) {
    struct detmath_parts powers[DETMATH_TREE_LEVELS], distances[DETMATH_TREE_LEVELS], t, far, keep,
        share, log, loss = detmath_parts_of(detmath_from_bits_f32(DETMATH_NAN_BITS));
    const struct detmath_scores scores = detmath_scores_of(x, n);
    const detmath_u64 blocks = (n + DETMATH_BLOCK - 1) / DETMATH_BLOCK;
    detmath_u64 peers = 0;
    struct detmath_weighed weighed;
    weighed.sum = weighed.distances = detmath_parts_of(0.0f);
    weighed.has_bad = weighed.is_lost = 0;
    if (scores.is_bad)
        return loss;
    if (weights && smoothing != 0.0f)
        weighed = detmath_scores_weighed(x, weights, n, scores.most, scores.scale);
    if (weights &&
        detmath_lacks_loss(x[target], weights[target], weighed.has_bad || weighed.is_lost))
        return loss;
    loss.high = detmath_from_bits_f32(DETMATH_INFINITY_BITS);
    if (detmath_bits_f32(x[target]) == 0xff800000u || (smoothing != 0.0f && scores.has_none))
        return loss;
    const float scale = scores.scale;
    powers[0] = distances[0] = detmath_parts_of(0.0f);
    for (detmath_u64 i = 0; i < blocks; i++) {
        peers += detmath_scores_block(x + i * DETMATH_BLOCK,
                                      detmath_at_most(n - i * DETMATH_BLOCK, DETMATH_BLOCK),
                                      scores.most, scale, &t, &far);
        detmath_parts_tree_add(powers, i, t);
        detmath_parts_tree_add(distances, i, far);
    }
    loss = detmath_score_below(x[target], scores.most, scale);
    log = detmath_scores_log(peers, detmath_parts_tree_total(powers, blocks));
    if (smoothing != 0.0f) {
        keep.high = 1.0f - smoothing;
        keep.low = detmath_sum_restf(1.0f, -smoothing, keep.high);
        if (weights)
            keep = detmath_parts_product(keep,
                                         detmath_parts_of(detmath_class_weight(weights[target])));
        far = detmath_parts_product(weights ? weighed.distances
                                            : detmath_parts_tree_total(distances, blocks),
                                    detmath_parts_of(smoothing));
        share = detmath_parts_by_count(far, n);
        loss = detmath_parts_plus(detmath_parts_product(loss, keep), share);
        if (weights)
            log = detmath_parts_product(
                log, detmath_parts_plus(keep, detmath_label_share(weighed.sum, smoothing, n)));
    } else if (weights) {
        loss = detmath_parts_product(loss, detmath_parts_of(detmath_class_weight(weights[target])));
        log = detmath_parts_product(log, detmath_parts_of(detmath_class_weight(weights[target])));
    }
    loss.high = detmath_productf(loss.high, scale == 1.0f ? 1.0f : 0x1p64f);
    loss.low = detmath_productf(loss.low, scale == 1.0f ? 1.0f : 0x1p64f);
    loss = detmath_parts_plus(loss, log);
    loss.low = loss.high - loss.high == 0.0f ? loss.low : 0.0f;
    return loss;
}

/* 2^64 n. */
DETMATH_FUNCTION struct detmath_parts detmath_peers(detmath_u64 n) {
    struct detmath_parts peers;
    peers.high = (float)n;
    peers.low = (float)((detmath_i64)n - (detmath_i64)peers.high);
    peers.high = detmath_productf(peers.high, 0x1p64f);
    peers.low = detmath_productf(peers.low, 0x1p64f);
    return peers;
}

/* g (x 2^n), rounded once; where it is subnormal once more. */
DETMATH_FUNCTION float detmath_slope_rounded(float g, struct detmath_parts x, detmath_i32 n) {
    detmath_i32 m, k;
    if (!(g - g == 0.0f) || g == 0.0f)
        return detmath_canonicalf(detmath_productf(g, x.high));
    float a = detmath_significand_of(g, &m), b = detmath_significand_of(x.high, &k);
    float power = detmath_from_bits_f32((detmath_u32)(127 - k) << 23);
    float product = detmath_productf(a, b), rest = detmath_fmaf(a, b, -product);
    rest = detmath_fmaf(a, detmath_productf(x.low, power), rest);
    return detmath_scale_f32(product + rest, n + m + k);
}

/* g times a difference that came out as 0: exactly, or one below all numbers, of that sign. */
DETMATH_FUNCTION float detmath_slope_of_nothing(float g, int is_exact, int negative) {
    if (is_exact)
        return g - g == 0.0f ? 0.0f : detmath_from_bits_f32(DETMATH_NAN_BITS);
    float tiny = detmath_from_bits_f32(detmath_bits_f32(g) ^ (negative ? 0x80000000u : 0u));
    return g - g == 0.0f ? detmath_productf(tiny, 0.0f) : detmath_canonicalf(tiny);
}

/* The gradient of a loss, times g: y[i] = g (p[i] - q[i]), p the softmax of x and q the label, 1 - s + s / n of the class
 * and s / n of others. The class has what the others have, less their part of the label: so nothing cancels without
 * smoothing. Where p is 2^-100 or more and y a normal number the error is at most 0.5 ulp and, beside that,
 * 2^-28 |g| (p[i] + q[i]); without smoothing it is below 0.57 ulp. y may be x.
 *
 * weights may be NULL: they are 1 then. Else y[i] = g (a p[i] - q[i]), the q[i] of each class times its weight, and a their sum;
 * the bound is as above with a p[i] for p[i], where weights are 0 or from 2^-20 to 2^20. */
DETMATH_INLINED void detmath_cross_entropy_gradientf(DETMATH_ARRAY float *y,
                                                     DETMATH_ARRAY const float *x,
                                                     DETMATH_ARRAY const float *weights,
                                                     detmath_u64 n, detmath_u64 target, float g,
                                                     float smoothing) {
    struct detmath_parts powers[DETMATH_TREE_LEVELS], t, far, whole, each, all,
        factor = detmath_parts_of(1.0f);
    struct detmath_weighed weighed;
    int is_bad, is_none = 0;
    const struct detmath_scores scores = detmath_scores_of(x, n);
    const detmath_u64 blocks = (n + DETMATH_BLOCK - 1) / DETMATH_BLOCK;
    detmath_u64 peers = 0;
    powers[0] = detmath_parts_of(0.0f);
    for (detmath_u64 i = 0; i < blocks; i++) {
        peers += detmath_scores_block(x + i * DETMATH_BLOCK,
                                      detmath_at_most(n - i * DETMATH_BLOCK, DETMATH_BLOCK),
                                      scores.most, scores.scale, &t, &far);
        detmath_parts_tree_add(powers, i, t);
    }
    t = detmath_parts_tree_total(powers, blocks);
    each = detmath_parts_by_count(detmath_parts_of(smoothing), n);
    all.high = -each.high;
    all.low = -each.low;
    all = detmath_parts_plus(detmath_parts_of(smoothing), all);
    is_bad = scores.is_bad;
    if (weights) {
        const struct detmath_parts own = detmath_parts_of(detmath_class_weight(weights[target]));
        factor = own;
        is_bad |= detmath_is_no_class_weight(weights[target]);
        is_none = smoothing == 0.0f && detmath_bits_f32(weights[target]) << 1 == 0;
        if (smoothing != 0.0f) { /* all: what a has beside the class's q */
            weighed = detmath_scores_weighed(x, weights, n, scores.most, scores.scale);
            is_bad |= weighed.has_bad;
            all = detmath_label_share(detmath_parts_plus(weighed.sum, detmath_parts_negative(own)),
                                      smoothing, n);
            factor.high = 1.0f - smoothing;
            factor.low = detmath_sum_restf(1.0f, -smoothing, factor.high);
            factor = detmath_parts_plus(detmath_parts_product(factor, own),
                                        detmath_label_share(weighed.sum, smoothing, n));
        }
    }
    for (detmath_u64 i = 0; i < n; i++) {
        struct detmath_parts d = detmath_score_below(x[i], scores.most, scores.scale), e, p;
        const int is_most = d.high == 0.0f;
        e = detmath_score_power(d, scores.scale); /* 2^64 e^-d */
        e = is_most ? detmath_parts_of(0x1p64f) : e;
        if (i == target) /* -2^64 what the others have */
            e = is_most ? detmath_parts_negative(detmath_parts_plus(detmath_peers(peers - 1), t))
                        : detmath_parts_plus(e, detmath_parts_negative(
                                                    detmath_parts_plus(detmath_peers(peers), t)));
        whole = detmath_parts_plus(detmath_peers(peers), t);
        whole.high = detmath_productf(whole.high, 0x1p-64f);
        whole.low = detmath_productf(whole.low, 0x1p-64f);
        p = detmath_parts_over(e, whole);
        if (weights && smoothing == 0.0f)
            p = detmath_parts_product(p, factor);
        if (smoothing != 0.0f) {
            p.high = detmath_productf(p.high, 0x1p-64f);
            p.low = detmath_productf(p.low, 0x1p-64f);
            if (weights) {
                p = detmath_parts_product(p, factor);
                each = detmath_label_share(detmath_parts_of(weights[i]), smoothing, n);
            }
            p = detmath_parts_plus(p, i == target ? all : detmath_parts_negative(each));
            float sum = p.high + p.low;
            p.low = detmath_sum_restf(p.high, p.low, sum);
            p.high = sum;
        }
        const int is_lost = detmath_bits_f32(x[i]) == 0xff800000u;
        if (is_bad)
            y[i] = detmath_from_bits_f32(DETMATH_NAN_BITS);
        else if (p.high == 0.0f)
            y[i] = detmath_slope_of_nothing(
                g, smoothing != 0.0f || is_lost || is_none || scores.finite == 1, i == target);
        else
            y[i] = detmath_slope_rounded(g, p, smoothing != 0.0f ? 0 : -64);
    }
}

#include "shield_end.inc"

#endif
