/* e^x in fixed point with 320 bits of fraction, for logaddexp where its operands cancel: the last
 * resort of both its forms, in integers alone. */
#ifndef DETMATH_LOGADDEXP_FIXED_H
#define DETMATH_LOGADDEXP_FIXED_H

#include "core.h"

#include "shield.inc"

/* 10 words of fraction below one of integer, which wraps. */
enum { DETMATH_FIXED_WORDS = 11 };

struct detmath_logaddexp_fixed {
    detmath_u32 word[DETMATH_FIXED_WORDS]; /* the lowest first */
};

DETMATH_FUNCTION struct detmath_logaddexp_fixed detmath_logaddexp_fixed_zero(void) {
    struct detmath_logaddexp_fixed zero;
    for (int i = 0; i < DETMATH_FIXED_WORDS; i++)
        zero.word[i] = 0;
    return zero;
}

/* f += significand 2^exponent, or -= where subtract is 1; exponent >= -320, significand < 2^53. */
DETMATH_FUNCTION void detmath_logaddexp_fixed_add(DETMATH_PRIVATE struct detmath_logaddexp_fixed *f,
                                                  detmath_u64 significand, detmath_i32 exponent,
                                                  detmath_u32 subtract) {
    struct detmath_logaddexp_fixed term = detmath_logaddexp_fixed_zero();
    detmath_i32 at = exponent + 32 * (DETMATH_FIXED_WORDS - 1);
    detmath_u64 carry = subtract;
    for (int i = 0; i < 53; i++, at++)
        if (at < 32 * DETMATH_FIXED_WORDS && (significand >> i & 1u))
            term.word[at >> 5] |= 1u << (at & 31);
    for (int i = 0; i < DETMATH_FIXED_WORDS; i++) {
        carry += (detmath_u64)f->word[i] + (subtract ? ~term.word[i] : term.word[i]);
        f->word[i] = (detmath_u32)carry;
        carry >>= 32;
    }
}

/* a * b, cut off; for a * b below 2^32. */
DETMATH_FUNCTION struct detmath_logaddexp_fixed
detmath_logaddexp_fixed_product(struct detmath_logaddexp_fixed a,
                                struct detmath_logaddexp_fixed b) {
    detmath_u32 all[2 * DETMATH_FIXED_WORDS];
    struct detmath_logaddexp_fixed product;
    for (int i = 0; i < 2 * DETMATH_FIXED_WORDS; i++)
        all[i] = 0;
    for (int i = 0; i < DETMATH_FIXED_WORDS; i++) {
        detmath_u64 carry = 0;
        for (int j = 0; j < DETMATH_FIXED_WORDS; j++) {
            carry += (detmath_u64)a.word[i] * b.word[j] + all[i + j];
            all[i + j] = (detmath_u32)carry;
            carry >>= 32;
        }
        all[i + DETMATH_FIXED_WORDS] = (detmath_u32)carry;
    }
    for (int i = 0; i < DETMATH_FIXED_WORDS; i++)
        product.word[i] = all[i + DETMATH_FIXED_WORDS - 1];
    return product;
}

/* 1 - f / k, for f / k in [0, 1]. */
DETMATH_FUNCTION struct detmath_logaddexp_fixed
detmath_logaddexp_fixed_less(struct detmath_logaddexp_fixed f, detmath_u32 k) {
    detmath_u64 rest = 0;
    for (int i = DETMATH_FIXED_WORDS - 1; i >= 0; i--) {
        rest = rest << 32 | f.word[i];
        f.word[i] = (detmath_u32)(rest / k);
        rest %= k;
    }
    detmath_u64 carry = 1;
    for (int i = 0; i < DETMATH_FIXED_WORDS; i++) {
        carry += ~f.word[i];
        f.word[i] = (detmath_u32)carry;
        carry >>= 32;
    }
    f.word[DETMATH_FIXED_WORDS - 1] += 1u;
    return f;
}

/* e^(-2^24 w) for 0 <= w < 2^-16, within 2^-290: e^-w from 21 terms, of which the next is below
 * 2^-336 / 21! and which with their truncations are within 2^-315, and 24 squarings, of which each
 * doubles the error and adds 2^-320. */
DETMATH_FUNCTION struct detmath_logaddexp_fixed
detmath_logaddexp_fixed_exp(struct detmath_logaddexp_fixed w) {
    struct detmath_logaddexp_fixed e = detmath_logaddexp_fixed_zero();
    e.word[DETMATH_FIXED_WORDS - 1] = 1;
    for (detmath_u32 k = 20; k > 0; k--)
        e = detmath_logaddexp_fixed_less(detmath_logaddexp_fixed_product(w, e), k);
    for (int i = 0; i < 24; i++)
        e = detmath_logaddexp_fixed_product(e, e);
    return e;
}

/* e^x for -256 < x < 0. */
DETMATH_FUNCTION struct detmath_logaddexp_fixed detmath_logaddexp_fixed_expf(float x) {
    struct detmath_logaddexp_fixed w = detmath_logaddexp_fixed_zero();
    detmath_u32 magnitude = detmath_magnitude_f32(x), exponent = magnitude >> 23;
    detmath_u32 significand = (magnitude & 0x007fffffu) | (exponent ? 0x00800000u : 0u);
    detmath_logaddexp_fixed_add(&w, significand, (detmath_i32)(exponent ? exponent : 1u) - 150 - 24,
                                0);
    return detmath_logaddexp_fixed_exp(w);
}

/* The next 24 bits of f from bit `at` down, as a number below 2^24; bits below the last are 0. */
DETMATH_FUNCTION detmath_u32 detmath_logaddexp_fixed_bits(struct detmath_logaddexp_fixed f,
                                                          detmath_i32 at) {
    detmath_u32 bits = 0;
    for (int i = 0; i < 24; i++, at--)
        bits = bits << 1 | (at < 0 ? 0u : f.word[at >> 5] >> (at & 31) & 1u);
    return bits;
}

/* ln(e^x + e^y) for -256 < x, y < 0 with |a| < 2^-10 for a = e^x + e^y - 1, which is known to
 * 2^-289; by the theorem of Lindemann and Weierstrass it is not 0. Of it 48 bits are taken: a (1 -
 * a/2 + a^2/3), rounded once, is within 0.51 ulp as long as |a| is above 2^-240, and rounded a
 * second time where it is subnormal. */
DETMATH_SELDOM_FUNCTION float detmath_logaddexp_cancelled(float x, float y) {
    struct detmath_logaddexp_fixed a = detmath_logaddexp_fixed_expf(x),
                                   b = detmath_logaddexp_fixed_expf(y);
    detmath_u64 carry = 0;
    for (int i = 0; i < DETMATH_FIXED_WORDS; i++) {
        carry += (detmath_u64)a.word[i] + b.word[i];
        a.word[i] = (detmath_u32)carry;
        carry >>= 32;
    }
    a.word[DETMATH_FIXED_WORDS - 1] -= 1u;
    detmath_u32 sign = a.word[DETMATH_FIXED_WORDS - 1] & 0x80000000u;
    carry = sign >> 31;
    for (int i = 0; i < DETMATH_FIXED_WORDS; i++) {
        carry += sign ? ~a.word[i] : a.word[i];
        a.word[i] = (detmath_u32)carry;
        carry >>= 32;
    }
    detmath_i32 top = 32 * DETMATH_FIXED_WORDS - 1;
    while (top > 0 && !(a.word[top >> 5] >> (top & 31) & 1u))
        top--;
    /* high + low in [1, 2), both exact: no contraction changes them. */
    detmath_i32 n = top - 32 * (DETMATH_FIXED_WORDS - 1);
    float high = detmath_exact_productf((float)detmath_logaddexp_fixed_bits(a, top), 0x1p-23f);
    float low = detmath_exact_productf((float)detmath_logaddexp_fixed_bits(a, top - 24), 0x1p-47f);
    float signed_high = detmath_from_bits_f32(detmath_bits_f32(high) | sign);
    float whole = n < -60 ? 0.0f : detmath_scale_f32(signed_high, n);
    float factor = detmath_productf(whole, detmath_fmaf(whole, 0x1.555556p-2f, -0.5f));
    float sum = high + detmath_fmaf(high, factor, low);
    return detmath_scale_f32(detmath_from_bits_f32(detmath_bits_f32(sum) | sign), n);
}

#include "shield_end.inc"

#endif
