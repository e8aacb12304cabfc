/* The last phase of erf, erfc, gelu and gelu_tanh in fp64, in integers (long.h). With w = x^2, or x^2/2 for gelu, and K = 2/sqrt(pi), or
 * sqrt(2/pi), erf x, or erf(x/sqrt 2), is K x e^-w S, where S is the sum of (2w)^n / (1 3 5 ... (2n+1)): no term is below 0.
 *
 * For w below 128 there are 8 + w/8 words of 32 bits below the point. Horner's scheme begins with 2^-64 in place of 1, so that
 * S, below 2^182, fits. S is off by 2^-180 of itself and less, where its first 64 + 5w terms leave less than that, and e^-w by
 * 2^23 units. So erf is within 2^-180 of itself, and 1 - erf, no less than 2^-189, within 2^-160 of itself.
 *
 * Above, 1 - erf is K/2 e^-w/x (or K e^-w/x) times the asymptotic series 1 - z + 1 3 z^2 - ..., with z = 1/(2w): that is off by no
 * more than the first term left out, the hundredth, which is below 2^-179. e^-w is 2^-k e^-f, with a whole k and w = k ln 2 + f,
 * which is off by 2^-181: so the result is within 2^-175 of itself.
 *
 * Of 2^64 operands the hardest is expected within 2^-117 of itself from a middle between two numbers. */
#ifndef DETMATH_ERROR_FUNCTION_LAST_F64_H
#define DETMATH_ERROR_FUNCTION_LAST_F64_H

#include "last_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

enum { DETMATH_SLOPE_WORDS = 13 };

/* K: 384 bits below the point and a word above, made by error_function_f64.sollya. */
DETMATH_CONSTANT detmath_u32 detmath_erf_slopes[2][DETMATH_SLOPE_WORDS] = {
    {0xd98f35d7u, 0x81806c12u, 0xb24e1e22u, 0x80eb39f0u, 0x99cc4161u, 0x7342b061u, 0x587cea2eu,
     0x281341d7u, 0xd7fd8688u, 0xe3a914feu, 0x29b6d11au, 0x20dd7504u, 0x00000001u},
    {0x66e9d11cu, 0x47eba757u, 0x88fa7b6eu, 0x3bf158aau, 0x04c73a5du, 0x808e3690u, 0xa24e0db1u,
     0xa7053e60u, 0x5d5c717fu, 0x7e59e280u, 0xa1b28468u, 0xcc42299eu, 0x00000000u}};

DETMATH_WORDS_FUNCTION struct detmath_long detmath_erf_last_slope(int words, int of_gelu) {
    struct detmath_long slope = detmath_long_of(words, 0);
    for (int i = 0; i < DETMATH_SLOPE_WORDS; i++)
        if (words - 12 + i >= 0)
            slope.word[words - 12 + i] = detmath_erf_slopes[of_gelu][i];
    return slope;
}

/* a 2^exponent for an a of 0 or more, which goes on beyond its last bit; rounded to nearest. */
DETMATH_FUNCTION double detmath_erf_last_round(const struct detmath_long *a, detmath_i32 exponent,
                                               detmath_u32 negative) {
    detmath_i32 top = detmath_long_top(a);
    struct detmath_significand first = {detmath_long_bits(a, top, 61) << 1 | 1u,
                                        top - 32 * a->words - 61 + exponent, negative};
    return detmath_from_bits_f64(detmath_significand_round(&first, 53, -1022) |
                                 (detmath_u64)negative << 63);
}

/* w. */
DETMATH_WORDS_FUNCTION struct detmath_long detmath_erf_last_square(double x, int words,
                                                                   int of_gelu) {
    struct detmath_long a = detmath_long_of(words, 0), b = a;
    detmath_long_put_real(&a, detmath_magnitude_f64(x), 0);
    detmath_long_put_real(&b, detmath_magnitude_f64(of_gelu ? x * 0.5 : x), 0);
    return detmath_long_product(&a, &b);
}

/* K e^-w S 2^-64, for w below 128, of which `near` is the whole part. */
DETMATH_WORDS_FUNCTION struct detmath_long detmath_erf_last_ratio(const struct detmath_long *w,
                                                                  detmath_u32 near, int of_gelu) {
    struct detmath_long twice = *w, unit = detmath_long_of(w->words, 0), sum;
    struct detmath_long power = detmath_long_exp(*w);
    struct detmath_long slope = detmath_erf_last_slope(w->words, of_gelu);
    detmath_long_add(&twice, w, 0);
    unit.word[w->words - 2] = 1u;
    sum = unit;
    for (detmath_u32 n = 64u + 5u * near; n > 0; n--) {
        sum = detmath_long_product(&twice, &sum);
        detmath_long_divide(&sum, 2u * n + 1u);
        detmath_long_add(&sum, &unit, 0);
    }
    power = detmath_long_product(&power, &sum);
    return detmath_long_product(&power, &slope);
}

/* a b for the significand b of x, whose exponent is *exponent. */
DETMATH_WORDS_FUNCTION struct detmath_long
detmath_erf_last_times(const struct detmath_long *a, double x,
                       DETMATH_PRIVATE detmath_i32 *exponent,
                       DETMATH_PRIVATE detmath_u32 *negative) {
    struct detmath_long significand = detmath_long_of(a->words, 0);
    detmath_long_put(&significand, detmath_real_parts(x, exponent, negative), 0, 0);
    return detmath_long_product(&significand, a);
}

/* erf of a finite x below 11 that is not 0. */
DETMATH_FUNCTION double detmath_last_erf(double x) {
    detmath_u32 near = (detmath_u32)(x * x), negative;
    detmath_i32 exponent;
    struct detmath_long w = detmath_erf_last_square(x, 8 + (int)(near >> 3), 0);
    struct detmath_long y = detmath_erf_last_ratio(&w, near, 0);
    y = detmath_erf_last_times(&y, x, &exponent, &negative);
    return detmath_erf_last_round(&y, exponent + 64, negative);
}

/* 1 - erf x, or 1 - erf(x/sqrt 2) for gelu, of an x with w below 128. */
DETMATH_WORDS_FUNCTION struct detmath_long detmath_erf_last_rest(double x, int of_gelu) {
    detmath_u32 near = (detmath_u32)(of_gelu ? x * x * 0.5 : x * x);
    struct detmath_long w = detmath_erf_last_square(x, 8 + (int)(near >> 3), of_gelu);
    struct detmath_long y = detmath_erf_last_ratio(&w, near, of_gelu), rest, a;
    a = detmath_long_of(w.words, 0);
    rest = detmath_long_of(w.words, 1);
    detmath_long_put_real(&a, detmath_magnitude_f64(x), 0);
    y = detmath_long_product(&y, &a);
    for (int i = w.words + DETMATH_LONG_INTEGER - 1; i >= 0; i--)
        y.word[i] = i > 1 ? y.word[i - 2] : 0u;
    detmath_long_add(&rest, &y, x > 0.0);
    return rest;
}

/* A fraction below the point of a long. */
DETMATH_WORDS_FUNCTION struct detmath_long detmath_erf_last_of(const struct detmath_fraction *a,
                                                               int words, detmath_i32 shift) {
    struct detmath_long_fixed whole = {{a->word[0], a->word[1], a->word[2], 0}};
    struct detmath_long y = detmath_long_of(words, 0);
    whole = detmath_last_shifted(whole, shift);
    for (int i = 0; i < 6; i++)
        y.word[words - 6 + i] = (detmath_u32)(whole.word[i >> 1] >> (32 * (i & 1)));
    return y;
}

/* e^-w as what is returned times 2^*exponent, for a w of 8 words, near which is `near`, up to 800. */
DETMATH_WORDS_FUNCTION struct detmath_long
detmath_erf_last_power(struct detmath_long w, double near, DETMATH_PRIVATE detmath_i32 *exponent) {
    struct detmath_fraction ln2 = detmath_last_ln2();
    detmath_i32 k = near < 2.0 ? 0 : (detmath_i32)(near * 0x1.715p0) - 1;
    struct detmath_long part = detmath_erf_last_of(&ln2, 8, 0),
                        count = detmath_long_of(8, (detmath_u32)k);
    part = detmath_long_product(&count, &part);
    detmath_long_add(&w, &part, 1);
    *exponent = -k;
    return detmath_long_exp(w);
}

/* e^-w times the asymptotic series as what is returned times 2^*exponent, for w from 127 to 800; *inverse is 1/x. */
DETMATH_WORDS_FUNCTION struct detmath_long
detmath_erf_last_tail(double x, int of_gelu, struct detmath_long *inverse, detmath_i32 *exponent) {
    struct detmath_last one = {{{0, 0, (detmath_u64)1 << 63}}, 1};
    struct detmath_last by = detmath_last_operand(x, 0), q = detmath_last_quotient(one, &by);
    struct detmath_long w = detmath_erf_last_square(x, 8, of_gelu), y, z, power;
    *inverse = detmath_erf_last_of(&q.y, 8, -q.exponent);
    z = detmath_long_product(inverse, inverse);
    if (!of_gelu)
        detmath_long_divide(&z, 2);
    y = detmath_long_of(8, 1);
    for (detmath_u32 n = 100; n > 0; n--) {
        struct detmath_long odd = detmath_long_of(8, 2u * n - 1u), one_long = detmath_long_of(8, 1);
        y = detmath_long_product(&z, &y);
        y = detmath_long_product(&odd, &y);
        detmath_long_add(&one_long, &y, 1);
        y = one_long;
    }
    power = detmath_erf_last_power(w, x * x * (of_gelu ? 0.5 : 1.0), exponent);
    return detmath_long_product(&power, &y);
}

/* erfc of a finite x from -11 to 28. */
DETMATH_FUNCTION double detmath_last_erfc(double x) {
    detmath_i32 exponent;
    struct detmath_long inverse, y, slope;
    if (x * x < 128.0) {
        y = detmath_erf_last_rest(x, 0);
        return detmath_erf_last_round(&y, 0, 0);
    }
    y = detmath_erf_last_tail(x, 0, &inverse, &exponent);
    slope = detmath_erf_last_slope(8, 0);
    y = detmath_long_product(&y, &inverse);
    y = detmath_long_product(&y, &slope);
    return detmath_erf_last_round(&y, exponent - 1, 0);
}

/* gelu of a finite x that is not 0, from -39 to 16. */
DETMATH_FUNCTION double detmath_last_gelu(double x) {
    detmath_i32 exponent;
    detmath_u32 negative;
    struct detmath_long inverse, y, slope;
    if (x * x < 256.0) {
        y = detmath_erf_last_rest(-x, 1);
        y = detmath_erf_last_times(&y, x, &exponent, &negative);
        return detmath_erf_last_round(&y, exponent - 1, negative);
    }
    y = detmath_erf_last_tail(-x, 1, &inverse, &exponent);
    slope = detmath_erf_last_slope(8, 1);
    y = detmath_long_product(&y, &slope);
    return detmath_erf_last_round(&y, exponent - 1, 1u);
}

/* gelu_tanh of a finite x from -23 to 16 that is not 0: x E / (1 + E) below 0, and x / (1 + E) above, where E = e^-v and v is
 * 2 (2/pi)^(1/2) (|x| + 0.044715 |x|^3), off by 2^-230. */
DETMATH_FUNCTION double detmath_last_gelu_tanh(double x) {
    detmath_i32 exponent, power_exponent;
    detmath_u32 negative;
    struct detmath_long v = detmath_erf_last_square(x, 8, 0), one = detmath_long_of(8, 1);
    struct detmath_long factor = detmath_long_of(8, 44715u), size = detmath_long_of(8, 0);
    double y = detmath_magnitude_f64(x), near = y * 1.5957691 * (1.0 + y * y * 0.044715);
    v = detmath_long_product(&factor, &v);
    detmath_long_divide(&v, 1000000u);
    detmath_long_add(&v, &one, 0);
    detmath_long_put_real(&size, y, 0);
    v = detmath_long_product(&v, &size);
    factor = detmath_erf_last_slope(8, 1);
    v = detmath_long_product(&v, &factor);
    detmath_long_add(&v, &v, 0);
    v = detmath_erf_last_power(v, near, &power_exponent);
    struct detmath_long_fixed power = {{0, 0, 0, v.word[8]}}, whole = {{0, 0, 0, 1}};
    for (int i = 0; i < 6; i++)
        power.word[i >> 1] |= (detmath_u64)v.word[i + 2] << (32 * (i & 1));
    struct detmath_last over = detmath_last_of(x < 0.0 ? &power : &whole);
    power = detmath_last_shifted(power, -power_exponent);
    detmath_long_fixed_add(&whole, &power, 0);
    struct detmath_last under = detmath_last_of(&whole), q = detmath_last_quotient(over, &under);
    v = detmath_erf_last_of(&q.y, 8, 0);
    v = detmath_erf_last_times(&v, x, &exponent, &negative);
    exponent += q.exponent + (x < 0.0 ? power_exponent : 0);
    return detmath_erf_last_round(&v, exponent, negative);
}

#endif

#include "shield_end.inc"

#endif
