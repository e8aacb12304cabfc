/* The scan of logcumsumexp over a line: each block by the ways of log_sums.h, from the first that
 * may do on. */
#ifndef DETMATH_LOG_SUMS_SCAN_H
#define DETMATH_LOG_SUMS_SCAN_H

#include "log_sums.h"

#include "shield.inc"

/* How far beyond the largest element a larger one may be in one block, so that no sum is too small
 * over it, in powers of e; and for how many blocks the first way is left out where it had left open
 * a quarter of one. */
enum { DETMATH_LOG_REACH = 400, DETMATH_LOG_REST = 8 };

/* What goes through a line to make its scan: the four ways, each as far as it was needed. */
struct detmath_log_scan {
    struct detmath_line x;
    int precise;
    struct detmath_log_needs needs, keeps; /* what was needed, and what is brought along unasked */
    struct detmath_log_sum sum;
    int is_over, is_nan; /* a NaN or +inf was there; a NaN */
#if !defined(DETMATH_NO_DOUBLE)
    struct detmath_log_carry quick, pairs;
    detmath_u64 pairs_at;
    int rest; /* of so many blocks more the first way is not tried, since it left too much of the last */
#endif
};

DETMATH_FUNCTION void detmath_log_scan_begin(struct detmath_log_scan *scan,
                                             const struct detmath_line *x,
                                             const struct detmath_log_needs *keeps) {
    scan->x = *x;
    scan->precise = x->cast == DETMATH_F64;
    scan->needs = detmath_log_needs_none();
    scan->keeps = *keeps;
    scan->is_over = scan->is_nan = 0;
    detmath_log_sum_begin(&scan->sum, x, scan->precise);
    scan->sum.words = keeps->words > scan->sum.words ? keeps->words : scan->sum.words;
#if !defined(DETMATH_NO_DOUBLE)
    scan->quick.is_there = 0;
    scan->quick.most = scan->quick.error = 0.0;
    scan->quick.rest = detmath_twofold_of(0.0, 0.0);
    scan->pairs = scan->quick;
    scan->pairs_at = 0;
    scan->rest = 0;
#endif
}

#if !defined(DETMATH_NO_DOUBLE)

/* The carry in pairs of the elements before `to`. Parts end where blocks do, so that the two passes
 * of a scan in place, of which the second takes in each block, add up in the same order and are
 * left with the same error: the second does not need what the first did not. */
DETMATH_INLINED void detmath_log_scan_advance(struct detmath_log_scan *scan, detmath_u64 to) {
    double v[DETMATH_LOG_BLOCK];
    while (scan->pairs_at < to) {
        detmath_u64 end = (scan->pairs_at | (DETMATH_LOG_BLOCK - 1u)) + 1u;
        end = end < to ? end : to;
        detmath_log_pairs_skip(v, detmath_line_block(&scan->x, scan->pairs_at, end, v),
                               &scan->pairs);
        scan->pairs_at = end;
    }
}

/* The first element in doubt, from i on, or n. */
DETMATH_FUNCTION int detmath_log_next_doubt(const detmath_u64 *doubt, int i, int n) {
    while (i < n && !doubt[i])
        i++;
    return i;
}

/* Element `elements` by the third way or the fourth. Where the third has the sum, the carry goes on
 * from there: m is 0. */
DETMATH_SELDOM_FUNCTION double detmath_log_scan_slow(struct detmath_log_scan *scan,
                                                     detmath_u64 elements, int *is_near) {
    double y = detmath_log_sum_slow(&scan->sum, elements, 0.0, &scan->needs);
    struct detmath_log_carry near;
    near.most = 0.0;
    near.is_there = 1;
    *is_near = scan->sum.finite > 1 && !scan->sum.nan && !scan->sum.infinite &&
               detmath_log_sum_near(&scan->sum, &near.rest, &near.error) &&
               (near.rest.high < 0.0 ? -near.rest.high : near.rest.high) > near.error;
    if (*is_near) {
        scan->pairs = near;
        scan->pairs_at = elements;
    }
    return y;
}

/* `count` elements from `from` on, no more than a block: the results that are `wanted`, or all of
 * them where that is NULL, in v by pairs. The first `alone` are not looked at. */
DETMATH_INLINED void detmath_log_scan_pairs(struct detmath_log_scan *scan, double *v,
                                            detmath_u64 from, int count, int alone,
                                            const detmath_u64 *wanted) {
    double w[DETMATH_LOG_BLOCK];
    detmath_u64 doubt[DETMATH_LOG_BLOCK], end = from + (detmath_u64)count;
    detmath_log_scan_advance(scan, from);
    scan->needs.pairs = 1;
    for (int done = 0, any, is_near; done < count;) {
        detmath_u64 start = from + (detmath_u64)done;
        int n = detmath_line_block(&scan->x, start, end, w);
        if (scan->precise)
            detmath_log_pairs_block(w, doubt, n, &any, &scan->pairs, 0, 1);
        else
            detmath_log_pairs_block(w, doubt, n, &any, &scan->pairs, wanted ? wanted + done : 0, 0);
        scan->pairs_at = end;
        scan->needs.blocks++;
        int i = any ? detmath_log_next_doubt(doubt, alone > done ? alone - done : 0, n) : n, next;
        for (is_near = 0; i < n && !is_near; i = next) {
            struct detmath_log_carry carry = scan->pairs;
            next = detmath_log_next_doubt(doubt, i + 1, n);
            w[i] = detmath_log_scan_slow(scan, start + (detmath_u64)i + 1u, &is_near);
            if (is_near && next == n) { /* nothing else is in doubt: the carry stays */
                scan->pairs = carry;
                scan->pairs_at = end;
                is_near = 0;
            }
            next = is_near ? i + 1 : next;
        }
        n = is_near ? i : n;
        for (int k = 0; k < n; k++)
            v[done + k] = wanted && !wanted[done + k] ? v[done + k] : w[k];
        done += n;
    }
}

/* How many of n elements make no sum yet: all before the second that is finite. *first is the place
 * of the first. */
DETMATH_FUNCTION int detmath_log_alone(const double *v, int n, int *first) {
    int i = 0;
    while (i < n && !(v[i] > detmath_minus_infinity()))
        i++;
    *first = i;
    for (i += i < n; i < n && !(v[i] > detmath_minus_infinity()); i++)
        ;
    return i;
}

/* The same by the first way, where it does, for finite elements and -inf. v has them at first, and
 * m is the largest. */
DETMATH_INLINED void detmath_log_scan_run(struct detmath_log_scan *scan, double *v,
                                          detmath_u64 from, int count, double m) {
    detmath_u64 doubt[DETMATH_LOG_BLOCK];
    int any = 1, doubts = 0, first = 0, alone = 0;
    double only = 0.0;
    if (!(scan->precise ? scan->pairs.is_there : scan->quick.is_there)) {
        alone = detmath_log_alone(v, count, &first);
        only = first < count ? v[first] + 0.0 : 0.0;
    }
    if (!scan->precise && !scan->rest) {
        detmath_log_sum_block(v, doubt, count, m, &any, &scan->quick);
        for (int i = alone; i < count && any; i++)
            doubts += doubt[i] != 0;
        any = doubts;
    }
    if (DETMATH_SELDOM(any)) {
        int is_all = scan->precise || scan->rest;
        detmath_log_scan_pairs(scan, v, from, count, alone, is_all ? 0 : doubt);
        if (scan->rest || doubts > count / 4) {
            scan->quick = scan->pairs;
            scan->rest = scan->rest ? scan->rest - 1 : DETMATH_LOG_REST;
            if (scan->pairs.rest.high < 0.0 &&
                !scan->rest) /* the first way has sums of what is positive */
                scan->rest = 1;
        }
    }
    for (int i = 0; i < alone; i++)
        v[i] = i < first ? detmath_minus_infinity() : only;
}

#endif

/* Takes the elements before `to` in where they are needed later. */
DETMATH_INLINED void detmath_log_scan_keep(struct detmath_log_scan *scan, detmath_u64 to) {
#if !defined(DETMATH_NO_DOUBLE)
    if (scan->keeps.pairs && !scan->is_over)
        detmath_log_scan_advance(scan, to);
#endif
    detmath_log_sum_keep(&scan->sum, to, &scan->keeps);
}

#if !defined(DETMATH_NO_DOUBLE)
/* How many of n elements can be in one block where the largest before them is `most`: one at least.
 */
DETMATH_FUNCTION int detmath_log_reach(const double *v, int n, double most) {
    int i = 0;
    while (i < n && v[i] == detmath_minus_infinity())
        i++;
    most = i < n && (v[i] > most + (double)DETMATH_LOG_REACH || !(most > detmath_minus_infinity()))
               ? v[i]
               : most;
    while (i < n && !(v[i] > most + (double)DETMATH_LOG_REACH))
        i++;
    return i;
}

#endif
#if !defined(DETMATH_NO_DOUBLE)
/* *v, beyond all elements before by e^DETMATH_LOG_REACH, as its own result: where that is so and
 * pairs are up to date. The sum of the others over it is below 2^-500, since it is (1 + t) e^-400
 * with t below 2^64. */
DETMATH_FUNCTION int detmath_log_leap(struct detmath_log_scan *scan, detmath_u64 at, double *v) {
    struct detmath_log_carry *carry = scan->precise ? &scan->pairs : &scan->quick, leap;
    double size = *v < 0.0 ? -*v : *v;
    if (!carry->is_there || !(*v > carry->most + (double)DETMATH_LOG_REACH) || size < 0x1p-300)
        return 0;
    leap.most = *v;
    leap.rest = detmath_twofold_of(0.0, 0.0);
    leap.error = 0x1p-500;
    leap.is_there = 1;
    *carry = leap;
    scan->pairs_at = scan->precise ? at + 1u : scan->pairs_at;
    *v = scan->precise ? *v : detmath_round_to_odd(*v, 1);
    return 1;
}

/* The results of n elements, which v has, finite ones or -inf, with m the largest: by parts where
 * they are too far apart, or where what comes after them `is_cut` off. */
DETMATH_INLINED void detmath_log_scan_parts(struct detmath_log_scan *scan, double *v,
                                            detmath_u64 at, int n, double m, int is_cut) {
    const struct detmath_log_carry *carry = scan->precise ? &scan->pairs : &scan->quick;
    double w[DETMATH_LOG_BLOCK], first = carry->is_there ? carry->most : v[0];
    int is_whole = !is_cut && m <= first + (double)DETMATH_LOG_REACH;
    for (int done = 0, count = n; done < n; done += count) {
        double most = carry->is_there ? carry->most : detmath_minus_infinity();
        if (!is_whole) {
            count = detmath_log_reach(v + done, n - done, most);
            if (count == 1 && detmath_log_leap(scan, at + (detmath_u64)done, &v[done]))
                continue;
            detmath_u64 from = at + (detmath_u64)done;
            detmath_line_block(&scan->x, from, from + (detmath_u64)count, w);
            m = detmath_log_sum_largest(w, (count + 31) & ~31);
        }
        detmath_log_scan_run(scan, is_whole ? v : w, at + (detmath_u64)done, count, m);
        for (int i = 0; i < count && !is_whole; i++)
            v[done + i] = w[i];
    }
}
#endif

/* The results of n elements, which v has, and of those before. */
DETMATH_INLINED void detmath_log_scan_block(struct detmath_log_scan *scan, detmath_real *v,
                                            detmath_u64 at, int n) {
#if defined(DETMATH_NO_DOUBLE)
    for (int i = 0; i < n; i++)
        v[i] = detmath_log_sum_slow(&scan->sum, at + (detmath_u64)i + 1u, 0, &scan->needs);
#else
    double infinity = -detmath_minus_infinity(), m = detmath_log_sum_largest(v, (n + 31) & ~31);
    int i = scan->is_over ? 0 : n;
    for (; i && !(m < infinity); m = detmath_minus_infinity())
        for (i = 0; v[i] < infinity; i++)
            ;
    scan->is_over |= i < n;
    detmath_log_scan_parts(scan, v, at, i, m, i < n);
    for (; i < n; i++) { /* there is a NaN or +inf */
        scan->is_nan |= v[i] != v[i];
        v[i] = scan->is_nan ? detmath_log_sum_nan() : infinity;
    }
#endif
}

/* One pass of logcumsumexp. Where y->codes is NULL nothing is written. Returns what was needed. */
DETMATH_INLINED struct detmath_log_needs
detmath_logcumsumexp_pass(const struct detmath_line_out *y, const struct detmath_line *x,
                          detmath_u64 n, int exclusive, const struct detmath_log_needs *keeps) {
    struct detmath_log_scan scan;
    detmath_real v[DETMATH_LOG_BLOCK], last = detmath_minus_infinity();
    detmath_log_scan_begin(&scan, x, keeps);
    for (detmath_u64 at = 0; at < n; at += DETMATH_LOG_BLOCK) {
        int there = detmath_line_block(x, at, n, v);
        detmath_log_scan_block(&scan, v, at, there);
        detmath_log_scan_keep(&scan, at + (detmath_u64)there);
        if (y->codes)
            last = detmath_line_put(y, at, v, there, exclusive, last);
    }
    return scan.needs;
}

/* y may be x: what is needed of x is found out by a first pass, before it is written over. One call
 * of the pass serves for both, so that compilers meet it once. */
DETMATH_INLINED void detmath_logcumsumexp_line(const struct detmath_line_out *y,
                                               const struct detmath_line *x, detmath_u64 n,
                                               int exclusive) {
    struct detmath_line_out to = *y;
    struct detmath_log_needs needs = detmath_log_needs_none();
    int passes = y->codes == x->codes && n > DETMATH_LOG_BLOCK ? 2 : 1;
    for (; passes > 0; passes--) {
        to.codes = passes > 1 ? 0 : y->codes;
        needs = detmath_logcumsumexp_pass(&to, x, n, exclusive, &needs);
    }
}

#include "shield_end.inc"

#endif
