/* logsumexp, logcumsumexp and log_softmax of lines of elements: what goes through the blocks of
 * log_sums_quick.h and log_sums_pairs.h, and leaves the rest to log_sums.h. */
#ifndef DETMATH_LOG_SUMS_LINES_H
#define DETMATH_LOG_SUMS_LINES_H

#include "log_sums_pairs.h"

#include "shield.inc"

/* One pass of logcumsumexp. Where y->codes is NULL nothing is written. Returns what was needed. */
DETMATH_INLINED int detmath_logcumsumexp_pass(const struct detmath_line_out *y,
                                              const struct detmath_line *x, detmath_u64 n,
                                              int exclusive, int eager) {
    struct detmath_log_sum sum;
    detmath_real v[DETMATH_LOG_BLOCK], last = detmath_minus_infinity();
    detmath_u64 doubt[DETMATH_LOG_BLOCK];
    int needed = DETMATH_LOG_LAZY, quick = 0, any = 0;
    detmath_log_sum_begin(&sum, x, x->cast == DETMATH_F64);
    sum.words = eager > DETMATH_LOG_PAIRS ? eager : sum.words;
#if !defined(DETMATH_NO_DOUBLE)
    struct detmath_log_carry carry;
    carry.is_there = 0;
    carry.most = carry.error = 0.0;
    carry.rest = detmath_twofold_of(0.0, 0.0);
    quick = 1;
#endif
    for (detmath_u64 at = 0; at < n; at += DETMATH_LOG_BLOCK) {
        int there = detmath_line_block(x, at, n, v);
#if !defined(DETMATH_NO_DOUBLE)
        quick = quick && (sum.precise ? detmath_log_pairs_block(v, doubt, there, &any, &carry)
                                      : detmath_log_sum_block(v, doubt, there, &any, &carry));
#endif
        for (int i = 0; i < there && (any || !quick); i++)
            if (!quick || DETMATH_SELDOM(doubt[i]))
                v[i] = detmath_log_sum_slow(&sum, at + (detmath_u64)i + 1u, 0, &needed);
        detmath_log_sum_keep(&sum, at + (detmath_u64)there, eager);
        if (y->codes)
            last = detmath_line_put(y, at, v, there, exclusive, last);
    }
    return needed;
}

/* y may be x: what is needed of x is found out by a first pass, before it is written over. One call of
 * the pass serves for both, so that compilers meet it once. */
DETMATH_INLINED void detmath_logcumsumexp_line(const struct detmath_line_out *y,
                                               const struct detmath_line *x, detmath_u64 n,
                                               int exclusive) {
    struct detmath_line_out to = *y;
    int eager = DETMATH_LOG_LAZY, passes = y->codes == x->codes && n > DETMATH_LOG_BLOCK ? 2 : 1;
    for (; passes > 0; passes--) {
        to.codes = passes > 1 ? 0 : y->codes;
        eager = detmath_logcumsumexp_pass(&to, x, n, exclusive, eager);
    }
}

/* Of n elements: m, how many are finite, and ln(1 + t) as log + small, which is within `error`, or in
 * fp64 within what detmath_log_pairs_settle adds to it. */
struct detmath_log_total {
    detmath_real most, log, small, error;
    detmath_u64 finite;
};

/* False where that is not finite. */
DETMATH_INLINED int detmath_log_sum_of_line(const struct detmath_line *x, detmath_u64 n,
                                            struct detmath_log_total *total) {
#if defined(DETMATH_NO_DOUBLE)
    (void)x, (void)n, (void)total;
    return 0;
#else
    double v[DETMATH_LOG_BLOCK], most = detmath_minus_infinity();
    struct detmath_twofold t = detmath_twofold_of(0.0, 0.0);
    int skip = 1, there = 0, precise = x->cast == DETMATH_F64;
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
        t = detmath_twofold_sum(t, precise ? detmath_log_pairs_total(v, there, most, &skip)
                                           : detmath_log_sum_total(v, there, most, &skip));
        for (int i = 0; i < there; i++)
            total->finite += v[i] > detmath_minus_infinity();
    }
    if (precise) { /* 64 sums in a block, and one for each block */
        total->small = detmath_log_pairs_log(1.0, t, &total->log);
        total->error = detmath_fma((double)(n >> 10), 0x1p-102, 0x1p-95);
    } else {
        total->log = detmath_log_sum_quick_log(1.0, t.high);
        total->error = detmath_product(total->log, 0x1p-50);
    }
    return 1;
#endif
}

#if !defined(DETMATH_NO_DOUBLE)
/* (m - z) + ln(1 + t), and in *doubt whether that is open. */
DETMATH_FUNCTION double detmath_log_total_less(const struct detmath_log_total *total, double z,
                                               int precise, detmath_u64 *doubt) {
    struct detmath_twofold d = detmath_twofold_exact_sum(total->most, -z);
    *doubt = 0;
    if (precise)
        return detmath_log_pairs_settle(d, total->log, total->small, total->error, doubt);
    double above = d.low == 0.0 ? detmath_log_sum_above(d.high) : detmath_minus_infinity();
    return detmath_log_sum_quick(d.high, total->log, total->error, above, doubt);
}
#endif

/* Of nothing it is -inf. */
DETMATH_INLINED detmath_real detmath_logsumexp_line(const struct detmath_line *x, detmath_u64 n) {
    struct detmath_log_sum sum;
    int needed = 0, precise = x->cast == DETMATH_F64;
#if !defined(DETMATH_NO_DOUBLE)
    struct detmath_log_total total;
    detmath_u64 doubt = 0;
    if (detmath_log_sum_of_line(x, n, &total)) {
        double y = detmath_log_total_less(&total, 0.0, precise, &doubt);
        if (!DETMATH_SELDOM(doubt))
            return y;
    }
#endif
    detmath_log_sum_begin(&sum, x, precise);
    return detmath_log_sum_slow(&sum, n, 0, &needed);
}

/* One element of log_softmax: NaN where an element is NaN or +inf, or none is finite. */
DETMATH_FUNCTION detmath_real detmath_log_share(struct detmath_log_sum *sum, detmath_u64 n,
                                                detmath_real x, int *needed) {
    detmath_log_sum_advance(sum, n);
    if (sum->nan || sum->infinite || !sum->finite)
        return detmath_log_sum_nan();
    if (x == detmath_minus_infinity())
        return x;
    if (sum->finite == 1)
        return 0;
    return -detmath_log_sum_slow(sum, n, x, needed);
}

DETMATH_INLINED int detmath_log_softmax_pass(const struct detmath_line_out *y,
                                             const struct detmath_line *x, detmath_u64 n,
                                             int eager) {
    struct detmath_log_sum sum;
    struct detmath_log_total total;
    detmath_real v[DETMATH_LOG_BLOCK];
    detmath_u64 doubt[DETMATH_LOG_BLOCK];
    int needed = DETMATH_LOG_LAZY, precise = x->cast == DETMATH_F64;
    int quick = detmath_log_sum_of_line(x, n, &total) && total.finite > 1;
    detmath_log_sum_begin(&sum, x, precise);
    detmath_log_sum_keep(&sum, n, eager);
    for (detmath_u64 at = 0; at < n; at += DETMATH_LOG_BLOCK) {
        int there = detmath_line_block(x, at, n, v);
#if !defined(DETMATH_NO_DOUBLE)
        double z[DETMATH_LOG_BLOCK];
        for (int i = 0; i < there && quick && !precise; i++)
            z[i] = detmath_log_total_less(&total, v[i], 0, &doubt[i]);
        for (int i = 0; i < there && quick && precise; i++)
            z[i] = detmath_log_total_less(&total, v[i], 1, &doubt[i]);
        for (int i = 0; i < there && quick; i++) {
            z[i] = v[i] > detmath_minus_infinity() ? -z[i] : v[i];
            doubt[i] = v[i] > detmath_minus_infinity() ? doubt[i] : 0u;
        }
#else
        detmath_real z[DETMATH_LOG_BLOCK];
#endif
        for (int i = 0; i < there; i++)
            if (!quick || DETMATH_SELDOM(doubt[i]))
                z[i] = detmath_log_share(&sum, n, v[i], &needed);
        if (y->codes)
            detmath_line_put(y, at, z, there, 0, 0);
    }
    return needed;
}

/* y may be x. */
DETMATH_INLINED void detmath_log_softmax_line(const struct detmath_line_out *y,
                                              const struct detmath_line *x, detmath_u64 n) {
    struct detmath_line_out to = *y;
    int eager = DETMATH_LOG_LAZY, passes = y->codes == x->codes ? 2 : 1;
    for (; passes > 0; passes--) {
        to.codes = passes > 1 ? 0 : y->codes;
        eager = detmath_log_softmax_pass(&to, x, n, eager);
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
