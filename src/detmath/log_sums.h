/* Logarithms of sums of exponentials, rounded once: logsumexp, logcumsumexp, log_softmax.
 *
 * The elements so far are kept as m, the largest, and t, the sum of e^(x - m) over all the others.
 * Every result is (m - z) + ln(1 + t), where z is 0, or an element in -log_softmax. What is
 * returned is the number of the format that is nearest to the exact result, so that no order of
 * operations, block, thread or width of a vector can change a bit. Three ways find it; each knows a
 * bound on its error, and leaves to the next what lies so near to where the rounding changes:
 *   1. in double, for results of 24 bits or fewer (log_sums_quick.h);
 *   2. in pairs of doubles, here, and for blocks of fp64 (log_sums_pairs.h);
 *   3. in integers of up to 1536 bits below the point, here.
 * By the theorem of Lindemann and Weierstrass a result of two or more finite elements is not a
 * binary fraction, so that enough bits decide it; where 1536 do not, the result is NaN. No such
 * case is known. Without double the third way does all, slowly.
 *
 * An element that is NaN makes NaN; else +inf makes +inf, and -inf adds nothing: of no finite
 * element the result is -inf, of one it is that element (+0 for -0). */
#ifndef DETMATH_LOG_SUMS_H
#define DETMATH_LOG_SUMS_H

#include "log_sums_state.h"

#include "shield.inc"

/* Takes the elements before sum->at into the fixed point. An element adds 2^23 units of error at
 * most, and a larger m, by whose power the sum is multiplied, as many for each element so far. */
DETMATH_SELDOM_FUNCTION void detmath_log_sum_in_integersn(struct detmath_log_sum *sum, int words) {
    if (sum->scaled.words != words) {
        sum->scaled = detmath_long_of(words, 0);
        sum->scaled_at = sum->scaled_error = 0;
    }
    for (; sum->scaled_at < sum->at; sum->scaled_at++) {
        detmath_real x = detmath_line_load(&sum->line, sum->scaled_at), most = sum->scaled_most;
        if (!(x - x == 0))
            continue;
        if (sum->scaled_error && x > most) {
            struct detmath_long power = detmath_long_power(most, x, words);
            sum->scaled = detmath_long_product(&sum->scaled, &power);
            sum->scaled_error += sum->scaled_at + 1u;
        }
        most = sum->scaled_error && x <= most ? most : x;
        struct detmath_long power = detmath_long_power(x, most, words);
        detmath_long_add(&sum->scaled, &power, 0);
        sum->scaled_error++;
        sum->scaled_most = most;
    }
}

/* (m - z) + ln(1 + t) in integers. With s = 1 + t, off by 2^23 units for each that is counted in
 * scaled_error, and e^-l, off by 2^23 units too, s e^-l is off by 2^24 units for each, since s is no
 * more than the number of elements; the logarithm adds 4, m and z 2: 2^25 for each is more than
 * all. */
DETMATH_SELDOM_FUNCTION int detmath_log_sum_in_integers(struct detmath_log_sum *sum, detmath_real z,
                                                        struct detmath_significand *result) {
    for (int words = sum->words; words <= DETMATH_LONG_MOST; words *= 2) {
        detmath_log_sum_in_integersn(sum, words);
        struct detmath_long a = sum->scaled, low = detmath_long_of(words, 0), l = low, unit = low;
        detmath_u32 from = detmath_long_log_from(&a);
        if (from) {
            detmath_long_put(&l, from, -16, 0);
            struct detmath_long power = detmath_long_exp(l);
            a = detmath_long_product(&a, &power);
        }
        struct detmath_long one = detmath_long_of(words, 1), high, error = low;
        detmath_long_add(&a, &one, 1);
        if (sum->most != z) { /* which may be too large for integers */
            detmath_long_put_real(&low, sum->most, 0);
            detmath_long_put_real(&low, z, 1);
        }
        struct detmath_long least = low; /* the result is more than m - z */
        unit.word[0] = 1;
        detmath_long_add(&least, &unit, 0);
        a = detmath_long_log1p(&a);
        detmath_long_add(&low, &a, 0);
        detmath_long_add(&low, &l, 0);
        high = low;
        detmath_i32 place = 25; /* 2^25 times a power of two above scaled_error */
        while (place < 88 && sum->scaled_error >> (place - 25))
            place++;
        error.word[place >> 5] = 1u << (place & 31);
        detmath_long_add(&low, &error, 1);
        detmath_long_add(&high, &error, 0);
        detmath_long_add(&least, &low, 1);
        int is_less = !detmath_long_is_negative(&least); /* least >= low */
        detmath_long_add(&least, &low, 0);
        low = is_less ? least : low;
        if (detmath_long_between(low, high, sum->precise ? -1200 : -200, result))
            return 1;
    }
    return 0;
}

DETMATH_FUNCTION detmath_real detmath_log_sum_exactly(struct detmath_log_sum *sum, detmath_real z) {
    struct detmath_significand result;
#if defined(DETMATH_NO_DOUBLE)
    if (!detmath_log_sum_in_integers(sum, z, &result))
        return detmath_from_bits_f32(DETMATH_NAN_BITS);
    detmath_u32 bits = (detmath_u32)detmath_significand_round(&result, 24, -126);
    return detmath_from_bits_f32(result.negative << 31 | bits);
#else
    double beyond = 0x1p158, size = sum->most < 0.0 ? -sum->most : sum->most;
    if ((sum->most != z && !(size < beyond && z < beyond && z > -beyond)) ||
        !detmath_log_sum_in_integers(sum, z, &result))
        return detmath_from_bits_f64(0x7ff8000000000000u);
    detmath_u64 bits = detmath_significand_round(&result, 53, -1022);
    if (!sum->precise) /* the first 53 bits, and 1 in the last */
        bits =
            ((result.significand >> 9) | 1u) + ((detmath_u64)(result.exponent + 61 + 1022) << 52);
    return detmath_from_bits_f64((detmath_u64)result.negative << 63 | bits);
#endif
}

#if !defined(DETMATH_NO_DOUBLE)

/* ln(1 + t), t not 0, as l + what is returned: l in double is within 2^-50 of itself; with s =
 * (1 + t) e^-l - 1, which is as small, ln(1 + s) is s - s^2/2 to 2^-148. 1 + t = (1 + u) 2^-n. What
 * the pairs lose of u, p and their sum is below 2^-94 of ln(1 + t). */
DETMATH_FUNCTION struct detmath_twofold detmath_log_sum_log(struct detmath_twofold t) {
    detmath_i32 n;
    double l = detmath_core_log1p(t.high);
    struct detmath_twofold p = detmath_twofold_power(-l, 0.0, &n), u = t;
    if (n) {
        u = detmath_twofold_sum(detmath_twofold_of(1.0, 0.0), t);
        u.high = detmath_product(u.high, detmath_power_of_two(n));
        u.low = detmath_product(u.low, detmath_power_of_two(n));
        u = detmath_twofold_sum(u, detmath_twofold_of(-1.0, 0.0));
    }
    struct detmath_twofold s =
        detmath_twofold_sum(detmath_twofold_sum(u, p), detmath_twofold_product(u, p));
    return detmath_twofold_of(l,
                              detmath_fma(detmath_product(s.high, -0.5), s.high, s.high + s.low));
}

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

/* ln(1 + t) and how far off it may be: t's error, and 2^-93 of itself. */
DETMATH_FUNCTION void detmath_log_sum_take(struct detmath_log_sum *sum) {
    if (sum->log_at == sum->at)
        return;
    sum->log_at = sum->at;
    sum->log = sum->rest;
    sum->log_error = sum->error;
    if (sum->rest.high == 0.0)
        return;
    sum->log = detmath_log_sum_log(sum->rest);
    sum->log_error = detmath_fma(sum->log.high, 0x1p-93, sum->error / (1.0 + sum->rest.high));
}

/* d = m - z, of 2^157 or more, and ln(1 + t), which is below 2^6: rounded as d is. A d that is not
 * halfway between two numbers is 2^50 from there at least, a last place of d.low. One that is lies
 * below the result, unless t is 0. (Narrow formats end far below.) Where m or z is as large as 2^158
 * and d is not, d is 0 or its last place is above 2^52: pairs decide it, or integers without m and z. */
DETMATH_FUNCTION double detmath_log_sum_far(const struct detmath_log_sum *sum,
                                            struct detmath_twofold d) {
    double above = detmath_from_bits_f64(detmath_bits_f64(d.high) + 1u);
    if (!sum->precise)
        return detmath_round_to_odd(d.high, 1);
    return sum->finite > 1 && d.low > 0.0 && above - d.high == d.low + d.low ? above : d.high;
}

/* (m - z) + ln(1 + t) in pairs: false where that leaves it open. */
DETMATH_FUNCTION int detmath_log_sum_in_pairs(struct detmath_log_sum *sum, double z,
                                              double *result) {
    detmath_log_sum_take(sum);
    struct detmath_twofold d = detmath_twofold_exact_sum(sum->most, -z), log = sum->log;
    double error = sum->log_error;
    if (!(d.high - d.high == 0)) { /* overflows */
        *result = d.high;
        return 1;
    }
    if (d.high >= 0x1p157 || d.high <= -0x1p157) {
        *result = detmath_log_sum_far(sum, d);
        return 1;
    }
    int nothing = log.high == 0.0 && error == 0.0; /* t is below 2^-1090 */
    if (nothing && d.low == 0.0) {
        *result = sum->precise ? d.high + 0.0 : detmath_round_to_odd(d.high, 1);
        return 1;
    }
    struct detmath_twofold y = detmath_twofold_exact_sum(d.high, log.high);
    double rest = y.low + (d.low + log.low), lost = y.low < 0.0 ? -y.low : y.low;
    lost += (d.low < 0.0 ? -d.low : d.low) + (log.low < 0.0 ? -log.low : log.low);
    error = detmath_fma(lost, 0x1p-51, error);
    y = detmath_twofold_exact_sum(y.high, rest);
    double size = y.high < 0.0 ? -y.high : y.high;
    if (sum->precise) {
        double low = y.high + (y.low - error), high = y.high + (y.low + error);
        *result = low;
        return low == high && size > 0x1p-900;
    }
    int above = y.high == d.high && d.low == 0.0 && y.low >= -error;
    *result = detmath_round_to_odd(y.high, y.low > 0.0 || above);
    return above || y.low > error || y.low < -error;
}

#endif

/* What ln of the sum of the elements so far, less z, is. */
DETMATH_FUNCTION detmath_real detmath_log_sum_value(struct detmath_log_sum *sum, detmath_real z) {
    detmath_real infinity = (detmath_real)detmath_from_bits_f32(DETMATH_INFINITY_BITS);
    if (sum->nan)
        return detmath_log_sum_nan();
    if (sum->infinite || !sum->finite)
        return sum->infinite ? infinity : -infinity;
    if (sum->finite == 1 && z == 0)
        return sum->most + 0;
#if !defined(DETMATH_NO_DOUBLE)
    double result;
    if (detmath_log_sum_in_pairs(sum, z, &result))
        return result;
#endif
    return detmath_log_sum_exactly(sum, z);
}

/* What is taken in before results are written over x: nothing; what the second way needs; or what
 * the third way needs in so many words. */
enum { DETMATH_LOG_LAZY = 0, DETMATH_LOG_PAIRS = 1 };

/* A result by the second way or the third; *needed grows to the way that it took. */
DETMATH_SELDOM_FUNCTION detmath_real detmath_log_sum_slow(struct detmath_log_sum *sum,
                                                          detmath_u64 elements, detmath_real z,
                                                          int *needed) {
    detmath_log_sum_advance(sum, elements);
    detmath_real y = detmath_log_sum_value(sum, z);
    *needed = *needed ? *needed : DETMATH_LOG_PAIRS;
    *needed = sum->scaled.words > *needed ? sum->scaled.words : *needed;
    return y;
}

DETMATH_FUNCTION void detmath_log_sum_keep(struct detmath_log_sum *sum, detmath_u64 elements,
                                           int eager) {
    if (eager)
        detmath_log_sum_advance(sum, elements);
    if (eager > DETMATH_LOG_PAIRS) {
        sum->words = eager;
        detmath_log_sum_in_integersn(sum, eager);
    }
}

#include "shield_end.inc"

#endif
