/* Numbers in the fixed point of long.h: as log_sums.h puts them in, and takes a first guess at a
 * logarithm out. */
#ifndef DETMATH_LONG_REAL_H
#define DETMATH_LONG_REAL_H

#include "lines.h"
#include "log.h"
#include "long.h"

#include "shield.inc"

/* |x| is what is returned times 2^*exponent. */
DETMATH_WORDS_FUNCTION detmath_u64 detmath_real_parts(detmath_real x,
                                                      DETMATH_PRIVATE detmath_i32 *exponent,
                                                      DETMATH_PRIVATE detmath_u32 *negative) {
#if defined(DETMATH_NO_DOUBLE)
    detmath_u32 bits = detmath_bits_f32(x), field = bits >> 23 & 0xffu;
    *negative = bits >> 31;
    *exponent = (detmath_i32)(field ? field : 1u) - 150;
    return (bits & 0x007fffffu) | (field ? 0x00800000u : 0u);
#else
    detmath_u64 bits = detmath_bits_f64(x), field = bits >> 52 & 0x7ffu;
    *negative = (detmath_u32)(bits >> 63);
    *exponent = (detmath_i32)(field ? field : 1u) - 1075;
    return (bits & 0xfffffffffffffu) | (field ? 0x10000000000000u : 0u);
#endif
}

/* a += x, or -= ; exact but for what is below a unit. */
DETMATH_WORDS_FUNCTION void detmath_long_put_real(struct detmath_long *a, detmath_real x,
                                                  int subtract) {
    detmath_i32 exponent;
    detmath_u32 negative;
    detmath_u64 significand = detmath_real_parts(x, &exponent, &negative);
    detmath_long_put(a, significand, exponent, negative ^ (detmath_u32)subtract);
}

/* e^(a - b) in fixed point for a <= b; what is below e^-1100 is below any unit. */
DETMATH_WORDS_FUNCTION struct detmath_long detmath_long_power(detmath_real a, detmath_real b,
                                                              int words) {
    struct detmath_long w = detmath_long_of(words, 0);
    if (b - a > 1100)
        return w;
    detmath_long_put_real(&w, b, 0);
    detmath_long_put_real(&w, a, 1);
    return detmath_long_exp(w);
}

/* A multiple j of 2^-16 with ln s - 2^-14.9 < j 2^-16 <= ln s, for s from 1 to 2^64. */
DETMATH_WORDS_FUNCTION detmath_u32 detmath_long_log_from(const struct detmath_long *s) {
    detmath_i32 top = detmath_long_top(s);
    detmath_u64 bits = detmath_long_bits(s, top, 24);
#if defined(DETMATH_NO_DOUBLE)
    float scaled = (float)bits * 0x1p-23f, log = detmath_logf(scaled);
    log = detmath_fmaf((float)(top - 32 * s->words), 0x1.62e43p-1f, log) * 65536.0f;
#else
    double log = detmath_core_log((double)bits * 0x1p-23);
    log = detmath_fma((double)(top - 32 * s->words), 0x1.62e42fefa39efp-1, log) * 65536.0;
#endif
    return log < 2 ? 0u : (detmath_u32)log - 1u;
}

/* ln s, for an s from 1 to 2 that is off by e units: within 2^24 + e + 6 units. */
DETMATH_WORDS_FUNCTION struct detmath_long detmath_long_ln(const struct detmath_long *s) {
    struct detmath_long l = detmath_long_of(s->words, 0), one = detmath_long_of(s->words, 1);
    detmath_long_put(&l, detmath_long_log_from(s), -16, 0);
    struct detmath_long power = detmath_long_exp(l), rest = detmath_long_product(s, &power);
    detmath_long_add(&rest, &one, 1);
    rest = detmath_long_log1p(&rest);
    detmath_long_add(&l, &rest, 0);
    return l;
}

#include "shield_end.inc"

#endif
