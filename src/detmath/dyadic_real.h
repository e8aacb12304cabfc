/* Dyadic numbers from real numbers and to them. The codes of real numbers are taken apart and put
 * together by integers, so that nothing flushes a subnormal number. */
#ifndef DETMATH_DYADIC_REAL_H
#define DETMATH_DYADIC_REAL_H

#include "dyadic.h"

#include "shield.inc"

/* A format of IEEE 754's kind. */
struct detmath_dyadic_real_format {
    detmath_i32 width, precision, emin; /* emin: the exponent of the smallest normal number */
};
#define DETMATH_DYADIC_F16                                                                         \
    { 16, 11, -14 }
#define DETMATH_DYADIC_BF16                                                                        \
    { 16, 8, -126 }
#define DETMATH_DYADIC_F32                                                                         \
    { 32, 24, -126 }
#define DETMATH_DYADIC_F64                                                                         \
    { 64, 53, -1022 }

/* v 2^e; a NaN has not_a_number set, and an infinity an exponent beyond all numbers. */
struct detmath_dyadic_parts {
    detmath_i64 v, e;
    detmath_u32 not_a_number;
};

DETMATH_INLINED struct detmath_dyadic_parts
detmath_dyadic_parts_of(detmath_u64 code, struct detmath_dyadic_real_format format) {
    detmath_i32 fraction_bits = format.precision - 1;
    detmath_u64 unit = (detmath_u64)1 << fraction_bits, fraction = code & (unit - 1);
    detmath_u64 exponents = ((detmath_u64)1 << (format.width - format.precision)) - 1;
    detmath_u64 biased = code >> fraction_bits & exponents;
    detmath_i64 v = (detmath_i64)(biased == exponents ? 1 : biased ? fraction | unit : fraction);
    struct detmath_dyadic_parts parts;
    parts.not_a_number = biased == exponents && fraction != 0;
    parts.v = code >> (format.width - 1) & 1 ? -v : v;
    parts.e = (detmath_i64)(biased ? biased : 1) - 1 + format.emin - fraction_bits;
    parts.e = biased == exponents ? 0x100000 : parts.e;
    return parts;
}

/* v / 2^k for any k > 0. Stochastic: up where the first 63 bits of the fraction
 * exceed the 63 lowest random bits, so that the same number rounds alike in every format. */
DETMATH_INLINED detmath_i64 detmath_dyadic_lowered_far(detmath_i64 v, detmath_i64 k,
                                                       enum detmath_dyadic_rounding rounding,
                                                       detmath_u64 random) {
    const detmath_i32 most = DETMATH_DYADIC_MOST_SHIFT;
    detmath_i32 far = k <= most ? 0 : k - most < 63 ? (detmath_i32)(k - most) : 63;
    if (rounding != DETMATH_DYADIC_STOCHASTIC)
        return detmath_dyadic_lowered(
            v, detmath_dyadic_shift_of(k < 2 * most ? (detmath_i32)k : 2 * most, rounding), 0);
    detmath_i32 rest = k < most ? (detmath_i32)k : most;
    detmath_i64 near = v >> far, quotient = near >> rest;
    detmath_u64 fraction = ((detmath_u64)near - ((detmath_u64)quotient << rest)) << (most - rest);
    return quotient + (fraction > (random & 0x7fffffffffffffff));
}

/* Of from_real: to scale t and within `bits` bits. */
DETMATH_INLINED struct detmath_dyadic_plan
detmath_dyadic_plan_from_real(detmath_i32 t, detmath_i32 bits, detmath_i32 is_signed,
                              struct detmath_dyadic_rules rules) {
    struct detmath_dyadic_plan plan = detmath_dyadic_plan_of(0, 0, t, rules);
    plan.bounds = detmath_dyadic_bounds_of(bits, is_signed, &plan.status);
    return plan;
}

/* The real number times 2^t, rounded, clipped, and held in the accumulator; of a NaN 0. */
DETMATH_INLINED detmath_i64 detmath_dyadic_from_code(detmath_u64 code,
                                                     struct detmath_dyadic_real_format format,
                                                     struct detmath_dyadic_plan plan,
                                                     detmath_u64 random, detmath_u32 *status) {
    struct detmath_dyadic_parts parts = detmath_dyadic_parts_of(code, format);
    detmath_i64 by = parts.e + plan.s, v;
    if (by < 0)
        v = detmath_dyadic_lowered_far(parts.v, -by, plan.rules.rounding, random);
    else {
        struct detmath_dyadic_exact raised =
            detmath_dyadic_raised(parts.v, by > 63 ? 63 : (detmath_i32)by);
        raised.beyond |= by > 63 && parts.v != 0;
        detmath_i64 most = 0x7fffffffffffffff;
        v = raised.beyond ? (parts.v < 0 ? -most - 1 : most) : (detmath_i64)raised.low;
    }
    *status |= parts.not_a_number ? (detmath_u32)DETMATH_DYADIC_NOT_A_NUMBER : 0;
    v = parts.not_a_number ? 0 : detmath_dyadic_clip(v, plan.bounds);
    return detmath_dyadic_load(v, plan.rules, status);
}

/* Of to_real: from scale s. */
DETMATH_INLINED struct detmath_dyadic_plan
detmath_dyadic_plan_to_real(detmath_i32 s, struct detmath_dyadic_rules rules) {
    return detmath_dyadic_plan_of(s, 0, s, rules);
}

DETMATH_INLINED detmath_i32 detmath_dyadic_width(detmath_u64 magnitude) {
    detmath_i32 width = 0;
    for (detmath_i32 step = 32; step; step /= 2) {
        detmath_i32 by = magnitude >> step ? step : 0;
        width += by;
        magnitude >>= by;
    }
    return width + (magnitude != 0);
}

/* The code of v 2^-s, rounded once; overflow as IEEE 754 has it. Stochastic rounding is none of
 * its. */
DETMATH_INLINED detmath_u64 detmath_dyadic_to_code(detmath_i64 v, detmath_i32 s,
                                                   struct detmath_dyadic_real_format format,
                                                   enum detmath_dyadic_rounding rounding) {
    detmath_i64 exponent = (detmath_i64)detmath_dyadic_width(detmath_dyadic_magnitude(v)) - 1 - s;
    detmath_i64 least = (detmath_i64)format.emin - format.precision + 1;
    detmath_i64 unit = exponent - format.precision + 1;
    unit = unit < least ? least : unit;
    detmath_u64 sign = v < 0 ? (detmath_u64)1 << (format.width - 1) : 0;
    detmath_u64 infinity = (((detmath_u64)1 << (format.width - format.precision)) - 1)
                           << (format.precision - 1);
    detmath_u64 code = infinity;
    if (exponent <= 1 - format.emin) {
        detmath_i64 k = unit + s;
        detmath_i64 rounded = k > 0 ? detmath_dyadic_lowered_far(v, k, rounding, 0)
                                    : (detmath_i64)((detmath_u64)v << (-k & 63));
        code = detmath_dyadic_magnitude(rounded) +
               ((detmath_u64)(unit - least) << (format.precision - 1));
    }
    detmath_u32 inward = rounding == DETMATH_DYADIC_TOWARD_ZERO ||
                         rounding == (v < 0 ? DETMATH_DYADIC_UP : DETMATH_DYADIC_DOWN);
    code = code >= infinity ? infinity - inward : code;
    return v == 0 ? 0 : sign | code;
}

#if !defined(DETMATH_NO_DOUBLE)
/* x at scale t within `bits` bits. */
DETMATH_FUNCTION struct detmath_dyadic
detmath_dyadic_from_real(double x, detmath_i32 t, detmath_i32 bits, detmath_i32 is_signed,
                         struct detmath_dyadic_rules rules, detmath_u64 random,
                         detmath_u32 *status) {
    const struct detmath_dyadic_real_format format = DETMATH_DYADIC_F64;
    DETMATH_DYADIC_RESULT(
        detmath_dyadic_plan_from_real(t, bits, is_signed, rules),
        detmath_dyadic_from_code(detmath_bits_f64(x), format, plan, random, &trouble));
}

/* The number that x stands for. */
DETMATH_FUNCTION double detmath_dyadic_to_real(struct detmath_dyadic x,
                                               enum detmath_dyadic_rounding rounding) {
    const struct detmath_dyadic_real_format format = DETMATH_DYADIC_F64;
    return detmath_from_bits_f64(detmath_dyadic_to_code(x.v, x.s, format, rounding));
}

#endif /* DETMATH_NO_DOUBLE */

#include "shield_end.inc"

#endif
