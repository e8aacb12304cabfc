/* What a language may lack that det's kernels need, in integers of 32 bits alone: arithmetic on fp32 by its bits, with an
 * exact fma, and integers of 64 bits as two halves. kernels.c hands these functions to ports.py, which writes those that
 * a port calls. None of them has a loop or a table. A NaN that they return has the bits of the canonical one. */
#ifndef DETMATH_PORTS_INTEGERS_H
#define DETMATH_PORTS_INTEGERS_H

#include "../core.h"

#include "../shield.inc"

/* 64 bits in halves. */
struct port_pair {
    detmath_u32 high, low;
};

DETMATH_INLINED struct port_pair port_pair_of(detmath_u32 high, detmath_u32 low) {
    struct port_pair pair;
    pair.high = high;
    pair.low = low;
    return pair;
}

/* By 0 to 63. */
DETMATH_INLINED struct port_pair port_left(struct port_pair x, detmath_u32 by) {
    detmath_u32 few = by & 31u, carried = x.low >> 1 >> (31u - few);
    return by & 32u ? port_pair_of(x.low << few, 0)
                    : port_pair_of(x.high << few | carried, x.low << few);
}

/* By 0 to 63, with `fill`, 0 or all ones, from above. */
DETMATH_INLINED struct port_pair port_right(struct port_pair x, detmath_u32 by, detmath_u32 fill) {
    detmath_u32 few = by & 31u, carried = x.high << 1 << (31u - few);
    detmath_u32 high = x.high >> few | fill << 1 << (31u - few);
    return by & 32u ? port_pair_of(fill, high) : port_pair_of(high, x.low >> few | carried);
}

/* The same, with the last bit set where a bit is lost; by any number. */
DETMATH_INLINED struct port_pair port_right_sticky(struct port_pair x, detmath_u32 by) {
    detmath_u32 few = by > 63u ? 63u : by;
    struct port_pair shifted = port_right(x, few, 0), back = port_left(shifted, few);
    shifted.low |= (detmath_u32)((back.high != x.high) | (back.low != x.low));
    return shifted;
}

DETMATH_INLINED struct port_pair port_add(struct port_pair a, struct port_pair b) {
    detmath_u32 low = a.low + b.low;
    return port_pair_of(a.high + b.high + (detmath_u32)(low < a.low), low);
}

DETMATH_INLINED struct port_pair port_subtract(struct port_pair a, struct port_pair b) {
    return port_pair_of(a.high - b.high - (detmath_u32)(a.low < b.low), a.low - b.low);
}

/* The 64 bits of a product. */
DETMATH_INLINED struct port_pair port_product(detmath_u32 a, detmath_u32 b) {
    detmath_u32 a1 = a >> 16, a0 = a & 0xffffu, b1 = b >> 16, b0 = b & 0xffffu;
    detmath_u32 middle = a1 * b0 + (a0 * b0 >> 16), other = a0 * b1 + (middle & 0xffffu);
    return port_pair_of(a1 * b1 + (middle >> 16) + (other >> 16), a * b);
}

DETMATH_INLINED detmath_u32 port_zeros_in(detmath_u32 word) {
    detmath_u32 zeros = 0, x = word, few;
    few = x < 0x10000u ? 16u : 0u, x <<= few, zeros += few;
    few = x < 0x1000000u ? 8u : 0u, x <<= few, zeros += few;
    few = x < 0x10000000u ? 4u : 0u, x <<= few, zeros += few;
    few = x < 0x40000000u ? 2u : 0u, x <<= few, zeros += few;
    return zeros + (x < 0x80000000u ? 1u : 0u);
}

/* How many bits above the highest one are 0, for a number that is not 0. */
DETMATH_INLINED detmath_u32 port_zeros(struct port_pair x) {
    detmath_u32 zeros = port_zeros_in(x.high ? x.high : x.low);
    return x.high ? zeros : zeros + 32u;
}

/* sign, and x 2^(exponent - 150) rounded to nearest-even: bits of fp32. x is 0 or below 2^63. */
DETMATH_INLINED detmath_u32 port_round(detmath_u32 sign, struct port_pair x, detmath_i32 exponent) {
    if (!(x.high | x.low))
        return sign;
    detmath_u32 up = port_zeros(x) - 1u; /* the highest bit goes to that of 2^62 */
    struct port_pair top = port_left(x, up);
    detmath_i32 biased = exponent - (detmath_i32)up + 39;
    detmath_u32 down = biased < 1 ? (detmath_u32)(1 - biased) : 0u;
    top = port_right_sticky(top, down);
    detmath_u32 word = top.high | (detmath_u32)(top.low != 0);
    detmath_u32 integer = (word + 63u + ((word >> 7) & 1u)) >> 7;
    /* The hidden bit, if there is one, adds 1 to the exponent field. */
    detmath_u32 bits = integer + ((detmath_u32)(biased < 1 ? 0 : biased - 1) << 23);
    return sign | (biased > 254 || bits > DETMATH_INFINITY_BITS ? DETMATH_INFINITY_BITS : bits);
}

/* A finite number as an integer below 2^24 times 2^(exponent - 150). */
DETMATH_INLINED detmath_u32 port_significand(detmath_u32 bits, detmath_i32 *exponent) {
    detmath_u32 biased = bits >> 23 & 0xffu;
    *exponent = (detmath_i32)(biased ? biased : 1u);
    return (bits & 0x007fffffu) | (biased ? 0x00800000u : 0u);
}

/* The sum of two finite numbers a 2^(ea - 150) and b 2^(eb - 150), of which a < 2^60 and b < 2^61
 * have 13 zeros at least at their ends: what is shifted out of the smaller one is then far below
 * what can be lost of the larger. */
DETMATH_INLINED detmath_u32 port_sum(detmath_u32 sa, struct port_pair a, detmath_i32 ea,
                                     detmath_u32 sb, struct port_pair b, detmath_i32 eb) {
    detmath_u32 a_first = (detmath_u32)(ea >= eb) & (a.high | a.low ? 1u : 0u);
    a_first |= b.high | b.low ? 0u : 1u;
    struct port_pair x = a_first ? a : b, y = a_first ? b : a;
    detmath_u32 sx = a_first ? sa : sb, sy = a_first ? sb : sa;
    detmath_i32 ex = a_first ? ea : eb, ey = a_first ? eb : ea;
    y = port_right_sticky(y, ex > ey ? (detmath_u32)(ex - ey) : 0u);
    struct port_pair zero = port_pair_of(0, 0);
    struct port_pair total = sx == sy ? port_add(x, y) : port_subtract(x, y);
    detmath_u32 turned = sx == sy ? 0u : total.high >> 31;
    total = turned ? port_subtract(zero, total) : total;
    detmath_u32 sign = total.high | total.low ? sx ^ (turned << 31) : 0u;
    return port_round(sign, total, ex);
}

DETMATH_INLINED detmath_u32 port_is_nan(detmath_u32 bits) {
    return (detmath_u32)((bits & 0x7fffffffu) > DETMATH_INFINITY_BITS);
}

DETMATH_INLINED detmath_u32 port_is_infinite(detmath_u32 bits) {
    return (detmath_u32)((bits & 0x7fffffffu) == DETMATH_INFINITY_BITS);
}

/* a * b + c rounded once. */
DETMATH_FUNCTION detmath_u32 port_fused(detmath_u32 a, detmath_u32 b, detmath_u32 c) {
    detmath_i32 ea, eb, ec;
    detmath_u32 sign = (a ^ b) & 0x80000000u, sc = c & 0x80000000u;
    detmath_u32 infinite = port_is_infinite(a) | port_is_infinite(b);
    detmath_u32 zero = (detmath_u32)((a << 1 == 0) | (b << 1 == 0));
    if (port_is_nan(a) | port_is_nan(b) | port_is_nan(c) | (infinite & zero) |
        (infinite & port_is_infinite(c) & (detmath_u32)(sign != sc)))
        return DETMATH_NAN_BITS;
    if (infinite)
        return sign | DETMATH_INFINITY_BITS;
    if (port_is_infinite(c))
        return c;
    struct port_pair product = port_product(port_significand(a, &ea), port_significand(b, &eb));
    struct port_pair addend = port_pair_of(port_significand(c, &ec) << 4, 0);
    if (!(product.high | product.low) && !addend.high)
        return sign & sc;
    /* In both the lowest 13 bits are 0; the product has 48 bits, the addend 24. */
    return port_sum(sign, port_left(product, 13), ea + eb - 150 - 13, sc, addend, ec - 36);
}

/* Whether a < b; not where one is a NaN. */
DETMATH_FUNCTION detmath_u32 port_less(detmath_u32 a, detmath_u32 b) {
    detmath_u32 top = 0x80000000u, u = a & top ? ~a : a | top, v = b & top ? ~b : b | top;
    detmath_u32 zeros = (detmath_u32)((a | b) << 1 == 0);
    return (detmath_u32)(u < v) & ~(zeros | port_is_nan(a) | port_is_nan(b)) & 1u;
}

/* An integer above -2^63, as a number. */
DETMATH_FUNCTION detmath_u32 port_from_long(struct port_pair x) {
    struct port_pair zero = port_pair_of(0, 0);
    struct port_pair magnitude = x.high >> 31 ? port_subtract(zero, x) : x;
    return port_round(x.high & 0x80000000u, magnitude, 150);
}

/* The integer part of a number between -2^63 and 2^63. */
DETMATH_INLINED struct port_pair port_to_long(detmath_u32 bits) {
    detmath_i32 exponent;
    struct port_pair whole = port_pair_of(0, port_significand(bits, &exponent)),
                     zero = port_pair_of(0, 0);
    detmath_u32 up = exponent > 150 ? (detmath_u32)(exponent - 150) & 63u : 0u;
    detmath_u32 down = exponent < 150 ? (detmath_u32)(150 - exponent) : 0u;
    whole = port_right(port_left(whole, up), down > 63u ? 63u : down, 0);
    return bits >> 31 ? port_subtract(zero, whole) : whole;
}

#include "../shield_end.inc"

#endif
