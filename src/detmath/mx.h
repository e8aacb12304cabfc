/* Blocks of numbers that share a scale, a power of two ("OCP Microscaling Formats (MX)
 * Specification" 1.0): 32 numbers to a code of the scale (E8M0: an exponent, biased by 127, or 255
 * for NaN) and 32 codes of elements, and back, by integer arithmetic alone.
 *
 *   struct detmath_mx mx = detmath_mx_make(detmath_mx_formats[DETMATH_MXFP8_E4M3], rules,
 *                                          DETMATH_NEAREST_EVEN, 0);
 *   largest = 0; for each x:  largest = detmath_mx_larger(largest, x, mx);
 *   scale = detmath_mx_scale(largest, mx);
 *   for each x:               code = detmath_mx_element(x, scale, mx, random);
 *
 * Most ways to choose the scale are one comparison. With m = 1.f * 2^e for the largest magnitude and
 * 2^top for the largest power of two among elements, the scale is 2^(e - top), or twice that where
 * the fraction f is above a bound: never, where the exponent is rounded down (6.3 of the
 * specification); above 0, where it is rounded up; above the fraction of the largest element, where
 * the quotient of both is rounded up; and so on. Other ways take the quotient as fp32 rounds it
 * (detmath_mx_quotient), and make a power of two of that (detmath_mx_power). */
#ifndef DETMATH_MX_H
#define DETMATH_MX_H

#include "cast.h"

#include "shield.inc"

enum detmath_mx_format_index {
    DETMATH_MXFP8_E5M2,
    DETMATH_MXFP8_E4M3,
    DETMATH_MXFP6_E3M2,
    DETMATH_MXFP6_E2M3,
    DETMATH_MXFP4_E2M1,
    DETMATH_MXINT8,
    DETMATH_MX_FORMATS
};

#define DETMATH_MX_BLOCK   32
#define DETMATH_MX_NAN     255u /* the code of a scale that is NaN */
#define DETMATH_MX_LARGEST 254u

/* Elements. Integers are two's complement, counted in 2^(number.emin - number.precision + 1). */
struct detmath_mx_format {
    struct detmath_format number;
    detmath_i32 top;      /* exponent of the largest power of two that is a positive element */
    detmath_u32 fraction; /* of the largest element, as fp32's */
    detmath_i32 bits;     /* of the significand of the largest element, the first one included */
    detmath_u32 is_integer;
};

/* Rows of formats.h, but for the last. */
DETMATH_CONSTANT struct detmath_mx_format detmath_mx_formats[DETMATH_MX_FORMATS] = {
    {{0x80u, 3, -14, 0x7bu, 0x7cu, 0x7eu}, 15, 0x600000u, 3, 0u},
    {{0x80u, 4, -6, 0x7eu, 0x7fu, 0x7fu}, 8, 0x600000u, 4, 0u},
    {{0x20u, 3, -2, 0x1fu, 0x1fu, 0x20u}, 4, 0x600000u, 3, 0u},
    {{0x20u, 4, 0, 0x1fu, 0x1fu, 0x20u}, 2, 0x700000u, 4, 0u},
    {{0x8u, 2, 0, 0x7u, 0x7u, 0x8u}, 2, 0x400000u, 2, 0u},
    {{0x80u, 8, 1, 0x7fu, 0x7fu, 0x0u}, 0, 0x7e0000u, 7, 1u},
};

/* How the scale follows from the largest magnitude m, the largest element and `top`. */
enum detmath_mx_scale_rule {
    DETMATH_MX_FLOOR,   /* the power of two at or below m, over 2^top: the specification's */
    DETMATH_MX_CEIL,    /* the power of two at or above m, over 2^top */
    DETMATH_MX_EVEN,    /* floor, of an m rounded first (ties up) to the precision of an element */
    DETMATH_MX_UP,      /* the power of two at or above m over the largest element */
    DETMATH_MX_PRODUCT, /* the same of m times the reciprocal of the largest element, in fp32 */
    DETMATH_MX_LOGARITHM /* m over the largest element in fp32, and up by DETMATH_MX_POWER_LOGARITHM */
};

/* How an fp32 quotient becomes the scale, a power of two. */
enum detmath_mx_power_rule {
    DETMATH_MX_POWER_UP,        /* the power of two at or above it */
    DETMATH_MX_POWER_LOGARITHM, /* the same by its logarithm, which is rounded to fp32 and then up */
    DETMATH_MX_POWER_BITS_UP,   /* by adding to its bits, so that no quotient but 0 has 2^-127 */
    DETMATH_MX_POWER_BITS_DOWN  /* by cutting its bits */
};

/* What the specification leaves to the implementation; each but the first is 0 or 1. */
struct detmath_mx_rules {
    detmath_i32 scale;              /* enum detmath_mx_scale_rule */
    detmath_u32 nan_is_an_element;  /* NaN does not count for m; else it makes the scale NaN */
    detmath_u32 infinity_saturates; /* infinity makes the scale 2^127; else NaN */
    detmath_u32 symmetric;          /* integers end at the negative of the largest */
    detmath_u32 zero_is_normal;     /* a block of zeros has the scale of an m of 2^-126 */
    detmath_u32 least_is_one;       /* numbers of a block of the smallest scale are divided by 1 */
    detmath_u32 infinity_is_power;  /* infinity, and an m that rounds to it, count as 2^128 */
    detmath_u32 least_is_normal;    /* numbers of a block of the smallest scale: by 2^-126 */
};

/* A conversion to blocks. */
struct detmath_mx {
    struct detmath_mx_format element;
    struct detmath_mx_rules rules;
    struct detmath_cast cast; /* rounding; no rules */
    detmath_u32 bound;        /* the fraction of m above which the scale doubles */
    detmath_u32 last;         /* the largest m, as fp32, whose scale is not NaN */
};

/* The struct for a row of detmath_mx_formats. `rounding` is of elements, whose overflow is the
 * largest element in every rounding; `random_bits` as for detmath_cast_make. */
DETMATH_FUNCTION struct detmath_mx detmath_mx_make(struct detmath_mx_format element,
                                                   struct detmath_mx_rules rules,
                                                   detmath_i32 rounding, detmath_u32 random_bits) {
    struct detmath_mx mx;
    struct detmath_cast_rules none = {{0u, 0u}, {0u, 0u}, {0u, 0u}, {0u, 0u}, 0u, 0u};
    mx.element = element;
    mx.rules = rules;
    mx.cast = detmath_cast_make(element.number, none, rounding, random_bits);
    mx.bound = rules.scale == DETMATH_MX_CEIL   ? 0u
               : rules.scale == DETMATH_MX_EVEN ? 0x007fffffu - (0x00400000u >> (element.bits - 1))
               : rules.scale == DETMATH_MX_UP   ? element.fraction
                                                : 0x007fffffu;
    mx.last = 0x7f7fffffu;
    if (element.top == 0 || rules.scale == DETMATH_MX_EVEN) /* 2^128; m rounded to infinity */
        mx.last = 0x7f000000u | mx.bound;
    if (rules.infinity_is_power)
        mx.last = DETMATH_INFINITY_BITS;
    return mx;
}

/* The larger of a magnitude (fp32 bits; at first 0) and that of an fp32 number, by its bits. */
DETMATH_INLINED detmath_u32 detmath_mx_larger(detmath_u32 largest, detmath_u32 bits,
                                              struct detmath_mx mx) {
    detmath_u32 magnitude = bits & detmath_magnitude_mask();
    magnitude = magnitude > DETMATH_INFINITY_BITS && mx.rules.nan_is_an_element ? 0u : magnitude;
    return magnitude > largest ? magnitude : largest;
}

/* Exponent, biased by 127 and below 1 for subnormals, and significand, the first bit at 23, of a
 * magnitude in fp32. Of zero the significand is 0. */
struct detmath_mx_parts {
    detmath_i32 exponent;
    detmath_u32 significand;
};

DETMATH_INLINED struct detmath_mx_parts detmath_mx_parts_of(detmath_u32 magnitude) {
    struct detmath_mx_parts parts;
    /* An integer of less than 24 bits in float is normal, in units of 2^-149. */
    detmath_u32 scaled = detmath_bits_f32((float)(detmath_i32)(magnitude & 0x007fffffu));
    detmath_u32 is_subnormal = magnitude < 0x00800000u;
    detmath_u32 bits = is_subnormal ? scaled : magnitude;
    parts.exponent = (detmath_i32)(bits >> 23) - (is_subnormal ? 149 : 0);
    parts.significand = magnitude ? (bits & 0x007fffffu) | 0x00800000u : 0u;
    return parts;
}

/* The largest fraction, in units of 2^-23, for which the logarithm of 1.fraction * 2^power in fp32 is
 * `power`: the logarithm, 1.4427 * fraction, is below half the distance to the next number. That
 * is 22.18 units at 64 and above, and half of it for each binade below; numbers below a negative
 * power belong to the binade of the next smaller magnitude. */
DETMATH_FUNCTION detmath_u32 detmath_mx_logarithm_bound(detmath_i32 power) {
    detmath_i32 near = power < 0 ? -1 - power : power, bit = 64;
    detmath_u32 bound = 22u;
    for (; bit > near && bound > 0u; bit >>= 1)
        bound >>= 1;
    return bound;
}

/* The code of the scale for a quotient, by its bits without a sign. What is beyond 2^127 is NaN, and
 * so is infinity. NaN is NaN, but 2^-127 where something is added to its bits. */
DETMATH_FUNCTION detmath_u32 detmath_mx_power(detmath_u32 quotient, detmath_i32 rule) {
    if (rule == DETMATH_MX_POWER_BITS_UP)
        return (quotient + 0x007fffffu) >> 23 & 255u;
    if (rule == DETMATH_MX_POWER_BITS_DOWN)
        return quotient >> 23;
    struct detmath_mx_parts parts = detmath_mx_parts_of(quotient);
    detmath_i32 code = parts.exponent;
    code += (parts.significand & 0x007fffffu) >
            (rule == DETMATH_MX_POWER_LOGARITHM ? detmath_mx_logarithm_bound(code - 127) : 0u);
    return code < 0 ? 0u : code > 254 ? DETMATH_MX_NAN : (detmath_u32)code;
}

/* m over the largest element, or times its reciprocal, as fp32 has it, by integers: flushing of
 * subnormal numbers does not matter. */
DETMATH_FUNCTION detmath_u32 detmath_mx_quotient(struct detmath_mx_parts m, struct detmath_mx mx) {
    struct detmath_cast_rules none = {{0u, 0u}, {0u, 0u}, {0u, 0u}, {0u, 0u}, 0u, 0u};
    struct detmath_cast fp32 =
        detmath_cast_make(detmath_formats[DETMATH_F32], none, DETMATH_NEAREST_EVEN, 0u);
    detmath_u64 largest = 0x00800000u + mx.element.fraction,
                wide = (detmath_u64)m.significand << 30;
    detmath_u64 quotient = wide / largest, left = wide % largest; /* in units of 2^-30 */
    if (mx.rules.scale == DETMATH_MX_PRODUCT) {
        detmath_u64 one = (detmath_u64)1 << 47;
        wide = m.significand * ((one + largest / 2u) / largest); /* no tie */
        quotient = wide >> 17;
        left = wide & 0x1ffffu;
    }
    detmath_i32 is_above = quotient >> 30 != 0u;
    detmath_u32 significand = (detmath_u32)(quotient >> is_above), odd = (detmath_u32)quotient & 1u;
    significand |= left != 0u || (is_above && odd);
    return detmath_cast_round(significand, m.exponent - 127 - mx.element.top - !is_above,
                              fp32.word[0], fp32);
}

/* The code of the scale for the largest magnitude of a block. */
DETMATH_FUNCTION detmath_u32 detmath_mx_scale(detmath_u32 largest, struct detmath_mx mx) {
    if (largest == 0u && mx.rules.zero_is_normal)
        largest = 0x00800000u;
    if (largest == DETMATH_INFINITY_BITS && mx.rules.infinity_saturates)
        return DETMATH_MX_LARGEST;
    if (largest > mx.last)
        return DETMATH_MX_NAN;
    struct detmath_mx_parts m = detmath_mx_parts_of(largest);
    if (mx.rules.scale == DETMATH_MX_PRODUCT || mx.rules.scale == DETMATH_MX_LOGARITHM)
        return detmath_mx_power(detmath_mx_quotient(m, mx), mx.rules.scale == DETMATH_MX_PRODUCT
                                                                ? DETMATH_MX_POWER_UP
                                                                : DETMATH_MX_POWER_LOGARITHM);
    detmath_i32 code = m.exponent - mx.element.top;
    code += (m.significand & 0x007fffffu) > mx.bound;
    return code < 0 ? 0u : (detmath_u32)code;
}

/* The code of the magnitude of a finite number times 2^shift, above max_finite where it overflows;
 * `cast` need not have rules. |shift| <= 300. */
DETMATH_INLINED detmath_u32 detmath_mx_round(detmath_u32 magnitude, detmath_i32 shift,
                                             detmath_u32 word, struct detmath_cast cast) {
    struct detmath_mx_parts parts = detmath_mx_parts_of(magnitude);
    detmath_u32 code =
        detmath_cast_round(parts.significand << 6, parts.exponent - 127 + shift, word, cast);
    return magnitude ? code : 0u;
}

/* The code of an element: an fp32 number, by its bits, over the scale of its block; `random` as for
 * detmath_cast_f32. Beyond the largest it is the largest. In a block whose scale is NaN, which
 * makes all its numbers NaN, the code is that of NaN, of what stands for it in formats.h (-0), or
 * of the integer 0. */
DETMATH_INLINED detmath_u32 detmath_mx_element(detmath_u32 bits, detmath_u32 scale,
                                               struct detmath_mx mx, detmath_u32 random) {
    struct detmath_format number = mx.element.number;
    detmath_u32 magnitude = bits & detmath_magnitude_mask(), sign = 0u - (bits >> 31);
    detmath_u32 is_nan = magnitude > DETMATH_INFINITY_BITS || scale == DETMATH_MX_NAN;

    detmath_i32 shift = 127 - (detmath_i32)scale;
    if (scale == 0u)
        shift = mx.rules.least_is_one ? 0 : mx.rules.least_is_normal ? 126 : 127;

    detmath_u32 word = mx.cast.stochastic ? detmath_cast_word(mx.cast, random)
                                          : detmath_select(sign, mx.cast.word[0], mx.cast.word[1]);
    detmath_u32 finite = magnitude < DETMATH_INFINITY_BITS ? magnitude : 0u;
    detmath_u32 code = detmath_mx_round(finite, shift, word, mx.cast);
    detmath_u32 most =
        number.max_finite + (mx.element.is_integer & ~mx.rules.symmetric & sign & 1u);
    code = code > most || magnitude == DETMATH_INFINITY_BITS ? most : code;

    detmath_u32 negative =
        mx.element.is_integer ? (0u - code) & (2u * number.sign_bit - 1u) : code | number.sign_bit;
    return is_nan ? number.nan : detmath_select(sign, code, negative);
}

/* The number that an element stands for, times the scale of its block, as a code of the target of
 * `to` (detmath_cast_make): exact in fp32, but for overflow. */
DETMATH_FUNCTION detmath_u32 detmath_mx_value(detmath_u32 code, struct detmath_mx_format element,
                                              detmath_u32 scale, struct detmath_cast to,
                                              detmath_u32 random) {
    detmath_u32 sign_bit = element.number.sign_bit, negative = (code & sign_bit) != 0u;
    detmath_u32 integer = negative ? 2u * sign_bit - code : code;
    /* As fp32, integers in units of 1. */
    detmath_u32 bits = element.is_integer ? detmath_bits_f32((float)(detmath_i32)integer)
                                          : detmath_widen(code, element.number) & 0x7fffffffu;
    detmath_i32 unit = element.is_integer ? element.number.emin - element.number.precision + 1 : 0;
    detmath_u32 sign = 0u - negative;
    detmath_u32 word = to.stochastic ? detmath_cast_word(to, random) : to.word[negative];
    detmath_u32 finite = bits < DETMATH_INFINITY_BITS ? bits : 0u;
    detmath_u32 rounded = detmath_mx_round(finite, (detmath_i32)scale - 127 + unit, word, to);
    return detmath_cast_finish(rounded, sign, bits == DETMATH_INFINITY_BITS,
                               bits > DETMATH_INFINITY_BITS || scale == DETMATH_MX_NAN, to);
}

#include "shield_end.inc"

#endif
