/* What the elements of a logarithm of a sum so far make (log_sums.h): the largest, and the sum of e^(x -
 * m) over the others in pairs of doubles, with a bound on its error. */
#ifndef DETMATH_LOG_SUMS_STATE_H
#define DETMATH_LOG_SUMS_STATE_H

#include "lines.h"
#include "log.h"
#include "long_real.h"
#include "twofold.h"

#include "shield.inc"

DETMATH_FUNCTION detmath_real detmath_log_sum_nan(void) {
#if defined(DETMATH_NO_DOUBLE)
    return detmath_from_bits_f32(DETMATH_NAN_BITS);
#else
    return detmath_from_bits_f64(0x7ff8000000000000u);
#endif
}

/* What the elements before `at` make. */
struct detmath_log_sum {
    struct detmath_line line;
    int precise; /* results in fp64; otherwise rounded to odd, for any format of 24 bits or fewer */
    detmath_u64 at, finite;
    int nan, infinite;
    detmath_real most; /* m */
#if !defined(DETMATH_NO_DOUBLE)
    struct detmath_twofold rest; /* t */
    double error;                /* how far off t may be */
#endif
    /* ln(1 + t) of the elements before log_at, and how far off it may be. */
#if !defined(DETMATH_NO_DOUBLE)
    struct detmath_twofold log;
    double log_error;
    detmath_u64 log_at;
#endif
    /* 1 + t in fixed point, of the elements before scaled_at, over scaled_most; off by scaled_error times
     * 2^23 units at most. */
    struct detmath_long scaled;
    detmath_u64 scaled_at, scaled_error;
    detmath_real scaled_most;
    int words; /* to begin with */
};

DETMATH_FUNCTION void detmath_log_sum_begin(struct detmath_log_sum *sum,
                                            const struct detmath_line *line, int precise) {
    sum->line = *line;
    sum->precise = precise;
    sum->at = sum->finite = sum->scaled_at = 0;
    sum->nan = sum->infinite = 0;
    sum->most = sum->scaled_most = 0;
    sum->scaled.words = 0;
    sum->words = DETMATH_LONG_FIRST;
#if !defined(DETMATH_NO_DOUBLE)
    sum->rest = sum->log = detmath_twofold_of(0.0, 0.0);
    sum->error = sum->log_error = 0.0;
    sum->log_at = 0;
#endif
}

#if !defined(DETMATH_NO_DOUBLE)

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

/* The next element, a finite one. Each power is within 2^-96 of itself, a sum of pairs within
 * 2^-102. */
DETMATH_FUNCTION void detmath_log_sum_add(struct detmath_log_sum *sum, double x) {
    double left_out;
    if (!sum->finite++) {
        sum->most = x;
        return;
    }
    int larger = x > sum->most;
    struct detmath_twofold power =
        detmath_log_sum_power(larger ? sum->most : x, larger ? x : sum->most, &left_out);
    if (larger) {
        struct detmath_twofold all = detmath_twofold_sum(detmath_twofold_of(1.0, 0.0), sum->rest);
        sum->rest = detmath_twofold_product(all, power);
        left_out = detmath_fma(sum->error, power.high, detmath_product(left_out, 2 * all.high));
        sum->error = detmath_fma(sum->rest.high, 0x1p-95, left_out);
        sum->most = x;
        return;
    }
    sum->rest = detmath_twofold_sum(sum->rest, power);
    left_out = detmath_fma(power.high, 0x1p-95, left_out);
    sum->error += detmath_fma(sum->rest.high, 0x1p-101, left_out);
}

#endif

#if !defined(DETMATH_NO_DOUBLE)
enum { DETMATH_LOG_CHUNK = 64 };

/* As many elements at once, where none is larger than m, so that loops have vectors. False where
 * that does not do. */
DETMATH_FUNCTION int detmath_log_sum_add_chunk(struct detmath_log_sum *sum) {
    double x[DETMATH_LOG_CHUNK], high[DETMATH_LOG_CHUNK], low[DETMATH_LOG_CHUNK];
    double left_out[DETMATH_LOG_CHUNK], powers = 0.0, lost = 0.0;
    int larger = !sum->finite;
    for (int i = 0; i < DETMATH_LOG_CHUNK && !larger; i++) {
        x[i] = detmath_line_load(&sum->line, sum->at + (detmath_u64)i);
        larger |= !(x[i] <= sum->most);
    }
    if (larger)
        return 0;
    for (int i = 0; i < DETMATH_LOG_CHUNK; i++) {
        struct detmath_twofold power = detmath_log_sum_power(x[i], sum->most, &left_out[i]);
        high[i] = power.high;
        low[i] = power.low;
    }
    for (int i = 0; i < DETMATH_LOG_CHUNK; i++) {
        sum->rest = detmath_twofold_sum(sum->rest, detmath_twofold_of(high[i], low[i]));
        powers += high[i];
        sum->finite += x[i] >= -0x1.fffffffffffffp1023;
        lost += left_out[i];
    }
    sum->error += detmath_fma(powers, 0x1p-95, lost);
    sum->error += detmath_product(sum->rest.high, 0x1p-95); /* 64 times 2^-101 */
    sum->at += DETMATH_LOG_CHUNK;
    return 1;
}
#endif

/* Takes in the elements before `to`; chunks end where blocks do, so that the two passes of a scan in
 * place, of which the second takes in each block, add up in the same order and are left with the same
 * error: the second does not need what the first did not. */
DETMATH_SELDOM_FUNCTION void detmath_log_sum_advance(struct detmath_log_sum *sum, detmath_u64 to) {
    while (sum->at < to) {
#if !defined(DETMATH_NO_DOUBLE)
        detmath_u64 end = (sum->at | (DETMATH_LOG_BLOCK - 1u)) + 1u;
        end = end < to ? end : to;
        if (end - sum->at >= DETMATH_LOG_CHUNK && detmath_log_sum_add_chunk(sum))
            continue;
#endif
        detmath_real x = detmath_line_load(&sum->line, sum->at), zero = x - x;
        if (zero == 0) {
#if defined(DETMATH_NO_DOUBLE)
            sum->most = sum->finite++ && sum->most >= x ? sum->most : x;
#else
            detmath_log_sum_add(sum, x);
#endif
        } else {
            sum->nan |= x != x;
            sum->infinite |= x > 0;
        }
        sum->at++;
    }
}

#include "shield_end.inc"

#endif
