/* The last phase of cr in fp64: exponentials and logarithms to 2^-170 in integers, for the few operands that the quick phase
 * leaves open, and for those whose results are subnormal.
 *
 * Results are off by 2^-169 at most, or of themselves where they are above 1: those of operands of 2^-54 and more by 2^-115 of
 * themselves, and by 2^-159 where they are above 2^-10. CORE-MATH publishes hard operands: log10 has the hardest result,
 * 2^-121 of itself from a middle between two numbers, and log 2^-115, both of large operands; of the others none is nearer
 * than 2^-113, but for sinh, tanh, asinh and atanh next to 2^-20: there some are within 2^-132, and the error is below 2^-145. Of
 * exp2m1, exp10m1, log2p1 and log10p1 none are published: of operands from 2^-20 on, some 2^60, one within 2^-114 of a middle is
 * to be expected, and the error is below 2^-148; of smaller ones one within 2^-118, and the error is below 2^-182 of the result.
 * Results that are numbers or middles are found before. */
#ifndef DETMATH_LAST_F64_H
#define DETMATH_LAST_F64_H

#include "core_f64.h"
#include "long_fixed.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* y 2^exponent, for 1/2 <= y < 1, or all ones for 1. */
struct detmath_last {
    struct detmath_fraction y;
    detmath_i32 exponent;
};

/* ln 2, and log2 b / 4 and log_b e / 2 for the bases b; made by exp_f64.sollya. */
#define DETMATH_LAST_WORD(HIGH, LOW) ((detmath_u64)(HIGH) << 32 | (LOW))
enum detmath_base { DETMATH_BASE_E, DETMATH_BASE_2, DETMATH_BASE_10 };
DETMATH_FUNCTION struct detmath_fraction detmath_last_ln2(void) {
    struct detmath_fraction y = {{DETMATH_LAST_WORD(0x40f34326u, 0x7298b62eu),
                                  DETMATH_LAST_WORD(0xc9e3b398u, 0x03f2f6afu),
                                  DETMATH_LAST_WORD(0xb17217f7u, 0xd1cf79abu)}};
    return y;
}
DETMATH_FUNCTION struct detmath_fraction detmath_last_log2(enum detmath_base base) {
    struct detmath_fraction of_e = {{DETMATH_LAST_WORD(0x75abbd54u, 0x6eb4ad2cu),
                                     DETMATH_LAST_WORD(0xdf43ff68u, 0x348e9f44u),
                                     DETMATH_LAST_WORD(0x5c551d94u, 0xae0bf85du)}};
    struct detmath_fraction of_ten = {{DETMATH_LAST_WORD(0xd96c55feu, 0x37b3ad4fu),
                                       DETMATH_LAST_WORD(0x492bf6ffu, 0x4dafdb4cu),
                                       DETMATH_LAST_WORD(0xd49a784bu, 0xcd1b8afeu)}};
    struct detmath_fraction of_two = {{0, 0, (detmath_u64)1 << 62}};
    return base == DETMATH_BASE_E ? of_e : base == DETMATH_BASE_10 ? of_ten : of_two;
}
DETMATH_FUNCTION struct detmath_fraction detmath_last_log_of_e(enum detmath_base base) {
    struct detmath_fraction of_e = {{0, 0, (detmath_u64)1 << 63}};
    struct detmath_fraction of_two = {{DETMATH_LAST_WORD(0xeb577aa8u, 0xdd695a59u),
                                       DETMATH_LAST_WORD(0xbe87fed0u, 0x691d3e88u),
                                       DETMATH_LAST_WORD(0xb8aa3b29u, 0x5c17f0bbu)}};
    struct detmath_fraction of_ten = {{DETMATH_LAST_WORD(0x8fb8d180u, 0x91726881u),
                                       DETMATH_LAST_WORD(0x4d56eaabu, 0xeb4cf70cu),
                                       DETMATH_LAST_WORD(0x3796f62au, 0x4dca1c65u)}};
    return base == DETMATH_BASE_E ? of_e : base == DETMATH_BASE_10 ? of_ten : of_two;
}

DETMATH_FUNCTION struct detmath_long_fixed detmath_last_negated(struct detmath_long_fixed a) {
    struct detmath_long_fixed zero = {{0, 0, 0, 0}};
    detmath_long_fixed_add(&zero, &a, 1);
    return zero;
}

/* a 2^-n for an a of 0 or more, with what is below a unit cut off. */
DETMATH_FUNCTION struct detmath_long_fixed detmath_last_shifted(struct detmath_long_fixed a,
                                                                detmath_i32 n) {
    for (n = n < 256 ? n : 256; n > 0; n--)
        for (int j = 0; j < 4; j++)
            a.word[j] = a.word[j] >> 1 | (j < 3 ? a.word[j + 1] << 63 : 0);
    return a;
}

/* a with its highest bit at the top of the word below the point, and how far to the left that is. */
DETMATH_FUNCTION struct detmath_last detmath_last_of(const struct detmath_long_fixed *a) {
    struct detmath_last top = {{{a->word[0], a->word[1], a->word[2]}}, 0};
    detmath_u64 above = a->word[3];
    for (; above; above >>= 1, top.exponent++)
        for (int i = 0; i < 3; i++)
            top.y.word[i] = top.y.word[i] >> 1 | (i < 2 ? top.y.word[i + 1] : above) << 63;
    for (int words = 0; words < 2 && !top.y.word[2]; words++, top.exponent -= 64) {
        top.y.word[2] = top.y.word[1];
        top.y.word[1] = top.y.word[0];
        top.y.word[0] = 0;
    }
    for (; top.y.word[2] && !(top.y.word[2] >> 63); top.exponent--)
        for (int i = 2; i >= 0; i--)
            top.y.word[i] = top.y.word[i] << 1 | (i ? top.y.word[i - 1] >> 63 : 0);
    return top;
}

/* Whether a < b. */
DETMATH_FUNCTION int detmath_fraction_below(const struct detmath_fraction *a,
                                            const struct detmath_fraction *b) {
    int top = a->word[2] != b->word[2] ? 2 : a->word[1] != b->word[1] ? 1 : 0;
    return a->word[top] < b->word[top];
}

/* a / b, bit by bit. */
DETMATH_FUNCTION struct detmath_last detmath_last_quotient(struct detmath_last a,
                                                           const struct detmath_last *b) {
    struct detmath_last q = {{{0, 0, 0}}, a.exponent - b->exponent + 2};
    struct detmath_long_fixed by = {{b->y.word[0], b->y.word[1], b->y.word[2], 0}};
    struct detmath_long_fixed rest = {{a.y.word[0], a.y.word[1], a.y.word[2], 0}};
    for (int j = 0; j < 3; j++) /* a / 4, which is below b */
        rest.word[j] = rest.word[j] >> 2 | rest.word[j + 1] << 62;
    for (int i = 0; i < 192; i++) {
        for (int j = 3; j >= 0; j--)
            rest.word[j] = rest.word[j] << 1 | (j ? rest.word[j - 1] >> 63 : 0);
        struct detmath_fraction low = {{rest.word[0], rest.word[1], rest.word[2]}};
        detmath_u64 bit = rest.word[3] || !detmath_fraction_below(&low, &b->y);
        if (bit)
            detmath_long_fixed_add(&rest, &by, 1);
        for (int j = 2; j >= 0; j--)
            q.y.word[j] = q.y.word[j] << 1 | (j ? q.y.word[j - 1] >> 63 : bit);
    }
    return q;
}

/* a 2^exponent for an a of 0 or more, rounded to nearest; with that sign. a is not rounded to the middle of two numbers, nor
 * to a number. */
DETMATH_FUNCTION double detmath_last_round(const struct detmath_long_fixed *a, detmath_i32 exponent,
                                           detmath_u32 negative) {
    struct detmath_last top = detmath_last_of(a);
    struct detmath_significand first = {top.y.word[2] >> 2 | 1u, top.exponent + exponent - 62,
                                        negative};
    detmath_u64 bits = detmath_significand_round(&first, 53, -1022);
    bits = bits > DETMATH_INFINITY_BITS_F64 ? DETMATH_INFINITY_BITS_F64 : bits;
    return detmath_from_bits_f64(bits | (detmath_u64)negative << 63);
}

/* a as fixed point, 0 where it is below a unit; and the sum of such a number and an integer. */
DETMATH_FUNCTION struct detmath_long_fixed detmath_last_fixed(const struct detmath_last *a) {
    struct detmath_long_fixed y = {{a->y.word[0], a->y.word[1], a->y.word[2], 0}};
    return detmath_last_shifted(y, -a->exponent);
}
DETMATH_FUNCTION struct detmath_last detmath_last_beside(struct detmath_long_fixed a,
                                                         detmath_u64 integer) {
    struct detmath_long_fixed whole = {{0, 0, 0, integer}};
    detmath_long_fixed_add(&a, &whole, 0);
    return detmath_last_of(&a);
}
/* a b, neither of which is below 2^-8 without its power. */
DETMATH_FUNCTION struct detmath_last detmath_last_product(struct detmath_last a,
                                                          const struct detmath_last *b) {
    a.y = detmath_fraction_product(&a.y, &b->y);
    a.exponent += b->exponent;
    return a;
}
DETMATH_FUNCTION double detmath_last_round_of(const struct detmath_last *a, detmath_u32 negative) {
    struct detmath_long_fixed y = {{a->y.word[0], a->y.word[1], a->y.word[2], 0}};
    return detmath_last_round(&y, a->exponent, negative);
}

/* 2^-a within 2^-170 of itself, or 2^a where up is 1, for an a from 0 to 2^63 that is off by 2^-180. With a = i + f it is
 * 2^-i 2^-f, or 2^(i + 1) 2^-(1 - f). The series is off by 4 units and what its operand is off by: squaring doubles that and
 * adds 6, 18 times. */
DETMATH_FUNCTION struct detmath_last detmath_last_power_of_two(struct detmath_long_fixed a,
                                                               int up) {
    struct detmath_fraction ln2 = detmath_last_ln2();
    detmath_i32 n = -(detmath_i32)a.word[3];
    if (up && (a.word[0] | a.word[1] | a.word[2])) {
        a = detmath_last_negated(a);
        n = 1 - n;
    } else if (up) {
        n = -n;
    }
    struct detmath_fraction f = {{a.word[0], a.word[1], a.word[2]}};
    f = detmath_fraction_product(&f, &ln2);
    struct detmath_last power = {detmath_fraction_series(&f), n};
    for (int i = 0; i < 18; i++)
        power.y = detmath_fraction_product(&power.y, &power.y);
    return power;
}

/* b^x within 2^-170 of itself, for |x| < 2^11: |x| log2 b is off by 2^-180, as what it is made of is. */
DETMATH_FUNCTION struct detmath_last detmath_last_power(double x, enum detmath_base base) {
    struct detmath_fraction factor = detmath_last_log2(base);
    struct detmath_long_fixed a = detmath_long_fixed_of(detmath_magnitude_f64(x) * 4.0);
    return detmath_last_power_of_two(detmath_long_fixed_product(&a, &factor), x > 0);
}

DETMATH_FUNCTION double detmath_last_exp(double x, enum detmath_base base) {
    double bounded = x > 1100.0 ? 1100.0 : x < -1100.0 ? -1100.0 : x;
    struct detmath_last power = detmath_last_power(bounded, base);
    if (power.exponent > 1100 || power.exponent < -1100)
        return x > 0 ? detmath_from_bits_f64(DETMATH_INFINITY_BITS_F64) : 0.0;
    return detmath_last_round_of(&power, 0);
}

/* b^x - 1, of an x of at least 2^-54: as 2^n (y - 2^-n), or below 0 as -(1 - 2^n y). */
DETMATH_FUNCTION double detmath_last_less_one(double x, enum detmath_base base) {
    if (x < -64.0)
        return -1.0;
    struct detmath_last power = detmath_last_power(x < 1100.0 ? x : 1100.0, base);
    struct detmath_long_fixed a = {{power.y.word[0], power.y.word[1], power.y.word[2], 0}};
    struct detmath_long_fixed one = {{0, 0, 0, 1}};
    detmath_i32 n = power.exponent;
    if (n > 1100)
        return detmath_from_bits_f64(DETMATH_INFINITY_BITS_F64);
    if (x > 0) {
        one = detmath_last_shifted(one, n);
        detmath_long_fixed_add(&a, &one, 1);
        return detmath_last_round(&a, n, 0);
    }
    a = detmath_last_shifted(a, -n);
    detmath_long_fixed_add(&one, &a, 1);
    return detmath_last_round(&one, 0, 1);
}

/* Half the sum of e^x and e^-x for an x from 0 to 800, or half the difference, of 2^-54 or more, with that sign. */
DETMATH_FUNCTION double detmath_last_hyperbolic(double x, detmath_u64 subtract,
                                                detmath_u32 negative) {
    struct detmath_last up = detmath_last_power(x, DETMATH_BASE_E),
                        down = detmath_last_power(-x, DETMATH_BASE_E);
    struct detmath_long_fixed a = {{up.y.word[0], up.y.word[1], up.y.word[2], 0}};
    struct detmath_long_fixed b = {{down.y.word[0], down.y.word[1], down.y.word[2], 0}};
    b = detmath_last_shifted(b, up.exponent - down.exponent);
    detmath_long_fixed_add(&a, &b, subtract);
    return detmath_last_round(&a, up.exponent - 1, negative);
}

/* (1/2 - w) / (1/2 + w) for a w below 1/2, or the inverse of that. */
DETMATH_FUNCTION struct detmath_last detmath_last_ratio(const struct detmath_long_fixed *w,
                                                        detmath_u64 inverse) {
    struct detmath_long_fixed over = {{0, 0, (detmath_u64)1 << 63, 0}}, under = over;
    detmath_long_fixed_add(&over, w, !inverse);
    detmath_long_fixed_add(&under, w, inverse);
    struct detmath_last divisor = detmath_last_of(&under);
    struct detmath_last y = detmath_last_quotient(detmath_last_of(&over), &divisor);
    struct detmath_long_fixed a = {{y.y.word[0], y.y.word[1], y.y.word[2], 0}};
    struct detmath_last top = detmath_last_of(&a);
    top.exponent += y.exponent;
    return top;
}

/* tanh of an x from 2^-54 to 20, with that sign: (1 - w)/2 over (1 + w)/2, where w = e^-2x. */
DETMATH_FUNCTION double detmath_last_tanh(double x, detmath_u32 negative) {
    struct detmath_last power = detmath_last_power(-2.0 * x, DETMATH_BASE_E);
    power.exponent -= 1;
    struct detmath_long_fixed w = detmath_last_fixed(&power);
    struct detmath_last y = detmath_last_ratio(&w, 0);
    return detmath_last_round_of(&y, negative);
}

/* A finite x above 0, or 1 + x for x above -1 and no less than 2^-54 either way. Nothing of it is lost up to 2^128, and
 * beyond less than 2^-128 of it. */
DETMATH_FUNCTION struct detmath_last detmath_last_operand(double x, int next) {
    detmath_i32 exponent;
    detmath_u32 negative;
    struct detmath_long_fixed a = {{0, 0, 0, 0}}, one = {{0, 0, 0, 1}};
    if (next && x < 0x1p60) {
        a = detmath_long_fixed_of(x);
        detmath_long_fixed_add(&a, &one, 0);
        return detmath_last_of(&a);
    }
    a.word[2] = detmath_real_parts(x, &exponent, &negative);
    struct detmath_last top = detmath_last_of(&a);
    top.exponent += exponent + 64;
    if (next && top.exponent <= 192) /* 1 is far below the last bit of x */
        top.y.word[(192 - top.exponent) >> 6] |= (detmath_u64)1 << ((192 - top.exponent) & 63);
    return top;
}

/* The logarithm of the operand, of which `near` is within 2^-50: near + ln(1 + d) log_b e, where 1 + d is the operand
 * times b^-near. d is off by 2^-169, and its fourth power is below that. */
DETMATH_FUNCTION struct detmath_long_fixed
detmath_last_log_sum(struct detmath_last operand, double near, enum detmath_base base) {
    struct detmath_last power = detmath_last_power(-near, base);
    struct detmath_fraction third = {
        {0x5555555555555555u, 0x5555555555555555u, 0x5555555555555555u}};
    struct detmath_fraction factor = detmath_last_log_of_e(base);
    struct detmath_fraction d = detmath_fraction_product(&operand.y, &power.y);
    struct detmath_long_fixed sum = {{d.word[0], d.word[1], d.word[2], 0}};
    for (detmath_i32 i = operand.exponent + power.exponent; i > 0; i--)
        for (int j = 2; j >= 0; j--)
            sum.word[j] = sum.word[j] << 1 | (j ? sum.word[j - 1] >> 63 : 0);
    detmath_u64 below = sum.word[2] >> 63; /* 1 + d is below 1 */
    if (below) {
        sum.word[3] = ~(detmath_u64)0;
        sum = detmath_last_negated(sum);
    }
    for (int i = 0; i < 3; i++)
        d.word[i] = sum.word[i];
    struct detmath_fraction square = detmath_fraction_product(&d, &d);
    struct detmath_fraction cube = detmath_fraction_product(&square, &d);
    cube = detmath_fraction_product(&cube, &third);
    struct detmath_long_fixed second = {{square.word[0] >> 1 | square.word[1] << 63,
                                         square.word[1] >> 1 | square.word[2] << 63,
                                         square.word[2] >> 1, 0}};
    struct detmath_long_fixed more = {{cube.word[0], cube.word[1], cube.word[2], 0}};
    detmath_long_fixed_add(&sum, &second, !below);
    detmath_long_fixed_add(&sum, &more, 0);
    struct detmath_long_fixed twice = {{sum.word[0] << 1, sum.word[1] << 1 | sum.word[0] >> 63,
                                        sum.word[2] << 1 | sum.word[1] >> 63, 0}};
    sum = detmath_long_fixed_product(&twice, &factor);
    struct detmath_long_fixed y = detmath_long_fixed_of(near);
    detmath_long_fixed_add(&y, &sum, below);
    return y;
}

/* y 2^up for a y of either sign, as detmath_last_round has it. */
DETMATH_FUNCTION double detmath_last_round_signed(struct detmath_long_fixed y, detmath_i32 up) {
    detmath_u32 negative = (detmath_u32)(y.word[3] >> 63);
    if (negative)
        y = detmath_last_negated(y);
    return detmath_last_round(&y, up, negative);
}

/* The logarithm times 2^up, rounded. */
DETMATH_FUNCTION double detmath_last_log_of(struct detmath_last operand, double near,
                                            enum detmath_base base, detmath_i32 up) {
    return detmath_last_round_signed(detmath_last_log_sum(operand, near, base), up);
}
DETMATH_FUNCTION double detmath_last_log(double x, int next, double near, enum detmath_base base) {
    return detmath_last_log_of(detmath_last_operand(x, next), near, base, 0);
}

/* 1/k, a unit less at most. */
DETMATH_FUNCTION struct detmath_fraction detmath_last_one_over(detmath_u32 k) {
    struct detmath_fraction y = {{0, 0, 0}};
    detmath_u64 rest = 0;
    for (int i = 5; i >= 0; i--) {
        rest = rest << 32 | 0xffffffffu;
        y.word[i >> 1] |= rest / k << (32 * (i & 1));
        rest %= k;
    }
    return y;
}

/* b^x - 1, or where inverse is 1 log_b (1 + x), for an |x| below 2^-20, within 2^-182 of itself: with z = x ln b, or z = -x, it is
 * x ln b (1 + z (1/2! + z (1/3! + ...))), or x log_b e (1 + z (1/2 + z (1/3 + ...))). Of a product the factor of x is
 * above 1/8, and what the series leaves is below z^10. */
DETMATH_FUNCTION double detmath_last_small(double x, enum detmath_base base, int inverse) {
    struct detmath_fraction factor = detmath_last_log_of_e(base), ln2 = detmath_last_ln2();
    struct detmath_fraction quarter = detmath_last_log2(base), h = {{0, 0, 0}};
    struct detmath_last size = detmath_last_operand(detmath_magnitude_f64(x), 0);
    /* By its bits: a processor may take a subnormal x as 0. */
    detmath_u32 negative = (detmath_u32)(detmath_bits_f64(x) >> 63);
    detmath_u32 subtract = inverse ? 1u - negative : negative;
    if ((detmath_bits_f64(x) << 1) == 0)
        return x;
    if (!inverse)
        factor = detmath_fraction_product(&quarter, &ln2); /* ln b / 4 */
    struct detmath_fraction first = detmath_fraction_product(&size.y, &factor);
    struct detmath_fraction part = inverse ? size.y : first;
    struct detmath_long_fixed whole = {{part.word[0], part.word[1], part.word[2], 0}};
    whole = detmath_last_shifted(whole, inverse ? -size.exponent : -size.exponent - 2);
    struct detmath_fraction z = {{whole.word[0], whole.word[1], whole.word[2]}};
    for (detmath_u32 k = 10; k > 0; k--) {
        detmath_u32 under = 1;
        for (detmath_u32 i = inverse ? k : 2; i <= k; i++)
            under *= i;
        struct detmath_fraction over = k > 1 ? detmath_last_one_over(under) : first;
        struct detmath_fraction product = detmath_fraction_product(&z, &h);
        if (k == 1)
            product = detmath_fraction_product(&product, &first);
        struct detmath_long_fixed sum = {{over.word[0], over.word[1], over.word[2], 0}};
        struct detmath_long_fixed more = {{product.word[0], product.word[1], product.word[2], 0}};
        detmath_long_fixed_add(&sum, &more, subtract);
        for (int i = 0; i < 3; i++)
            h.word[i] = sum.word[i];
    }
    struct detmath_long_fixed y = {{h.word[0], h.word[1], h.word[2], 0}};
    return detmath_last_round(&y, size.exponent + (inverse ? 1 : 2), negative);
}

#endif

#include "shield_end.inc"

#endif
