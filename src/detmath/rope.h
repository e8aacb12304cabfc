/* Rotary position embedding: pairs of numbers that turn by an angle, which grows with the position. fp32 arithmetic, fma and
 * integers, in one written order.
 *
 * Pair i of n / 2 turns by position base^(-2i/n) / factor. How much of a turn that is for one position has 128 bits
 * below the point, within 2^-122 (detmath_rope_frequency), so that its product with a position is exact but for that, and
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

/* log2 of the base, which is from 1 to 2^64, and what the factor is: whole 2^exponent. */
struct detmath_rope {
    detmath_u32 log_whole, pairs, factor_whole;
    detmath_i32 factor_exponent;
    struct detmath_wide log_part;
};

/* The logarithm bit by bit: of m in [1, 2) its first bit is whether m^2 is 2 or more, and the next ones are those of m^2,
 * or of half of it. Each step halves what those before it have cut off, so that it is within 2^-125. */
DETMATH_FUNCTION struct detmath_rope detmath_rope_of(float base, float factor, detmath_u32 pairs) {
    struct detmath_rope rope;
    detmath_u32 bits = detmath_bits_f32(base), of_factor = detmath_bits_f32(factor);
    struct detmath_wide m, part = {0, 0};
    rope.pairs = pairs;
    rope.log_whole = (bits >> 23) - 127u;
    rope.factor_whole = (of_factor & 0x007fffffu) | 0x00800000u;
    rope.factor_exponent = (detmath_i32)(of_factor >> 23) - 150;
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
    rope.log_part = part;
    return rope;
}

/* The part of a turn that pair i takes for each position. base^(-i/pairs) is 2^-(t + z), whose fraction e^-(z ln 2) is the
 * sum of 36 terms. */
DETMATH_FUNCTION struct detmath_wide detmath_rope_frequency(const struct detmath_rope *rope,
                                                            detmath_u32 i) {
    const struct detmath_wide ln2 = {0xb17217f7d1cf79abu, 0xc9e3b39803f2f6afu};
    const struct detmath_wide one_over_two_pi = {0x28be60db9391054au, 0x7f09d5f47d4d3770u};
    const struct detmath_wide ones = {~(detmath_u64)0, ~(detmath_u64)0};
    detmath_u32 digit[5];
    detmath_u64 carry = 0;
    detmath_set_digits(digit, rope->log_whole, rope->log_part);
    for (int k = 4; k >= 0; k--) {
        carry += (detmath_u64)digit[k] * i;
        digit[k] = (detmath_u32)carry;
        carry >>= 32;
    }
    detmath_divide_digits(digit, rope->pairs);
    struct detmath_wide w = detmath_fraction_times(detmath_wide_of_digits(digit), ln2), y = ones;
    detmath_i32 shift = (detmath_i32)digit[0] + 32 + rope->factor_exponent;
    for (detmath_u32 k = 36; k > 0; k--) {
        detmath_set_digits(digit, 0, detmath_fraction_times(w, y));
        detmath_divide_digits(digit, k);
        y = detmath_wide_minus(ones, detmath_wide_of_digits(digit));
    }
    y = detmath_fraction_times(y, one_over_two_pi);
    /* Over the factor, with 32 bits more, which the shift takes away again. */
    detmath_set_digits(digit, (detmath_u32)(y.high >> 32), y);
    digit[1] = (detmath_u32)y.high;
    digit[2] = (detmath_u32)(y.low >> 32);
    digit[3] = (detmath_u32)y.low;
    digit[4] = 0;
    detmath_divide_digits(digit, rope->factor_whole);
    y = detmath_wide_of_digits(digit);
    for (detmath_u64 above = digit[0]; shift > 0; shift--) {
        y.low = y.low >> 1 | y.high << 63;
        y.high = y.high >> 1 | above << 63;
        above >>= 1;
    }
    return y;
}

/* The sine of pi row / 8 + r + low in two parts; that of row + 4 is the cosine. */
DETMATH_FUNCTION struct detmath_parts detmath_sine_parts(float r, float low, detmath_u32 row) {
    float first = detmath_look_up_turned(detmath_sine_rows, 0u, row);
    float slope = detmath_look_up_turned(detmath_sine_rows, 16u, row);
    float slope_low = detmath_look_up_turned(detmath_sine_rows, 24u, row);
    float first_low = detmath_look_up_turned(detmath_sine_rows, 8u, row);
    struct detmath_parts y;
    float square = detmath_productf(r, r), halved = detmath_productf(first, 0.5f);
    float square_low = detmath_fmaf(r + r, low, detmath_fmaf(r, r, -square));
    float fall = detmath_productf(halved, square), rise = detmath_productf(r, slope);
    float fall_low = detmath_fmaf(halved, square_low, detmath_fmaf(halved, square, -fall));
    float sum = detmath_fmaf(r, slope, first), next = sum - fall, high;
    /* (1 - sin(r) / r) / r^2 by three terms of its series; and (1 - cos r - r^2 / 2) / r^4 of detmath_sine_even. */
    float odd = detmath_fmaf(square, 0x1.a01a02p-13f, -0x1.111112p-7f);
    float even = detmath_fmaf(square, 0x1.6bb106p-10f, -0x1.55554ap-5f);
    low = detmath_fmaf(low, slope, detmath_fmaf(r, slope_low, first_low));
    low -= detmath_fmaf(-r, slope, sum - first);
    low += detmath_sum_restf(sum, -fall, next) - fall_low;
    odd = detmath_fmaf(square, odd, 0x1.555556p-3f);
    even = detmath_productf(first, detmath_productf(square, even));
    low -= detmath_productf(square, detmath_fmaf(rise, odd, even));
    high = next + low;
    y.high = detmath_turned(high, row);
    y.low = detmath_turned((next - high) + low, row);
    return y;
}

struct detmath_turn_parts {
    struct detmath_parts sine, cosine;
};

/* Sine and cosine of the angle at a position. */
DETMATH_FUNCTION struct detmath_turn_parts detmath_rope_turn(struct detmath_wide frequency,
                                                             detmath_i64 position) {
    struct detmath_turn_parts turn;
    const detmath_u64 times = position < 0 ? 0u - (detmath_u64)position : (detmath_u64)position;
    struct detmath_wide left = detmath_wide_product(frequency.low, times), zero = {0, 0};
    left.high += frequency.high * times;
    if (position < 0)
        left = detmath_wide_minus(zero, left);
    /* The nearest multiple of pi/8, and what is left, in units of 2^-128 turns. */
    detmath_u32 row = (detmath_u32)((left.high + ((detmath_u64)1 << 59)) >> 60) & 15u;
    left.high -= (detmath_u64)row << 60;
    int negative = (int)(left.high >> 63), places = 0;
    if (negative)
        left = detmath_wide_minus(zero, left);
    for (int step = 64; step; step /= 2)
        if (step == 64 ? !left.high : !(left.high >> (64 - step))) {
            left.high = step == 64 ? left.low : left.high << step | left.low >> (64 - step);
            left.low = step == 64 ? 0 : left.low << step;
            places += step;
        }
    /* From 0 to 2^64, the first bit set, is a turn 2^-places; times 2 pi. */
    float high = (float)(detmath_u32)(left.high >> 40);
    float rest = (float)(detmath_u32)(left.high >> 16 & 0xffffffu);
    float power = detmath_from_bits_f32((detmath_u32)(127 - (places < 100 ? places : 100)) << 23);
    high = negative ? -high : high;
    rest = negative ? -rest : rest;
    float r = detmath_productf(high, 0x1.921fb6p-22f);
    float low = detmath_fmaf(high, 0x1.921fb6p-22f, -r);
    low = detmath_fmaf(high, -0x1.777a5cp-47f, detmath_fmaf(rest, 0x1.921fb6p-46f, low));
    high = detmath_productf(r + low, power);
    low = detmath_productf((r - (r + low)) + low, power);
    turn.sine = detmath_sine_parts(high, low, row);
    turn.cosine = detmath_sine_parts(high, low, row + 4u);
    return turn;
}

/* a cos + b sin of finite a and b that are below 2, rounded once. */
DETMATH_FUNCTION float detmath_rope_sum(float a, struct detmath_parts cosine, float b,
                                        struct detmath_parts sine) {
    float p = detmath_productf(a, cosine.high), q = detmath_productf(b, sine.high), sum = p + q;
    float rest = detmath_fmaf(a, cosine.low, detmath_fmaf(a, cosine.high, -p));
    rest += detmath_fmaf(b, sine.low, detmath_fmaf(b, sine.high, -q));
    return sum + (detmath_sum_restf(p, q, sum) + rest);
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
