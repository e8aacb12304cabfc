/* Rotary position embedding: pairs of numbers that turn by an angle, which grows with the position. fp32 arithmetic, fma and
 * integers, in one written order.
 *
 * Pair i of n / 2 turns by position base^(-2i/n) / factor. How much of a turn that is for one position has 128 bits
 * below the point, within 2^-121 (detmath_rope_frequency), so that its product with a position is exact but for that, and
 * whole turns are dropped by leaving out the bits above the point: position 10^7 costs no more than position 1. What is
 * left is k pi/8 + r. Its sine and cosine are found as in trigonometric.h, but in two parts of fp32. The results of a pair,
 * scaled to about 1,
 *   y0 = x0 cos - x1 sin    y1 = x1 cos + x0 sin
 * are sums of two products of two parts, and rounded once: the error is below 0.5 ulp
 * and 2^-28 of the sum of both terms' magnitudes, which is 0.57 ulp where nothing cancels.
 *
 * At position 0 numbers stay as they are; a product that is infinite or NaN is as in IEEE 754. */
#ifndef DETMATH_ROPE_H
#define DETMATH_ROPE_H

#include "gates.h"

#include "trigonometric.h"

#include "shield.inc"

/* The base and the factor are from 1 to these; pairs, from 1 on. */
#define DETMATH_ROPE_MOST_BASE   0x1p64f
#define DETMATH_ROPE_MOST_FACTOR 0x1p24f
#define DETMATH_ROPE_MOST_PAIRS  0x80000u

/* Fractions have 128 bits below the point; of a product, units of the last place are cut off. */
DETMATH_FUNCTION struct detmath_wide detmath_fraction_times(struct detmath_wide a,
                                                            struct detmath_wide b) {
    struct detmath_wide top = detmath_wide_product(a.high, b.high);
    struct detmath_wide one = detmath_wide_product(a.high, b.low);
    struct detmath_wide two = detmath_wide_product(a.low, b.high);
    detmath_u64 low = top.low + one.high, carry = low < one.high, sum;
    sum = low + two.high;
    carry += sum < low;
    low = one.low + two.low;
    sum += low < one.low;
    carry += low < one.low && sum == 0u;
    top.high += carry;
    top.low = sum;
    return top;
}

DETMATH_FUNCTION struct detmath_wide detmath_wide_minus(struct detmath_wide a,
                                                        struct detmath_wide b) {
    struct detmath_wide difference;
    difference.low = a.low - b.low;
    difference.high = a.high - b.high - (a.low < b.low);
    return difference;
}

/* Divides a number of five digits of 32 bits, the highest first. */
DETMATH_FUNCTION void detmath_divide_digits(DETMATH_PRIVATE detmath_u32 *digit, detmath_u32 by) {
    detmath_u64 rest = 0;
    for (int i = 0; i < 5; i++) {
        rest = rest << 32 | digit[i];
        digit[i] = (detmath_u32)(rest / by);
        rest %= by;
    }
}

/* The digits of a number, above which there is `above`. */
DETMATH_FUNCTION void detmath_set_digits(DETMATH_PRIVATE detmath_u32 *digit, detmath_u32 above,
                                         struct detmath_wide a) {
    digit[0] = above;
    digit[1] = (detmath_u32)(a.high >> 32);
    digit[2] = (detmath_u32)a.high;
    digit[3] = (detmath_u32)(a.low >> 32);
    digit[4] = (detmath_u32)a.low;
}

DETMATH_FUNCTION struct detmath_wide
detmath_wide_of_digits(DETMATH_PRIVATE const detmath_u32 *digit) {
    struct detmath_wide a;
    a.high = (detmath_u64)digit[1] << 32 | digit[2];
    a.low = (detmath_u64)digit[3] << 32 | digit[4];
    return a;
}

/* 1 / k!, cut off. */
DETMATH_CONSTANT struct detmath_wide detmath_rope_terms[34] = {
    {0xffffffffffffffffu, 0xffffffffffffffffu}, {0xffffffffffffffffu, 0xffffffffffffffffu},
    {0x8000000000000000u, 0x0000000000000000u}, {0x2aaaaaaaaaaaaaaau, 0xaaaaaaaaaaaaaaaau},
    {0x0aaaaaaaaaaaaaaau, 0xaaaaaaaaaaaaaaaau}, {0x0222222222222222u, 0x2222222222222222u},
    {0x005b05b05b05b05bu, 0x05b05b05b05b05b0u}, {0x000d00d00d00d00du, 0x00d00d00d00d00d0u},
    {0x0001a01a01a01a01u, 0xa01a01a01a01a01au}, {0x00002e3bc74aad8eu, 0x671f5583911ca002u},
    {0x0000049f93edde27u, 0xd71cbbc05b4fa999u}, {0x0000006b99159fd5u, 0x138e3f9d1f92e0dfu},
    {0x00000008f76c77fcu, 0x6c4bdaa26d4c3d67u}, {0x00000000b092309du, 0x43684be51c198e91u},
    {0x000000000c9cba54u, 0x603e4e905d6f8a2eu}, {0x0000000000d73f9fu, 0x399dc0f88ec32b58u},
    {0x00000000000d73f9u, 0xf399dc0f88ec32b5u}, {0x000000000000ca96u, 0x3b81856a53593028u},
    {0x0000000000000b41u, 0x3c31dcbecbbdd802u}, {0x0000000000000097u, 0xa4da340a0ab92650u},
    {0x0000000000000007u, 0x950ae900808941eau}, {0x0000000000000000u, 0x5c6e3bdb73d5c62fu},
    {0x0000000000000000u, 0x04338e5b6dfe14a5u}, {0x0000000000000000u, 0x002ec368262c7033u},
    {0x0000000000000000u, 0x0001f2cf01972f57u}, {0x0000000000000000u, 0x000013f3ccdd165fu},
    {0x0000000000000000u, 0x000000c4742fe352u}, {0x0000000000000000u, 0x0000000746ac70b7u},
    {0x0000000000000000u, 0x0000000042862898u}, {0x0000000000000000u, 0x00000000024b3f31u},
    {0x0000000000000000u, 0x000000000013932cu}, {0x0000000000000000u, 0x000000000000a1a6u},
    {0x0000000000000000u, 0x000000000000050du}, {0x0000000000000000u, 0x0000000000000027u}};

/* So many pairs have numbers of so many bits. */
enum { DETMATH_ROPE_BITS = 19 };

/* The part of a turn that pair 0 takes for each position, and base^(-2^k / pairs). */
struct detmath_rope {
    struct detmath_wide first, steps[DETMATH_ROPE_BITS];
    detmath_u32 pairs;
};

/* log2 of the base, the digit before the point first: bit by bit. For m in [1, 2) the first bit is whether m^2 is 2 or more, and
 * the next ones are those of m^2, or of half of it. Each step halves what those before it have cut off, so that it is within
 * 2^-125. */
DETMATH_FUNCTION void detmath_rope_log(DETMATH_PRIVATE detmath_u32 *digit, float base) {
    detmath_u32 bits = detmath_bits_f32(base);
    struct detmath_wide m, part = {0, 0};
    m.high = (detmath_u64)((bits & 0x007fffffu) | 0x00800000u) << 40; /* 1 is 2^127 */
    m.low = 0;
    for (int i = 0; i < 128; i++) {
        m = detmath_fraction_times(m, m);
        detmath_u64 bit = m.high >> 63;
        if (!bit) {
            m.high = m.high << 1 | m.low >> 63;
            m.low <<= 1;
        }
        part.high = part.high << 1 | part.low >> 63;
        part.low = part.low << 1 | bit;
    }
    detmath_set_digits(digit, (bits >> 23) - 127u, part);
}

/* A number of 32 bits above its 128, shifted to the right. */
DETMATH_FUNCTION struct detmath_wide detmath_rope_shifted(detmath_u64 above, struct detmath_wide y,
                                                          detmath_i32 by) {
    for (; by > 0; by--) {
        y.low = y.low >> 1 | y.high << 63;
        y.high = y.high >> 1 | above << 63;
        above >>= 1;
    }
    return y;
}

/* 2^-(i / pairs times the logarithm), within 2^-123: that is 2^-(t + z), whose fraction e^-(z ln 2) is a series of 34 terms. */
DETMATH_FUNCTION struct detmath_wide detmath_rope_step(DETMATH_PRIVATE const detmath_u32 *log,
                                                       detmath_u32 i, detmath_u32 pairs) {
    const struct detmath_wide ln2 = {0xb17217f7d1cf79abu, 0xc9e3b39803f2f6afu};
    detmath_u32 digit[5];
    detmath_u64 carry = 0;
    for (int k = 4; k >= 0; k--) {
        carry += (detmath_u64)log[k] * i;
        digit[k] = (detmath_u32)carry;
        carry >>= 32;
    }
    detmath_divide_digits(digit, pairs);
    const struct detmath_wide w = detmath_fraction_times(detmath_wide_of_digits(digit), ln2);
    struct detmath_wide y = detmath_rope_terms[33];
    for (int k = 32; k >= 0; k--)
        y = detmath_wide_minus(detmath_rope_terms[k], detmath_fraction_times(w, y));
    return detmath_rope_shifted(0, y, (detmath_i32)digit[0]);
}

/* 1 / (2 pi factor), from a quotient with 32 bits more, which the shift takes away again. */
DETMATH_FUNCTION struct detmath_wide detmath_rope_first(float factor) {
    const struct detmath_wide one_over_two_pi = {0x28be60db9391054au, 0x7f09d5f47d4d3770u};
    detmath_u32 bits = detmath_bits_f32(factor), digit[5];
    detmath_set_digits(digit, 0, one_over_two_pi);
    for (int i = 0; i < 4; i++)
        digit[i] = digit[i + 1];
    digit[4] = 0;
    detmath_divide_digits(digit, (bits & 0x007fffffu) | 0x00800000u);
    return detmath_rope_shifted(digit[0], detmath_wide_of_digits(digit),
                                (detmath_i32)(bits >> 23) - 118);
}

DETMATH_FUNCTION struct detmath_rope detmath_rope_of(float base, float factor, detmath_u32 pairs) {
    struct detmath_rope rope;
    detmath_u32 log[5];
    detmath_rope_log(log, base);
    rope.pairs = pairs;
    rope.first = detmath_rope_first(factor);
    for (int k = 0; k < DETMATH_ROPE_BITS; k++)
        rope.steps[k] = 1u << k < pairs ? detmath_rope_step(log, 1u << k, pairs) : rope.first;
    return rope;
}

/* The part of a turn that pair i takes for each position: a factor for each bit of i, from the last one on. */
DETMATH_FUNCTION struct detmath_wide detmath_rope_frequency(const struct detmath_rope *rope,
                                                            detmath_u32 i) {
    struct detmath_wide y = rope->first;
    for (int k = 0; k < DETMATH_ROPE_BITS; k++)
        if (i >> k & 1u)
            y = detmath_fraction_times(y, rope->steps[k]);
    return y;
}

/* The same of all pairs. */
DETMATH_INLINED void detmath_rope_frequencies(struct detmath_wide *frequencies,
                                              const struct detmath_rope *rope) {
    frequencies[0] = rope->first;
    for (int k = 0; 1u << k < rope->pairs; k++)
        for (detmath_u32 i = 1u << k; i < rope->pairs && i < 2u << k; i++)
            frequencies[i] = detmath_fraction_times(frequencies[i - (1u << k)], rope->steps[k]);
}

#include "one_lane.inc"

#include "rope_lanes.inc"

/* Of a word that may be 0. */
DETMATH_FUNCTION int detmath_leading_zeros(detmath_u64 word) {
#if defined(__GNUC__) && !defined(DETMATH_OPENCL) && !defined(__CUDA_ARCH__)
    return word ? __builtin_clzll(word) : 64;
#else
    int zeros = word ? 0 : 1;
    for (int step = 32; step; step /= 2)
        if (!(word >> (64 - step))) {
            word <<= step;
            zeros += step;
        }
    return zeros;
#endif
}

/* What is left of the turns of a pair at a position: (high + rest 2^-24) 2^-24 2^-places of a turn, of which high has 24 bits,
 * the first one set, beside `how`: the multiple of pi/8 in its last four bits, 127 - places in the next bits but four, and the
 * sign in the top bit. */
struct detmath_rope_angle {
    detmath_u32 high, rest, how;
};

DETMATH_FUNCTION struct detmath_rope_angle detmath_rope_angle_at(struct detmath_wide frequency,
                                                                 detmath_i64 position) {
    struct detmath_rope_angle angle;
    const detmath_u64 times = position < 0 ? 0u - (detmath_u64)position : (detmath_u64)position;
    struct detmath_wide left = detmath_wide_product(frequency.low, times), zero = {0, 0};
    left.high += frequency.high * times;
    if (position < 0)
        left = detmath_wide_minus(zero, left);
    /* The nearest multiple of pi/8, and what is left, in units of 2^-128 turns. */
    detmath_u32 row = (detmath_u32)((left.high + ((detmath_u64)1 << 59)) >> 60) & 15u;
    left.high -= (detmath_u64)row << 60;
    const detmath_u32 sign = (detmath_u32)(left.high >> 63) << 31;
    if (sign)
        left = detmath_wide_minus(zero, left);
    const int places =
        left.high ? detmath_leading_zeros(left.high) : 64 + detmath_leading_zeros(left.low);
    if (places >= 64)
        left.high = places < 128 ? left.low << (places - 64) : 0u;
    else if (places)
        left.high = left.high << places | left.low >> (64 - places);
    angle.high = (detmath_u32)(left.high >> 40);
    angle.rest = (detmath_u32)(left.high >> 16 & 0xffffffu);
    angle.how = row | (detmath_u32)(127 - (places < 100 ? places : 100)) << 8 | sign;
    return angle;
}

/* Sine and cosine of the angle at a position. */
DETMATH_FUNCTION struct detmath_turn_parts detmath_rope_turn(struct detmath_wide frequency,
                                                             detmath_i64 position) {
    const struct detmath_rope_angle angle = detmath_rope_angle_at(frequency, position);
    return detmath_rope_turn_by(angle.high, angle.rest, angle.how);
}

/* The two of a pair, turned. Both ways are computed, and no branch chooses, so that vectors can do it. */
DETMATH_INLINED void detmath_rope_pair(DETMATH_PRIVATE float *y0, DETMATH_PRIVATE float *y1,
                                       float x0, float x1, struct detmath_turn_parts turn,
                                       int is_at_0) {
    const detmath_u32 of0 = detmath_magnitude_f32(x0), of1 = detmath_magnitude_f32(x1);
    const detmath_u32 most = of0 > of1 ? of0 : of1;
    const int is_plain = is_at_0 | (most - 1u >= DETMATH_INFINITY_BITS - 1u);
    const float sine = turn.sine.high, cosine = turn.cosine.high;
    const float plain0 = detmath_productf(x0, cosine) - detmath_productf(x1, sine);
    const float plain1 = detmath_productf(x1, cosine) + detmath_productf(x0, sine);
    detmath_i32 n;
    detmath_significand_of(detmath_from_bits_f32(most), &n);
    /* In two steps, since 2^-n may be no number; what becomes subnormal counts for nothing beside the other. */
    const float once = detmath_from_bits_f32((detmath_u32)(127 - n / 2) << 23);
    const float twice = detmath_from_bits_f32((detmath_u32)(127 - (n - n / 2)) << 23);
    x0 = detmath_exact_productf(detmath_exact_productf(x0, once), twice);
    x1 = detmath_exact_productf(detmath_exact_productf(x1, once), twice);
    const float first = detmath_rope_sum(x0, turn.cosine, -x1, turn.sine);
    const float second = detmath_rope_sum(x1, turn.cosine, x0, turn.sine);
    const float turned0 = detmath_scale_f32(first, n), turned1 = detmath_scale_f32(second, n);
    *y0 = is_plain ? detmath_canonicalf(plain0) : first == 0.0f ? first : turned0;
    *y1 = is_plain ? detmath_canonicalf(plain1) : second == 0.0f ? second : turned1;
}

/* The turns of all pairs at a position, of the frequencies of detmath_rope_frequency: an array of each of the four numbers,
 * one after the other. */
DETMATH_INLINED void detmath_rope_turns(DETMATH_ARRAY float *turns,
                                        const struct detmath_wide *frequencies, detmath_u64 pairs,
                                        detmath_i64 position) {
    for (detmath_u64 i = 0; i < pairs; i++) {
        const struct detmath_turn_parts turn = detmath_rope_turn(frequencies[i], position);
        turns[i] = turn.sine.high;
        turns[pairs + i] = turn.sine.low;
        turns[2 * pairs + i] = turn.cosine.high;
        turns[3 * pairs + i] = turn.cosine.low;
    }
}

DETMATH_INLINED struct detmath_turn_parts detmath_rope_turn_of(DETMATH_ARRAY const float *turns,
                                                               detmath_u64 pairs, detmath_u64 i) {
    struct detmath_turn_parts turn;
    turn.sine.high = turns[i];
    turn.sine.low = turns[pairs + i];
    turn.cosine.high = turns[2 * pairs + i];
    turn.cosine.low = turns[3 * pairs + i];
    return turn;
}

/* Near are magnitudes from 2^-20 to 2^20, of which a pair turns with the same bits as if it were scaled to 1. */
DETMATH_FUNCTION int detmath_rope_is_far(float x) {
    return detmath_magnitude_f32(x) - 0x35800000u >= 0x49800000u - 0x35800000u;
}

/* So many pairs are turned together. */
enum { DETMATH_ROPE_STRIP = 32 };

/* `there` pairs, at most a strip, y and x pointing at the first one, and `other` to the other element of a pair. */
DETMATH_INLINED void detmath_rope_strip(DETMATH_ARRAY float *y, DETMATH_ARRAY const float *x,
                                        DETMATH_ARRAY const float *turns, detmath_u64 pairs,
                                        int is_at_0, int there, int step, detmath_u64 other) {
    float x0[DETMATH_ROPE_STRIP], x1[DETMATH_ROPE_STRIP], y0[DETMATH_ROPE_STRIP],
        y1[DETMATH_ROPE_STRIP];
    struct detmath_turn_parts turn;
    int far = is_at_0;
    for (int l = 0; l < there; l++) {
        x0[l] = x[l * step];
        x1[l] = x[(detmath_u64)(l * step) + other];
    }
    for (int l = 0; l < there; l++)
        far |= detmath_rope_is_far(x0[l]) | detmath_rope_is_far(x1[l]);
    if (far)
        for (int l = 0; l < there; l++) {
            turn = detmath_rope_turn_of(turns, pairs, (detmath_u64)l);
            detmath_rope_pair(&y0[l], &y1[l], x0[l], x1[l], turn, is_at_0);
        }
    else
        for (int l = 0; l < there; l++) {
            turn = detmath_rope_turn_of(turns, pairs, (detmath_u64)l);
            y0[l] = detmath_rope_sum(x0[l], turn.cosine, -x1[l], turn.sine);
            y1[l] = detmath_rope_sum(x1[l], turn.cosine, x0[l], turn.sine);
        }
    for (int l = 0; l < there; l++) {
        y[l * step] = y0[l];
        y[(detmath_u64)(l * step) + other] = y1[l];
    }
}

/* A line, whose pairs are element i of both halves, or `interleaved` neighbours. y may be x. */
DETMATH_INLINED void detmath_ropef(DETMATH_ARRAY float *y, DETMATH_ARRAY const float *x,
                                   DETMATH_ARRAY const float *turns, detmath_u64 pairs,
                                   detmath_i64 position, int interleaved) {
    detmath_u64 i = 0;
    for (; pairs - i >= DETMATH_ROPE_STRIP; i += DETMATH_ROPE_STRIP)
        if (interleaved)
            detmath_rope_strip(y + 2 * i, x + 2 * i, turns + i, pairs, position == 0,
                               DETMATH_ROPE_STRIP, 2, 1);
        else
            detmath_rope_strip(y + i, x + i, turns + i, pairs, position == 0, DETMATH_ROPE_STRIP, 1,
                               pairs);
    if (i < pairs)
        detmath_rope_strip(y + (interleaved ? 2 * i : i), x + (interleaved ? 2 * i : i), turns + i,
                           pairs, position == 0, (int)(pairs - i), interleaved ? 2 : 1,
                           interleaved ? 1 : pairs);
}

#include "shield_end.inc"

#endif
