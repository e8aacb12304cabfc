/* pow; power_integer.h has powr, and powers and roots of integers. Coefficients and their bounds: power.sollya.
 *
 * x^y = 2^(y log2 x), the logarithm and the product in two parts each. Special cases, as C Annex F
 * has them, are decided in integers: x^0 = 1^y = 1 even for a NaN that does not signal,
 * (-1)^(+-inf) = 1, and a finite x < 0 has powers with whole exponents only. */
#ifndef DETMATH_POWER_H
#define DETMATH_POWER_H

#include "core.h"
#include "exp.h"
#include "exp_columns.h"
#include "log.h"
#include "parts.h"
#include "power_table.h"
#include "root.h"
#include "round.h"

#include "shield.inc"

/* 1 for an odd integer, 0 for an even one, 2 for what is no integer; infinity is even. */
DETMATH_FUNCTION detmath_u32 detmath_pow_parity(detmath_u32 magnitude) {
    detmath_i32 biased = (detmath_i32)(magnitude >> 23), wanted = 150 - biased;
    detmath_u32 shift = (detmath_u32)(wanted < 0 ? 0 : wanted > 24 ? 24 : wanted);
    detmath_u32 significand = (magnitude & 0x007fffffu) | 0x00800000u;
    detmath_u32 whole = (significand & ((1u << shift) - 1u)) == 0;
    detmath_u32 odd = wanted < 0 ? 0 : (significand >> shift) & 1u;
    return whole ? odd : 2u;
}

/* The bits of x^y, given those of |x|^y where x and y are nonzero and finite. */
DETMATH_FUNCTION detmath_u32 detmath_pow_special(detmath_u32 x, detmath_u32 y, detmath_u32 power) {
    detmath_u32 a = x & detmath_magnitude_mask(), b = y & detmath_magnitude_mask(),
                one = 0x3f800000u;
    detmath_u32 parity = detmath_pow_parity(b), negative = x >> 31;
    detmath_u32 extreme = (a == 0) | (a >= DETMATH_INFINITY_BITS) | (b >= DETMATH_INFINITY_BITS);
    detmath_u32 grows = (a > one) ^ (y >> 31);
    power = extreme ? (grows ? DETMATH_INFINITY_BITS : 0) : power;
    power = a == one ? one : power;
    power |= negative & parity ? 0x80000000u : 0;
    detmath_u32 invalid = negative & (parity >> 1) & (a - 1u < DETMATH_INFINITY_BITS - 1u);
    detmath_u32 nan = (a > DETMATH_INFINITY_BITS) | (b > DETMATH_INFINITY_BITS);
    power = invalid | nan ? DETMATH_NAN_BITS : power;
    power = x == one ? one : power;
    power = b == 0 ? one : power;
    return detmath_signals_f32(x) | detmath_signals_f32(y) ? DETMATH_NAN_BITS : power;
}

/* e + log2 m to about 2^-35 of itself, for m in [2^-1/2, 2^1/2), where f + f_low is m - 1 and w +
 * w_low is m + 1. log2 m = s f(s^2), s = (m - 1) / (m + 1). Of f, 1 and s^2 have coefficients in
 * two parts, the rest in one: s^4 is at most 2^-10. The polynomial gives log2 m to 2^-39.10
 * (float_pow_log2). */
DETMATH_FUNCTION struct detmath_parts detmath_pow_log2_of(float e, float f, float f_low, float w,
                                                          float w_low) {
    float r = detmath_fmaf(w, 0x1.deaf02p-4f, -0x1.71e656p-1f);
    r = detmath_fmaf(w, r, 0x1.7a4f84p0f); /* 1 / w to 2^-9.59 (float_pow_recip) */
    float d = detmath_fmaf(-w, r, 1.0f);
    r = detmath_fmaf(r, detmath_fmaf(d, d, d), r);
    float s = detmath_productf(f, r);
    float s_low = detmath_productf(detmath_fmaf(-s, w_low, detmath_fmaf(-s, w, f) + f_low), r);
    float z = detmath_productf(s, s);
    float z_low = detmath_fmaf(s + s, s_low, detmath_fmaf(s, s, -z));
    float p = detmath_fmaf(z, 0x1.0f99bap-2f, 0x1.48984p-2f);
    p = detmath_fmaf(z, p, 0x1.a615acp-2f);
    p = detmath_fmaf(z, p, 0x1.2776c6p-1f);
    float t = detmath_productf(z, p);
    float v = 0x1.ec709ep-1f + t;
    float v_low = ((0x1.ec709ep-1f - v) + t) + -0x1.e2fe02p-28f;
    float u = detmath_productf(z, v);
    float u_low = detmath_fmaf(z, v_low, detmath_fmaf(z_low, v, detmath_fmaf(z, v, -u)));
    float a = 0x1.715476p1f + u;
    float a_low = ((0x1.715476p1f - a) + u) + (u_low + 0x1.4ae0cp-25f);
    float g = detmath_productf(s, a);
    float g_low = detmath_fmaf(s, a_low, detmath_fmaf(s_low, a, detmath_fmaf(s, a, -g)));
    struct detmath_parts sum = {e + g, 0.0f};
    sum.low = ((e - sum.high) + g) + g_low; /* |e| >= 1 > |g|, or e = 0 */
    return sum;
}

/* log2 of 2^149 * |x|'s extended bits (root.h). x = 2^e m. */
DETMATH_FUNCTION struct detmath_parts detmath_pow_log2(detmath_u32 extended) {
    detmath_u32 shifted = extended - 0x3f3504f3u; /* of 2^-1/2 */
    float m = detmath_from_bits_f32((shifted & 0x007fffffu) + 0x3f3504f3u);
    float e = (float)((detmath_i32)(shifted >> 23) - 149);
    float w = m + 1.0f;
    return detmath_pow_log2_of(e, m - 1.0f, -0.0f, w, m - (w - 1.0f)); /* exact but for w */
}

/* 2^(p + low - *n), from 0.7 to 1.42, in two parts: a sum and the rest, which are yet to be added. p less
 * its integer is a multiple of the last place of p, which low is not far beyond: so what t leaves of
 * low is exact. */
DETMATH_FUNCTION struct detmath_parts detmath_pow_exp2_reduced(float p, float low,
                                                               DETMATH_PRIVATE detmath_i32 *n) {
    float q = p - detmath_exp_integer(p + 0x1.8p23f, n);
    float t = q + low, t_low = low - (t - q);
    float r = detmath_productf(t, 0x1.62e43p-1f);
    float r_low = detmath_fmaf(t, -0x1.05c61p-29f, detmath_fmaf(t, 0x1.62e43p-1f, -r));
    r_low = detmath_fmaf(t_low, 0x1.62e43p-1f, r_low);
    struct detmath_parts power = {1.0f + r, 0.0f};
    power.low = ((1.0f - power.high) + r) + detmath_exp_tail(r, r_low);
    return power;
}

/* 2^(p + low) in fp32, rounded once. */
DETMATH_FUNCTION float detmath_pow_exp2(float p, float low) {
    detmath_i32 n;
    float bounded = detmath_clamp(p, -160.0f, 130.0f);
    low = bounded == p ? low : 0.0f;
    struct detmath_parts power = detmath_pow_exp2_reduced(bounded, low, &n);
    float y = power.high + power.low;
    return detmath_scale_rest_f32(y, (power.high - y) + power.low, n);
}

/* For quick ways: in doubt unless |p| < 125, so that the power is normal, and p no NaN. */
DETMATH_FUNCTION detmath_u32 detmath_pow_outside_powers(float p) {
    return detmath_outside_magnitude(p, 0u, 0x42fa0000u);
}

/* The same bits, or doubt. */
DETMATH_FUNCTION float detmath_pow_exp2_quick(float p, float low,
                                              DETMATH_PRIVATE detmath_u32 *doubt) {
    detmath_i32 n;
    *doubt |= detmath_pow_outside_powers(p);
    struct detmath_parts power = detmath_pow_exp2_reduced(p, low, &n);
    return detmath_from_bits_f32(detmath_bits_f32(power.high + power.low) + ((detmath_u32)n << 23));
}

/* For quick ways: in doubt unless x is positive and normal. Of y the power tells. */
DETMATH_FUNCTION detmath_u32 detmath_pow_outside(float x, float y) {
    (void)y;
    return detmath_outside_bits(x, 0x00800000u, DETMATH_INFINITY_BITS);
}

/* log2 x of such. */
DETMATH_FUNCTION struct detmath_parts detmath_pow_log2_quick(float x) {
    detmath_i32 n;
    float f = detmath_log_reduce(detmath_bits_f32(x), &n), m = f + 1.0f, w = m + 1.0f;
    return detmath_pow_log2_of((float)n, f, -0.0f, w, m - (w - 1.0f));
}

/* 2^(y logarithm), in doubt where that is not surely normal, or y infinite or NaN. */
DETMATH_FUNCTION float detmath_pow_quick_of(struct detmath_parts logarithm, float y,
                                            DETMATH_PRIVATE detmath_u32 *doubt) {
    float p = detmath_productf(y, logarithm.high);
    float low = detmath_fmaf(y, logarithm.low, detmath_fmaf(y, logarithm.high, -p));
    return detmath_pow_exp2_quick(p, low, doubt);
}

#include "one_lane.inc"

#include "power_lanes.inc"

/* x^y: by rows where that does, else by steps that can do everything. */
DETMATH_FUNCTION float detmath_pow_quick(float x, float y, DETMATH_PRIVATE detmath_u32 *doubt) {
    detmath_u32 away;
    float rest, sum = detmath_pow_logarithm(x, &rest);
    float power = detmath_pow_power(x, y, sum, rest, &away);
    *doubt |= away < DETMATH_REACH_pow ? 0u : 0x80000000u;
    return power;
}

/* A part of its callers: where floats are handed on by registers that are longer, as m68k has, a signalling NaN comes quiet. */
DETMATH_INLINED float detmath_pow_full(float x, float y) {
    struct detmath_parts logarithm = detmath_pow_log2(detmath_extend_f32(detmath_magnitude_f32(x)));
    /* Beyond 2^34 every power but that of 1 is 0 or infinite. */
    float bounded = detmath_clamp(y, -0x1p34f, 0x1p34f);
    float p = detmath_productf(bounded, logarithm.high);
    float low = detmath_fmaf(bounded, logarithm.low, detmath_fmaf(bounded, logarithm.high, -p));
    detmath_u32 power = detmath_bits_f32(detmath_pow_exp2(p, low));
    return detmath_from_bits_f32(
        detmath_pow_special(detmath_bits_f32(x), detmath_bits_f32(y), power));
}

DETMATH_QUICK_OR_FULL_BINARY(_pow)

#if !defined(DETMATH_NO_DOUBLE)

/* 2^-41 of a double, or up to twice that, in its last place. */
#define DETMATH_POW_WINDOW 4096u

/* e + log2 m where f is m - 1 and w is m + 1. The polynomial gives log2 m to 2^-55.97
 * (double_pow_log2). */
DETMATH_FUNCTION double detmath_core_pow_log2_of(double e, double f, double w) {
    double s = f / w, z = detmath_product(s, s);
    double p = detmath_fma(z, 0x1.100acf14fa469p5, -0x1.240b13c0de15cp2);
    p = detmath_fma(z, p, 0x1.e2534977d6f3dp-2);
    p = detmath_fma(z, p, 0x1.b42f09673cecdp-3);
    p = detmath_fma(z, p, 0x1.0cc786f64249cp-2);
    p = detmath_fma(z, p, 0x1.484a8e9677b1p-2);
    p = detmath_fma(z, p, 0x1.a617638f6962dp-2);
    p = detmath_fma(z, p, 0x1.2776c50e8c9d6p-1);
    p = detmath_fma(z, p, 0x1.ec709dc3a06e9p-1);
    p = detmath_fma(z, p, 0x1.71547652b82fep1);
    return detmath_fma(s, p, e);
}

/* x = 2^*e m, x > 0, m in [2^-1/2, 2^1/2), which is returned. */
DETMATH_FUNCTION double detmath_core_pow_split(double x, DETMATH_PRIVATE double *e) {
    detmath_u64 shifted = detmath_bits_f64(x) - 0x3fe6a09e667f3bcdu + 0x4000000000000000u;
    *e = (double)((detmath_i32)(shifted >> 52) - 1024);
    return detmath_from_bits_f64((shifted & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu);
}

/* log2 x to 2^-50 of itself, of x > 0 that is a finite number of fp32: so that |m - 1| has 24 bits
 * and m + 1 is exact. */
DETMATH_FUNCTION double detmath_core_pow_log2(double x) {
    double e, m = detmath_core_pow_split(x, &e);
    return detmath_core_pow_log2_of(e, m - 1.0, m + 1.0);
}

/* y log2 x. */
DETMATH_FUNCTION double detmath_core_pow_product(double x, double y) {
    return detmath_product(detmath_core_clamp(y, -0x1p34, 0x1p34), detmath_core_pow_log2(x));
}

/* 192 bits, as an integer or in units of 2^-180: then the high word is like a significand of fp64,
 * with a hidden bit that is in its place for [1, 2) and eleven bits, or sign and ten, above it. */
DETMATH_FUNCTION struct detmath_fixed detmath_fixed_add(struct detmath_fixed a,
                                                        struct detmath_fixed b) {
    struct detmath_fixed sum = {a.high + b.high, a.middle + b.middle, a.low + b.low};
    detmath_u64 carry = sum.low < a.low;
    sum.high += (detmath_u64)(sum.middle < a.middle) + (sum.middle + carry < carry);
    sum.middle += carry;
    return sum;
}

DETMATH_FUNCTION struct detmath_fixed detmath_fixed_negate(struct detmath_fixed a) {
    struct detmath_fixed one = {0, 0, 1}, opposite = {~a.high, ~a.middle, ~a.low};
    return detmath_fixed_add(opposite, one);
}

DETMATH_FUNCTION int detmath_fixed_less(struct detmath_fixed a, struct detmath_fixed b) {
    if (a.high != b.high)
        return a.high < b.high;
    return a.middle != b.middle ? a.middle < b.middle : a.low < b.low;
}

DETMATH_FUNCTION struct detmath_fixed detmath_fixed_right(struct detmath_fixed a, int by) {
    for (; by >= 64; by -= 64) {
        a.low = a.middle;
        a.middle = a.high;
        a.high = 0;
    }
    if (by > 0) {
        a.low = a.low >> by | a.middle << (64 - by);
        a.middle = a.middle >> by | a.high << (64 - by);
        a.high >>= by;
    }
    return a;
}

/* log2(1 + 2^-k) for 1 <= k <= 180, to 2^-180: beyond the table, the first term of its series. */
DETMATH_FUNCTION struct detmath_fixed detmath_fixed_step(int k) {
    struct detmath_fixed step = detmath_pow_steps[k <= 90 ? k - 1 : 90];
    return k <= 90 ? step : detmath_fixed_right(step, k);
}

/* e + log2 m for 1 <= m < 2, as a signed number: 2 is m times those 1 + 2^-k, each taken once,
 * that do not carry it beyond. What then lacks is less than 2^-180 of it and what each of the 180
 * steps cuts off, in all less than 2^-171. */
DETMATH_FUNCTION struct detmath_fixed detmath_fixed_log2_of(detmath_i32 e, struct detmath_fixed m) {
    struct detmath_fixed two = {0x20000000000000u, 0, 0}, sum = {0, 0, 0};
    for (int k = 1; k <= 180; k++) {
        struct detmath_fixed next = detmath_fixed_add(m, detmath_fixed_right(m, k));
        if (!detmath_fixed_less(two, next)) {
            m = next;
            sum = detmath_fixed_add(sum, detmath_fixed_step(k));
        }
    }
    struct detmath_fixed exponent = {(detmath_u64)(detmath_i64)(e + 1) << 52, 0, 0};
    return detmath_fixed_add(exponent, detmath_fixed_negate(sum));
}

/* x = 2^*e m for x > 0 that is normal in fp64: m, which is returned, in [1, 2). */
DETMATH_FUNCTION struct detmath_fixed detmath_fixed_split(double x,
                                                          DETMATH_PRIVATE detmath_i32 *e) {
    detmath_u64 bits = detmath_bits_f64(x);
    struct detmath_fixed m = {(bits & 0xfffffffffffffu) | 0x10000000000000u, 0, 0};
    *e = (detmath_i32)(bits >> 52 & 0x7ffu) - 1023;
    return m;
}

DETMATH_FUNCTION struct detmath_fixed detmath_fixed_log2(double x) {
    detmath_i32 e;
    struct detmath_fixed m = detmath_fixed_split(x, &e);
    return detmath_fixed_log2_of(e, m);
}

/* a * y for y of at most 24 bits, where |a y| < 2^10: the significand's bits, highest first, add up
 * |a|, which is shifted right before, or the sum left after. */
DETMATH_FUNCTION struct detmath_fixed detmath_fixed_times(struct detmath_fixed a, double y) {
    detmath_u64 bits = detmath_bits_f64(y), negative = a.high >> 63;
    detmath_u32 significand = (detmath_u32)((bits & 0xfffffffffffffu) >> 29) | 0x800000u;
    int exponent = (int)(bits >> 52 & 0x7ffu) - 1023 - 23;
    struct detmath_fixed product = {0, 0, 0};
    a = detmath_fixed_right(negative ? detmath_fixed_negate(a) : a, exponent < 0 ? -exponent : 0);
    for (int i = 23; i >= 0; i--) {
        product = detmath_fixed_add(product, product);
        if (significand >> i & 1u)
            product = detmath_fixed_add(product, a);
    }
    for (int i = 0; i < exponent; i++)
        product = detmath_fixed_add(product, product);
    return negative ^ (bits >> 63) ? detmath_fixed_negate(product) : product;
}

/* y log2 x. The error is less than 2^-139, for |y| < 2^32, as |log2 x| >= 2^-24 or x is 1. */
DETMATH_FUNCTION struct detmath_fixed detmath_fixed_pow_product(double x, double y) {
    return detmath_fixed_times(detmath_fixed_log2(x), y);
}

/* 2^p in double, rounded to odd, for |p| < 200: what a format rounds from that is rounded once. 2^f
 * is made from f as the logarithm is, with an error of 2^-170 besides that of p. A power that comes
 * within 2^-136 of a number of fp64 is taken for that number. So where x^y is the middle between
 * two numbers of a format, that tie is broken to even; and what is no tie is rounded right unless
 * it is within 2^-136 of one. That no power is so near is not proved, but there are fewer than 2^63
 * pairs, of which the nearest to one of the 2^24 ties of a binade is to be expected at 2^-87. */
DETMATH_FUNCTION double detmath_fixed_exp2(struct detmath_fixed p) {
    struct detmath_fixed a = {0x10000000000000u, 0, 0};
    detmath_u64 n = (p.high + 0x8000000000000000u) >> 52; /* 2048 more than the exponent */
    p.high &= 0xfffffffffffffu;
    for (int k = 1; k <= 180; k++) {
        struct detmath_fixed step = detmath_fixed_step(k);
        if (!detmath_fixed_less(p, step)) {
            p = detmath_fixed_add(p, detmath_fixed_negate(step));
            a = detmath_fixed_add(a, detmath_fixed_right(a, k));
        }
    }
    struct detmath_fixed near = {0, 0, (detmath_u64)1 << 44}; /* 2^-136 */
    a = detmath_fixed_add(a, near);
    detmath_u64 exact = a.middle == 0 && a.low >> 45 == 0;
    a.high |= !exact;
    return detmath_from_bits_f64(a.high + ((n - 2048u + 1022u) << 52));
}

/* The functions that follow from
 *   detmath_NAME_special(x, y, power)       the bits of the result, given those of the power
 *   detmath_core_NAME_product(x, y)         log2 of the power in double, to 2^-50 of itself
 *   detmath_fixed_NAME_product(x, y)        the same as detmath_fixed_exp2 takes it
 *   detmath_pow_BASE(x)                     what those two take for x: |x|, or x
 *   detmath_NAME_outside(x, y)              whether quick ways are in doubt, whatever the power
 * are correctly rounded, but for what detmath_fixed_exp2 says. The power in double is right to 2^-43
 * of itself, as |log2| < 2^7.3 wherever the result is neither 0 nor infinite: where adding and
 * taking 2^-41 makes no difference in rounding, that is proved right. */
#define DETMATH_POWER_ROUNDED(NAME, BASE)                                                          \
    DETMATH_FUNCTION detmath_u32 detmath_cr_##NAME##_code(detmath_u32 x, detmath_u32 y,            \
                                                          struct detmath_format format) {          \
        const detmath_u32 ordinary = 1; /* no result of a special case */                          \
        double a = detmath_decode(x, format), b = detmath_decode(y, format);                       \
        detmath_u32 special =                                                                      \
            detmath_##NAME##_special(detmath_encode(a, detmath_formats[DETMATH_F32]),              \
                                     detmath_encode(b, detmath_formats[DETMATH_F32]), ordinary);   \
        if (detmath_signals_code(x, format) || detmath_signals_code(y, format))                    \
            return format.nan;                                                                     \
        if ((special & 0x7fffffffu) != ordinary)                                                   \
            return detmath_encode(detmath_decode(special, detmath_formats[DETMATH_F32]), format);  \
        detmath_u64 sign = (detmath_u64)(special >> 31) << 63;                                     \
        a = detmath_pow_##BASE(a);                                                                 \
        double quick = detmath_core_exp2(detmath_core_##NAME##_product(a, b));                     \
        detmath_u64 bits = detmath_bits_f64(quick) | sign;                                         \
        detmath_u32 below =                                                                        \
            detmath_encode(detmath_from_bits_f64(bits - DETMATH_POW_WINDOW), format);              \
        detmath_u32 above =                                                                        \
            detmath_encode(detmath_from_bits_f64(bits + DETMATH_POW_WINDOW), format);              \
        if (below == above)                                                                        \
            return below;                                                                          \
        double exact = detmath_fixed_exp2(detmath_fixed_##NAME##_product(a, b));                   \
        return detmath_encode(detmath_from_bits_f64(detmath_bits_f64(exact) | sign), format);      \
    }                                                                                              \
    DETMATH_FUNCTION float detmath_cr_##NAME##_quick(float x, float y,                             \
                                                     DETMATH_PRIVATE detmath_u32 *doubt) {         \
        double p = detmath_core_##NAME##_product((double)x, (double)y);                            \
        *doubt |= detmath_##NAME##_outside(x, y) | detmath_pow_outside_powers((float)p);           \
        return detmath_round_normal(detmath_core_exp2(p), DETMATH_POW_WINDOW, doubt);              \
    }                                                                                              \
    DETMATH_FUNCTION float detmath_cr_##NAME##f(float x, float y) {                                \
        detmath_u32 a = detmath_bits_f32(x), b = detmath_bits_f32(y);                              \
        detmath_u32 doubt = (b & 0x7fffffffu) - 1u < 0x007fffffu; /* flushed, it might be 0 */     \
        double base = detmath_pow_##BASE((double)x);                                               \
        double core = detmath_core_exp2(detmath_core_##NAME##_product(base, (double)y));           \
        float quick = detmath_round_quick(x, core, DETMATH_POW_WINDOW, &doubt);                    \
        detmath_u32 power = doubt ? detmath_cr_##NAME##_code(a, b, detmath_formats[DETMATH_F32])   \
                                  : detmath_##NAME##_special(a, b, detmath_bits_f32(quick));       \
        return detmath_from_bits_f32(power);                                                       \
    }

DETMATH_FUNCTION double detmath_pow_signed(double x) {
    return x;
}

DETMATH_FUNCTION double detmath_pow_magnitude(double x) {
    return detmath_from_bits_f64(detmath_bits_f64(x) & 0x7fffffffffffffffu);
}

DETMATH_POWER_ROUNDED(pow, magnitude)

#endif

#include "shield_end.inc"

#endif
