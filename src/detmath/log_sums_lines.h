/* logsumexp and log_softmax of lines of elements: what goes through the blocks of log_sums_quick.h
 * and log_sums_pairs.h, and leaves the rest to log_sums.h; and all three of elements beside each
 * other. */
#ifndef DETMATH_LOG_SUMS_LINES_H
#define DETMATH_LOG_SUMS_LINES_H

#include "log_sums_scan.h"

#include "shield.inc"

/* Of n elements: m, how many are finite, and ln(1 + t) as log + small, which is within `error`, or
 * in pairs within what detmath_log_pairs_sum adds to it. */
struct detmath_log_total {
    detmath_real most, log, small, error;
    detmath_u64 finite;
};

/* m, how many elements are finite, and ln(1 + t) where `pairs`; false where m is not finite. */
DETMATH_INLINED int detmath_log_total_of(const struct detmath_line *x, detmath_u64 n, int pairs,
                                         struct detmath_log_total *total) {
#if defined(DETMATH_NO_DOUBLE)
    (void)x, (void)n, (void)pairs, (void)total;
    return 0;
#else
    double v[DETMATH_LOG_BLOCK], most = detmath_minus_infinity();
    struct detmath_twofold t = detmath_twofold_of(0.0, 0.0);
    int skip = 1, there = 0;
    total->finite = 0;
    total->log = total->small = total->error = 0.0;
    for (detmath_u64 at = 0; at < n && most == most; at += DETMATH_LOG_BLOCK) {
        there = detmath_line_block(x, at, n, v);
        double own = detmath_log_sum_largest(v, (there + 31) & ~31);
        most = most >= own ? most : own;
    }
    total->most = most;
    if (!(most - most == 0.0))
        return 0;
    for (detmath_u64 at = 0; at < n; at += DETMATH_LOG_BLOCK) {
        if (n > DETMATH_LOG_BLOCK) /* a shorter line is there already */
            there = detmath_line_block(x, at, n, v);
        t = detmath_twofold_sum(t, pairs ? detmath_log_pairs_total(v, there, most, &skip)
                                         : detmath_log_sum_total(v, there, most, &skip));
        for (int i = 0; i < there; i++)
            total->finite += v[i] > detmath_minus_infinity();
    }
    if (pairs) { /* 64 sums in a block, and one for each block; and what is below e^-600 */
        total->small = detmath_log_pairs_log(1.0, t, &total->log);
        total->error = detmath_fma((double)(n >> 10), 0x1p-102, 0x1p-86);
        total->error = detmath_fma(total->log, total->error, detmath_product((double)n, 0x1p-864));
    } else {
        total->log = detmath_log_sum_quick_log(1.0, t.high);
        total->error = detmath_product(total->log, 0x1p-50);
    }
    return 1;
#endif
}

#if !defined(DETMATH_NO_DOUBLE)
/* (m - z) + ln(1 + t), and in *doubt whether that is open. */
DETMATH_FUNCTION double detmath_log_total_quick(const struct detmath_log_total *total, double z,
                                                detmath_u64 *doubt) {
    struct detmath_twofold d = detmath_twofold_exact_sum(total->most, -z);
    double above = d.low == 0.0 ? detmath_log_sum_above(d.high) : detmath_minus_infinity();
    *doubt = 0;
    return detmath_log_sum_quick(d.high, total->log, total->error, above, doubt);
}

/* The same in pairs. */
DETMATH_FUNCTION double detmath_log_total_pairs(const struct detmath_log_total *total, double z,
                                                int precise, detmath_u64 *doubt) {
    struct detmath_twofold d = detmath_twofold_exact_sum(total->most, -z);
    return precise ? detmath_log_pairs_settle(d, total->log, total->small, total->error, doubt)
                   : detmath_log_pairs_odd(d, total->log, total->small, total->error, 1, doubt);
}
#endif

/* Of nothing it is -inf. */
DETMATH_INLINED detmath_real detmath_logsumexp_line(const struct detmath_line *x, detmath_u64 n) {
    struct detmath_log_sum sum;
    struct detmath_log_needs needs = detmath_log_needs_none();
    int precise = x->cast == DETMATH_F64;
#if !defined(DETMATH_NO_DOUBLE)
    struct detmath_log_total total;
    detmath_u64 doubt = 1;
    for (int pairs = precise; pairs < 2 && detmath_log_total_of(x, n, pairs, &total); pairs++) {
        double y = pairs ? detmath_log_total_pairs(&total, 0.0, precise, &doubt)
                         : detmath_log_total_quick(&total, 0.0, &doubt);
        if (!DETMATH_SELDOM(doubt))
            return y;
    }
#endif
    detmath_log_sum_begin(&sum, x, precise);
    return detmath_log_sum_slow(&sum, n, 0, &needs);
}

/* One element of log_softmax: NaN where an element is NaN or +inf, or none is finite. */
DETMATH_FUNCTION detmath_real detmath_log_share(struct detmath_log_sum *sum, detmath_u64 n,
                                                detmath_real x, struct detmath_log_needs *needs) {
    detmath_log_sum_advance(sum, n);
    if (sum->nan || sum->infinite || !sum->finite)
        return detmath_log_sum_nan();
    if (x == detmath_minus_infinity())
        return x;
    if (sum->finite == 1)
        return 0;
    return -detmath_log_sum_slow(sum, n, x, needs);
}

#if !defined(DETMATH_NO_DOUBLE)
/* Elements of log_softmax, z, and whether any is open, by the first way, by pairs, or by pairs in
 * fp64. */
enum detmath_log_way { DETMATH_LOG_QUICK, DETMATH_LOG_ODD, DETMATH_LOG_PRECISE };
DETMATH_INLINED int detmath_log_shares(const struct detmath_log_total *total, const double *v,
                                       double *z, detmath_u64 *doubt, int n,
                                       enum detmath_log_way way) {
    detmath_u64 any = 0;
    for (int i = 0; i < n; i++)
        z[i] = way == DETMATH_LOG_QUICK
                   ? detmath_log_total_quick(total, v[i], &doubt[i])
                   : detmath_log_total_pairs(total, v[i], way == DETMATH_LOG_PRECISE, &doubt[i]);
    for (int i = 0; i < n; i++) {
        z[i] = v[i] > detmath_minus_infinity() ? -z[i] : v[i];
        doubt[i] = v[i] > detmath_minus_infinity() ? doubt[i] : 0u;
        any |= doubt[i];
    }
    return any != 0;
}
#endif

DETMATH_INLINED struct detmath_log_needs
detmath_log_softmax_pass(const struct detmath_line_out *y, const struct detmath_line *x,
                         detmath_u64 n, const struct detmath_log_needs *keeps) {
    struct detmath_log_sum sum;
    struct detmath_log_needs needs = detmath_log_needs_none();
    detmath_real v[DETMATH_LOG_BLOCK], z[DETMATH_LOG_BLOCK];
    detmath_u64 doubt[DETMATH_LOG_BLOCK];
    int precise = x->cast == DETMATH_F64, is_there = 0;
#if !defined(DETMATH_NO_DOUBLE)
    struct detmath_log_total total, pairs;
    is_there = detmath_log_total_of(x, n, precise, &total) && total.finite > 1;
    pairs = total;
    if (keeps->pairs)
        detmath_log_total_of(x, n, 1, &pairs);
#endif
    detmath_log_sum_begin(&sum, x, precise);
    sum.words = keeps->words > sum.words ? keeps->words : sum.words;
    detmath_log_sum_keep(&sum, n, keeps);
    for (detmath_u64 at = 0; at < n; at += DETMATH_LOG_BLOCK) {
        int there = detmath_line_block(x, at, n, v), any = 1;
#if !defined(DETMATH_NO_DOUBLE)
        if (is_there && !precise)
            any = detmath_log_shares(&total, v, z, doubt, there, DETMATH_LOG_QUICK);
        else if (is_there)
            any = detmath_log_shares(&total, v, z, doubt, there, DETMATH_LOG_PRECISE);
        if (DETMATH_SELDOM(any && is_there && !precise)) {
            if (!needs.pairs && !keeps->pairs)
                detmath_log_total_of(x, n, 1, &pairs);
            needs.pairs = 1;
            any = detmath_log_shares(&pairs, v, z, doubt, there, DETMATH_LOG_ODD);
        }
#endif
        for (int i = 0; i < there && any; i++)
            if (!is_there || doubt[i])
                z[i] = detmath_log_share(&sum, n, v[i], &needs);
        if (y->codes)
            detmath_line_put(y, at, z, there, 0, 0);
    }
    return needs;
}

/* y may be x. */
DETMATH_INLINED void detmath_log_softmax_line(const struct detmath_line_out *y,
                                              const struct detmath_line *x, detmath_u64 n) {
    struct detmath_line_out to = *y;
    struct detmath_log_needs needs = detmath_log_needs_none();
    int passes = y->codes == x->codes ? 2 : 1;
    for (; passes > 0; passes--) {
        to.codes = passes > 1 ? 0 : y->codes;
        needs = detmath_log_softmax_pass(&to, x, n, &needs);
    }
}

/* The same of n elements beside each other. y may be x. */
#define DETMATH_LOG_SUM_FORMS(TYPE, S, FORMAT)                                                     \
    DETMATH_INLINED TYPE detmath_logsumexp##S(DETMATH_ARRAY const TYPE *x, detmath_u64 n) {        \
        struct detmath_line from = detmath_line_of##S(x);                                          \
        return (TYPE)detmath_logsumexp_line(&from, n);                                             \
    }                                                                                              \
    DETMATH_INLINED void detmath_logcumsumexp##S(DETMATH_ARRAY TYPE *y,                            \
                                                 DETMATH_ARRAY const TYPE *x, detmath_u64 n) {     \
        struct detmath_line from = detmath_line_of##S(x);                                          \
        struct detmath_line_out to = detmath_line_to##S(y);                                        \
        detmath_logcumsumexp_line(&to, &from, n, 0);                                               \
    }                                                                                              \
    DETMATH_INLINED void detmath_log_softmax##S(DETMATH_ARRAY TYPE *y,                             \
                                                DETMATH_ARRAY const TYPE *x, detmath_u64 n) {      \
        struct detmath_line from = detmath_line_of##S(x);                                          \
        struct detmath_line_out to = detmath_line_to##S(y);                                        \
        detmath_log_softmax_line(&to, &from, n);                                                   \
    }
DETMATH_LOG_SUM_FORMS(float, f, DETMATH_F32)
#if !defined(DETMATH_NO_DOUBLE)
DETMATH_LOG_SUM_FORMS(double, , DETMATH_F64)
#endif

#include "shield_end.inc"

#endif
