/* logsumexp, logcumsumexp and log_softmax, a block of up to 1024 elements at a time in pairs of
 * doubles, in vectors: the second way of log_sums.h, and the first one of results in fp64. What it
 * does not decide is left to the next.
 *
 * As in log_sums_quick.h, every power in a block is over one m, the largest so far at its end. A
 * prefix that has that m is m + ln(1 + t), one that does not yet is m + ln(t). m may be 0 without
 * being an element, where log_sums_fixed.h found t = s - 1 of a sum s near 1: t is negative then as
 * long as s is below 1. The bounds:
 *   - a power is within 2^-88 of itself (twofold_power.h), and what is left out of all of a block
 *     below 2^-850: where base + t is below 2^-700 nothing is decided;
 *   - the prefixes in a block have a second part that takes 32 sums in a run, which lose 2^-97 of
 *     t, and 32 more of runs, which lose 2^-98. So t is within 2^-87 of what the block adds, and
 *     2^-97 of |t| before it, besides what t was off by: `slack` of t, or, where t may come down to
 *     0, `lost`, which ln takes twice at most;
 *   - with l, ln(base + t) in double, and s = (base + t) e^-l - 1, the logarithm is l + s - s^2 /
 *     2. l is within 2^-50 of itself, so that |s| is below 2^-50 |l| + 2^-52, s^3 / 3 is below
 *     2^-120, and s rounded to one part is within 2^-102 |l| + 2^-104. e^-l is within 2^-88; where
 *     |l| is below 2^-8.5 e^-l - 1 is within 2^-79 of itself, and s is u + p + u p with p that and
 *     u = base + t - 1, so that all that is lost is of l;
 *   - m + l is exact in two parts, and the sum of what is small loses 2^-105 of the result. (m - x
 *     of log_softmax is in two parts too, and not below 0, so that nothing cancels against l.)
 * So ln is within `slack` of itself (of 1 where base is 0), `lost`, the lesser of 2^-87 and 2^-78
 * |l|, and 2^-100 |l|, and the result 2^-103 of itself more. Where all numbers within that round
 * alike it is decided. */
#ifndef DETMATH_LOG_SUMS_PAIRS_H
#define DETMATH_LOG_SUMS_PAIRS_H

#include "log_sums_quick.h"
#include "twofold_power.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* e^(a - b) for a <= b, 0 below e^-600. */
DETMATH_FUNCTION struct detmath_twofold detmath_log_pairs_power(double a, double b) {
    double power;
    struct detmath_twofold d = detmath_twofold_exact_sum(a, -b);
    int is_there = d.high > -600.0;
    struct detmath_twofold p =
        detmath_twofold_by_rows(is_there ? d.high : -600.0, is_there ? d.low : 0.0, &power);
    power = is_there ? power : 0.0;
    return detmath_twofold_of(detmath_product(p.high, power), detmath_product(p.low, power));
}

/* ln(base + t), base 0 or 1, for a sum from 2^-700 to 2^70, as l + what is returned. */
DETMATH_FUNCTION double detmath_log_pairs_log(double base, struct detmath_twofold t, double *l) {
    detmath_u64 code;
    double power;
    *l = detmath_log_sum_quick_log(base, t.high);
    struct detmath_twofold p = detmath_twofold_rest(-*l, 0.0, &code);
    struct detmath_twofold u = detmath_twofold_exact_sum(base - 1.0, t.high);
    u.low += t.low;
    double product = detmath_product(u.high, p.high);
    double lost = detmath_fma(u.high, p.high, -product);
    lost += detmath_fma(u.high, p.low, detmath_product(u.low, p.high));
    double near = ((u.high + p.high) + product) + ((u.low + p.low) + lost);
    struct detmath_twofold sum = detmath_twofold_exact_sum(base, t.high);
    struct detmath_twofold e = detmath_twofold_of_rest(p, code, &power);
    double high = detmath_product(sum.high, power);
    double low = detmath_product(sum.low + t.low, power);
    product = detmath_product(high, e.high);
    lost = detmath_fma(high, e.high, -product);
    lost = detmath_fma(high, e.low, detmath_fma(low, e.high, lost));
    double s = code == DETMATH_POWER_OF_NONE ? near : (product - 1.0) + lost;
    return detmath_fma(detmath_product(s, -0.5), s, s);
}

/* What is returned, with y.low, is d + (l + small); in *error what that is off by, where the
 * logarithm is off by `slack` besides what the pairs lose. */
DETMATH_FUNCTION struct detmath_twofold detmath_log_pairs_sum(struct detmath_twofold d, double l,
                                                              double small, double slack,
                                                              double *error) {
    struct detmath_twofold y = detmath_twofold_exact_sum(d.high, l);
    y = detmath_twofold_exact_sum(y.high, (d.low + y.low) + small);
    double size = y.high < 0.0 ? -y.high : y.high, log = l < 0.0 ? -l : l;
    double own = detmath_product(log, 0x1p-78);
    *error = detmath_fma(log, 0x1p-100, detmath_fma(size, 0x1p-103, slack));
    *error += own < 0x1p-87 ? own : 0x1p-87;
    return y;
}

/* The result, and in *doubt whether that is open: in fp64. */
DETMATH_FUNCTION double detmath_log_pairs_settle(struct detmath_twofold d, double l, double small,
                                                 double slack, detmath_u64 *doubt) {
    double error;
    struct detmath_twofold y = detmath_log_pairs_sum(d, l, small, slack, &error);
    double low = y.high + (y.low - error), high = y.high + (y.low + error);
    *doubt = low != high;
    return low;
}

/* The same rounded to odd, for narrower formats: decided where y.low has one sign, or no number of
 * 25 bits is near. above: whether the result is more than d. */
DETMATH_FUNCTION double detmath_log_pairs_odd(struct detmath_twofold d, double l, double small,
                                              double slack, int above, detmath_u64 *doubt) {
    double error;
    struct detmath_twofold y = detmath_log_pairs_sum(d, l, small, slack, &error);
    double low = y.high + (y.low - error), high = y.high + (y.low + error);
    int over = above & (y.high == d.high) & (d.low == 0.0) & (y.low >= -error);
    *doubt = 0;
    detmath_log_sum_settle(low, high, doubt);
    *doubt = *doubt != 0 && !(over | (y.low > error) | (y.low < -error));
    return detmath_round_to_odd(y.high, (y.low > 0.0) | over);
}

/* e^(a - b) for a <= b, within 2^-96 of itself, and in *error how much is left out besides: below
 * e^-600 it is 0, and below e^-800 all of 2^64 such make less than 2^-1090. */
DETMATH_FUNCTION struct detmath_twofold detmath_log_sum_power(double a, double b, double *error) {
    detmath_i32 n;
    struct detmath_twofold d = detmath_twofold_exact_sum(a, -b);
    int is_there = d.high > -600.0;
    *error = is_there || d.high < -800.0 ? 0.0 : 0x1p-865;
    struct detmath_twofold p =
        detmath_twofold_power(is_there ? d.high : -600.0, is_there ? d.low : 0.0, &n);
    double power = is_there ? detmath_power_of_two(n) : 0.0;
    p = detmath_twofold_sum(detmath_twofold_of(1.0, 0.0), p);
    return detmath_twofold_of(detmath_product(p.high, power), detmath_product(p.low, power));
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

/* What the carry is off by once a block has been added to it. */
DETMATH_FUNCTION void detmath_log_pairs_lose(struct detmath_log_carry *carry, double before) {
    double added = carry->rest.high - before, size = (before < 0.0 ? -before : before) + added;
    carry->error += detmath_fma(added, 0x1p-87, detmath_fma(size, 0x1p-97, 0x1p-850));
    carry->is_there = 1;
}

/* As detmath_log_sum_block, with results in fp64 where `precise`. Those that are not `wanted` may
 * be anything and in no doubt, where that is not NULL. */
DETMATH_INLINED void detmath_log_pairs_block(double *v, detmath_u64 *doubt, int n, int *any,
                                             struct detmath_log_carry *carry,
                                             const detmath_u64 *wanted, int precise) {
    double high[DETMATH_LOG_BLOCK], low[DETMATH_LOG_BLOCK];
    detmath_u64 unsure[DETMATH_LOG_BLOCK], all_unsure = 0;
    int steps = (n + DETMATH_LOG_RUNS - 1) / DETMATH_LOG_RUNS, all = steps * DETMATH_LOG_RUNS;
    double m = detmath_log_sum_largest(v, all);
    int first = -1;
    *any = 0;
    if (carry->is_there && carry->most >= m)
        m = carry->most;
    else if (!(m - m == 0.0))
        return;
    else
        for (first = 0; v[first] != m; first++)
            ;
    detmath_log_pairs_raise(carry, m);
    detmath_log_turn(high, v, steps, 0);
    for (int i = 0; i < all; i++) {
        struct detmath_twofold power = detmath_log_pairs_power(high[i], m);
        high[i] = power.high;
        low[i] = power.low;
    }
    if (first >= 0) {
        int place = first % steps * DETMATH_LOG_RUNS + first / steps;
        high[place] = low[place] = 0.0;
    }
    double before = carry->rest.high, slack = 0x1p-86, lost = 0x1p-849;
    if (before > 0.0)
        slack += carry->error / before;
    else
        lost += 2.0 * (carry->error - before * 0x1p-86);
    detmath_log_sum_prefixes(high, low, n, steps, 1, &carry->rest);
    detmath_log_pairs_lose(carry, before);
    detmath_u64 step_wanted[DETMATH_LOG_RUNS];
    for (int k = 0; k < steps; k++)
        step_wanted[k] = !wanted;
    for (int r = 0, i = 0; r < DETMATH_LOG_RUNS && wanted; r++)
        for (int k = 0; k < steps && i < n; k++, i++)
            step_wanted[k] |= wanted[i];
    for (int k = 0; k < steps; k++) {
        for (int r = 0; r < DETMATH_LOG_RUNS && !step_wanted[k]; r++)
            unsure[k * DETMATH_LOG_RUNS + r] = 0;
        if (!step_wanted[k])
            continue;
        for (int r = 0; r < DETMATH_LOG_RUNS; r++) {
            int i = k * DETMATH_LOG_RUNS + r, has_m = r * steps + k >= first;
            double base = has_m ? 1.0 : 0.0, t = high[i], l, y;
            double small = detmath_log_pairs_log(base, detmath_twofold_of(t, low[i]), &l);
            double own = detmath_fma(has_m ? (l < 0.0 ? -l : l) : 1.0, slack, lost);
            struct detmath_twofold d = detmath_twofold_of(m, 0.0);
            y = precise
                    ? detmath_log_pairs_settle(d, l, small, own, &unsure[i])
                    : detmath_log_pairs_odd(d, l, small, own, has_m & (before >= 0.0), &unsure[i]);
            unsure[i] |= base + t < 0x1p-700;
            high[i] = y;
        }
    }
    for (int i = 0; i < all; i++)
        all_unsure |= unsure[i];
    *any = all_unsure != 0;
    detmath_log_turn(v, high, steps, 1);
    for (int r = 0, i = 0; r < DETMATH_LOG_RUNS && *any; r++)
        for (int k = 0; k < steps; k++, i++)
            doubt[i] = unsure[k * DETMATH_LOG_RUNS + r] && i < n;
}

/* t of a block of n elements, as detmath_log_sum_total has it. */
DETMATH_INLINED struct detmath_twofold detmath_log_pairs_total(const double *v, int n, double m,
                                                               int *skip) {
    double high[DETMATH_LOG_RUNS], low[DETMATH_LOG_RUNS];
    struct detmath_twofold e[DETMATH_LOG_RUNS], total = detmath_twofold_of(0.0, 0.0);
    for (int l = 0; l < DETMATH_LOG_RUNS; l++)
        high[l] = low[l] = 0.0;
    for (int i = 0; i < n; i += DETMATH_LOG_RUNS) {
        for (int l = 0; l < DETMATH_LOG_RUNS; l++)
            e[l] = detmath_log_pairs_power(v[i + l], m);
        for (int l = 0; *skip && l < DETMATH_LOG_RUNS; l++)
            if (v[i + l] == m) {
                e[l] = total;
                *skip = 0;
            }
        for (int l = 0; l < DETMATH_LOG_RUNS; l++) {
            struct detmath_twofold sum = detmath_twofold_exact_sum(high[l], e[l].high);
            high[l] = sum.high;
            low[l] += sum.low + e[l].low;
        }
    }
    for (int l = 0; l < DETMATH_LOG_RUNS; l++)
        total = detmath_twofold_sum(total, detmath_twofold_settled(high[l], low[l]));
    return total;
}

/* A block of finite elements and -inf that no result is wanted of, into the carry. */
DETMATH_INLINED void detmath_log_pairs_skip(const double *v, int n,
                                            struct detmath_log_carry *carry) {
    double m = detmath_log_sum_largest(v, (n + 31) & ~31);
    int skip = !(carry->is_there && carry->most >= m);
    if (skip && !(m - m == 0.0))
        return;
    m = skip ? m : carry->most;
    detmath_log_pairs_raise(carry, m);
    double before = carry->rest.high;
    carry->rest = detmath_twofold_sum(carry->rest, detmath_log_pairs_total(v, n, m, &skip));
    detmath_log_pairs_lose(carry, before);
}

#endif

#include "shield_end.inc"

#endif
