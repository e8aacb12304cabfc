/* logaddexp in fp64, as logaddexp.h has it in fp32: detmath_logaddexp is det, within 0.73 ulp, and detmath_cr_logaddexp correctly
 * rounded. The kernels and why their errors are no larger: logaddexp_f64_lanes.inc.
 *
 * NaN in gives the canonical NaN, else an operand inf gives inf; with -inf the result is the other operand, but +0 for -0.
 *
 * cr. The result is no number and no middle between two where both operands are finite: e^x + e^y = e^m has no solution in algebraic
 * numbers, by the theorem of Lindemann and Weierstrass. The last phase knows the result within 2^-164 by
 * the integers of exp and log. Where that leaves it open, fixed point of 384, 768 and 1536 bits (long.h) know it within 2^-358, 2^-742
 * and 2^-1510. From 2^128 pairs one within 2^-181 of the result is to be expected, and one within 2^-201 with a probability of
 * 2^-20. The result is small beside the larger operand where that cancels the logarithm. The smaller operand has 53 bits, and there
 * are 2^63 larger ones: a result of 2^-116 of the larger operand is to be expected, and so a need of 2^-317 of that, which 1536 bits
 * have for larger operands from 2^-1022 on. No pair is known that they leave open. */
#ifndef DETMATH_LOGADDEXP_F64_H
#define DETMATH_LOGADDEXP_F64_H

#include "long_real.h"
#include "sigmoid_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* The bits of 2^-800. */
#define DETMATH_LOGADDEXP_TINY_F64 0x0df0000000000000u

#include "one_lane.inc"

#include "logaddexp_f64_lanes.inc"

enum { DETMATH_LOGADDEXP_WORDS = 12 };

/* By fixed point of 192 bits; 0 where that leaves it open. */
DETMATH_FUNCTION int detmath_logaddexp_in_fraction(double most, double least,
                                                   DETMATH_PRIVATE double *result) {
    struct detmath_long_fixed d4 = detmath_long_fixed_of(most * 4.0);
    struct detmath_long_fixed low = detmath_long_fixed_of(least * 4.0), high;
    struct detmath_long_fixed wrong = {{(detmath_u64)1 << 28, 0, 0, 0}};
    detmath_long_fixed_add(&d4, &low, 1);
    low = detmath_softplus_last_sum(most, most - least, &d4);
    high = low;
    detmath_long_fixed_add(&low, &wrong, 1);
    detmath_long_fixed_add(&high, &wrong, 0);
    *result = detmath_last_round_signed(high, 0);
    return detmath_bits_f64(*result) == detmath_bits_f64(detmath_last_round_signed(low, 0));
}

/* By as many words as it needs. e^-d is off by 2^23 units, and the logarithm by 2^24 and as much: by 2^26 in all. */
DETMATH_FUNCTION double detmath_logaddexp_in_words(double most, double least) {
    struct detmath_significand between = {0, 0, 0};
    for (int words = DETMATH_LOGADDEXP_WORDS, known = 0; words <= DETMATH_LONG_MOST && !known;
         words *= 2) {
        struct detmath_long one = detmath_long_of(words, 1);
        struct detmath_long low = detmath_long_power(least, most, words);
        detmath_long_add(&low, &one, 0);
        low = detmath_long_ln(&low);
        detmath_long_put_real(&low, most, 0);
        struct detmath_long high = low;
        detmath_long_put(&low, 1, 26 - 32 * words, 1);
        detmath_long_put(&high, 1, 26 - 32 * words, 0);
        known = detmath_long_between(low, high, -1200, &between);
    }
    detmath_u64 bits = detmath_significand_round(&between, 53, -1022);
    return detmath_from_bits_f64(bits | (detmath_u64)between.negative << 63);
}

/* cr of finite numbers. Where the logarithm is below a quarter of a unit of the larger one's last place, that is the result. */
DETMATH_FUNCTION double detmath_logaddexp_last_finite(double most, double least) {
    double result, d = most - least, log = detmath_softplus(-d);
    if (log < detmath_product(detmath_magnitude_f64(most), 0x1p-55))
        return most;
    if (detmath_bits_f64(most) << 1 == 0)
        return detmath_softplus_f64_last(least);
    if (d > 1100.0)
        return most;
    if (d <= 600.0 && detmath_logaddexp_in_fraction(most, least, &result))
        return result;
    return detmath_logaddexp_in_words(most, least);
}

/* Numbers in the order of these, as integers: the larger of two may be an instruction that takes subnormal ones for 0. */
DETMATH_FUNCTION detmath_u64 detmath_order_f64(double x) {
    detmath_u64 bits = detmath_bits_f64(x), sign = (detmath_u64)1 << 63;
    return bits & sign ? ~bits : bits | sign;
}
DETMATH_FUNCTION double detmath_logaddexp_f64_last(double x, double y) {
    int ordered = detmath_order_f64(x) > detmath_order_f64(y);
    double most = ordered ? x : y, least = ordered ? y : x;
    detmath_u64 infinity = DETMATH_INFINITY_BITS_F64;
    if (x != x || y != y)
        return detmath_from_bits_f64(DETMATH_NAN_BITS_F64);
    if (detmath_bits_f64(most) == infinity ||
        detmath_bits_f64(least) == (infinity | (detmath_u64)1 << 63))
        return detmath_bits_f64(most) << 1 == 0 ? 0.0 : most;
    return detmath_logaddexp_last_finite(most, least);
}

/* det where the steps do not do: cr. */
DETMATH_SELDOM_FUNCTION double detmath_logaddexp_f64_full(double x, double y) {
    detmath_u64 away;
    double other, z = detmath_cr_logaddexp_f64_steps(x, y, &other, &away);
    return away || detmath_bits_f64(z) != detmath_bits_f64(other) ? detmath_logaddexp_f64_last(x, y)
                                                                  : z;
}

DETMATH_FORMS_BINARY_F64(_logaddexp)

#endif

#include "shield_end.inc"

#endif
