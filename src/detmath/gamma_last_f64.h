/* The last phase of tgamma and lgamma in fp64, in integers of 192 bits: gamma(x) = gamma(X) / (x (x + 1) ... (X - 1)), where X
 * is the first such number from 40 on, or x itself.
 *
 * The logarithm of gamma(X) is (X - 1/2)(ln X - 1) + (ln(2 pi) - 1)/2 + s. ln X is off by 2^-169 and multiplied by less than
 * 2^7.5 where gamma(x) is wanted; s has 26 terms, its 27th is below 2^-198, and each step adds 6 units, 2^-192: the logarithm
 * is within 2^-160 for X up to 172. Of larger X it is off by 2^-168 of itself. The product has 225 factors at most, which are
 * exact or, next to 0, off by 2^-191: within 2^-180 of itself. So gamma(x) is within 2^-159 of itself, and lgamma(x) within
 * 2^-159.
 *
 * No list of hard operands exists. Of 2^63 results that behave like random numbers the one nearest to a middle is expected at
 * some 2^-117 of itself: the error is 2^-20 of that, and much less. For lgamma next to its zeros see log_gamma_f64.h. */
#ifndef DETMATH_GAMMA_LAST_F64_H
#define DETMATH_GAMMA_LAST_F64_H

#include "last_f64.h"
#include "log_f64.h"
#include "trigonometric_last_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* |B(2k)| / (2k (2k - 1)) 10^(1 - 2k) for k from 26 to 1: three words of 64 bits each, the lowest first and of each its upper half
 * first; made by gamma_f64.sollya. */
enum { DETMATH_GAMMA_LAST_TERMS = 26 };
DETMATH_CONSTANT detmath_u32 detmath_gamma_last_words[156] = {
    0x9337a3eau, 0x4223a2c2u, 0x0000000fu, 0x0da41d9bu, 0x00000000u, 0x00000000u, 0xb830140eu,
    0xdcfbb379u, 0x00000018u, 0x419e51f0u, 0x00000000u, 0x00000000u, 0x5feb3f97u, 0x6eff2393u,
    0x0000002au, 0x72658f00u, 0x00000000u, 0x00000000u, 0x1be5b4c5u, 0x7c0108c6u, 0x00000050u,
    0xf410a98bu, 0x00000000u, 0x00000000u, 0xa6b2f7e2u, 0xf2510c89u, 0x000000a8u, 0xeac64e08u,
    0x00000000u, 0x00000000u, 0xf0cf09c1u, 0x5f021018u, 0x00000183u, 0x41ff5548u, 0x00000000u,
    0x00000000u, 0xb32041c2u, 0x9c560067u, 0x000003d4u, 0x05565839u, 0x00000000u, 0x00000000u,
    0xb23fbf14u, 0x79935c90u, 0x00000abfu, 0xc139d470u, 0x00000000u, 0x00000000u, 0x819b5391u,
    0x882aec48u, 0x000021adu, 0xd1c58370u, 0x00000000u, 0x00000000u, 0x39cc2b9fu, 0xbf2b1e26u,
    0x00007680u, 0x85e0948cu, 0x00000000u, 0x00000000u, 0x370c07e4u, 0x86e4dc4au, 0x0001d799u,
    0xa116df4eu, 0x00000000u, 0x00000000u, 0x3700f2f9u, 0x4f198247u, 0x00085c00u, 0xc5dd34cbu,
    0x00000000u, 0x00000000u, 0x01fb3a9fu, 0x30d65a56u, 0x002ba71fu, 0x98da44dau, 0x00000000u,
    0x00000000u, 0xbc273edcu, 0x8ed5f5b7u, 0x01092142u, 0xbafae47eu, 0x00000000u, 0x00000000u,
    0x19e7ba68u, 0x262213ddu, 0x07682dedu, 0xd825aaf2u, 0x00000000u, 0x00000000u, 0x2446dcf4u,
    0xa5da591bu, 0x3f4b1182u, 0xa5e0efddu, 0x00000000u, 0x00000000u, 0x6b3d2fa0u, 0xe7af5a31u,
    0x918eb9d5u, 0x1c9f9b5du, 0x00000000u, 0x00000002u, 0xf1f58d7fu, 0xe1702673u, 0x23773378u,
    0x1b75c220u, 0x00000000u, 0x00000021u, 0xe2a0005au, 0x8d8eacc8u, 0x1d041e01u, 0x43fe2aa7u,
    0x00000000u, 0x00000221u, 0x775f9858u, 0xb474d3e3u, 0xd600788du, 0xf5c249edu, 0x00000000u,
    0x00002e30u, 0x2c7eb17fu, 0xd2770fe2u, 0x48740b1du, 0xb661d54cu, 0x00000000u, 0x000565b9u,
    0xd7703251u, 0x5a7d9259u, 0x5a02f0bcu, 0xec81fe58u, 0x00000000u, 0x00ecee8au, 0xf0470ac1u,
    0xfef8da76u, 0x93f47f9du, 0x547aafaeu, 0x00000000u, 0x41727680u, 0xcfaaefb4u, 0xcc471d69u,
    0xba027746u, 0xaa90d5c7u, 0x00000022u, 0x164862f7u, 0xebb3b92fu, 0x493a356eu, 0x4f5f129du,
    0x3204472du, 0x00002e9au, 0x76f74eb0u, 0x22222222u, 0x22222222u, 0x22222222u, 0x22222222u,
    0x02222222u, 0x22222222u};
DETMATH_FUNCTION struct detmath_fraction detmath_gamma_last_term(int row) {
    struct detmath_fraction y;
    for (int i = 0; i < 3; i++)
        y.word[i] = DETMATH_LAST_WORD(detmath_gamma_last_words[6 * row + 2 * i],
                                      detmath_gamma_last_words[6 * row + 2 * i + 1]);
    return y;
}
/* (ln(2 pi) - 1) / 2. */
DETMATH_FUNCTION struct detmath_long_fixed detmath_gamma_last_constant(void) {
    struct detmath_long_fixed y = {{DETMATH_LAST_WORD(0xcfb08f8du, 0x13458b4eu),
                                    DETMATH_LAST_WORD(0x94bc9001u, 0x44192023u),
                                    DETMATH_LAST_WORD(0x6b3f8e43u, 0x25f5a534u), 0}};
    return y;
}

/* a times 2^n, for 0 <= n < 64. */
DETMATH_FUNCTION struct detmath_long_fixed detmath_gamma_last_raised(struct detmath_long_fixed a,
                                                                     detmath_u32 n) {
    for (int i = 3; i >= 0; i--)
        a.word[i] = a.word[i] << n | (i ? a.word[i - 1] >> 1 >> (63u - n) : 0);
    return a;
}

/* Stirling's series of an X of 40 or more. With t = 10 / X it is t (c1 - t^2 (c2 - t^2 (c3 ...))), each term being below the one
 * before. */
DETMATH_FUNCTION struct detmath_long_fixed detmath_gamma_last_series(const struct detmath_last *x) {
    struct detmath_last ten = {{{0, 0, (detmath_u64)10 << 60}}, 4};
    struct detmath_last quotient = detmath_last_quotient(ten, x);
    struct detmath_long_fixed shifted = {
        {quotient.y.word[0], quotient.y.word[1], quotient.y.word[2], 0}};
    shifted = detmath_last_shifted(shifted, -quotient.exponent);
    struct detmath_fraction t = {{shifted.word[0], shifted.word[1], shifted.word[2]}};
    struct detmath_fraction square = detmath_fraction_product(&t, &t), h = {{0, 0, 0}};
    for (int row = 0; row < DETMATH_GAMMA_LAST_TERMS; row++) {
        struct detmath_fraction term = detmath_gamma_last_term(row);
        h = detmath_fraction_product(&square, &h);
        struct detmath_long_fixed sum = {{term.word[0], term.word[1], term.word[2], 0}};
        struct detmath_long_fixed less = {{h.word[0], h.word[1], h.word[2], 0}};
        detmath_long_fixed_add(&sum, &less, 1);
        for (int i = 0; i < 3; i++)
            h.word[i] = sum.word[i];
    }
    h = detmath_fraction_product(&t, &h);
    struct detmath_long_fixed y = {{h.word[0], h.word[1], h.word[2], 0}};
    return y;
}

/* ln gamma of an X from 40 to 2^57, of which `near` is next to the logarithm. */
DETMATH_FUNCTION struct detmath_long_fixed
detmath_gamma_last_log(const struct detmath_long_fixed *x, double near) {
    struct detmath_long_fixed one = {{0, 0, 0, 1}}, one_half = {{0, 0, (detmath_u64)1 << 63, 0}};
    struct detmath_last operand = detmath_last_of(x);
    struct detmath_long_fixed by = *x, log = detmath_last_log_sum(operand, near, DETMATH_BASE_E);
    detmath_long_fixed_add(&log, &one, 1);
    detmath_long_fixed_add(&by, &one_half, 1);
    log = detmath_last_shifted(log, 6);
    struct detmath_fraction less = {{log.word[0], log.word[1], log.word[2]}};
    log = detmath_gamma_last_raised(detmath_long_fixed_product(&by, &less), 6);
    by = detmath_gamma_last_constant();
    detmath_long_fixed_add(&log, &by, 0);
    by = detmath_gamma_last_series(&operand);
    detmath_long_fixed_add(&log, &by, 0);
    return log;
}

/* a b. */
DETMATH_FUNCTION struct detmath_last detmath_gamma_last_product(const struct detmath_last *a,
                                                                const struct detmath_last *b) {
    struct detmath_fraction product = detmath_fraction_product(&a->y, &b->y);
    struct detmath_long_fixed whole = {{product.word[0], product.word[1], product.word[2], 0}};
    struct detmath_last y = detmath_last_of(&whole);
    y.exponent += a->exponent + b->exponent;
    return y;
}

/* ln gamma(X), and the magnitude of the product and its sign. */
struct detmath_gamma_last {
    struct detmath_long_fixed log;
    struct detmath_last product;
    detmath_u32 negative;
};

/* x is finite, no pole, and from -184 to 2^57; its magnitude is no less than 2^-139, so that it is a number of units. */
DETMATH_FUNCTION struct detmath_gamma_last detmath_gamma_last_of(double x) {
    struct detmath_long_fixed factor = detmath_long_fixed_of(x), one = {{0, 0, 0, 1}};
    struct detmath_gamma_last y = {{{0, 0, 0, 0}}, {{{0, 0, (detmath_u64)1 << 63}}, 1}, 0};
    detmath_i32 count = x < 40.0 ? 41 - (detmath_i32)x : 0;
    for (detmath_i32 i = 0; i < count; i++) {
        detmath_u32 below = (detmath_u32)(factor.word[3] >> 63);
        struct detmath_long_fixed size = below ? detmath_last_negated(factor) : factor;
        struct detmath_last part = detmath_last_of(&size);
        y.product = detmath_gamma_last_product(&y.product, &part);
        y.negative ^= below;
        detmath_long_fixed_add(&factor, &one, 0);
    }
    y.log = detmath_gamma_last_log(&factor, detmath_log(x + (double)count));
    return y;
}

/* gamma(x), correctly rounded. */
DETMATH_FUNCTION double detmath_last_tgamma(double x) {
    struct detmath_gamma_last parts = detmath_gamma_last_of(x);
    struct detmath_fraction factor = detmath_last_log2(DETMATH_BASE_E);
    struct detmath_long_fixed a = detmath_gamma_last_raised(parts.log, 2);
    struct detmath_last power =
        detmath_last_power_of_two(detmath_long_fixed_product(&a, &factor), 1);
    struct detmath_last y = detmath_last_quotient(power, &parts.product);
    struct detmath_long_fixed whole = {{y.y.word[0], y.y.word[1], y.y.word[2], 0}};
    return detmath_last_round(&whole, y.exponent, parts.negative);
}

/* A signed number, rounded. */
DETMATH_FUNCTION double detmath_gamma_last_round(struct detmath_long_fixed y) {
    detmath_u32 negative = (detmath_u32)(y.word[3] >> 63);
    if (negative)
        y = detmath_last_negated(y);
    return detmath_last_round(&y, 0, negative);
}

/* lgamma from 2^57 on, as x times (ln x - 1)(1 - 1/(2 x)) + (ln(2 pi) - 1)/(2 x) + 1/(12 x^2): what follows is below 2^-236 of it, and
 * each product is off by 2^-180. */
DETMATH_FUNCTION double detmath_last_lgamma_large(double x) {
    struct detmath_long_fixed one = {{0, 0, 0, 1}}, offset = detmath_gamma_last_constant();
    struct detmath_last operand = detmath_last_operand(x, 0),
                        unit = {{{0, 0, (detmath_u64)1 << 63}}, 1};
    struct detmath_long_fixed log = detmath_last_log_sum(operand, detmath_log(x), DETMATH_BASE_E);
    detmath_long_fixed_add(&log, &one, 1);
    struct detmath_last quotient = detmath_last_quotient(unit, &operand);
    struct detmath_long_fixed inverse = {
        {quotient.y.word[0], quotient.y.word[1], quotient.y.word[2], 0}};
    inverse = detmath_last_shifted(inverse, -quotient.exponent);
    struct detmath_fraction by = {{inverse.word[0], inverse.word[1], inverse.word[2]}};
    struct detmath_fraction twelfth = {
        {0x5555555555555555u, 0x5555555555555555u, 0x1555555555555555u}};
    struct detmath_long_fixed part = detmath_last_shifted(detmath_long_fixed_product(&log, &by), 1);
    detmath_long_fixed_add(&log, &part, 1);
    part = detmath_long_fixed_product(&offset, &by);
    detmath_long_fixed_add(&log, &part, 0);
    part = detmath_long_fixed_product(&inverse, &by);
    part = detmath_long_fixed_product(&part, &twelfth);
    detmath_long_fixed_add(&log, &part, 0);
    struct detmath_last top = detmath_last_of(&log);
    top = detmath_gamma_last_product(&top, &operand);
    struct detmath_long_fixed whole = {{top.y.word[0], top.y.word[1], top.y.word[2], 0}};
    return detmath_last_round(&whole, top.exponent, 0);
}

/* ln(a |sin(pi a)| / pi) of an a from 40 to 2^52, no integer: near is next to it. With f, the distance from the integer next to a, or 1/2
 * less that, the sine is a sine or a cosine of pi f, up to pi/4. */
DETMATH_FUNCTION struct detmath_long_fixed detmath_last_log_sine(double a, double near) {
    struct detmath_fraction quarter_pi = {{DETMATH_LAST_WORD(0x29024e08u, 0x8a67cc74u),
                                           DETMATH_LAST_WORD(0xc4c6628bu, 0x80dc1cd1u),
                                           DETMATH_LAST_WORD(0xc90fdaa2u, 0x2168c234u)}};
    struct detmath_last inverse_pi = {
        {{DETMATH_LAST_WORD(0x6db14accu, 0x9e21c821u), DETMATH_LAST_WORD(0xfe13abe8u, 0xfa9a6ee0u),
          DETMATH_LAST_WORD(0x517cc1b7u, 0x27220a94u)}},
        0};
    double f = detmath_magnitude_f64(a - ((a + 0x1p52) - 0x1p52));
    detmath_u32 beyond = f > 0.25;
    struct detmath_long_fixed angle = detmath_long_fixed_of(beyond ? 0.5 - f : f);
    struct detmath_last top = {{{0, 0, 0}}, 0}, operand = detmath_last_operand(a, 0);
    if (angle.word[2] | angle.word[1] | angle.word[0]) {
        top = detmath_last_of(&angle);
        top.y = detmath_fraction_product(&top.y, &quarter_pi);
        top.exponent += 2;
    }
    if (top.exponent > 0) { /* pi f is below 1 */
        angle.word[2] = top.y.word[2];
        angle.word[1] = top.y.word[1];
        angle.word[0] = top.y.word[0];
        angle = detmath_gamma_last_raised(angle, (detmath_u32)top.exponent);
        for (int i = 0; i < 3; i++)
            top.y.word[i] = angle.word[i];
        top.exponent = 0;
    }
    struct detmath_last sine = detmath_last_trig(&top, !beyond);
    sine = detmath_gamma_last_product(&sine, &operand);
    sine = detmath_gamma_last_product(&sine, &inverse_pi);
    return detmath_last_log_sum(sine, near, DETMATH_BASE_E);
}

/* lgamma(x), correctly rounded, of a finite x that is above -2^52, no pole and no less than 2^-139; below -40, near is next to
 * ln(|x sin(pi x)| / pi). */
DETMATH_FUNCTION double detmath_last_lgamma(double x, double near) {
    if (x >= 0x1p57)
        return detmath_last_lgamma_large(x);
    if (x < -40.0) {
        struct detmath_long_fixed sum = detmath_last_log_sine(-x, near),
                                  size = detmath_long_fixed_of(-x);
        struct detmath_long_fixed more = detmath_gamma_last_log(&size, detmath_log(-x));
        detmath_long_fixed_add(&sum, &more, 0);
        return detmath_gamma_last_round(detmath_last_negated(sum));
    }
    struct detmath_gamma_last parts = detmath_gamma_last_of(x);
    if (x < 40.0) {
        double size = (double)(parts.product.y.word[2] >> 11) * 0x1p-53;
        double log =
            detmath_fma((double)parts.product.exponent, 0x1.62e42fefa39efp-1, detmath_log(size));
        struct detmath_long_fixed less = detmath_last_log_sum(parts.product, log, DETMATH_BASE_E);
        detmath_long_fixed_add(&parts.log, &less, 1);
    }
    return detmath_gamma_last_round(parts.log);
}

#endif

#include "shield_end.inc"

#endif
