/* logsumexp, logcumsumexp and log_softmax in fp64, a block of 1024 elements at a time in pairs of doubles, in vectors. What it
 * does not decide is left to log_sums.h.
 *
 * As in log_sums_quick.h, every power in a block is over one m, the largest so far at its end. A prefix
 * that has that m is m + ln(1 + t), one that does not yet is m + ln(t). The bounds:
 *   - a power is within 2^-96 of itself, and what is left out of all of a block below 2^-850: where t
 *     is below 2^-700 log_sums.h decides;
 *   - a prefix in a block is made by 64 sums of pairs, each within 2^-103 of itself, so that t is
 *     within 2^-95 of itself, and `slack` more for what blocks before have lost;
 *   - with l, ln(base + t) in double, and s = (base + t) e^-l - 1, the logarithm is l + s - s^2 / 2. l
 *     is within 2^-50 of itself, so that |s| is below 2^-50 |l| + 2^-52, s^3 / 3 is below 2^-120, and s
 *     rounded to one part is within 2^-102 |l| + 2^-104. e^-l and sums of pairs lose less than 2^-94;
 *   - m + l is exact in two parts, and the sum of what is small loses 2^-105 of the result. (m - x of
 *     log_softmax is in two parts too, and not below 0, so that nothing cancels against l.)
 * So the result is within slack + 2^-93 + 2^-100 |l| + 2^-103 |y|. Where all numbers within that round
 * alike it is decided. */
#ifndef DETMATH_LOG_SUMS_PAIRS_H
#define DETMATH_LOG_SUMS_PAIRS_H

#include "log_sums_quick.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* ln(base + t), base 0 or 1, for a sum from 2^-700 to 2^70, as l + what is returned. */
DETMATH_FUNCTION double detmath_log_pairs_log(double base, struct detmath_twofold t, double *l) {
    detmath_i32 n;
    struct detmath_twofold sum = detmath_twofold_sum(detmath_twofold_of(base, 0.0), t);
    *l = detmath_log_sum_quick_log(base, t.high);
    struct detmath_twofold p = detmath_twofold_power(-*l, 0.0, &n);
    double power = detmath_power_of_two(n);
    struct detmath_twofold u =
        detmath_twofold_of(detmath_product(sum.high, power), detmath_product(sum.low, power));
    u = detmath_twofold_sum(u, detmath_twofold_of(-1.0, 0.0));
    struct detmath_twofold s =
        detmath_twofold_sum(detmath_twofold_sum(u, p), detmath_twofold_product(u, p));
    return detmath_fma(detmath_product(s.high, -0.5), s.high, s.high + s.low);
}

/* d + (l + small), where the logarithm is within slack + 2^-93 + 2^-100 |l|, and in *doubt whether that
 * is open. */
DETMATH_FUNCTION double detmath_log_pairs_settle(struct detmath_twofold d, double l, double small,
                                                 double slack, detmath_u64 *doubt) {
    struct detmath_twofold y = detmath_twofold_exact_sum(d.high, l);
    y = detmath_twofold_exact_sum(y.high, (d.low + y.low) + small);
    double size = y.high < 0.0 ? -y.high : y.high, error = slack + 0x1p-93;
    error = detmath_fma(l < 0.0 ? -l : l, 0x1p-100, detmath_fma(size, 0x1p-103, error));
    double low = y.high + (y.low - error), high = y.high + (y.low + error);
    *doubt = low != high;
    return low;
}

/* The carry over m, which is its m or larger. */
DETMATH_FUNCTION void detmath_log_pairs_raise(struct detmath_log_carry *carry, double m) {
    if (carry->is_there && m > carry->most) {
        double left_out;
        struct detmath_twofold power = detmath_log_sum_power(carry->most, m, &left_out);
        struct detmath_twofold all = detmath_twofold_sum(detmath_twofold_of(1.0, 0.0), carry->rest);
        carry->rest = detmath_twofold_product(all, power);
        left_out = detmath_fma(carry->error, power.high, detmath_product(left_out, 2 * all.high));
        carry->error = detmath_fma(carry->rest.high, 0x1p-95, left_out);
    }
    carry->most = m;
}

/* The prefixes of a block in pairs, as detmath_log_sum_prefixes has them. */
DETMATH_INLINED void detmath_log_pairs_prefixes(double *high, double *low, int steps,
                                                struct detmath_twofold *total) {
    struct detmath_twofold before[DETMATH_LOG_RUNS];
    for (int i = DETMATH_LOG_RUNS; i < steps * DETMATH_LOG_RUNS; i++) {
        int last = i - DETMATH_LOG_RUNS;
        struct detmath_twofold sum = detmath_twofold_sum(detmath_twofold_of(high[last], low[last]),
                                                         detmath_twofold_of(high[i], low[i]));
        high[i] = sum.high;
        low[i] = sum.low;
    }
    for (int r = 0, last = (steps - 1) * DETMATH_LOG_RUNS; r < DETMATH_LOG_RUNS; r++) {
        before[r] = *total;
        *total = detmath_twofold_sum(*total, detmath_twofold_of(high[last + r], low[last + r]));
    }
    for (int k = 0; k < steps; k++)
        for (int r = 0; r < DETMATH_LOG_RUNS; r++) {
            int i = k * DETMATH_LOG_RUNS + r;
            struct detmath_twofold sum =
                detmath_twofold_sum(before[r], detmath_twofold_of(high[i], low[i]));
            high[i] = sum.high;
            low[i] = sum.low;
        }
}

/* As detmath_log_sum_block. */
DETMATH_INLINED int detmath_log_pairs_block(double *v, detmath_u64 *doubt, int n, int *any,
                                            struct detmath_log_carry *carry) {
    double high[DETMATH_LOG_BLOCK], low[DETMATH_LOG_BLOCK];
    detmath_u64 unsure[DETMATH_LOG_BLOCK], all_unsure = 0;
    int steps = (n + DETMATH_LOG_RUNS - 1) / DETMATH_LOG_RUNS, all = steps * DETMATH_LOG_RUNS;
    double m = detmath_log_sum_largest(v, all);
    int first = -1;
    *any = 0;
    if (carry->is_there && carry->most >= m)
        m = carry->most;
    else if (!(m - m == 0.0))
        return m < 0.0;
    else
        for (first = 0; v[first] != m; first++)
            ;
    detmath_log_pairs_raise(carry, m);
    detmath_log_turn(high, v, steps, 0);
    for (int i = 0; i < all; i++) {
        double left_out;
        struct detmath_twofold power = detmath_log_sum_power(high[i], m, &left_out);
        high[i] = power.high;
        low[i] = power.low;
    }
    if (first >= 0) {
        int place = first % steps * DETMATH_LOG_RUNS + first / steps;
        high[place] = low[place] = 0.0;
    }
    double before = carry->rest.high, slack = before > 0.0 ? carry->error / before : 0.0;
    detmath_log_pairs_prefixes(high, low, steps, &carry->rest);
    carry->error += detmath_fma(carry->rest.high, 0x1p-94, 0x1p-850);
    carry->is_there = 1;
    slack += 0x1p-94;
    for (int k = 0; k < steps; k++)
        for (int r = 0; r < DETMATH_LOG_RUNS; r++) {
            int i = k * DETMATH_LOG_RUNS + r;
            double base = r * steps + k >= first ? 1.0 : 0.0;
            double t = high[i], l;
            double small = detmath_log_pairs_log(base, detmath_twofold_of(t, low[i]), &l);
            high[i] =
                detmath_log_pairs_settle(detmath_twofold_of(m, 0.0), l, small, slack, &unsure[i]);
            unsure[i] |= base + t < 0x1p-700;
        }
    for (int i = 0; i < all; i++)
        all_unsure |= unsure[i];
    *any = all_unsure != 0;
    detmath_log_turn(v, high, steps, 1);
    for (int r = 0, i = 0; r < DETMATH_LOG_RUNS && *any; r++)
        for (int k = 0; k < steps; k++, i++)
            doubt[i] = unsure[k * DETMATH_LOG_RUNS + r] && i < n;
    return 1;
}

/* t of a block of n elements, as detmath_log_sum_total has it. */
DETMATH_INLINED struct detmath_twofold detmath_log_pairs_total(const double *v, int n, double m,
                                                               int *skip) {
    double high[DETMATH_LOG_RUNS], low[DETMATH_LOG_RUNS];
    struct detmath_twofold e[DETMATH_LOG_RUNS], total = detmath_twofold_of(0.0, 0.0);
    for (int l = 0; l < DETMATH_LOG_RUNS; l++)
        high[l] = low[l] = 0.0;
    for (int i = 0; i < n; i += DETMATH_LOG_RUNS) {
        for (int l = 0; l < DETMATH_LOG_RUNS; l++) {
            double left_out;
            e[l] = detmath_log_sum_power(v[i + l], m, &left_out);
        }
        for (int l = 0; *skip && l < DETMATH_LOG_RUNS; l++)
            if (v[i + l] == m) {
                e[l] = total;
                *skip = 0;
            }
        for (int l = 0; l < DETMATH_LOG_RUNS; l++) {
            struct detmath_twofold sum =
                detmath_twofold_sum(detmath_twofold_of(high[l], low[l]), e[l]);
            high[l] = sum.high;
            low[l] = sum.low;
        }
    }
    for (int l = 0; l < DETMATH_LOG_RUNS; l++)
        total = detmath_twofold_sum(total, detmath_twofold_of(high[l], low[l]));
    return total;
}

#endif

#include "shield_end.inc"

#endif
