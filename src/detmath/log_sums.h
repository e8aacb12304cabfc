/* Logarithms of sums of exponentials, rounded once: logsumexp, logcumsumexp, log_softmax.
 *
 * The elements so far are kept as m, the largest, and t, the sum of e^(x - m) over all the others.
 * Every result is (m - z) + ln(1 + t), where z is 0, or an element in -log_softmax. What is
 * returned is the number of the format that is nearest to the exact result, so that no order of
 * operations, block, thread or width of a vector can change a bit. Four ways find it; each knows a
 * bound on its error, and leaves to the next what lies so near to where the rounding changes:
 *   1. in double, for results of 24 bits or fewer (log_sums_quick.h);
 *   2. in pairs of doubles (log_sums_pairs.h);
 *   3. where the sum is near 1, so that m and ln(1 + t) cancel, from it less 1, which 192 bits
 *      below the point have, here; what follows goes on from there in pairs (log_sums_scan.h);
 *   4. in integers of 192 to 1536 bits below the point, here.
 * Whoever leaves a result to the next way brings that up to date, from where it was left: each
 * element is taken in once by each way, however many results are in doubt, and the third and fourth
 * way take it in together.
 *
 * By the theorem of Lindemann and Weierstrass a result of two or more finite elements is not a
 * binary fraction, so that enough bits decide it; where 1536 do not, the result is NaN. No such
 * case is known. Without double the fourth way does all, slowly.
 *
 * An element that is NaN makes NaN; else +inf makes +inf, and -inf adds nothing: of no finite
 * element the result is -inf, of one it is that element (+0 for -0). */
#ifndef DETMATH_LOG_SUMS_H
#define DETMATH_LOG_SUMS_H

#include "log_sums_pairs.h"
#include "log_sums_state.h"

#include "shield.inc"

/* Takes the elements before sum->at in with so many words. An element adds 2^23 units of error at
 * most, and a larger m, by whose power the sum is multiplied, as many for each element so far. Six
 * words are there. */
DETMATH_SELDOM_FUNCTION void detmath_log_sum_in_words(struct detmath_log_sum *sum, int words) {
    if (sum->more.words != words) {
        sum->more = detmath_long_of(words, 0);
        sum->more_at = sum->more_error = 0;
    }
    if (words == DETMATH_LONG_FIRST) {
        for (int i = 0; i < 8; i++)
            sum->more.word[i] = (detmath_u32)(sum->scaled.word[i / 2] >> (i % 2 * 32));
        sum->more_at = sum->at;
        sum->more_error = sum->scaled_error;
    }
    for (; sum->more_at < sum->at; sum->more_at++) {
        detmath_real x = detmath_line_load(&sum->line, sum->more_at), most = sum->more_most;
        if (!(x - x == 0))
            continue;
        if (sum->more_error && x > most) {
            struct detmath_long power = detmath_long_power(most, x, words);
            sum->more = detmath_long_product(&sum->more, &power);
            sum->more_error += sum->more_at + 1u;
        }
        most = sum->more_error && x <= most ? most : x;
        struct detmath_long power = detmath_long_power(x, most, words);
        detmath_long_add(&sum->more, &power, 0);
        sum->more_error++;
        sum->more_most = most;
    }
}

/* (m - z) + ln(1 + t) in integers. With s = 1 + t, off by 2^23 units for each that is counted in
 * more_error, and e^-l, off by 2^23 units too, s e^-l is off by 2^24 units for each, since s is no
 * more than the number of elements; the logarithm adds 4, m and z 2: 2^25 for each is more than
 * all. */
DETMATH_SELDOM_FUNCTION int detmath_log_sum_in_integers(struct detmath_log_sum *sum, detmath_real z,
                                                        struct detmath_significand *result) {
    for (int words = sum->words; words <= DETMATH_LONG_MOST; words *= 2) {
        detmath_log_sum_in_words(sum, words);
        struct detmath_long a = sum->more, low = detmath_long_of(words, 0), l = low, unit = low;
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
        detmath_i32 place = 25; /* 2^25 times a power of two above more_error */
        while (place < 88 && sum->more_error >> (place - 25))
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

/* d = m - z, of 2^157 or more, and ln(1 + t), which is below 2^6: rounded as d is. A d that is not
 * halfway between two numbers is 2^50 from there at least, a last place of d.low. One that is lies
 * below the result, unless t is 0. (Narrow formats end far below.) Where m or z is as large as
 * 2^158 and d is not, d is 0, which integers have without m and z, or 2^106 or more and one double,
 * which is the result too. */
DETMATH_FUNCTION double detmath_log_sum_far(const struct detmath_log_sum *sum,
                                            struct detmath_twofold d) {
    double above = detmath_from_bits_f64(detmath_bits_f64(d.high) + 1u);
    if (!sum->precise)
        return detmath_round_to_odd(d.high, 1);
    return sum->finite > 1 && d.low > 0.0 && above - d.high == d.low + d.low ? above : d.high;
}

/* s = 1 + t times e^m for an m of 0 or less, less 1: in pairs, and in *error what it is off by.
 * False where it is 1/4 or more. s is off by 2^23 units for each in scaled_error, e^m by 2^23 and
 * their product by 7 more, and pairs by 2^-104 of themselves. */
DETMATH_SELDOM_FUNCTION int detmath_log_sum_near(const struct detmath_log_sum *sum,
                                                 struct detmath_twofold *rest, double *error) {
    if (!(sum->most <= 0.0 && sum->most > -64.0))
        return 0;
    struct detmath_fraction power = detmath_log_sum_power_of(&sum->table, sum->most, 0.0);
    struct detmath_long_fixed s = detmath_long_fixed_product(&sum->scaled, &power),
                              one = {{0, 0, 0, 1}};
    detmath_long_fixed_add(&s, &one, 1);
    detmath_u64 negative = s.word[3] >> 63;
    if (negative) {
        struct detmath_long_fixed zero = {{0, 0, 0, 0}};
        detmath_long_fixed_add(&zero, &s, 1);
        s = zero;
    }
    if (s.word[3] || s.word[2] >> 62)
        return 0;
    double parts[6], left = detmath_power_of_two(-192);
    for (int i = 0; i < 6; i++) {
        parts[i] = detmath_product((double)(detmath_u32)(s.word[i / 2] >> (i % 2 * 32)), left);
        left = detmath_product(left, 0x1p32);
    }
    *rest = detmath_twofold_of(0.0, 0.0);
    for (int i = 5; i >= 0; i--)
        *rest = detmath_twofold_sum(*rest, detmath_twofold_of(parts[i], 0.0));
    double units = (double)sum->scaled_error + (double)sum->scaled.word[3] + 2.0;
    *error = detmath_fma(rest->high, 0x1p-100, detmath_product(units, 0x1p-169));
    if (negative)
        *rest = detmath_twofold_of(-rest->high, -rest->low);
    return 1;
}

/* (m - z) + ln(1 + t) without many words: false where that leaves it open. Where all but m are
 * below e^(m - 800) t is below 2^-1090. */
DETMATH_FUNCTION int detmath_log_sum_shortly(const struct detmath_log_sum *sum, double z,
                                             double *result) {
    struct detmath_twofold d = detmath_twofold_exact_sum(sum->most, -z), rest;
    double size = d.high < 0.0 ? -d.high : d.high, error, l;
    detmath_u64 doubt;
    *result = d.high;
    if (!(d.high - d.high == 0.0)) /* overflows */
        return 1;
    if (size >= 0x1p157 || (size >= 0x1p106 && d.low == 0.0)) {
        *result = detmath_log_sum_far(sum, d);
        return 1;
    }
    if (sum->most - sum->second > 800.0 && d.low == 0.0) {
        *result = sum->precise ? d.high + 0.0 : detmath_round_to_odd(d.high, 1);
        return 1;
    }
    if (z != 0.0 || !detmath_log_sum_near(sum, &rest, &error))
        return 0;
    double small = detmath_log_pairs_log(1.0, rest, &l);
    d = detmath_twofold_of(0.0, 0.0);
    error = detmath_product(error, 2.0);
    *result = sum->precise ? detmath_log_pairs_settle(d, l, small, error, &doubt)
                           : detmath_log_pairs_odd(d, l, small, error, 0, &doubt);
    return !doubt;
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
    if (detmath_log_sum_shortly(sum, z, &result))
        return result;
#endif
    sum->exact++;
    return detmath_log_sum_exactly(sum, z);
}

/* What is taken in of elements before results are written over them: what pairs need, what the
 * third and fourth way need, and so many words. What was done, for tests: blocks by pairs, results
 * that these left open, and those of the fourth way. */
struct detmath_log_needs {
    int pairs, integers, words;
    detmath_u64 blocks, asked, exact;
};

DETMATH_FUNCTION struct detmath_log_needs detmath_log_needs_none(void) {
    struct detmath_log_needs none = {0, 0, 0, 0, 0, 0};
    return none;
}

/* A result by the third way or the fourth. */
DETMATH_SELDOM_FUNCTION detmath_real detmath_log_sum_slow(struct detmath_log_sum *sum,
                                                          detmath_u64 elements, detmath_real z,
                                                          struct detmath_log_needs *needs) {
    detmath_log_sum_advance(sum, elements);
    detmath_real y = detmath_log_sum_value(sum, z);
    needs->integers = 1;
    needs->asked++;
    needs->exact = sum->exact;
    needs->words = sum->more.words > needs->words ? sum->more.words : needs->words;
    return y;
}

DETMATH_FUNCTION void detmath_log_sum_keep(struct detmath_log_sum *sum, detmath_u64 elements,
                                           const struct detmath_log_needs *needs) {
    if (needs->integers)
        detmath_log_sum_advance(sum, elements);
    if (needs->words > DETMATH_LONG_FIRST)
        detmath_log_sum_in_words(sum, needs->words);
}

#include "shield_end.inc"

#endif
