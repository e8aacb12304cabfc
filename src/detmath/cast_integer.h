/* Conversion between number formats and integers, by integer arithmetic alone, as in cast.h: no integer
 * goes through a number of fewer bits on its way.
 *
 * A number is rounded to an integer, of which a sign and a magnitude of 64 bits are kept. Where that is
 * among the integers that the conversion holds, the result has its low bits; where it is not, the rules say
 * what the result is. */
#ifndef DETMATH_CAST_INTEGER_H
#define DETMATH_CAST_INTEGER_H

#include "cast.h"

#include "shield.inc"

struct detmath_integer_format {
    detmath_i32 bits;
    detmath_u32 is_signed;
};

/* Rows in the order of enum detmath_integer_index. */
DETMATH_CONSTANT struct detmath_integer_format detmath_integers[DETMATH_INTEGERS] = {
    {2, 1},  {2, 0},  {4, 1},  {4, 0},  {8, 1},  {8, 0},
    {16, 1}, {16, 0}, {32, 1}, {32, 0}, {64, 1}, {64, 0},
};

/* A conversion to one format of integers, in one rounding, by one set of rules. */
struct detmath_integer_cast {
    struct detmath_integer_format held; /* all integers where it has 0 bits */
    detmath_u64 mask;                   /* of a code of the target */
    /* Integers whose low bits are the results: of what is not held and of infinity, positive and
     * negative, and of NaN. */
    detmath_u64 beyond[2], infinity[2], nan;
    detmath_u32 word[2], even, stochastic, random_bits; /* as those of struct detmath_cast */
};

/* Sets what follows from the target and the rounding, one of enum detmath_rounding or
 * DETMATH_NEAREST_UP. */
DETMATH_FUNCTION struct detmath_integer_cast
detmath_integer_cast_make(struct detmath_integer_format to, detmath_i32 rounding,
                          detmath_u32 random_bits) {
    struct detmath_integer_cast cast;
    detmath_u32 below_half = 0x7fffffffu, half = 0x80000000u, all = 0xffffffffu;
    detmath_u32 any = rounding == DETMATH_NEAREST_EVEN   ? below_half
                      : rounding == DETMATH_NEAREST_AWAY ? half
                                                         : 0u;
    cast.held = to;
    cast.mask = ~(detmath_u64)0 >> (64 - to.bits);
    cast.word[0] = rounding == DETMATH_UP ? all : rounding == DETMATH_NEAREST_UP ? half : any;
    cast.word[1] = rounding == DETMATH_DOWN         ? all
                   : rounding == DETMATH_NEAREST_UP ? below_half
                                                    : any;
    cast.even = rounding == DETMATH_NEAREST_EVEN;
    cast.stochastic = rounding == DETMATH_STOCHASTIC;
    cast.random_bits = random_bits;
    for (int i = 0; i < 2; i++)
        cast.beyond[i] = cast.infinity[i] = 0;
    cast.nan = 0;
    return cast;
}

/* The code of an integer; `has_more`: its magnitude has more bits than these. */
DETMATH_INLINED detmath_u64 detmath_integer_finish(detmath_u64 magnitude, detmath_u32 has_more,
                                                   detmath_u32 negative,
                                                   struct detmath_integer_cast cast) {
    detmath_u64 all = ~(detmath_u64)0;
    detmath_u64 most = all >> (64 - (cast.held.bits ? cast.held.bits : 64));
    if (cast.held.is_signed)
        most = (most >> 1) + negative;
    else if (negative)
        most = 0;
    if (cast.held.bits && (has_more || magnitude > most))
        return cast.beyond[negative] & cast.mask;
    return (negative ? 0u - magnitude : magnitude) & cast.mask;
}

/* An fp64 number, by its bits, to a code of the target; `random` as for detmath_cast_f32. */
DETMATH_FUNCTION detmath_u64 detmath_cast_f64_integer(detmath_u64 bits,
                                                      struct detmath_integer_cast cast,
                                                      detmath_u32 random) {
    detmath_u64 magnitude = bits & detmath_magnitude_mask_f64();
    detmath_u32 negative = (detmath_u32)(bits >> 63);
    detmath_i32 biased = (detmath_i32)(magnitude >> 52);
    detmath_u64 significand =
        (magnitude & 0x000fffffffffffffu) | (biased ? 0x0010000000000000u : 0u);
    detmath_i32 unit = (biased ? biased : 1) - 1075;
    detmath_u32 word32 =
        cast.stochastic ? ~random << (32u - cast.random_bits) : cast.word[negative];
    detmath_u64 word = (detmath_u64)word32 << 32 | ((word32 & 1u) ? 0xffffffffu : 0u);
    if (magnitude >= 0x7ff0000000000000u)
        return (magnitude == 0x7ff0000000000000u ? cast.infinity[negative] : cast.nan) & cast.mask;
    if (unit >= 0)
        return detmath_integer_finish(unit < 64 ? significand << unit : 0, unit > 11, negative,
                                      cast);
    detmath_i32 cut = -unit, extra = cut - 63;
    extra = extra < 0 ? 0 : extra > 63 ? 63 : extra;
    significand >>= cast.stochastic ? extra : 0;
    cut = cut > 63 ? 63 : cut;
    detmath_u64 last = (significand >> cut) & cast.even;
    return detmath_integer_finish((significand + (word >> (64 - cut)) + last) >> cut, 0, negative,
                                  cast);
}

/* The magnitude of an integer, by its code, and whether it is below 0. */
DETMATH_INLINED detmath_u32 detmath_integer_is_negative(detmath_u64 code,
                                                        struct detmath_integer_format from) {
    return from.is_signed & (detmath_u32)(code >> (from.bits - 1)) & 1u;
}
DETMATH_INLINED detmath_u64 detmath_integer_magnitude(detmath_u64 code,
                                                      struct detmath_integer_format from) {
    return detmath_integer_is_negative(code, from)
               ? (0u - code) & (~(detmath_u64)0 >> (64 - from.bits))
               : code;
}

/* A code of integers to a code of others. */
DETMATH_FUNCTION detmath_u64 detmath_cast_integer(detmath_u64 code,
                                                  struct detmath_integer_format from,
                                                  struct detmath_integer_cast cast) {
    return detmath_integer_finish(detmath_integer_magnitude(code, from), 0,
                                  detmath_integer_is_negative(code, from), cast);
}

/* The bits of a magnitude above 0 that follow its first one, which is shifted to bit 63. */
DETMATH_INLINED detmath_u64 detmath_integer_normalise(detmath_u64 magnitude,
                                                      detmath_i32 *exponent) {
    *exponent = 63;
    for (detmath_i32 step = 32; step; step /= 2)
        if (!(magnitude >> (64 - step))) {
            magnitude <<= step;
            *exponent -= step;
        }
    return magnitude;
}

/* A code of integers to a code of a format; `random` as for detmath_cast_f32. */
DETMATH_FUNCTION detmath_u32 detmath_cast_integer_code(detmath_u64 code,
                                                       struct detmath_integer_format from,
                                                       struct detmath_cast cast,
                                                       detmath_u32 random) {
    detmath_u64 magnitude = detmath_integer_magnitude(code, from);
    detmath_u32 negative = detmath_integer_is_negative(code, from);
    detmath_i32 exponent = 0;
    if (magnitude == 0)
        return cast.to.sign_bit ? 0u : cast.rules.zero[0];
    detmath_u64 significand = detmath_integer_normalise(magnitude, &exponent);
    /* What is lost lies below all random bits. */
    significand = significand >> 2 | ((significand & 3u) != 0u);
    return detmath_cast_significand(significand, exponent, negative, DETMATH_CAST_FINITE, cast,
                                    random);
}

/* The same to fp64, in the rounding of a cast to fp32. */
DETMATH_FUNCTION detmath_u64 detmath_cast_integer_f64(detmath_u64 code,
                                                      struct detmath_integer_format from,
                                                      struct detmath_cast cast,
                                                      detmath_u32 random) {
    detmath_u64 magnitude = detmath_integer_magnitude(code, from);
    detmath_u32 negative = detmath_integer_is_negative(code, from);
    detmath_u32 word = cast.stochastic ? detmath_cast_word(cast, random) : cast.word[negative];
    detmath_i32 exponent = 0;
    if (magnitude == 0)
        return 0;
    detmath_u64 significand = detmath_integer_normalise(magnitude, &exponent);
    detmath_u64 kept = significand >> 11, cut_off = significand & 0x7ffu;
    kept += (cut_off + (word >> 21) + (kept & cast.even)) >> 11;
    return ((detmath_u64)negative << 63) + ((detmath_u64)(exponent + 1022) << 52) + kept;
}

#include "shield_end.inc"

#endif
