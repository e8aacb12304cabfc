/* logsumexp, logcumsumexp and log_softmax of a block of 1024 elements at a time in double: the
 * first way of log_sums.h.
 *
 * In a block every power is over one m, the largest so far at its end. A prefix that has that m is
 * m + ln(1 + t), with t the sum of the others; one that does not yet is m + ln(t). The bounds:
 *   - e^(x - m) is within 2^-51 of itself (reductions.h), and e^-600 in place of what is less is
 *     lost in any result: where t is below 2^-700 the second way decides;
 *   - sums are kept in two parts, so that t is within 2^-50 of itself, and `slack` more for what
 *     blocks before have lost, each time m grew;
 *   - the logarithm is within 2^-50 of itself; ln(1 + t) does not make t's error larger, of ln(t)
 *     that is the error;
 *   - m + ln rounds once more.
 * So y is within (ln or 1) (2^-50 + slack) + |ln| 2^-50 + |y| 2^-52. Between low = y - that and
 * high = y + that there must be no number of 25 bits, which the middles between numbers of 24 bits
 * or fewer are: then both round alike, in each such format. Where m is in the sum the result is
 * above m (above 0, at least 2^-200, which is as good as nothing), so that low is too. */
#ifndef DETMATH_LOG_SUMS_QUICK_H
#define DETMATH_LOG_SUMS_QUICK_H

#include "exp.h"
#include "lines.h"
#include "log.h"
#include "twofold.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* x where it is odd; else the number beside it on that side, which is odd. What is below 2^-200 is
 * below half of anything. */
DETMATH_FUNCTION double detmath_round_to_odd(double x, int up) {
    detmath_u64 bits = detmath_bits_f64(x), magnitude = bits & detmath_magnitude_mask_f64();
    if (magnitude < 0x3370000000000000u) { /* 2^-200 */
        detmath_u64 negative = magnitude ? bits >> 63 : !up;
        return detmath_from_bits_f64(negative << 63 | 0x3370000000000001u);
    }
    int away = up != (int)(bits >> 63);
    return detmath_from_bits_f64(bits & 1u ? bits : away ? bits + 1u : bits - 1u);
}

/* m and t of the elements before a block; what t may be off by. */
struct detmath_log_carry {
    double most, error;
    struct detmath_twofold rest;
    int is_there; /* whether there was a finite element */
};

/* e^(x - m) for x <= m, within 2^-51 of itself; e^-600 where that is less. */
DETMATH_FUNCTION double detmath_log_sum_quick_power(double x, double m) {
    detmath_i64 n;
    double d = x - m, part = d - x, low = (x - (d - part)) - (m + part);
    low = d > -600.0 ? low : 0.0;
    d = d > -600.0 ? d : -600.0;
    double r = detmath_core_exp_reduce(d, &n) + low;
    double y = detmath_fma(r, detmath_core_exp_slope(r), 1.0);
    return detmath_product(y, detmath_power_of_two(n));
}

/* ln(base + t), base 0 or 1, for a sum from 2^-700 to 2^70. */
DETMATH_FUNCTION double detmath_log_sum_quick_log(double base, double t) {
    double sum = base + t, part = sum - base;
    double lost = (base - (sum - part)) + (t - part);
    detmath_u64 scaled = detmath_bits_f64(sum) + (0x3ff0000000000000u - DETMATH_LOG_START);
    detmath_u64 row = (scaled >> 46) & 63u;
    double m = detmath_from_bits_f64((scaled & 0xfffffffffffffu) + DETMATH_LOG_START);
    double n = detmath_from_bits_f64(0x4330000000000000u | scaled >> 52) - (0x1p52 + 1023.0);
    double power = detmath_from_bits_f64((2046u - (scaled >> 52)) << 52); /* 2^-n */
    double r = detmath_fma(m, detmath_log_table[row].inverse, -1.0);
    r = detmath_fma(detmath_product(lost, power), detmath_log_table[row].inverse, r);
    return detmath_core_log_at(row, n, r);
}

/* What is in (low, high) rounded to odd, and the sign bit of *doubt where a number of 25 bits is
 * there. */
DETMATH_FUNCTION double detmath_log_sum_settle(double low, double high, detmath_u64 *doubt) {
    detmath_u64 a = detmath_bits_f64(low), b = detmath_bits_f64(high), mask = 0xfffffffu;
    *doubt |= ((a ^ b) & ~mask) | ((a & mask) == 0) | ((b & mask) == 0);
    return low;
}

/* The number above m, as far as doubles tell; at least 2^-200. */
DETMATH_FUNCTION double detmath_log_sum_above(double m) {
    return detmath_round_to_odd(m, 1);
}

/* (m - z) + log, where log is known to be within `error`; above: what it is more than. */
DETMATH_FUNCTION double detmath_log_sum_quick(double d, double log, double error, double above,
                                              detmath_u64 *doubt) {
    double y = d + log, size = y < 0.0 ? -y : y;
    error = detmath_fma(log < 0.0 ? -log : log, 0x1p-50, detmath_fma(size, 0x1p-52, error));
    double low = y - error, high = y + error;
    low = low > above ? low : above;
    high = high > low ? high : low;
    return detmath_log_sum_settle(low, high, doubt);
}

/* The largest of n elements, a multiple of 32; NaN where there is one. */
DETMATH_INLINED double detmath_log_sum_largest(const double *v, int n) {
    double lane[DETMATH_LOG_RUNS], most = v[0];
    detmath_u64 nan[DETMATH_LOG_RUNS], any = 0;
    for (int l = 0; l < DETMATH_LOG_RUNS; l++) {
        lane[l] = v[l];
        nan[l] = 0;
    }
    for (int i = 0; i < n; i += DETMATH_LOG_RUNS)
        for (int l = 0; l < DETMATH_LOG_RUNS; l++) {
            lane[l] = v[i + l] > lane[l] ? v[i + l] : lane[l];
            nan[l] |= v[i + l] != v[i + l];
        }
    for (int l = 0; l < DETMATH_LOG_RUNS; l++) {
        most = lane[l] > most ? lane[l] : most;
        any |= nan[l];
    }
    return any ? detmath_from_bits_f64(0x7ff8000000000000u) : most;
}

/* The carry over m, which is its m or larger. */
DETMATH_FUNCTION void detmath_log_carry_raise(struct detmath_log_carry *carry, double m) {
    if (carry->is_there && m > carry->most) {
        double power = detmath_log_sum_quick_power(carry->most, m);
        struct detmath_twofold all = detmath_twofold_sum(detmath_twofold_of(1.0, 0.0), carry->rest);
        carry->rest = detmath_twofold_product(all, detmath_twofold_of(power, 0.0));
        carry->error = detmath_fma(carry->rest.high, 0x1p-51, carry->error * power);
    }
    carry->most = m;
}

/* The prefixes of a block: t in two parts, of which the second is 0 at first, or given as `low`
 * where the powers are in pairs. Where they are not it is added into t at last. Place k of run r is
 * at k * 32 + r, so that all runs take a step at once. */
DETMATH_INLINED void detmath_log_sum_prefixes(double *t, double *low, int n, int steps, int pairs,
                                              struct detmath_twofold *total) {
    struct detmath_twofold before[DETMATH_LOG_RUNS];
    int runs = (n + steps - 1) / steps; /* that are not empty */
    for (int r = 0; r < DETMATH_LOG_RUNS && !pairs; r++)
        low[r] = 0.0;
    for (int i = DETMATH_LOG_RUNS; i < steps * DETMATH_LOG_RUNS; i++) {
        struct detmath_twofold sum = detmath_twofold_exact_sum(t[i - DETMATH_LOG_RUNS], t[i]);
        double own = pairs ? low[i] + sum.low : sum.low;
        t[i] = sum.high;
        low[i] = low[i - DETMATH_LOG_RUNS] + own;
    }
    for (int r = 0, last = (steps - 1) * DETMATH_LOG_RUNS; r < DETMATH_LOG_RUNS; r++) {
        before[r] = *total;
        if (r < runs)
            *total =
                detmath_twofold_sum(*total, detmath_twofold_settled(t[last + r], low[last + r]));
    }
    for (int k = 0; k < steps; k++)
        for (int r = 0; r < DETMATH_LOG_RUNS; r++) {
            int i = k * DETMATH_LOG_RUNS + r;
            struct detmath_twofold sum = detmath_twofold_exact_sum(before[r].high, t[i]);
            double rest = sum.low + (before[r].low + low[i]);
            if (pairs) {
                sum = detmath_twofold_exact_sum(sum.high, rest);
                t[i] = sum.high;
                low[i] = sum.low;
            } else
                t[i] = sum.high + rest;
        }
}

#if defined(DETMATH_LOG_SHUFFLES)
typedef double detmath_row __attribute__((vector_size(64)));

/* A block of 32 by 32, in squares of 8 by 8 that stay in registers: loops take five times as long.
 */
DETMATH_INLINED void detmath_log_turn_squares(double *to, const double *from) {
    for (int square = 0; square < 16; square++) {
        detmath_row a[8], b[8];
        const double *x = from + square / 4 * 256 + square % 4 * 8;
        double *y = to + square % 4 * 256 + square / 4 * 8;
        for (int i = 0; i < 8; i++)
            __builtin_memcpy(&a[i], x + 32 * i, sizeof a[i]);
        for (int i = 0; i < 8; i += 2) {
            b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
            b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
        }
        for (int i = 0; i < 8; i += i % 2 ? 3 : 1) {
            a[i] = __builtin_shufflevector(b[i], b[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            a[i + 2] = __builtin_shufflevector(b[i], b[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
        for (int i = 0; i < 4; i++) {
            b[i] = __builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
            b[i + 4] = __builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
        }
        for (int i = 0; i < 8; i++)
            __builtin_memcpy(y + 32 * i, &b[i], sizeof b[i]);
    }
}
#endif

/* Runs to places: element k of run r, at r * steps + k, goes to k * 32 + r, or, where `back`, the
 * other way. */
DETMATH_INLINED void detmath_log_turn(double *to, const double *from, int steps, int back) {
#if defined(DETMATH_LOG_SHUFFLES)
    if (steps == DETMATH_LOG_RUNS) {
        detmath_log_turn_squares(to, from);
        return;
    }
#endif
    for (int r = 0, i = 0; r < DETMATH_LOG_RUNS; r++)
        for (int k = 0; k < steps; k++, i++)
            to[back ? i : k * DETMATH_LOG_RUNS + r] = from[back ? k * DETMATH_LOG_RUNS + r : i];
}

/* The results of a block of n elements v, finite ones or -inf with m the largest, in v; what is in
 * doubt is not 0 in `doubt`, and *any is set. Between n and the next multiple of 32 v has -inf. */
DETMATH_INLINED void detmath_log_sum_block(double *v, detmath_u64 *doubt, int n, double m, int *any,
                                           struct detmath_log_carry *carry) {
    double t[DETMATH_LOG_BLOCK], low[DETMATH_LOG_BLOCK];
    detmath_u64 unsure[DETMATH_LOG_BLOCK], all_unsure = 0;
    int steps = (n + DETMATH_LOG_RUNS - 1) / DETMATH_LOG_RUNS, all = steps * DETMATH_LOG_RUNS;
    int first = -1; /* where m is met; -1: before the block */
    *any = 0;
    if (carry->is_there && carry->most >= m)
        m = carry->most;
    else if (!(m - m == 0.0))
        return; /* nothing but -inf so far */
    else
        for (first = 0; v[first] != m; first++)
            ;
    detmath_log_carry_raise(carry, m);
    detmath_log_turn(t, v, steps, 0);
    for (int i = 0; i < all; i++)
        t[i] = detmath_log_sum_quick_power(t[i], m);
    if (first >= 0)
        t[first % steps * DETMATH_LOG_RUNS + first / steps] = 0.0;
    double before = carry->rest.high, slack = before > 0.0 ? carry->error / before : 0.0;
    detmath_log_sum_prefixes(t, low, n, steps, 0, &carry->rest);
    carry->error = detmath_fma(carry->rest.high - before, 0x1p-51, carry->error);
    carry->error = detmath_fma(carry->rest.high, 0x1p-95, carry->error);
    carry->is_there = 1;
    slack += 0x1p-50;
    double above = detmath_log_sum_above(m), infinity = detmath_from_bits_f32(0x7f800000u);
    for (int k = 0; k < steps; k++)
        for (int r = 0; r < DETMATH_LOG_RUNS; r++) {
            int i = k * DETMATH_LOG_RUNS + r, has_m = r * steps + k >= first;
            detmath_u64 is_open = 0;
            double base = has_m ? 1.0 : 0.0, log = detmath_log_sum_quick_log(base, t[i]);
            double error = detmath_product(has_m ? log : 1.0, slack);
            double y = detmath_log_sum_quick(m, log, error, has_m ? above : -infinity, &is_open);
            unsure[i] = is_open | (base + t[i] < 0x1p-700);
            t[i] = y;
        }
    for (int i = 0; i < all; i++)
        all_unsure |= unsure[i];
    *any = all_unsure != 0;
    detmath_log_turn(v, t, steps, 1);
    for (int r = 0, i = 0; r < DETMATH_LOG_RUNS && *any; r++)
        for (int k = 0; k < steps; k++, i++)
            doubt[i] = unsure[k * DETMATH_LOG_RUNS + r] && i < n;
}

/* t of a block of n elements, but for the first that is m where *skip is set, in 32 lanes. */
DETMATH_INLINED struct detmath_twofold detmath_log_sum_total(const double *v, int n, double m,
                                                             int *skip) {
    double lane[DETMATH_LOG_RUNS], low[DETMATH_LOG_RUNS], e[DETMATH_LOG_RUNS];
    struct detmath_twofold total = detmath_twofold_of(0.0, 0.0);
    for (int l = 0; l < DETMATH_LOG_RUNS; l++)
        lane[l] = low[l] = 0.0;
    for (int i = 0; i < n; i += DETMATH_LOG_RUNS) {
        for (int l = 0; l < DETMATH_LOG_RUNS; l++)
            e[l] = detmath_log_sum_quick_power(v[i + l], m);
        for (int l = 0; *skip && l < DETMATH_LOG_RUNS; l++)
            if (v[i + l] == m) {
                e[l] = 0.0;
                *skip = 0;
            }
        for (int l = 0; l < DETMATH_LOG_RUNS; l++) {
            struct detmath_twofold sum = detmath_twofold_exact_sum(lane[l], e[l]);
            lane[l] = sum.high;
            low[l] += sum.low;
        }
    }
    for (int l = 0; l < DETMATH_LOG_RUNS; l++)
        total = detmath_twofold_sum(total, detmath_twofold_settled(lane[l], low[l]));
    return total;
}

#endif

#include "shield_end.inc"

#endif
