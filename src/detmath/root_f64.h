/* sqrt, recip, cbrt, rsqrt and hypot in fp64: detmath_NAME is det, within 0.501 ulp, and detmath_cr_NAME correctly rounded, as
 * det's sqrt and recip are. The kernels and why their errors are no larger: root_f64_lanes.inc.
 *
 * NaN gives the canonical one. sqrt(-0) = cbrt(-0) = -0; rsqrt(+-0) = recip(+-0) = +-inf, and recip(+-inf) = +-0; sqrt and rsqrt of
 * what is below 0 are NaN; hypot(inf, NaN) = inf,
 * unless the NaN signals, and nothing overflows or underflows on the way to it. Subnormal results are rounded once.
 *
 * cr. Whether a number is above the exact result is a question of integers: of M^3 and x for cbrt, of M^2 x and 1 for rsqrt, of
 * M^2 and the sum of the squares for hypot. M is the number below the result first, and then the middle between it and
 * the next, of 54 bits: so the integers have no more than 192. An equality is known as one, so no case is left to trial:
 *   - A cube root is no middle: the cube of an odd number of 54 bits has more than 53.
 *   - x^(-1/2) is a number for powers of four alone, as is a middle, which needs an odd number of 54 bits, for none.
 *   - hypot has numbers (3 and 4) and middles, which go to the even neighbour. */
#ifndef DETMATH_ROOT_F64_H
#define DETMATH_ROOT_F64_H

#include "core_f64.h"
#include "long_real.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

#include "one_lane.inc"

#include "root_f64_lanes.inc"

/* An integer of three words, the lowest first, times 2^exponent. */
struct detmath_root_number {
    detmath_u64 word[3];
    detmath_i32 exponent;
};

/* a^2 b 2^exponent, which has no more than 192 bits before the power. */
DETMATH_FUNCTION struct detmath_root_number detmath_root_product(detmath_u64 a, detmath_u64 b,
                                                                 detmath_i32 exponent) {
    struct detmath_wide square = detmath_wide_product(a, a);
    struct detmath_wide low = detmath_wide_product(square.low, b);
    struct detmath_wide high = detmath_wide_product(square.high, b);
    struct detmath_root_number y = {{low.low, low.high + high.low, high.high}, exponent};
    y.word[2] += y.word[1] < low.high;
    return y;
}

/* The same number with that exponent, no larger than its own. */
DETMATH_FUNCTION void detmath_root_lower(struct detmath_root_number *a, detmath_i32 exponent) {
    for (; a->exponent - exponent >= 64; a->exponent -= 64) {
        a->word[2] = a->word[1];
        a->word[1] = a->word[0];
        a->word[0] = 0;
    }
    for (; a->exponent > exponent; a->exponent--)
        for (int i = 2; i >= 0; i--)
            a->word[i] = a->word[i] << 1 | (i ? a->word[i - 1] >> 63 : 0);
}

/* 1 where a is above b, -1 where it is below, 0 where they are equal; a is next to b, so that both have 192 bits at most. */
DETMATH_FUNCTION int detmath_root_compare(struct detmath_root_number a,
                                          struct detmath_root_number b) {
    detmath_root_lower(&a, b.exponent);
    detmath_root_lower(&b, a.exponent);
    for (int i = 2; i >= 0; i--)
        if (a.word[i] != b.word[i])
            return a.word[i] > b.word[i] ? 1 : -1;
    return 0;
}

/* What the power of the result is compared with, and how that is made of M: its square or its cube, times a factor. */
struct detmath_root_question {
    int cubed;
    detmath_u64 factor;
    detmath_i32 factor_exponent;
    struct detmath_root_number wanted;
};

/* Whether m 2^exponent is above the result (1), below it (-1), or is it (0). */
DETMATH_FUNCTION int detmath_root_beyond(detmath_u64 m, detmath_i32 exponent,
                                         const struct detmath_root_question *question) {
    return detmath_root_compare(
        question->cubed
            ? detmath_root_product(m, m, 3 * exponent)
            : detmath_root_product(m, question->factor, 2 * exponent + question->factor_exponent),
        question->wanted);
}

/* The result rounded, from a y above 0 that is within a unit in its last place of it. */
DETMATH_FUNCTION double detmath_root_round(double y, const struct detmath_root_question *question) {
    detmath_i32 exponent;
    detmath_u32 negative;
    detmath_u64 bits = detmath_bits_f64(y), m = detmath_real_parts(y, &exponent, &negative);
    if (detmath_root_beyond(m, exponent, question) > 0)
        m = detmath_real_parts(detmath_from_bits_f64(--bits), &exponent, &negative);
    int beyond = detmath_root_beyond(2u * m + 1u, exponent - 1, question);
    return detmath_from_bits_f64(bits + (beyond < 0 || (beyond == 0 && (m & 1u))));
}

/* A positive x times 2^add where that is normal; exact for subnormal x, too. */
DETMATH_FUNCTION double detmath_root_scaled(double x, detmath_i32 add) {
    detmath_u64 bits = detmath_bits_f64(x);
    if (bits >> 52)
        return detmath_exact_product(x, detmath_power_of_two(add));
    return detmath_exact_product((double)(detmath_i64)bits, detmath_power_of_two(add - 1074));
}

/* cbrt. */
DETMATH_SELDOM_FUNCTION double detmath_cbrt_f64_full(double x) {
    double size = detmath_magnitude_f64(x), y = size;
    detmath_u64 bits = detmath_bits_f64(size);
    if (bits != 0 && bits < DETMATH_INFINITY_BITS_F64) {
        const detmath_i32 add = bits >> 52 ? -300 : 300;
        y = detmath_cbrt_f64_steps(detmath_root_scaled(size, add));
        y = detmath_exact_product(y, detmath_power_of_two(-add / 3));
    }
    return detmath_unless_nan_f64(x, detmath_with_sign_f64(y, x));
}
DETMATH_FUNCTION double detmath_cbrt_f64_last(double x) {
    double y = detmath_cbrt_f64_away(x) ? detmath_cbrt_f64_full(x) : detmath_cbrt_f64_steps(x);
    detmath_u64 magnitude = detmath_bits_f64(x) & 0x7fffffffffffffffu;
    if (magnitude == 0 || magnitude >= DETMATH_INFINITY_BITS_F64)
        return y;
    detmath_i32 exponent;
    detmath_u32 negative;
    detmath_u64 m = detmath_real_parts(x, &exponent, &negative);
    struct detmath_root_question question = {1, 0, 0, {{m, 0, 0}, exponent}};
    return detmath_with_sign_f64(detmath_root_round(detmath_magnitude_f64(y), &question), x);
}

/* rsqrt. */
DETMATH_SELDOM_FUNCTION double detmath_rsqrt_f64_full(double x) {
    detmath_u64 bits = detmath_bits_f64(x);
    if (bits << 1 == 0)
        return detmath_from_bits_f64(bits | DETMATH_INFINITY_BITS_F64);
    if (bits > DETMATH_INFINITY_BITS_F64) /* NaN, or below 0 */
        return detmath_from_bits_f64(DETMATH_NAN_BITS_F64);
    if (bits == DETMATH_INFINITY_BITS_F64)
        return 0.0;
    const detmath_i32 add = bits >> 52 ? -300 : 300;
    double y = detmath_rsqrt_f64_steps(detmath_root_scaled(x, add));
    return detmath_exact_product(y, detmath_power_of_two(add / 2));
}
DETMATH_FUNCTION double detmath_rsqrt_f64_last(double x) {
    double y = detmath_rsqrt_f64_away(x) ? detmath_rsqrt_f64_full(x) : detmath_rsqrt_f64_steps(x);
    if (detmath_bits_f64(x) - 1u >= DETMATH_INFINITY_BITS_F64 - 1u)
        return y;
    detmath_i32 exponent;
    detmath_u32 negative;
    detmath_u64 m = detmath_real_parts(x, &exponent, &negative);
    struct detmath_root_question question = {0, m, exponent, {{1, 0, 0}, 0}};
    return detmath_root_round(y, &question);
}

/* sqrt: elsewhere that of a number with an even exponent, whose root is normal. */
DETMATH_SELDOM_FUNCTION double detmath_sqrt_f64_full(double x) {
    detmath_u64 bits = detmath_bits_f64(x);
    if (bits << 1 == 0 || bits == DETMATH_INFINITY_BITS_F64)
        return x;
    if (bits > DETMATH_INFINITY_BITS_F64) /* NaN, or below 0 */
        return detmath_from_bits_f64(DETMATH_NAN_BITS_F64);
    detmath_i32 exponent;
    detmath_u32 negative;
    detmath_u64 m = detmath_real_parts(x, &exponent, &negative);
    const detmath_i32 odd = exponent & 1;
    return detmath_exact_product(detmath_square_root_f64((double)(detmath_i64)(m << odd)),
                                 detmath_power_of_two((exponent - odd) / 2));
}

/* recip of a finite number above 2^1022: how many units of 2^-1074 that is, bit by bit. It is no middle between two, since no odd
 * number but 1 divides a power of two. */
DETMATH_FUNCTION double detmath_recip_f64_subnormal(double size) {
    detmath_i32 exponent;
    detmath_u32 negative;
    detmath_u64 m = detmath_real_parts(size, &exponent, &negative), units = 0, rest = 1;
    for (detmath_i32 i = 1074 - exponent; i > 0; i--) {
        rest <<= 1;
        units <<= 1;
        if (rest >= m) {
            rest -= m;
            units++;
        }
    }
    return detmath_from_bits_f64(units + (rest << 1 > m));
}
/* recip of a subnormal number, by one of 2^-52 and more. */
DETMATH_SELDOM_FUNCTION double detmath_recip_f64_full(double x) {
    double size = detmath_magnitude_f64(x), y;
    detmath_u64 bits = detmath_bits_f64(size);
    if (bits == 0)
        y = detmath_from_bits_f64(DETMATH_INFINITY_BITS_F64);
    else if (bits >= DETMATH_INFINITY_BITS_F64)
        y = 0.0;
    else if (bits >> 52)
        y = detmath_recip_f64_subnormal(size);
    else
        y = detmath_exact_product(1.0 / detmath_exact_product((double)(detmath_i64)bits, 0x1p-52),
                                  0x1p1022);
    return detmath_unless_nan_f64(x, detmath_with_sign_f64(y, x));
}

/* hypot of numbers above 0 and, the smaller, of 0 or more, from a y within a unit of it. Where the smaller is below 2^27
 * units of the larger it changes nothing: half of its square over the larger is below half a unit. */
DETMATH_FUNCTION double detmath_hypot_round(double y, double larger, double smaller) {
    detmath_i32 exponent, low_exponent;
    detmath_u32 negative;
    detmath_u64 high = detmath_real_parts(larger, &exponent, &negative);
    detmath_u64 low = detmath_real_parts(smaller, &low_exponent, &negative);
    if (exponent - low_exponent >= 27)
        return larger;
    struct detmath_root_number sum = detmath_root_product(high, 1u, 2 * exponent);
    struct detmath_root_number other = detmath_root_product(low, 1u, 2 * low_exponent);
    detmath_u64 carry = 0;
    detmath_root_lower(&sum, 2 * low_exponent);
    for (int i = 0; i < 3; i++) {
        detmath_u64 word = sum.word[i] + carry;
        carry = word < carry;
        sum.word[i] = word + other.word[i];
        carry += sum.word[i] < word;
    }
    struct detmath_root_question question = {0, 1u, 0, sum};
    return detmath_root_round(y, &question);
}

/* Subnormal results, which the steps would round twice, are cr's. */
DETMATH_SELDOM_FUNCTION double detmath_hypot_f64_full(double x, double y) {
    double a = detmath_magnitude_f64(x), b = detmath_magnitude_f64(y);
    detmath_u64 a_bits = detmath_bits_f64(a), b_bits = detmath_bits_f64(b), away;
    if (detmath_signals_f64(a_bits) | detmath_signals_f64(b_bits))
        return detmath_from_bits_f64(DETMATH_NAN_BITS_F64);
    if (a_bits == DETMATH_INFINITY_BITS_F64 || b_bits == DETMATH_INFINITY_BITS_F64)
        return detmath_from_bits_f64(DETMATH_INFINITY_BITS_F64);
    if (a_bits > DETMATH_INFINITY_BITS_F64 || b_bits > DETMATH_INFINITY_BITS_F64)
        return detmath_from_bits_f64(DETMATH_NAN_BITS_F64);
    double larger = a_bits > b_bits ? a : b, smaller = a_bits > b_bits ? b : a;
    if ((a_bits | b_bits) == 0)
        return 0.0;
    const detmath_i32 add = larger < 1.0 ? 600 : -600;
    double low = add < 0 && smaller < 1.0 ? 0.0 : detmath_root_scaled(smaller, add);
    double root = detmath_hypot_f64_steps(detmath_root_scaled(larger, add), low, &away);
    if (root < 0x1p-422 && add > 0) {
        detmath_u64 units = (detmath_u64)detmath_exact_product(root, 0x1p474);
        return detmath_hypot_round(detmath_from_bits_f64(units), larger, smaller);
    }
    return detmath_exact_product(root, detmath_power_of_two(-add));
}
DETMATH_INLINED double detmath_hypot_f64_last(double x, double y) {
    detmath_u64 away;
    double a = detmath_magnitude_f64(x), b = detmath_magnitude_f64(y);
    double root = detmath_hypot_f64_steps(x, y, &away);
    if (away)
        root = detmath_hypot_f64_full(x, y);
    detmath_u64 a_bits = detmath_bits_f64(a), b_bits = detmath_bits_f64(b);
    if ((a_bits | b_bits) == 0 || a_bits >= DETMATH_INFINITY_BITS_F64 ||
        b_bits >= DETMATH_INFINITY_BITS_F64)
        return root;
    /* The result is that far, or infinite. By its bits: the smaller of two may be an instruction that takes subnormal ones
     * for 0. */
    if (detmath_bits_f64(root) == DETMATH_INFINITY_BITS_F64)
        root = 0x1.fffffffffffffp1023;
    return detmath_hypot_round(root, a_bits > b_bits ? a : b, a_bits > b_bits ? b : a);
}

DETMATH_FORMS_ROUNDED_F64(_sqrt)
DETMATH_FORMS_ROUNDED_F64(_recip)
DETMATH_FORMS_F64(_cbrt)
DETMATH_FORMS_F64(_rsqrt)
DETMATH_FORMS_BINARY_F64(_hypot)

#endif

#include "shield_end.inc"

#endif
