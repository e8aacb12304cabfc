/* Conversion between number formats, by integer arithmetic alone: nothing that flushes subnormals
 * or changes the rounding of the processor changes a bit.
 *
 * A number is cut to the precision of the target, and something is added first to what is cut off,
 * so that a carry rounds it away from zero: just under half and the last bit kept (ties to even),
 * half (ties away), all ones (up, of a positive number), nothing (toward zero), or the complement
 * of a random number. So one loop without branches serves every rounding, every format and every
 * rule of overflow; what differs is a constant struct.
 *
 * Narrower formats are first written as fp32, which holds their numbers exactly; fp64 has the same
 * loop in 64 bits. */
#ifndef DETMATH_CAST_H
#define DETMATH_CAST_H

#include "core.h"

#include "formats.h"

#include "shield.inc"

enum detmath_rounding {
    DETMATH_NEAREST_EVEN,
    DETMATH_TOWARD_ZERO,
    DETMATH_UP,
    DETMATH_DOWN,
    DETMATH_NEAREST_AWAY,
    DETMATH_STOCHASTIC,
    DETMATH_NEAREST_UP /* to integers alone: ties upwards */
};

/* The codes for what the target does not hold, for a positive and a negative source. */
struct detmath_cast_rules {
    detmath_u32 overflow[2]; /* rounded, beyond the largest number; see detmath_cast_make */
    detmath_u32 infinity[2];
    detmath_u32 nan[2];
    detmath_u32 zero[2];   /* only the second matters where there is a sign: the code of -0, or 0 */
    detmath_u32 underflow; /* of a scale: below its smallest number */
    detmath_u32 negative;  /* of a scale: a finite number below 0 */
};

/* A conversion to one format, in one rounding, by one set of rules. */
struct detmath_cast {
    struct detmath_format to;
    struct detmath_cast_rules rules;
    detmath_u32
        word[2];      /* what is added, its top bit worth half; of a positive, a negative number */
    detmath_u32 even; /* 1: the last bit kept is added too */
    detmath_u32 stochastic; /* 1: the complement of random bits is added */
    detmath_u32 random_bits;
};

/* The struct for a target of `detmath_formats`. Where a rounding goes toward zero, an overflow is
 * the largest number, whatever the rules say. `random_bits` (1 to 31) matter for
 * DETMATH_STOCHASTIC, which rounds away from zero where the part cut off, truncated to so many
 * bits, exceeds the random number of so many bits. */
DETMATH_FUNCTION struct detmath_cast detmath_cast_make(struct detmath_format to,
                                                       struct detmath_cast_rules rules,
                                                       detmath_i32 rounding,
                                                       detmath_u32 random_bits) {
    struct detmath_cast cast;
    detmath_u32 any = rounding == DETMATH_NEAREST_EVEN   ? 0x7fffffffu
                      : rounding == DETMATH_NEAREST_AWAY ? 0x80000000u
                                                         : 0u;
    cast.to = to;
    cast.rules = rules;
    cast.word[0] = rounding == DETMATH_UP ? 0xffffffffu : any;
    cast.word[1] = rounding == DETMATH_DOWN ? 0xffffffffu : any;
    cast.even = rounding == DETMATH_NEAREST_EVEN;
    cast.stochastic = rounding == DETMATH_STOCHASTIC;
    cast.random_bits = random_bits;
    if (rounding == DETMATH_TOWARD_ZERO || rounding == DETMATH_DOWN)
        cast.rules.overflow[0] = to.max_finite;
    if (rounding == DETMATH_TOWARD_ZERO || rounding == DETMATH_UP)
        cast.rules.overflow[1] = to.max_finite | to.sign_bit;
    return cast;
}

/* The second where `condition` is all ones, the first where it is 0. */
DETMATH_INLINED detmath_u32 detmath_select(detmath_u32 condition, detmath_u32 zero,
                                           detmath_u32 ones) {
    return zero ^ (condition & (zero ^ ones));
}

/* What is added for a random number: see detmath_cast_make. */
DETMATH_INLINED detmath_u32 detmath_cast_word(struct detmath_cast cast, detmath_u32 random) {
    return ~random << (32u - cast.random_bits);
}

/* The code of a finite magnitude significand * 2^(exponent - 29), whose significand is below 2^30,
 * and not below 2^29 unless the exponent is that of the source's subnormals. Its lower bits, if
 * any, are in the last one (as "not zero"), but see detmath_cast_f64 for stochastic rounding. */
DETMATH_INLINED detmath_u32 detmath_cast_round(detmath_u32 significand, detmath_i32 exponent,
                                               detmath_u32 word, struct detmath_cast cast) {
    detmath_i32 beneath = cast.to.emin - exponent;
    detmath_i32 above = exponent - cast.to.emin;
    detmath_i32 cut = 30 - cast.to.precision + (beneath > 0 ? beneath : 0);
    /* Beyond 31 bits cut off, all that matters is that the number lies below a half: but for
     * stochastic rounding, where random bits run out one by one. */
    detmath_i32 extra = cut - 31;
    extra = extra < 0 ? 0 : extra > 31 ? 31 : extra;
    significand >>= cast.stochastic ? extra : 0;
    cut = cut > 31 ? 31 : cut;
    detmath_u32 last = (significand >> cut) & cast.even;
    detmath_u32 code = (significand + (word >> (32 - cut)) + last) >> cut;
    /* The hidden bit, or a carry into it, adds 1 to the exponent field. */
    return code + ((detmath_u32)(above > 0 ? above : 0) << (cast.to.precision - 1));
}

/* The code with its sign, or what the rules have for what is no number of the target. `sign` is all
 * ones for a negative source. */
DETMATH_INLINED detmath_u32 detmath_cast_finish(detmath_u32 code, detmath_u32 sign,
                                                detmath_u32 is_infinite, detmath_u32 is_nan,
                                                struct detmath_cast cast) {
    struct detmath_cast_rules rules = cast.rules;
    detmath_u32 minus = code == 0u ? rules.zero[1] : cast.to.sign_bit;
    detmath_u32 overflow = detmath_select(sign, rules.overflow[0], rules.overflow[1]);
    detmath_u32 infinity = detmath_select(sign, rules.infinity[0], rules.infinity[1]);
    detmath_u32 nan = detmath_select(sign, rules.nan[0], rules.nan[1]);
    code = code > cast.to.max_finite ? overflow : code | (sign & minus);
    code = is_infinite ? infinity : code;
    return is_nan ? nan : code;
}

/* The code of an fp32 number in the target. `word` is cast.word[0 or 1] by the number's sign, or
 * detmath_cast_word for stochastic rounding. */
DETMATH_INLINED detmath_u32 detmath_cast_number(detmath_u32 bits, detmath_u32 word,
                                                struct detmath_cast cast) {
    detmath_u32 magnitude = bits & detmath_magnitude_mask(), biased = magnitude >> 23;
    detmath_u32 sign = 0u - (bits >> 31);
    detmath_u32 hidden = biased ? 0x00800000u : 0u;
    detmath_u32 significand = ((magnitude & 0x007fffffu) | hidden) << 6;
    detmath_i32 exponent = (detmath_i32)(biased ? biased : 1u) - 127;
    detmath_u32 code = detmath_cast_round(significand, exponent, word, cast);
    return detmath_cast_finish(code, sign, magnitude == DETMATH_INFINITY_BITS,
                               magnitude > DETMATH_INFINITY_BITS, cast);
}

/* The same to a format of scales, from a significand below 2^24 with its hidden bit, of an exponent
 * from 0 (subnormal: twice the fraction) to 254 as fp32 has them. */
DETMATH_INLINED detmath_u32 detmath_cast_scale(detmath_u32 bits, detmath_u32 word,
                                               struct detmath_cast cast) {
    detmath_u32 magnitude = bits & detmath_magnitude_mask(), biased = magnitude >> 23;
    detmath_u32 sign = 0u - (bits >> 31);
    detmath_u32 fraction = magnitude & 0x007fffffu;
    detmath_u32 significand = biased ? fraction | 0x00800000u : fraction << 1;
    detmath_u32 code = biased + ((significand + (word >> 9) + cast.even) >> 23) - 1u;
    struct detmath_cast_rules rules = cast.rules;
    code = code > cast.to.max_finite ? rules.overflow[0] : code;
    code = magnitude < 0x00400000u ? rules.underflow : code;
    code = sign ? rules.negative : code;
    code = magnitude == 0u ? detmath_select(sign, rules.zero[0], rules.zero[1]) : code;
    detmath_u32 infinity = detmath_select(sign, rules.infinity[0], rules.infinity[1]);
    code = magnitude == DETMATH_INFINITY_BITS ? infinity : code;
    detmath_u32 nan = detmath_select(sign, rules.nan[0], rules.nan[1]);
    return magnitude > DETMATH_INFINITY_BITS ? nan : code;
}

/* An fp32 number, by its bits, to a code of the target; `random` holds cast.random_bits random bits
 * for stochastic rounding, and means nothing otherwise. */
DETMATH_FUNCTION detmath_u32 detmath_cast_f32(detmath_u32 bits, struct detmath_cast cast,
                                              detmath_u32 random) {
    detmath_u32 word = cast.stochastic
                           ? detmath_cast_word(cast, random)
                           : detmath_select(0u - (bits >> 31), cast.word[0], cast.word[1]);
    return cast.to.sign_bit ? detmath_cast_number(bits, word, cast)
                            : detmath_cast_scale(bits, word, cast);
}

/* A code as fp32 bits, exactly. A NaN is 0x7fc00000 with the sign bit of the code. */
DETMATH_INLINED detmath_u32 detmath_widen(detmath_u32 code, struct detmath_format from) {
    detmath_u32 magnitude = code & (from.sign_bit - 1u);
    detmath_u32 sign = (code & from.sign_bit) ? 0x80000000u : 0u;
    detmath_i32 fraction_bits = from.precision - 1;
    detmath_u32 has_infinity = from.overflow > from.max_finite && from.overflow != from.nan;
    detmath_u32 is_infinite = has_infinity && magnitude == from.overflow;
    /* NaN is beyond the largest number; the code of -0 in formats without -0 (of FNUZ: overflow).
     */
    detmath_u32 is_nan =
        (magnitude > from.max_finite || (code == from.nan && from.overflow == from.nan)) &&
        !is_infinite;
    detmath_u32 shifted = magnitude << (23 - fraction_bits);
    /* As an integer of less than 24 bits in float, where the exponent does not begin with fp32's.
     */
    float integer = (float)(detmath_i32)(magnitude & ((1u << fraction_bits) - 1u));
    detmath_u32 subnormal =
        detmath_bits_f32(integer) + ((detmath_u32)(from.emin - fraction_bits) << 23);
    detmath_u32 normal = shifted + ((detmath_u32)(from.emin + 126) << 23);
    detmath_u32 bits = magnitude >> fraction_bits ? normal : subnormal;
    bits = magnitude == 0u ? 0u : bits;
    bits = from.emin == -126 ? shifted : bits; /* fp32's own exponents */
    bits = from.sign_bit == 0u ? (code ? code << 23 : 0x00400000u) : bits; /* a scale */
    bits = is_infinite ? DETMATH_INFINITY_BITS : bits;
    return sign | (is_nan ? DETMATH_NAN_BITS : bits);
}

/* A code of one format to a code of another. */
DETMATH_FUNCTION detmath_u32 detmath_cast_code(detmath_u32 code, struct detmath_format from,
                                               struct detmath_cast cast, detmath_u32 random) {
    return detmath_cast_f32(detmath_widen(code, from), cast, random);
}

/* Kinds of numbers, as a conversion tells them apart. */
enum { DETMATH_CAST_FINITE, DETMATH_CAST_ZERO, DETMATH_CAST_INFINITE, DETMATH_CAST_NAN };

/* The code of a magnitude significand * 2^(exponent - 61), whose first bit is at 61, or lies below because
 * the number is far below every target. */
DETMATH_INLINED detmath_u32 detmath_cast_significand(detmath_u64 significand, detmath_i32 exponent,
                                                     detmath_u32 negative, detmath_i32 kind,
                                                     struct detmath_cast cast, detmath_u32 random) {
    detmath_u32 sign = 0u - negative;
    detmath_i32 beneath = cast.to.emin - exponent, above = exponent - cast.to.emin;
    detmath_i32 cut = 62 - cast.to.precision + (beneath > 0 ? beneath : 0);
    detmath_i32 extra = cut - 63;
    detmath_u32 word32 = cast.stochastic ? detmath_cast_word(cast, random) : cast.word[negative];
    detmath_u64 word = (detmath_u64)word32 << 32 | ((word32 & 1u) ? 0xffffffffu : 0u);
    extra = extra < 0 ? 0 : extra > 63 ? 63 : extra;
    significand >>= cast.stochastic ? extra : 0;
    cut = cut > 63 ? 63 : cut;
    detmath_u64 last = (significand >> cut) & cast.even;
    detmath_u64 code = (significand + (word >> (64 - cut)) + last) >> cut;
    above = above < 0 ? 0 : above > 300 ? 300 : above; /* beyond all of fp32 */
    code += (detmath_u64)above << (cast.to.precision - 1);
    code = code > 0xffffffffu ? 0xffffffffu : code;
    if (cast.to.sign_bit)
        return detmath_cast_finish((detmath_u32)code, sign, kind == DETMATH_CAST_INFINITE,
                                   kind == DETMATH_CAST_NAN, cast);
    /* A scale's codes begin with its smallest number, not with 0. */
    struct detmath_cast_rules rules = cast.rules;
    detmath_u32 scale = (detmath_u32)code - 1u;
    scale = code > cast.to.max_finite + 1u ? rules.overflow[0] : scale;
    scale = exponent < cast.to.emin ? rules.underflow : scale;
    scale = negative ? rules.negative : scale;
    scale = kind == DETMATH_CAST_ZERO ? rules.zero[negative] : scale;
    scale = kind == DETMATH_CAST_INFINITE ? rules.infinity[negative] : scale;
    return kind == DETMATH_CAST_NAN ? rules.nan[negative] : scale;
}

/* An fp64 number, by its bits, to a code of the target. */
DETMATH_FUNCTION detmath_u32 detmath_cast_f64(detmath_u64 bits, struct detmath_cast cast,
                                              detmath_u32 random) {
    detmath_u64 magnitude = bits & detmath_magnitude_mask_f64();
    detmath_i32 biased = (detmath_i32)(magnitude >> 52);
    detmath_u64 significand =
        ((magnitude & 0x000fffffffffffffu) | (biased ? 0x0010000000000000u : 0u)) << 9;
    detmath_i32 kind = magnitude > 0x7ff0000000000000u    ? DETMATH_CAST_NAN
                       : magnitude == 0x7ff0000000000000u ? DETMATH_CAST_INFINITE
                       : magnitude == 0u                  ? DETMATH_CAST_ZERO
                                                          : DETMATH_CAST_FINITE;
    return detmath_cast_significand(significand, (biased ? biased : 1) - 1023,
                                    (detmath_u32)(bits >> 63), kind, cast, random);
}

/* fp32 bits as fp64 bits, exactly. A NaN is the canonical one with its sign. */
DETMATH_FUNCTION detmath_u64 detmath_widen_f64(detmath_u32 bits) {
    detmath_u64 sign = (detmath_u64)(bits >> 31) << 63;
    detmath_u32 magnitude = bits & detmath_magnitude_mask();
    float integer = (float)(detmath_i32)(magnitude & 0x007fffffu);
    detmath_u64 subnormal =
        ((detmath_u64)detmath_bits_f32(integer) << 29) + ((detmath_u64)(1023 - 127 - 149) << 52);
    detmath_u64 normal = ((detmath_u64)magnitude << 29) + ((detmath_u64)(1023 - 127) << 52);
    if (magnitude == 0u)
        return sign;
    if (magnitude >= DETMATH_INFINITY_BITS)
        return sign |
               (magnitude == DETMATH_INFINITY_BITS ? 0x7ff0000000000000u : 0x7ff8000000000000u);
    return sign | (magnitude >> 23 ? normal : subnormal);
}

#include "shield_end.inc"

#endif
