/* What the elements of a logarithm of a sum so far make (log_sums.h): the largest, m, and 1 + t,
 * the sum of e^(x - m), in fixed point. */
#ifndef DETMATH_LOG_SUMS_STATE_H
#define DETMATH_LOG_SUMS_STATE_H

#include "lines.h"
#include "long_fixed.h"

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
    detmath_real most, second;        /* m, and the largest of the others */
    struct detmath_long_fixed scaled; /* 1 + t; off by scaled_error times 2^23 units at most */
    detmath_u64 scaled_error;
    struct detmath_long_fixed_table table;
    /* The same with more words, of the elements before more_at, over more_most. */
    struct detmath_long more;
    detmath_u64 more_at, more_error;
    detmath_real more_most;
    int words;         /* to begin with */
    detmath_u64 exact; /* results of the fourth way */
};

DETMATH_FUNCTION void detmath_log_sum_begin(struct detmath_log_sum *sum,
                                            const struct detmath_line *line, int precise) {
    struct detmath_long_fixed zero = {{0, 0, 0, 0}};
    sum->line = *line;
    sum->precise = precise;
    sum->at = sum->finite = sum->scaled_error = 0;
    sum->nan = sum->infinite = 0;
    sum->most = sum->second = detmath_minus_infinity();
    sum->scaled = zero;
    sum->table.is_there = 0;
    sum->more.words = 0;
    sum->more_at = sum->more_error = 0;
    sum->more_most = 0;
    sum->words = DETMATH_LONG_FIRST;
    sum->exact = 0;
}

/* e^(a - b) for a <= b: within 2^23 units, with what is cut off of a and b. Beyond e^-134 it is
 * below a unit, and where b is 2^62 in size or more an a that is another number is as far below. */
DETMATH_FUNCTION struct detmath_fraction
detmath_log_sum_power_of(const struct detmath_long_fixed_table *table, detmath_real a,
                         detmath_real b) {
    struct detmath_long_fixed w = {{0, 0, 0, 0}}, least;
    if (b - a > 140)
        w.word[3] = DETMATH_FIXED_WHOLE;
    else if (a != b) {
        w = detmath_long_fixed_of(b);
        least = detmath_long_fixed_of(a);
        detmath_long_fixed_add(&w, &least, 1);
    }
    return detmath_long_fixed_exp(table, &w);
}

/* The next element, a finite one: 2^23 units of error, and where it is the largest as many for each
 * 1 in the sum. */
DETMATH_FUNCTION void detmath_log_sum_add(struct detmath_log_sum *sum, detmath_real x) {
    struct detmath_long_fixed term = {{0, 0, 0, 1}};
    int larger = x > sum->most;
    if (!sum->finite++) {
        sum->most = x;
        sum->scaled = term;
        sum->scaled_error = 1;
        return;
    }
    struct detmath_fraction power =
        detmath_log_sum_power_of(&sum->table, larger ? sum->most : x, larger ? x : sum->most);
    if (larger) {
        sum->scaled_error += sum->scaled.word[3] + 2u;
        sum->scaled = detmath_long_fixed_product(&sum->scaled, &power);
        sum->second = sum->most;
        sum->most = x;
    } else {
        for (int i = 0; i < 3; i++)
            term.word[i] = power.word[i];
        term.word[3] = 0;
        sum->scaled_error++;
        sum->second = x > sum->second ? x : sum->second;
    }
    detmath_long_fixed_add(&sum->scaled, &term, 0);
}

/* Takes in the elements before `to`. */
DETMATH_SELDOM_FUNCTION void detmath_log_sum_advance(struct detmath_log_sum *sum, detmath_u64 to) {
    if (sum->at < to && !sum->table.is_there)
        detmath_long_fixed_make(&sum->table);
    for (; sum->at < to; sum->at++) {
        detmath_real x = detmath_line_load(&sum->line, sum->at);
        if (x - x == 0)
            detmath_log_sum_add(sum, x);
        sum->nan |= x != x;
        sum->infinite |= x > 0 && x - x != 0;
    }
}

#include "shield_end.inc"

#endif
