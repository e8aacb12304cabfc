/* logaddexp(x, y) = ln(e^x + e^y) = max + ln(1 + e^-d) with d = |x - y|.
 *
 * det takes three ways. Where max and the logarithm do not cancel, their sum. Where they do, what
 * an approximate result leaves of it, within 2^-43 of max: of a result of 2^-17 max or more that is
 * a quarter of an ulp. Below that, and below 2^-30 where the parts of e^x lose bits, in integers
 * (logaddexp_fixed.h). The largest error found (functions.inc) is of operands between -3 and -1/32.
 *
 * NaN in gives the canonical NaN, else an operand inf gives inf; with -inf the result is the other
 * operand, but +0 for -0. */
#ifndef DETMATH_LOGADDEXP_H
#define DETMATH_LOGADDEXP_H

#include "core.h"
#include "log.h"
#include "logaddexp_fixed.h"
#include "parts.h"
#include "round.h"
#include "sigmoid.h"

#include "shield.inc"

/* base + e 2^n for n < -57: base itself unless that is tiny too, and then in steps of 2^-149 that
 * are rounded to last. */
DETMATH_FUNCTION float detmath_logaddexp_tail(float base, struct detmath_parts e, detmath_i32 n) {
    detmath_i32 m;
    float operand = detmath_gate_operand(base, &m);
    float raised = detmath_scale_f32(operand, m + 100), power = detmath_scale_f32(1.0f, n + 100);
    float added = detmath_productf(e.high, power);
    float sum = raised + added, part = sum - raised;
    float rest = (raised - (sum - part)) + (added - part);
    sum += detmath_fmaf(e.low, power, rest);
    float y = detmath_scale_f32(sum, -100);
    return detmath_magnitude_f32(base) < 0x30800000u ? y : base; /* 2^-30 */
}

/* The larger and the smaller operand, chosen as integers: the larger of two floats may be an
 * instruction that takes subnormals for 0. Below the sign, the bits of negative numbers run the
 * other way. */
DETMATH_FUNCTION float detmath_logaddexp_most(float x, float y, DETMATH_PRIVATE float *least) {
    detmath_u32 a = detmath_bits_f32(x), b = detmath_bits_f32(y);
    detmath_u32 a_order = a >> 31 ? ~a : a | 0x80000000u;
    detmath_u32 b_order = b >> 31 ? ~b : b | 0x80000000u;
    *least = detmath_from_bits_f32(a_order > b_order ? b : a);
    return detmath_from_bits_f32(a_order > b_order ? a : b);
}

/* Where e^x + e^y is near 1, the larger operand and ln(1 + e^-d) cancel, and two parts of 24 bits
 * are too few. The sum here is right where it is negative and as large as half the larger operand,
 * or positive and as large as that: either way the logarithm is at most twice the sum. Elsewhere it
 * is in doubt. */
DETMATH_FUNCTION float detmath_logaddexp_quick(float x, float y,
                                               DETMATH_PRIVATE detmath_u32 *doubt) {
    detmath_i32 n;
    float least, most = detmath_logaddexp_most(x, y, &least);
    float d = most - least, part = d - most;
    float lost = (most - (d - part)) - (least + part);
    lost = d < 120.0f ? lost : 0.0f;
    struct detmath_parts e = detmath_sigmoid_power(d, lost, &n);
    float sum = detmath_softplus_sum(most, detmath_parts_scaled(e, n));
    float tail = detmath_logaddexp_tail(most, e, n);
    sum = n < -57 ? tail : sum;
    sum = detmath_magnitude_f32(most) == DETMATH_INFINITY_BITS ? most : sum;
    detmath_u32 size = detmath_magnitude_f32(most), less = detmath_magnitude_f32(sum) - size;
    less += detmath_bits_f32(sum) >> 31 << 23;
    *doubt |= less & detmath_bits_f32(most) & 0x80000000u;
    return detmath_unless_nan(x, detmath_unless_nan(y, sum));
}

/* c + r p, for c.high above that, to about 2^-47 of it. */
DETMATH_FUNCTION struct detmath_parts
detmath_logaddexp_step(struct detmath_parts r, struct detmath_parts p, float c, float c_low) {
    struct detmath_parts term;
    term.high = c;
    term.low = c_low;
    return detmath_parts_sum(term, detmath_parts_product(r, p));
}

/* e^(x + low) = 2^*n (1 + what is returned), which is precise to 2^-45, for -60 < x <= 0. ln 2 is
 * in three parts. The series, right to 2^-45.08 (exp_series), has 1/7! and what follows in one
 * part: they make 2^-21 of its sum. */
DETMATH_FUNCTION struct detmath_parts detmath_logaddexp_power(float x, float low,
                                                              DETMATH_PRIVATE detmath_i32 *n) {
    float k = detmath_exp_integer(detmath_fmaf(x, 0x1.715476p0f, 0x1.8p23f), n);
    float exact = detmath_fmaf(k, -0x1.62e4p-1f, x),
          product = detmath_productf(k, -0x1.7f7d1cp-20f);
    float sum = exact + product, part = sum - exact;
    low += (exact - (sum - part)) + (product - part);
    low += detmath_fmaf(k, -0x1.7f7d1cp-20f, -product);
    low = detmath_fmaf(k, -0x1.ef357ap-45f, low);
    struct detmath_parts r, p;
    r.high = sum + low;
    r.low = (sum - r.high) + low;
    float q = detmath_fmaf(r.high, 0x1.ae6456p-26f, 0x1.27e4fcp-22f);
    q = detmath_fmaf(r.high, q, 0x1.71de3ap-19f);
    q = detmath_fmaf(r.high, q, 0x1.a01a02p-16f);
    p = detmath_parts_of(detmath_fmaf(r.high, q, 0x1.a01a02p-13f));
    p = detmath_logaddexp_step(r, p, 0x1.6c16c2p-10f, -0x1.27d27ep-35f);
    p = detmath_logaddexp_step(r, p, 0x1.111112p-7f, -0x1.dddddep-32f);
    p = detmath_logaddexp_step(r, p, 0x1.555556p-5f, -0x1.555556p-30f);
    p = detmath_logaddexp_step(r, p, 0x1.555556p-3f, -0x1.555556p-28f);
    p = detmath_logaddexp_step(r, p, 0.5f, 0.0f);
    return detmath_parts_sum(r, detmath_parts_product(detmath_parts_product(r, r), p));
}

/* The sum where that is in doubt, from z, which is off by s = ln(e^(x - z) + e^(y - z)): s^2 is as
 * good as nothing. x - z and y - z are exact in two parts. */
DETMATH_FUNCTION float detmath_logaddexp_near(float x, float y, float z) {
    detmath_i32 n, m;
    float a = x - z, b = y - z, a_part = a - x, b_part = b - y;
    float a_low = (x - (a - a_part)) - (z + a_part), b_low = (y - (b - b_part)) - (z + b_part);
    struct detmath_parts p = detmath_logaddexp_power(a, a_low, &n),
                         q = detmath_logaddexp_power(b, b_low, &m);
    p = detmath_parts_scaled(p, n);
    q = detmath_parts_scaled(q, m);
    /* 2^n - 1 + 2^m + p + q, where the powers are exact in two parts, too. */
    float power = detmath_parts_scaled(detmath_parts_of(1.0f), n).high - 1.0f;
    float other = detmath_parts_scaled(detmath_parts_of(1.0f), m).high;
    float base = power + other, rest = (power - base) + other;
    float once = base + p.high, part = once - base;
    rest += (base - (once - part)) + (p.high - part);
    float twice = once + q.high;
    part = twice - once;
    rest += (once - (twice - part)) + (q.high - part);
    return z + (twice + (rest + (p.low + q.low)));
}

/* ln(e^x + e^y). Three forms again: see exp.h. */
DETMATH_FUNCTION float detmath_logaddexp_full(float x, float y) {
    detmath_u32 doubt = 0;
    float least, most = detmath_logaddexp_most(x, y, &least);
    float z = detmath_logaddexp_quick(x, y, &doubt);
    if (!doubt)
        return z;
    float near = detmath_logaddexp_near(most, least, z);
    detmath_u32 size = detmath_magnitude_f32(most);
    int cancelled = size < 0x30800000u || detmath_magnitude_f32(near) + (17u << 23) < size;
    near = DETMATH_SELDOM(cancelled) ? detmath_logaddexp_cancelled(most, least) : near;
    return detmath_unless_nan(x, detmath_unless_nan(y, near));
}

DETMATH_QUICK_OR_FULL_BINARY(_logaddexp)

#if !defined(DETMATH_NO_DOUBLE)

/* logaddexp of finite doubles that are values of a format, and *added, its difference from the
 * larger operand. e^-d is within 2 units in the last place, ln(1 + e) within 2 more of what it is
 * for that e, whose relative error it does not increase: *added is within 2^-50 of itself. The sum
 * adds 2^-53 of the result. Where d is beyond 200, e^-200 in place of e^-d is as little. */
DETMATH_FUNCTION double detmath_core_logaddexp(double x, double y, double *added) {
    double most = x > y ? x : y, least = x > y ? y : x, less_one;
    double d = most - least, part = d - most;
    double lost = (most - (d - part)) - (least + part);
    double e = detmath_core_sigmoid_power(d, &less_one);
    e = detmath_fma(-lost, e, e);
    *added = detmath_core_log1p(e);
    return most + *added;
}

/* e^(x - m) for 0 < m - x < 256; x and m are multiples of 2^-220. */
DETMATH_FUNCTION struct detmath_logaddexp_fixed detmath_logaddexp_power_from(double x, double m) {
    struct detmath_logaddexp_fixed w = detmath_logaddexp_fixed_zero();
    for (int i = 0; i < 2; i++) {
        detmath_u64 bits = detmath_bits_f64(i ? x : m), exponent = bits >> 52 & 0x7ffu;
        detmath_u64 significand = (bits & 0xfffffffffffffu) | 0x10000000000000u;
        if (exponent)
            detmath_logaddexp_fixed_add(&w, significand, (detmath_i32)exponent - 1075 - 24,
                                        (detmath_u32)i ^ (detmath_u32)(bits >> 63));
    }
    return detmath_logaddexp_fixed_exp(w);
}

/* Whether ln(e^x + e^y) > m, that is e^(x - m) + e^(y - m) > 1, for x, y and m that are multiples
 * of 2^-150. By the theorem of Lindemann and Weierstrass they are never equal, as x = y = m is
 * excluded. How near to 1 the sum comes is not proved, but it is decided wherever that is beyond
 * 2^-288: as m - x or m - y is at least 2^-150, two addends that agree to 138 bits more, where 2^64
 * pairs at random agree to about 64 and no more. */
DETMATH_FUNCTION int detmath_logaddexp_exceeds(double x, double y, double m) {
    double most = x > y ? x : y, least = x > y ? y : x;
    if (m <= most)
        return 1;
    if (m - most > 0.7) /* beyond ln 2 */
        return 0;
    if (m - least > 250.0) /* e^-250 < 2^-360, less than e^(most - m) is below 1 */
        return 0;
    struct detmath_logaddexp_fixed a = detmath_logaddexp_power_from(most, m),
                                   b = detmath_logaddexp_power_from(least, m);
    detmath_u64 carry = 0;
    for (int i = 0; i < DETMATH_FIXED_WORDS; i++)
        carry = (carry + a.word[i] + b.word[i]) >> (i < DETMATH_FIXED_WORDS - 1 ? 32 : 0);
    return carry != 0;
}

/* Codes in the order of their values, -0 before +0, and back. A format without -0 has the code of
 * NaN there, which stands for 0 then. */
DETMATH_FUNCTION detmath_i32 detmath_order_of(detmath_u32 code, struct detmath_format format) {
    detmath_i32 magnitude = (detmath_i32)(code & (format.sign_bit - 1u));
    return code & format.sign_bit ? -1 - magnitude : magnitude;
}

DETMATH_FUNCTION detmath_u32 detmath_code_at(detmath_i32 order, struct detmath_format format) {
    if (order >= 0)
        return (detmath_u32)order;
    detmath_u32 code = format.sign_bit | (detmath_u32)(-1 - order);
    return code == format.nan ? 0 : code;
}

/* The code of logaddexp(x, y), finite, which is known to be low, high or between them: by bisection
 * at the middles between neighbours. */
DETMATH_FUNCTION detmath_u32 detmath_logaddexp_search(double x, double y, detmath_u32 low,
                                                      detmath_u32 high,
                                                      struct detmath_format format) {
    detmath_i32 from = detmath_order_of(low, format), to = detmath_order_of(high, format);
    while (from < to) {
        detmath_i32 at = from + (to - from) / 2;
        double below = detmath_decode(detmath_code_at(at, format), format);
        double above = detmath_decode(detmath_code_at(at + 1, format), format);
        if (detmath_logaddexp_exceeds(x, y, detmath_fma(below, 0.5, detmath_product(above, 0.5))))
            from = at + 1;
        else
            to = at;
    }
    return detmath_code_at(from, format);
}

/* Correctly rounded in any format, codes to code. */
DETMATH_FUNCTION detmath_u32 detmath_cr_logaddexp_code(detmath_u32 x_code, detmath_u32 y_code,
                                                       struct detmath_format format) {
    double x = detmath_decode(x_code, format), y = detmath_decode(y_code, format), added;
    double most = x > y ? x : y, least = x > y ? y : x;
    double infinity = detmath_from_bits_f64(0x7ff0000000000000u);
    if (x != x || y != y)
        return format.nan;
    if (most == infinity || least == -infinity)
        return most == 0.0 ? 0u : detmath_encode(most, format);
    double sum = detmath_core_logaddexp(x, y, &added);
    double magnitude = sum < 0.0 ? -sum : sum; /* twice the errors promised: */
    double error = detmath_fma(magnitude, 0x1p-52, detmath_product(added, 0x1p-49));
    detmath_u32 low = detmath_encode(sum - error, format);
    detmath_u32 high = detmath_encode(sum + error, format);
    return low == high ? low : detmath_logaddexp_search(x, y, low, high, format);
}

/* Correctly rounded in fp32. The double is right unless within 128 units of its last place from the
 * middle between two floats: where |sum| >= added / 8 its error is below 64. Elsewhere, and where
 * hardware might flush something or an operand is not finite, the other function decides. */
DETMATH_FUNCTION float detmath_cr_logaddexpf(float x, float y) {
    detmath_u32 doubt = 0, x_size = detmath_magnitude_f32(x), y_size = detmath_magnitude_f32(y);
    double added = 0, sum = detmath_core_logaddexp((double)x, (double)y, &added);
    double magnitude = sum < 0.0 ? -sum : sum;
    float quick = detmath_round_quick(x, sum, 128, &doubt);
    doubt |= (y_size - 1u < 0x007fffffu) | (x_size >= DETMATH_INFINITY_BITS) |
             (y_size >= DETMATH_INFINITY_BITS) | !(magnitude >= detmath_product(added, 0.125));
    if (!doubt)
        return quick;
    return detmath_from_bits_f32(detmath_cr_logaddexp_code(detmath_bits_f32(x), detmath_bits_f32(y),
                                                           detmath_formats[DETMATH_F32]));
}

#endif

#include "shield_end.inc"

#endif
