/* Sums and dot products rounded once, to nearest-even: the exact sum is kept in a long fixed-point
 * number, so that any order of the elements, any split and any number of threads gives the same
 * bits. (Kulisch, "Computer Arithmetic and Validity", 2013; with words that carry late: Neal, "Fast
 * exact summation using small and large superaccumulators", 2015.)
 *
 * NaN, or infinities of both signs, give the canonical NaN; infinities of one sign that infinity. A
 * sum of nothing but -0 is -0, any other that is zero is +0, that of no elements too. Elements and
 * products may be subnormal and the machine may flush: all is done in integers. */
#ifndef DETMATH_EXACT_SUM_H
#define DETMATH_EXACT_SUM_H

#include "core.h"

#include "reductions.h"

#include "round.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* Bit k of the number is worth 2^(k + base), with 64 bits below what a term can have, so that a
 * mean can be told, and 64 above, for carries. A word holds 32 bits and what has yet to be carried.
 * Words of sums and of products, in fp32 and fp64. */
enum {
    DETMATH_SUM_WORDS_F32 = 13,
    DETMATH_DOT_WORDS_F32 = 22,
    DETMATH_SUM_WORDS_F64 = 70,
    DETMATH_DOT_WORDS_F64 = 136,
    DETMATH_SUM_BASE_F32 = -149 - 64,
    DETMATH_DOT_BASE_F32 = -298 - 64,
    DETMATH_SUM_BASE_F64 = -1074 - 64,
    DETMATH_DOT_BASE_F64 = -2148 - 64
};

/* What is no number: which kinds of elements there were. */
enum {
    DETMATH_MET_NAN = 1,
    DETMATH_MET_INFINITY = 2,
    DETMATH_MET_MINUS_INFINITY = 4,
    DETMATH_MET_OTHER = 8 /* anything but -0 */
};

struct detmath_exact {
    detmath_i64 word[DETMATH_DOT_WORDS_F64];
    detmath_u64 pending; /* additions since carries were made */
    detmath_u32 met;
    detmath_i32 words, base;
};

DETMATH_FUNCTION void detmath_exact_clear(struct detmath_exact *sum, detmath_i32 words,
                                          detmath_i32 base) {
    for (detmath_i32 i = 0; i < words; i++)
        sum->word[i] = 0;
    sum->pending = 0;
    sum->met = 0;
    sum->words = words;
    sum->base = base;
}

/* Words to 0 .. 2^32 - 1, but for the last, which has the sign. */
DETMATH_FUNCTION void detmath_exact_carry(struct detmath_exact *sum) {
    detmath_i64 carry = 0;
    for (detmath_i32 i = 0; i < sum->words - 1; i++) {
        detmath_i64 word = sum->word[i] + carry;
        detmath_i64 low = (detmath_i64)((detmath_u64)word & 0xffffffffu);
        carry = (word - low) / 0x100000000;
        sum->word[i] = low;
    }
    sum->word[sum->words - 1] += carry;
    sum->pending = 0;
}

/* Adds m * 2^(at + base), or subtracts it where `negative` is all ones (else 0). */
DETMATH_INLINED void detmath_exact_add(struct detmath_exact *sum, detmath_u64 m, detmath_u32 at,
                                       detmath_i64 negative) {
    detmath_u32 shift = at & 31u, i = at >> 5;
    detmath_i64 low = (detmath_i64)((m << shift) & 0xffffffffu);
    detmath_i64 middle = (detmath_i64)((m >> (32u - shift)) & 0xffffffffu);
    detmath_i64 high = (detmath_i64)(m >> 32 >> (32u - shift));
    sum->word[i] += (low ^ negative) - negative;
    sum->word[i + 1] += (middle ^ negative) - negative;
    sum->word[i + 2] += (high ^ negative) - negative;
    if (++sum->pending >> 30)
        detmath_exact_carry(sum);
}

/* Divides by n, 0 < n < 2^32; the rest is marked in the lowest bit, far below any rounding. */
DETMATH_FUNCTION void detmath_exact_divide(struct detmath_exact *sum, detmath_u64 n) {
    detmath_u64 rest = 0;
    for (detmath_i32 i = sum->words - 1; i >= 0; i--) {
        rest = rest << 32 | (detmath_u64)sum->word[i];
        sum->word[i] = (detmath_i64)(rest / n);
        rest %= n;
    }
    sum->word[0] |= rest != 0;
}

/* 64 bits from bit `at` on, which may be negative. */
DETMATH_FUNCTION detmath_u64 detmath_exact_bits(const struct detmath_exact *sum, detmath_i32 at) {
    detmath_u64 bits = 0;
    for (detmath_i32 i = 0; i < sum->words; i++) {
        detmath_i32 shift = 32 * i - at;
        if (shift > -32 && shift < 64)
            bits |= shift >= 0 ? (detmath_u64)sum->word[i] << shift
                               : (detmath_u64)sum->word[i] >> -shift;
    }
    return bits;
}

/* Whether there are bits below bit `at`. */
DETMATH_FUNCTION detmath_u64 detmath_exact_rest(const struct detmath_exact *sum, detmath_i32 at) {
    detmath_u64 any = 0;
    for (detmath_i32 i = 0; i < sum->words && 32 * i < at; i++) {
        detmath_i32 there = at - 32 * i;
        detmath_u64 mask = there >= 32 ? 0xffffffffu : ((detmath_u64)1 << there) - 1u;
        any |= (detmath_u64)sum->word[i] & mask;
    }
    return any != 0;
}

/* The sum divided by n, as a double: rounded to nearest-even, or to odd (the last bit set where
 * more follows), which can be rounded again to a format of up to 50 bits. The number is used up. */
DETMATH_FUNCTION double detmath_exact_value(struct detmath_exact *sum, detmath_u64 n, int odd) {
    const detmath_u64 infinity = 0x7ff0000000000000u;
    detmath_u32 both = DETMATH_MET_INFINITY | DETMATH_MET_MINUS_INFINITY;
    if ((sum->met & DETMATH_MET_NAN) || (sum->met & both) == both)
        return detmath_from_bits_f64(0x7ff8000000000000u);
    if (sum->met & both)
        return detmath_from_bits_f64(infinity |
                                     (sum->met & DETMATH_MET_INFINITY ? 0 : (detmath_u64)1 << 63));
    detmath_exact_carry(sum);
    detmath_u64 sign = 0;
    if (sum->word[sum->words - 1] < 0) {
        for (detmath_i32 i = 0; i < sum->words; i++)
            sum->word[i] = -sum->word[i];
        detmath_exact_carry(sum);
        sign = (detmath_u64)1 << 63;
    }
    if (n > 1)
        detmath_exact_divide(sum, n);
    detmath_i32 top = sum->words - 1;
    while (top >= 0 && !sum->word[top])
        top--;
    if (top < 0)
        return detmath_from_bits_f64(sum->met & DETMATH_MET_OTHER ? 0 : (detmath_u64)1 << 63);
    detmath_i32 length = 32 * top;
    for (detmath_u64 word = (detmath_u64)sum->word[top]; word; word >>= 1)
        length++;
    detmath_i32 least = -1074 - sum->base; /* the place of the smallest subnormal */
    detmath_i32 at = length - 53 > least ? length - 53 : least;
    detmath_u64 kept = detmath_exact_bits(sum, at), rest = detmath_exact_rest(sum, at - 1);
    detmath_u64 middle = detmath_exact_bits(sum, at - 1) & 1u;
    if (at - 1 < 0) /* there is nothing so low */
        middle = 0;
    kept += odd ? (middle | rest) & ~kept & 1u : middle & (rest | (kept & 1u));
    /* The hidden bit, or a carry into it, adds 1 to the exponent field. */
    detmath_u64 bits = kept + ((detmath_u64)(at + sum->base + 1074) << 52);
    return detmath_from_bits_f64(sign | (bits > infinity ? infinity : bits));
}

/* A number's parts: significand * 2^(at - 149) (fp32) or 2^(at - 1074) (fp64). */
DETMATH_INLINED detmath_u64 detmath_exact_parts_f32(detmath_u32 bits, detmath_u32 *at) {
    detmath_u32 biased = bits >> 23 & 0xffu, normal = biased != 0u;
    *at = biased - normal;
    return (bits & 0x007fffffu) | normal << 23;
}

DETMATH_INLINED detmath_u64 detmath_exact_parts_f64(detmath_u64 bits, detmath_u32 *at) {
    detmath_u32 biased = (detmath_u32)(bits >> 52) & 0x7ffu, normal = biased != 0u;
    *at = biased - normal;
    return (bits & 0xfffffffffffffu) | (detmath_u64)normal << 52;
}

DETMATH_FUNCTION detmath_u32 detmath_met_f64(double x) {
    detmath_u64 bits = detmath_bits_f64(x), magnitude = bits & detmath_magnitude_mask_f64();
    if (magnitude > 0x7ff0000000000000u)
        return DETMATH_MET_NAN;
    if (magnitude == 0x7ff0000000000000u)
        return bits >> 63 ? DETMATH_MET_MINUS_INFINITY : DETMATH_MET_INFINITY;
    return bits == (detmath_u64)1 << 63 ? 0 : DETMATH_MET_OTHER;
}

/* The exact sum's way in. `n` elements are added to what is there. In fp32 the elements go by 16
 * exponents each into 16 words first, in two sets that are used in turn: one addition each. */
DETMATH_INLINED void detmath_exact_sum_add_f32(struct detmath_exact *sum,
                                               DETMATH_ARRAY const float *x, detmath_u64 n) {
    detmath_i64 word[2][16];
    for (detmath_u64 at = 0; at < n; at += 1u << 22) {
        detmath_u64 end = n - at < 1u << 22 ? n : at + (1u << 22);
        detmath_u32 special = 0, other = 0;
        for (int i = 0; i < 16; i++)
            word[0][i] = word[1][i] = 0;
        for (detmath_u64 i = at; i < end; i++) {
            detmath_u32 bits = detmath_bits_f32(x[i]), place;
            detmath_i64 m = (detmath_i64)detmath_exact_parts_f32(bits, &place);
            detmath_i64 negative = -(detmath_i64)(bits >> 31);
            special |= (bits & 0x7fffffffu) >= DETMATH_INFINITY_BITS;
            other |= bits ^ 0x80000000u;
            word[i & 1u][place >> 4] += ((m << (place & 15u)) ^ negative) - negative;
        }
        for (int i = 0; i < 16; i++) {
            detmath_i64 both = word[0][i] + word[1][i], negative = -(detmath_i64)(both < 0);
            detmath_exact_add(sum, (detmath_u64)((both ^ negative) - negative),
                              64u + 16u * (detmath_u32)i, negative);
        }
        if (other)
            sum->met |= DETMATH_MET_OTHER;
        for (detmath_u64 i = at; special && i < end; i++)
            sum->met |= detmath_met_f64((double)x[i]);
    }
}

DETMATH_INLINED void detmath_exact_sum_add_f64(struct detmath_exact *sum,
                                               DETMATH_ARRAY const double *x, detmath_u64 n) {
    for (detmath_u64 i = 0; i < n; i++) {
        detmath_u64 bits = detmath_bits_f64(x[i]);
        detmath_u32 place, met = detmath_met_f64(x[i]);
        detmath_u64 m = detmath_exact_parts_f64(bits, &place);
        sum->met |= met;
        if (!(met & ~(detmath_u32)DETMATH_MET_OTHER))
            detmath_exact_add(sum, m, 64u + place, -(detmath_i64)(bits >> 63));
    }
}

/* What a product of the kinds of two factors is. */
DETMATH_FUNCTION detmath_u32 detmath_met_product(double x, double y) {
    detmath_u64 a = detmath_bits_f64(x), b = detmath_bits_f64(y);
    detmath_u32 one = detmath_met_f64(x), two = detmath_met_f64(y);
    detmath_u32 special = (one | two) & ~(detmath_u32)DETMATH_MET_OTHER;
    detmath_u32 zero = a << 1 == 0 || b << 1 == 0;
    detmath_u64 negative = (a ^ b) >> 63;
    if ((special & DETMATH_MET_NAN) || (special && zero))
        return DETMATH_MET_NAN;
    if (special)
        return negative ? DETMATH_MET_MINUS_INFINITY : DETMATH_MET_INFINITY;
    return zero && negative ? 0 : DETMATH_MET_OTHER;
}

DETMATH_INLINED void detmath_exact_dot_add_f32(struct detmath_exact *sum,
                                               DETMATH_ARRAY const float *x,
                                               DETMATH_ARRAY const float *y, detmath_u64 n) {
    for (detmath_u64 i = 0; i < n; i++) {
        detmath_u32 a = detmath_bits_f32(x[i]), b = detmath_bits_f32(y[i]), at, other;
        detmath_u64 m = detmath_exact_parts_f32(a, &at);
        m *= detmath_exact_parts_f32(b, &other);
        detmath_u32 special = (a & 0x7fffffffu) >= DETMATH_INFINITY_BITS ||
                              (b & 0x7fffffffu) >= DETMATH_INFINITY_BITS;
        if (special || !m)
            sum->met |= detmath_met_product((double)x[i], (double)y[i]);
        else
            sum->met |= DETMATH_MET_OTHER;
        if (!special)
            detmath_exact_add(sum, m, 64u + at + other, -(detmath_i64)((a ^ b) >> 31));
    }
}

DETMATH_INLINED void detmath_exact_dot_add_f64(struct detmath_exact *sum,
                                               DETMATH_ARRAY const double *x,
                                               DETMATH_ARRAY const double *y, detmath_u64 n) {
    for (detmath_u64 i = 0; i < n; i++) {
        detmath_u64 a = detmath_bits_f64(x[i]), b = detmath_bits_f64(y[i]);
        detmath_u32 at, other, met = detmath_met_product(x[i], y[i]);
        detmath_u64 p = detmath_exact_parts_f64(a, &at), q = detmath_exact_parts_f64(b, &other);
        detmath_i64 negative = -(detmath_i64)((a ^ b) >> 63);
        sum->met |= met;
        if (met & ~(detmath_u32)DETMATH_MET_OTHER)
            continue;
        /* p q in two halves of q, of 32 bits and 21, and p in two, of 27 bits and 26. */
        detmath_u64 low = p & 0x7ffffffu, high = p >> 27;
        detmath_exact_add(sum, low * (q & 0xffffffffu), 64u + at + other, negative);
        detmath_exact_add(sum, high * (q & 0xffffffffu), 64u + at + other + 27u, negative);
        detmath_exact_add(sum, low * (q >> 32), 64u + at + other + 32u, negative);
        detmath_exact_add(sum, high * (q >> 32), 64u + at + other + 59u, negative);
    }
}

/* Rounded to odd in double, of fp32 elements: for rounding to fp32 or a narrower format (round.h:
 * detmath_encode). `divisor` is 1, or n for a mean, n < 2^32. */
DETMATH_INLINED double detmath_odd_sumf(DETMATH_ARRAY const float *x, detmath_u64 n,
                                        detmath_u64 divisor) {
    struct detmath_exact sum;
    detmath_exact_clear(&sum, DETMATH_SUM_WORDS_F32, DETMATH_SUM_BASE_F32);
    sum.met = n ? 0u : (detmath_u32)DETMATH_MET_OTHER;
    detmath_exact_sum_add_f32(&sum, x, n);
    return detmath_exact_value(&sum, divisor, 1);
}

DETMATH_INLINED double detmath_odd_dotf(DETMATH_ARRAY const float *x, DETMATH_ARRAY const float *y,
                                        detmath_u64 n) {
    struct detmath_exact sum;
    detmath_exact_clear(&sum, DETMATH_DOT_WORDS_F32, DETMATH_DOT_BASE_F32);
    sum.met = n ? 0u : (detmath_u32)DETMATH_MET_OTHER;
    detmath_exact_dot_add_f32(&sum, x, y, n);
    return detmath_exact_value(&sum, 1, 1);
}

DETMATH_FUNCTION float detmath_from_odd(double odd) {
    return detmath_from_bits_f32(detmath_encode(odd, detmath_formats[DETMATH_F32]));
}

DETMATH_INLINED float detmath_cr_sumf(DETMATH_ARRAY const float *x, detmath_u64 n) {
    return detmath_from_odd(detmath_odd_sumf(x, n, 1));
}

DETMATH_INLINED float detmath_cr_dotf(DETMATH_ARRAY const float *x, DETMATH_ARRAY const float *y,
                                      detmath_u64 n) {
    return detmath_from_odd(detmath_odd_dotf(x, y, n));
}

DETMATH_INLINED float detmath_cr_meanf(DETMATH_ARRAY const float *x, detmath_u64 n) {
    return n ? detmath_from_odd(detmath_odd_sumf(x, n, n))
             : detmath_from_bits_f32(DETMATH_NAN_BITS);
}

DETMATH_INLINED double detmath_cr_quotient(DETMATH_ARRAY const double *x, detmath_u64 n,
                                           detmath_u64 divisor) {
    struct detmath_exact sum;
    detmath_exact_clear(&sum, DETMATH_SUM_WORDS_F64, DETMATH_SUM_BASE_F64);
    sum.met = n ? 0u : (detmath_u32)DETMATH_MET_OTHER;
    detmath_exact_sum_add_f64(&sum, x, n);
    return detmath_exact_value(&sum, divisor, 0);
}

DETMATH_INLINED double detmath_cr_sum(DETMATH_ARRAY const double *x, detmath_u64 n) {
    return detmath_cr_quotient(x, n, 1);
}

DETMATH_INLINED double detmath_cr_mean(DETMATH_ARRAY const double *x, detmath_u64 n) {
    return n ? detmath_cr_quotient(x, n, n) : detmath_from_bits_f64(0x7ff8000000000000u);
}

DETMATH_INLINED double detmath_cr_dot(DETMATH_ARRAY const double *x, DETMATH_ARRAY const double *y,
                                      detmath_u64 n) {
    struct detmath_exact sum;
    detmath_exact_clear(&sum, DETMATH_DOT_WORDS_F64, DETMATH_DOT_BASE_F64);
    sum.met = n ? 0u : (detmath_u32)DETMATH_MET_OTHER;
    detmath_exact_dot_add_f64(&sum, x, y, n);
    return detmath_exact_value(&sum, 1, 0);
}

#endif

#include "shield_end.inc"

#endif
