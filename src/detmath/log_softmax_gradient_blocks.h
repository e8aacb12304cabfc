/* The gradients of logsumexp and log_softmax (log_softmax_gradient.h) a block at a time, in
 * vectors: for lines of finite elements (or -inf) and finite gradients, rounded to the nearest
 * number of the format wherever bounds decide that; other lines are left to that header.
 *
 * With b blocks, t, the sum of the powers but for the first of the largest element, is within 2^-87
 * and b 2^-102 of itself, besides n 2^-865 that is left out; sums of gradients are within 2^-96 and
 * b 2^-102 of the sum of their magnitudes, `size`. So c = 1 + t, g / c and their product with a
 * power are within `slack`, 2^-85 + b 2^-97, of themselves. */
#ifndef DETMATH_LOG_SOFTMAX_GRADIENT_BLOCKS_H
#define DETMATH_LOG_SOFTMAX_GRADIENT_BLOCKS_H

#include "log_softmax_gradient.h"
#include "log_sums_gradient_blocks.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* A line: the largest element, its first place, t and c; and gradients: the sum of them, that of
 * others than at this place, which is `first`, and of their magnitudes. */
struct detmath_share_line {
    double most, slack, first, size;
    detmath_u64 at;
    struct detmath_twofold t, c, sum, others;
};

/* The sum of n numbers in lanes, and of their magnitudes. */
DETMATH_INLINED struct detmath_twofold detmath_share_sum(const double *v, int n, double *size) {
    double high[DETMATH_LOG_RUNS], low[DETMATH_LOG_RUNS], most[DETMATH_LOG_RUNS];
    struct detmath_twofold total = detmath_twofold_of(0.0, 0.0);
    for (int l = 0; l < DETMATH_LOG_RUNS; l++)
        high[l] = low[l] = most[l] = 0.0;
    for (int i = 0; i < n; i += DETMATH_LOG_RUNS)
        for (int l = 0; l < DETMATH_LOG_RUNS; l++) {
            struct detmath_twofold sum = detmath_twofold_exact_sum(high[l], v[i + l]);
            high[l] = sum.high;
            low[l] += sum.low;
            most[l] += v[i + l] < 0.0 ? -v[i + l] : v[i + l];
        }
    for (int l = 0; l < DETMATH_LOG_RUNS; l++) {
        total = detmath_twofold_sum(total, detmath_twofold_exact_sum(high[l], low[l]));
        *size += most[l];
    }
    return total;
}

/* False where a line is left to others. `gradients` is n, or 1. */
DETMATH_INLINED int detmath_share_line_of(struct detmath_share_line *line,
                                          const struct detmath_line *x,
                                          const struct detmath_line *g, detmath_u64 n,
                                          detmath_u64 gradients) {
    double v[DETMATH_LOG_BLOCK], first;
    int skip = 1;
    line->t = line->others = detmath_twofold_of(0.0, 0.0);
    line->size = 0.0;
    line->at = n;
    line->most = detmath_gradient_largest(x, g, n, gradients, &first);
    line->slack = detmath_fma((double)(n >> 10), 0x1p-97, 0x1p-85);
    if (!(line->most - line->most == 0.0))
        return 0;
    for (detmath_u64 at = 0; at < n; at += DETMATH_LOG_BLOCK) {
        int there = detmath_line_block(x, at, n, v);
        for (int i = 0; i < there && line->at == n; i++)
            line->at = v[i] == line->most ? at + (detmath_u64)i : n;
        line->t =
            detmath_twofold_sum(line->t, detmath_log_pairs_total(v, there, line->most, &skip));
    }
    detmath_u64 place = gradients == n ? line->at : 0;
    for (detmath_u64 at = 0; at < gradients; at += DETMATH_LOG_BLOCK) {
        int there = detmath_line_block(g, at, gradients, v);
        for (int i = there; i % DETMATH_LOG_RUNS; i++)
            v[i] = 0.0;
        if (place >= at && place - at < (detmath_u64)there)
            v[place - at] = 0.0;
        line->others = detmath_twofold_sum(line->others, detmath_share_sum(v, there, &line->size));
    }
    line->first = detmath_line_load(g, place);
    line->sum = detmath_twofold_sum(line->others, detmath_twofold_of(line->first, 0.0));
    line->c = detmath_twofold_sum(detmath_twofold_of(1.0, 0.0), line->t);
    return 1;
}

/* a / c, within 2^-100 of itself, for a c from 1 on. */
DETMATH_FUNCTION struct detmath_twofold detmath_share_over(struct detmath_twofold a,
                                                           struct detmath_twofold c) {
    double q = a.high / c.high, rest = detmath_fma(-q, c.high, a.high) + a.low;
    return detmath_twofold_exact_sum(q, detmath_fma(-q, c.low, rest) / c.high);
}

/* g - e^(x - m) r, where r is off by `error`, with d = x - m: where the power is left out r's sign
 * decides. */
DETMATH_FUNCTION double detmath_share_less(double g, struct detmath_twofold e, double d,
                                           struct detmath_twofold r, double error, int precise,
                                           detmath_u64 *doubt) {
    struct detmath_twofold p = detmath_twofold_product(e, r);
    struct detmath_twofold y =
        detmath_twofold_sum(detmath_twofold_of(g, 0.0), detmath_twofold_of(-p.high, -p.low));
    double size = p.high < 0.0 ? -p.high : p.high, whole = g < 0.0 ? -g : g;
    double own = detmath_fma(size, 0x1p-100, detmath_product(e.high, error));
    own = detmath_fma(y.low < 0.0 ? -y.low : y.low, 0x1p-50, own); /* what g + p is rounded by */
    double result = detmath_gradient_settle(y, own, precise, doubt);
    detmath_u64 far_doubt;
    double negative = detmath_gradient_of(e, d, r, error, precise, &far_doubt);
    double far = precise ? g : detmath_round_to_odd(g, r.high < 0.0);
    int is_far = e.high == 0.0, is_large = whole > (precise ? 0x1p-200 : 0.0);
    double small = precise ? 0x1p200 : 0x1p400; /* r is so small that nothing of g is changed */
    double bound = r.high < 0.0 ? -r.high : r.high;
    detmath_u64 large_doubt = !((bound < small) & (bound > error + error) & (whole < 0x1p900));
    large_doubt |= !precise & (whole < 0x1p-190);
    *doubt = is_far ? (is_large ? large_doubt : far_doubt | (g != 0.0)) : *doubt;
    result = is_far ? (is_large ? far : -negative) : result;
    *doubt = d > detmath_minus_infinity() ? *doubt : 0;
    return d > detmath_minus_infinity() ? result : g;
}

/* Of the largest element itself: (g t - others) / c, where neither cancels. */
DETMATH_FUNCTION double detmath_share_first(const struct detmath_share_line *line, detmath_u64 n,
                                            int precise, detmath_u64 *doubt) {
    struct detmath_twofold p =
        detmath_twofold_product(line->t, detmath_twofold_of(line->first, 0.0));
    struct detmath_twofold y =
        detmath_twofold_sum(p, detmath_twofold_of(-line->others.high, -line->others.low));
    double size = p.high < 0.0 ? -p.high : p.high,
           first = line->first < 0.0 ? -line->first : line->first;
    double error = detmath_fma(size, line->slack, detmath_product(line->size, line->slack));
    error = detmath_fma(first, detmath_product((double)n, 0x1p-864), error) / line->c.high;
    return detmath_gradient_settle(detmath_share_over(y, line->c), error, precise, doubt);
}

/* One pass of either gradient, where y->codes is NULL without writing. False where the line is left
 * to others. */
DETMATH_INLINED int detmath_share_gradient_pass(const struct detmath_line_out *y,
                                                const struct detmath_line *x,
                                                const struct detmath_line *g, detmath_u64 n,
                                                int is_softmax, int precise) {
    struct detmath_share_line line;
    double v[DETMATH_LOG_BLOCK], given[DETMATH_LOG_BLOCK];
    detmath_u64 any = 0, doubt[DETMATH_LOG_BLOCK];
    if (!detmath_share_line_of(&line, x, g, n, is_softmax ? n : 1))
        return 0;
    struct detmath_twofold share = detmath_share_over(line.sum, line.c);
    double size = share.high < 0.0 ? -share.high : share.high;
    double first = line.first < 0.0 ? -line.first : line.first, magnitude = line.size + first;
    double error = detmath_fma(
        size, line.slack, detmath_product(magnitude / line.c.high, is_softmax ? 0x1p-90 : 0.0));
    for (detmath_u64 at = 0; at < n && !any; at += DETMATH_LOG_BLOCK) {
        int there = detmath_line_block(x, at, n, v);
        if (is_softmax)
            detmath_line_block(g, at, n, given);
        int has_first = is_softmax && line.at >= at && line.at - at < (detmath_u64)there;
        if (has_first)
            v[line.at - at] = detmath_minus_infinity(); /* which is never open */
        for (int i = 0; i < there; i++) {
            double d = v[i] - line.most;
            struct detmath_twofold e = detmath_log_pairs_power(v[i], line.most);
            v[i] = is_softmax ? detmath_share_less(given[i], e, d, share, error, precise, &doubt[i])
                              : detmath_gradient_of(e, d, share, error, precise, &doubt[i]);
        }
        for (int i = 0; i < there; i++)
            any |= doubt[i];
        if (has_first) {
            v[line.at - at] = detmath_share_first(&line, n, precise, doubt);
            any |= doubt[0];
        }
        if (y->codes && !any)
            detmath_line_put(y, at, v, there, 0, 0);
    }
    return !any;
}

/* y may be x or g: then a first pass finds out whether any element is left open. */
#define DETMATH_SHARE_GRADIENT(NAME, IS_SOFTMAX)                                                   \
    DETMATH_INLINED void detmath_##NAME##_line(const struct detmath_line_out *y,                   \
                                               const struct detmath_line *x,                       \
                                               const struct detmath_line *g, detmath_u64 n) {      \
        int passes = y->codes == x->codes || y->codes == g->codes ? 2 : 1, is_done = 1;            \
        struct detmath_line_out to = *y;                                                           \
        for (; passes > 0 && is_done; passes--) {                                                  \
            to.codes = passes > 1 ? 0 : y->codes;                                                  \
            is_done = x->cast == DETMATH_F64                                                       \
                          ? detmath_share_gradient_pass(&to, x, g, n, IS_SOFTMAX, 1)               \
                          : detmath_share_gradient_pass(&to, x, g, n, IS_SOFTMAX, 0);              \
        }                                                                                          \
        if (!is_done)                                                                              \
            detmath_##NAME##_slowly(y, x, g, n);                                                   \
    }
DETMATH_SHARE_GRADIENT(logsumexp_gradient, 0)
DETMATH_SHARE_GRADIENT(log_softmax_gradient, 1)

/* The same of n elements beside each other. */
#define DETMATH_SHARE_GRADIENT_FORMS(NAME, TYPE, S)                                                \
    DETMATH_FUNCTION void detmath_##NAME##S(TYPE *y, const TYPE *x, const TYPE *g,                 \
                                            detmath_u64 n) {                                       \
        struct detmath_line from = detmath_line_of##S(x), given = detmath_line_of##S(g);           \
        struct detmath_line_out to = detmath_line_to##S(y);                                        \
        detmath_##NAME##_line(&to, &from, &given, n);                                              \
    }
DETMATH_SHARE_GRADIENT_FORMS(logsumexp_gradient, float, f)
DETMATH_SHARE_GRADIENT_FORMS(logsumexp_gradient, double, )
DETMATH_SHARE_GRADIENT_FORMS(log_softmax_gradient, float, f)
DETMATH_SHARE_GRADIENT_FORMS(log_softmax_gradient, double, )

#endif

#include "shield_end.inc"

#endif
