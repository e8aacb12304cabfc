/* The last phase of cr for inverse trigonometric functions of fp64, in integers (long.h) of 256 bits below the point: a number
 * `near` the angle, its sine and cosine by their series, and what the angle has beyond it as a quotient.
 *
 * With n and d, of which the angle's tangent is the quotient, that is atan ((n cos - d sin) / (d cos + n sin)); with its sine or
 * cosine x it solves sin(near + e) = x or cos(near + e) = x. near is within 2^-49 of the angle, so that e is at most 2^-49 of
 * near, and the quotient's square, which such an equation adds, 2^-98 of it: doubles know that and the cube to 2^-145. What is left
 * out is 2^-147 of the angle for a sine or cosine, and 2^-198 of it for a tangent, whose square is not there; truncations are
 * below 2^-240. */
#ifndef DETMATH_ANGLE_LAST_F64_H
#define DETMATH_ANGLE_LAST_F64_H

#include "core_f64.h"
#include "long_real.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

enum { DETMATH_ANGLE_WORDS = 8 };

DETMATH_WORDS_FUNCTION struct detmath_long detmath_angle_long(double x) {
    struct detmath_long a = detmath_long_of(DETMATH_ANGLE_WORDS, 0);
    detmath_long_put_real(&a, x, 0);
    return a;
}

/* pi/2; made by inverse_trigonometric_f64.sollya. */
DETMATH_WORDS_FUNCTION struct detmath_long detmath_angle_quarter(void) {
    struct detmath_long a = {DETMATH_ANGLE_WORDS,
                             {0x76273644u, 0x04177d4cu, 0x14cf98e8u, 0x52049c11u, 0x01b839a2u,
                              0x898cc517u, 0x42d18469u, 0x921fb544u, 1u}};
    return a;
}

/* Over pi; made by inverse_trigonometric_f64.sollya. What is cut off is 2^-256 and 2^-255 of a. */
DETMATH_WORDS_FUNCTION void detmath_angle_over_pi(struct detmath_long *a) {
    const struct detmath_long inverse = {DETMATH_ANGLE_WORDS,
                                         {0xef5de2b0u, 0xff28b1d5u, 0x9e21c820u, 0x6db14accu,
                                          0xfa9a6ee0u, 0xfe13abe8u, 0x27220a94u, 0x517cc1b7u}};
    *a = detmath_long_product(a, &inverse);
}

/* The first 53 bits of a, of 0 or more. */
DETMATH_WORDS_FUNCTION double detmath_angle_real(const struct detmath_long *a) {
    detmath_i32 top = detmath_long_top(a);
    double bits = (double)(detmath_i64)detmath_long_bits(a, top, 53);
    return detmath_exact_product(bits, detmath_power_of_two(top - 52 - 32 * a->words));
}

/* The sine of x for 0 <= x < 1, or its cosine: x - x^3/3! + ..., or 1 - x^2/2! + ..., within 2^6 units. */
DETMATH_WORDS_FUNCTION struct detmath_long detmath_angle_series(const struct detmath_long *x,
                                                                int cosine) {
    struct detmath_long square = detmath_long_product(x, x);
    struct detmath_long term = cosine ? detmath_long_of(x->words, 1) : *x, sum = term;
    for (detmath_u32 k = cosine ? 1u : 2u; detmath_long_top(&term) >= 0; k += 2) {
        term = detmath_long_product(&term, &square);
        detmath_long_divide(&term, k * (k + 1u));
        detmath_long_add(&sum, &term, (k >> 1 & 1u) ^ (detmath_u32)cosine);
    }
    return sum;
}

/* a += above / below, which is returned to 53 bits; above is changed. Each of three steps leaves 2^-50 of what it begins
 * with, of the angle 2^-199 in all. */
DETMATH_WORDS_FUNCTION double detmath_angle_add_quotient(struct detmath_long *a,
                                                         struct detmath_long *above,
                                                         const struct detmath_long *below) {
    double divisor = detmath_angle_real(below), first = 0.0;
    for (int i = 0; i < 3 && detmath_long_top(above) >= 0; i++) {
        int negative = detmath_long_is_negative(above);
        if (negative)
            detmath_long_negate(above);
        double digit = detmath_angle_real(above) / divisor;
        struct detmath_long part = detmath_angle_long(digit);
        detmath_long_add(a, &part, (detmath_u32)negative);
        part = detmath_long_product(&part, below);
        detmath_long_add(above, &part, 1);
        if (negative)
            detmath_long_negate(above);
        if (i == 0)
            first = negative ? -digit : digit;
    }
    return first;
}

/* The angle whose tangent is n/d, for 0 <= n <= d of which near is within 2^-49 of it. */
DETMATH_WORDS_FUNCTION struct detmath_long
detmath_angle_of_tangent(const struct detmath_long *n, const struct detmath_long *d, double near) {
    struct detmath_long angle = detmath_angle_long(near);
    struct detmath_long sine = detmath_angle_series(&angle, 0);
    struct detmath_long cosine = detmath_angle_series(&angle, 1);
    struct detmath_long above = detmath_long_product(n, &cosine);
    struct detmath_long part = detmath_long_product(d, &sine);
    detmath_long_add(&above, &part, 1);
    struct detmath_long below = detmath_long_product(d, &cosine);
    part = detmath_long_product(n, &sine);
    detmath_long_add(&below, &part, 0);
    double e = detmath_angle_add_quotient(&angle, &above, &below);
    detmath_long_put_real(&angle, detmath_product(detmath_product(e, e), e / 3.0), 1);
    return angle;
}

/* The angle whose sine is x, 0 <= x < 0.71, or whose cosine is x, for 0.7 < x < 1, of which near is within 2^-49. With t its
 * tangent, e is q + t q^2/2 + ... for the sine, where q is the quotient of (x - sin) / cos, and q - q^2 / 2t for the cosine,
 * with (cos - x) / sin. */
DETMATH_WORDS_FUNCTION struct detmath_long detmath_angle_of_sine(double x, double near,
                                                                 int of_cosine) {
    struct detmath_long angle = detmath_angle_long(near), above = detmath_angle_long(x);
    struct detmath_long sine = detmath_angle_series(&angle, 0);
    struct detmath_long cosine = detmath_angle_series(&angle, 1);
    detmath_long_add(&above, of_cosine ? &cosine : &sine, 1);
    if (of_cosine)
        detmath_long_negate(&above);
    double slope = detmath_angle_real(of_cosine ? &cosine : &sine);
    slope = slope / detmath_angle_real(of_cosine ? &sine : &cosine);
    double q = detmath_angle_add_quotient(&angle, &above, of_cosine ? &sine : &cosine);
    detmath_long_put_real(&angle, detmath_product(detmath_product(slope, q), q * 0.5), of_cosine);
    return angle;
}

/* The angle, or what is missing of it to pi/2 or pi, or that beyond pi/2, of which n/d is the tangent. */
DETMATH_WORDS_FUNCTION void detmath_angle_turn(struct detmath_long *angle, int steep, int left) {
    struct detmath_long base = detmath_long_of(DETMATH_ANGLE_WORDS, 0);
    struct detmath_long quarter = detmath_angle_quarter();
    for (int i = steep ? 1 : left ? 2 : 0; i > 0; i--)
        detmath_long_add(&base, &quarter, 0);
    detmath_long_add(&base, angle, (detmath_u32)(steep != left));
    *angle = base;
}

/* a 2^exponent, or that over pi, for a above 0, rounded to nearest. */
DETMATH_WORDS_FUNCTION double detmath_angle_round(struct detmath_long *a, detmath_i32 exponent,
                                                  int over_pi) {
    if (over_pi)
        detmath_angle_over_pi(a);
    detmath_i32 top = detmath_long_top(a);
    struct detmath_significand first = {detmath_long_bits(a, top, 61) << 1 | 1u,
                                        top - 61 - 32 * a->words + exponent, 0};
    return detmath_from_bits_f64(detmath_significand_round(&first, 53, -1022));
}

/* A number of 0 or more as one from 1 to 2, or 0, times 2^exponent. */
DETMATH_WORDS_FUNCTION double detmath_angle_split(double size, detmath_i32 *exponent) {
    detmath_u32 negative;
    detmath_u64 significand = detmath_real_parts(size, exponent, &negative);
    for (; significand && !(significand >> 52); (*exponent)--)
        significand <<= 1;
    *exponent += 52;
    return detmath_exact_product((double)(detmath_i64)significand, 0x1p-52);
}

/* atan of n/d 2^exponent, for n and d from 1 to 2, or asin, or these over pi, rounded, where the quotient is below 2^-53: it to 256
 * bits, less a third of its cube or and a sixth, or one unit. What follows is below 2^-215 of it. */
DETMATH_WORDS_FUNCTION double detmath_angle_small(double n, double d, detmath_i32 exponent,
                                                  int sine, int over_pi) {
    detmath_i32 unused;
    detmath_u32 negative;
    detmath_u64 rest = detmath_real_parts(n, &unused, &negative);
    detmath_u64 divisor = detmath_real_parts(d, &unused, &negative);
    struct detmath_long q = detmath_long_of(DETMATH_ANGLE_WORDS, 0);
    for (int i = 32 * DETMATH_ANGLE_WORDS; i >= 0; i--, rest <<= 1)
        if (rest >= divisor) {
            q.word[i >> 5] |= 1u << (i & 31);
            rest -= divisor;
        }
    struct detmath_long cube = detmath_long_product(&q, &q);
    cube = detmath_long_product(&cube, &q);
    detmath_long_divide(&cube, sine ? 6u : 3u);
    for (detmath_i32 i = -2 * exponent; i > 0 && detmath_long_top(&cube) >= 0; i -= 16)
        detmath_long_divide(&cube, 1u << (i < 16 ? i : 16));
    if (detmath_long_top(&cube) < 0)
        cube.word[0] = 1u;
    detmath_long_add(&q, &cube, !sine);
    return detmath_angle_round(&q, exponent, over_pi);
}

#endif

#include "shield_end.inc"

#endif
