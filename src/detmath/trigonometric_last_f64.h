/* The last phase of sin, cos and tan in fp64, and of these of pi x, in integers of 192 bits: within 2^-186 of the result.
 *
 * CORE-MATH publishes 110,037 hard operands. The hardest result is 2^-142.3 of itself from a middle between two numbers, the cosine
 * of 1.5 2^-23; of operands from 2^-18 on none is nearer than 2^-123. No number of fp64 is nearer to a multiple of pi/2 than
 * 2^-60.89.
 */
#ifndef DETMATH_TRIGONOMETRIC_LAST_F64_H
#define DETMATH_TRIGONOMETRIC_LAST_F64_H

#include "last_f64.h"
#include "trigonometric_reduction.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* |x|, or pi |x|, is quarter pi/2 +- a, with a = y 2^exponent up to pi/4; exponent is 0 or less. */
struct detmath_last_angle {
    struct detmath_last a;
    detmath_u32 quarter, negative;
};

/* pi/4; made by trigonometric_f64.sollya. */
DETMATH_FUNCTION struct detmath_fraction detmath_last_quarter_pi(void) {
    struct detmath_fraction y = {{DETMATH_LAST_WORD(0x29024e08u, 0x8a67cc74u),
                                  DETMATH_LAST_WORD(0xc4c6628bu, 0x80dc1cd1u),
                                  DETMATH_LAST_WORD(0xc90fdaa2u, 0x2168c234u)}};
    return y;
}

/* 64 bits of 2/pi from bit `place` on. */
DETMATH_FUNCTION detmath_u64 detmath_turn_bits(detmath_u32 place) {
    detmath_u64 high = detmath_turn_words(place >> 5), low = detmath_turn_words((place >> 5) + 2u);
    return high << (place & 31u) | low >> 1 >> (63u - (place & 31u));
}

/* m 2^e of 3/4 and more: the product of m and 320 bits of 2/pi, which are those of trig_f64_far and as many more. Below 2^23 what
 * comes before these is 0, and the product is moved to where it belongs. */
DETMATH_FUNCTION struct detmath_last_angle detmath_last_turn(detmath_u64 m, detmath_i32 e) {
    struct detmath_last_angle angle;
    detmath_u32 place = e < -30 ? 0u : (detmath_u32)(e + 30),
                back = e < -30 ? (detmath_u32)(-30 - e) : 0u;
    detmath_u64 product[6], carry = 0;
    for (detmath_u32 i = 0; i < 5; i++) {
        struct detmath_wide p = detmath_wide_product(m, detmath_turn_bits(place + 64u * (4u - i)));
        product[i] = p.low;
        detmath_carry_into(&product[i], carry, &p.high);
        carry = p.high;
    }
    product[5] = carry;
    for (int i = 0; i < 5; i++)
        product[i] = product[i] >> back | product[i + 1] << 1 << (63u - back);
    angle.quarter = (detmath_u32)(product[4] >> 62);
    for (int i = 4; i > 0; i--)
        product[i] = product[i] << 2 | product[i - 1] >> 62;
    struct detmath_long_fixed turn = {{product[1], product[2], product[3], product[4]}};
    angle.negative = (detmath_u32)(turn.word[3] >> 63);
    if (angle.negative) {
        angle.quarter++;
        turn = detmath_last_negated(turn);
    }
    struct detmath_fraction quarter_pi = detmath_last_quarter_pi();
    angle.a = detmath_last_of(&turn);
    angle.a.y = detmath_fraction_product(&angle.a.y, &quarter_pi);
    angle.a.exponent -= 63;
    return angle;
}

/* 1 - z/n0 (1 - z/n1 ...) for n of (2 i - 1) 2 i, or of 2 i (2 i + 1) where sine is 1, to the 22nd: within 10 units. */
DETMATH_FUNCTION struct detmath_fraction detmath_last_trig_series(const struct detmath_fraction *z,
                                                                  detmath_u32 sine) {
    const detmath_u64 ones = ~(detmath_u64)0;
    struct detmath_fraction one = {{ones, ones, ones}}, h = one;
    for (detmath_u32 i = 22; i > 0; i--) {
        detmath_u64 n = (2u * i + sine) * (2u * i + sine - 1u), rest = 0;
        struct detmath_fraction term = detmath_fraction_product(z, &h);
        for (int j = 5; j >= 0; j--) {
            detmath_u32 shift = 32u * (detmath_u32)(j & 1);
            detmath_u64 part = rest << 32 | (term.word[j >> 1] >> shift & 0xffffffffu);
            rest = part % n;
            h.word[j >> 1] = j & 1 ? part / n << 32 : h.word[j >> 1] | part / n;
        }
        for (int j = 0; j < 3; j++) /* 1 less that */
            h.word[j] = ~h.word[j];
    }
    return h;
}

/* The sine of a, or its cosine; the square of a small one is below all places, and so the series is all ones. */
DETMATH_FUNCTION struct detmath_last detmath_last_trig(const struct detmath_last *a,
                                                       detmath_u32 sine) {
    const detmath_u64 ones = ~(detmath_u64)0;
    struct detmath_last y = {{{ones, ones, ones}}, 0};
    if (a->exponent >= -96) {
        struct detmath_fraction z = detmath_fraction_product(&a->y, &a->y);
        for (detmath_i32 i = 2 * a->exponent; i < 0; i++)
            for (int j = 0; j < 3; j++)
                z.word[j] = z.word[j] >> 1 | (j < 2 ? z.word[j + 1] << 63 : 0);
        y.y = detmath_last_trig_series(&z, sine);
    }
    if (sine) {
        y.y = detmath_fraction_product(&a->y, &y.y);
        y.exponent = a->exponent;
    }
    return y;
}

DETMATH_FUNCTION struct detmath_last_angle detmath_last_angle_of(double x) {
    struct detmath_last_angle angle = {{{{0, 0, 0}}, 0}, 0, 0};
    detmath_i32 exponent;
    detmath_u32 negative;
    detmath_u64 m = detmath_real_parts(x, &exponent, &negative);
    if (!(detmath_magnitude_f64(x) < 0.75))
        return detmath_last_turn(m, exponent);
    struct detmath_long_fixed a = {{0, 0, m, 0}};
    angle.a = detmath_last_of(&a);
    angle.a.exponent += exponent + 64;
    return angle;
}

/* The same of pi x for a finite x; a is 0 where |x| is a multiple of 1/2. */
DETMATH_FUNCTION struct detmath_last_angle detmath_last_angle_of_pi(double x) {
    struct detmath_last_angle angle;
    struct detmath_fraction quarter_pi = detmath_last_quarter_pi();
    double size = detmath_smaller_f64(detmath_magnitude_f64(x), 0x1p53);
    double rest = size - ((size + 0x1.8p54) - 0x1.8p54), near = detmath_fma(rest, 2.0, 0x1.8p52);
    /* A small number is taken as it is, whatever flushes a subnormal one. */
    if (size < 0.25)
        rest = detmath_magnitude_f64(x);
    else
        rest = detmath_fma(near - 0x1.8p52, -0.5, rest);
    detmath_i32 exponent;
    detmath_u64 m = detmath_real_parts(rest, &exponent, &angle.negative);
    angle.quarter = (detmath_u32)detmath_bits_f64(near);
    struct detmath_long_fixed left = {{0, 0, m, 0}};
    struct detmath_last turn = detmath_last_of(&left);
    turn.y = detmath_fraction_product(&turn.y, &quarter_pi);
    for (int i = 0; i < 3; i++)
        left.word[i] = turn.y.word[i];
    angle.a = detmath_last_of(&left);
    angle.a.exponent += turn.exponent + exponent + 66;
    return angle;
}

/* The sine of the angle that x has for turns 0, its cosine for 1; of sin x, no x below 2^-54. */
DETMATH_FUNCTION double detmath_last_turned(double x, struct detmath_last_angle angle,
                                            detmath_u32 turns) {
    detmath_u32 quarter = angle.quarter + turns, sine = !(quarter & 1u);
    detmath_u32 negative = (quarter >> 1 & 1u) ^ (angle.negative & sine) ^
                           (detmath_u32)(turns ? 0u : detmath_bits_f64(x) >> 63);
    struct detmath_last y = detmath_last_trig(&angle.a, sine);
    struct detmath_long_fixed a = {{y.y.word[0], y.y.word[1], y.y.word[2], 0}};
    return detmath_last_round(&a, y.exponent, negative);
}

DETMATH_FUNCTION double detmath_last_tan(double x, struct detmath_last_angle angle) {
    detmath_u32 odd = angle.quarter & 1u;
    struct detmath_last sine = detmath_last_trig(&angle.a, 1),
                        cosine = detmath_last_trig(&angle.a, 0);
    struct detmath_last y = detmath_last_quotient(odd ? cosine : sine, odd ? &sine : &cosine);
    struct detmath_long_fixed a = {{y.y.word[0], y.y.word[1], y.y.word[2], 0}};
    return detmath_last_round(&a, y.exponent,
                              odd ^ angle.negative ^ (detmath_u32)(detmath_bits_f64(x) >> 63));
}

#endif

#include "shield_end.inc"

#endif
