/* sigmoid, silu, mish, softplus, logsigmoid: what e^-|x| is enough for.
 *
 * sigmoid(x) = 1 / (1 + e^-x), silu(x) = x sigmoid(x), mish(x) = x tanh(softplus(x)), softplus(x) =
 * ln(1 + e^x), logsigmoid(x) = -softplus(-x). At -inf they give 0, -0, -0, 0, -inf, at inf 1, inf,
 * inf, inf, -0; NaN is the canonical one. The errors are the budgets in functions.inc; they are
 * less where the result is not subnormal. There are no coefficients here but those of exp.h and
 * log.h. */
#ifndef DETMATH_SIGMOID_H
#define DETMATH_SIGMOID_H

#include "core.h"
#include "exp.h"
#include "log.h"
#include "parts.h"
#include "round.h"

#include "shield.inc"

/* e^-(d + d_low) = 2^*n times the result, its first part the sum rounded, for d >= 0 and a d_low
 * that d is the rounded sum with; d beyond 120 counts as that. */
DETMATH_FUNCTION struct detmath_parts detmath_sigmoid_power(float d, float d_low,
                                                            DETMATH_PRIVATE detmath_i32 *n) {
    float bounded = d > 120.0f ? -120.0f : -d;
    float k = detmath_exp_integer(detmath_fmaf(bounded, 0x1.715476p0f, 0x1.8p23f), n);
    float exact = detmath_fmaf(k, -0x1.62e4p-1f, bounded);
    float r = detmath_fmaf(k, -0x1.7f7d1cp-20f, exact);
    float low = detmath_fmaf(k, -0x1.7f7d1cp-20f, exact - r);
    float sum = 1.0f + r;
    float rest = ((1.0f - sum) + r) + detmath_exp_tail(r, low);
    struct detmath_parts e;
    e.high = sum + rest;
    e.low = detmath_fmaf(-e.high, d_low, rest - (e.high - sum));
    return e;
}

/* e * 2^n for n <= 0, as if n were -60 where it is below: for sums with something near 1. */
DETMATH_FUNCTION struct detmath_parts detmath_parts_scaled(struct detmath_parts e, detmath_i32 n) {
    float power = detmath_from_bits_f32((detmath_u32)(127 + (n < -60 ? -60 : n)) << 23);
    e.high = detmath_productf(e.high, power);
    e.low = detmath_productf(e.low, power);
    return e;
}

/* a / b rounded, for 1 <= b.high < 8. The first guess of 1/b, a straight line in the bits, is right
 * to 6 %, which three steps take to 2^-24 or so. */
DETMATH_FUNCTION float detmath_parts_quotient(struct detmath_parts a, struct detmath_parts b) {
    float reciprocal = detmath_from_bits_f32(0x7ef311c7u - detmath_bits_f32(b.high));
    float error = detmath_fmaf(-b.high, reciprocal, 1.0f);
    reciprocal = detmath_fmaf(reciprocal, error, reciprocal);
    error = detmath_fmaf(-b.high, reciprocal, 1.0f);
    reciprocal = detmath_fmaf(reciprocal, error, reciprocal);
    error = detmath_fmaf(-b.high, reciprocal, 1.0f);
    reciprocal = detmath_fmaf(reciprocal, error, reciprocal);
    float quotient = detmath_productf(a.high, reciprocal);
    float rest = detmath_fmaf(-quotient, b.high, a.high); /* exact */
    rest += detmath_fmaf(-quotient, b.low, a.low);
    return detmath_fmaf(reciprocal, rest, quotient);
}

/* x = 2^*n times the result, whose magnitude is in [1, 2); x = 0 counts as something below 2^-250,
 * and x below -120 as that. */
DETMATH_FUNCTION float detmath_gate_operand(float x, DETMATH_PRIVATE detmath_i32 *n) {
    detmath_i32 up;
    detmath_u32 bits = detmath_bits_f32(x);
    /* As integers: a choice of floats may be an instruction that takes subnormals for 0. */
    bits = bits > 0xc2f00000u ? 0xc2f00000u : bits; /* -120 */
    detmath_u32 normal = detmath_normalized_f32(bits & 0x7fffffffu, &up);
    *n = (detmath_i32)(normal >> 23) - 127 - up;
    return detmath_from_bits_f32((bits & 0x80000000u) | (normal & 0x007fffffu) | 0x3f800000u);
}

/* 1 / (1 + e^-x); error at most 0.5612 ulp where the result is normal. With e = e^-|x| it is
 * 1 / (1 + e) or e / (1 + e). */
DETMATH_FUNCTION float detmath_sigmoidf(float x) {
    detmath_i32 n;
    detmath_u32 negative = detmath_bits_f32(x) >> 31;
    float d = detmath_from_bits_f32(detmath_magnitude_f32(x));
    struct detmath_parts one = detmath_parts_of(1.0f), e = detmath_sigmoid_power(d, 0.0f, &n);
    struct detmath_parts below = detmath_parts_sum(one, detmath_parts_scaled(e, n));
    e.high = negative ? e.high : 1.0f;
    e.low = negative ? e.low : 0.0f;
    float y = detmath_scale_f32(detmath_parts_quotient(e, below), negative ? n : 0);
    return detmath_unless_nan(x, y);
}

/* x / (1 + e^-x) = 2^*n above / below. */
DETMATH_FUNCTION struct detmath_parts
detmath_silu_quotient(float x, DETMATH_PRIVATE detmath_i32 *n,
                      DETMATH_PRIVATE struct detmath_parts *below) {
    detmath_i32 m;
    detmath_u32 negative = detmath_bits_f32(x) >> 31;
    float d = detmath_from_bits_f32(detmath_magnitude_f32(x));
    struct detmath_parts one = detmath_parts_of(1.0f), e = detmath_sigmoid_power(d, 0.0f, n);
    *below = detmath_parts_sum(one, detmath_parts_scaled(e, *n));
    e.high = negative ? e.high : 1.0f;
    e.low = negative ? e.low : 0.0f;
    e = detmath_parts_product(e, detmath_parts_of(detmath_gate_operand(x, &m)));
    *n = negative ? m + *n : m;
    return e;
}

/* x / (1 + e^-x); error at most 0.5692 ulp where the result is normal. */
DETMATH_FUNCTION float detmath_siluf(float x) {
    detmath_i32 n;
    struct detmath_parts below, above = detmath_silu_quotient(x, &n, &below);
    float y = detmath_scale_f32(detmath_parts_quotient(above, below), n);
    return detmath_unless_nan(x, y);
}

/* x tanh(ln(1 + e^x)); error at most 0.5709 ulp where the result is normal. With e =
 * e^-|x| the factor of x is p / (p + 2) for p = e (e + 2), or p / (p + 2 e^2) for p = 1 + 2 e. */
DETMATH_FUNCTION float detmath_mishf(float x) {
    detmath_i32 n, m;
    detmath_u32 negative = detmath_bits_f32(x) >> 31;
    float d = detmath_from_bits_f32(detmath_magnitude_f32(x));
    struct detmath_parts unscaled = detmath_sigmoid_power(d, 0.0f, &n);
    struct detmath_parts e = detmath_parts_scaled(unscaled, n), two_e, above, p, rest;
    two_e.high = e.high + e.high;
    two_e.low = e.low + e.low;
    above = detmath_parts_product(unscaled, detmath_parts_sum(detmath_parts_of(2.0f), e));
    p = detmath_parts_sum(detmath_parts_of(1.0f), two_e);
    rest = detmath_parts_scaled(above, n);
    struct detmath_parts below = detmath_parts_sum(detmath_parts_of(2.0f), rest);
    struct detmath_parts other = detmath_parts_sum(p, detmath_parts_product(two_e, e));
    above.high = negative ? above.high : p.high;
    above.low = negative ? above.low : p.low;
    below.high = negative ? below.high : other.high;
    below.low = negative ? below.low : other.low;
    above = detmath_parts_product(above, detmath_parts_of(detmath_gate_operand(x, &m)));
    float y = detmath_scale_f32(detmath_parts_quotient(above, below), negative ? m + n : m);
    return detmath_unless_nan(x, y);
}

/* base + ln(1 + e), for e in [0, 1] that is 0 or above 2^-61: base + k ln 2 + ln(1 + f), k = 0
 * or 1.
 */
DETMATH_FUNCTION float detmath_softplus_sum(float base, struct detmath_parts e) {
    detmath_u32 upper = (0x3ed40000u - detmath_bits_f32(e.high)) >> 31; /* of 0x1.a8p-2 */
    float k = detmath_from_bits_f32(upper * 0x3f800000u);
    float offset = detmath_from_bits_f32(upper * 0xbf000000u), scale = 1.0f + offset;
    float scaled = detmath_productf(e.high, scale);
    float f = offset + scaled;
    float f_low = detmath_fmaf(e.low, scale, (offset - f) + scaled);
    float low, high = detmath_log_parts(f, &low);
    low += detmath_fmaf(detmath_fmaf(f, f, -f), f_low, f_low); /* f_low / (1 + f) */
    low = detmath_fmaf(k, 0x1.7f7d1cp-20f, low);
    k = detmath_productf(k, 0x1.62e4p-1f);
    float sum = k + high;
    low += (k - sum) + high;
    float y = base + sum, part = y - base;
    return y + (((base - (y - part)) + (sum - part)) + low);
}

/* softplus(x). Far on the left it is e^x. Conditions are on the bits, as several on x itself would
 * become branches. */
DETMATH_FUNCTION float detmath_softplus_part(float x) {
    detmath_i32 n;
    detmath_u32 bits = detmath_bits_f32(x), negative = bits >> 31;
    float d = detmath_from_bits_f32(bits & 0x7fffffffu);
    struct detmath_parts e = detmath_sigmoid_power(d, 0.0f, &n);
    float base = detmath_from_bits_f32(bits & (negative - 1u));
    float y = detmath_softplus_sum(base, detmath_parts_scaled(e, n));
    float tail = detmath_scale_f32(e.high, n);
    y = (negative & (detmath_u32)(n < -57)) != 0u ? tail : y;
    return bits == DETMATH_INFINITY_BITS ? x : y; /* not inf - inf */
}

/* ln(1 + e^x); error at most 0.6665 ulp where the result is normal. */
DETMATH_FUNCTION float detmath_softplusf(float x) {
    return detmath_unless_nan(x, detmath_softplus_part(x));
}

/* -ln(1 + e^-x); the same error. CUDA's -ftz=true has a minus of floats flush subnormal numbers. */
DETMATH_FUNCTION float detmath_logsigmoidf(float x) {
    detmath_u32 bits = detmath_bits_f32(detmath_softplus_part(-x)) ^ detmath_minus_zero_bits();
    return detmath_unless_nan(x, detmath_from_bits_f32(bits));
}

#if !defined(DETMATH_NO_DOUBLE)

/* The cores take the value of any fp32 number and are precise to about 2^-52. They divide: in
 * double that is correctly rounded in every language this is written in. */

/* e = e^-|x| and e - 1. */
DETMATH_FUNCTION double detmath_core_sigmoid_power(double x, double *less_one) {
    detmath_i64 n;
    double d = detmath_from_bits_f64(detmath_bits_f64(x) | 0x8000000000000000u);
    double r = detmath_core_exp_reduce(detmath_core_clamp(d, -200.0, 0.0), &n);
    double slope = detmath_core_exp_slope(r), power = detmath_power_of_two(n);
    *less_one = detmath_exact_product(detmath_fma(r, slope, 1.0 - detmath_power_of_two(-n)), power);
    return detmath_exact_product(detmath_fma(r, slope, 1.0), power);
}

/* a + b for |a| >= |b| or a = 0, rounded to odd: an inexact sum gets its last bit set, so that it
 * is never the middle between two numbers of a format unless a + b is. */
DETMATH_FUNCTION double detmath_core_odd_sum(double a, double b) {
    double sum = a + b, rest = (a - sum) + b;
    detmath_u64 bits = detmath_bits_f64(sum);
    detmath_u64 even = rest != 0.0 ? ~bits & 1u : 0u;
    /* Away from zero where the rest has the sum's sign. */
    return detmath_from_bits_f64((rest > 0.0) == (sum > 0.0) ? bits + even : bits - even);
}

/* *part + the result is sigmoid(x), *part being 1/2 near 0, where the sigmoid is so near to
 * 1/2 + x/4 that a double cannot tell it from middles between floats. */
DETMATH_FUNCTION double detmath_core_sigmoid_parts(double x, double *part) {
    double less_one, e = detmath_core_sigmoid_power(x, &less_one);
    detmath_u64 bits = detmath_bits_f64(x);
    detmath_u64 near = (bits & 0x7fffffffffffffffu) < 0x3ff0000000000000u, negative = bits >> 63;
    double above = negative ? e : 1.0, centered = negative ? 0.5 : -0.5;
    centered = detmath_product(less_one, centered);
    *part = near ? 0.5 : 0.0;
    return (near ? centered : above) / (2.0 + less_one);
}

DETMATH_FUNCTION double detmath_core_sigmoid(double x) {
    double part, rest = detmath_core_sigmoid_parts(x, &part);
    return x == x ? detmath_core_odd_sum(part, rest) : x;
}

DETMATH_FUNCTION double detmath_core_silu(double x) {
    double part, rest = detmath_core_sigmoid_parts(x, &part);
    double bounded = detmath_core_clamp(x, -1000.0, 0x1p200);
    return detmath_core_odd_sum(detmath_product(bounded, part), detmath_product(bounded, rest));
}

DETMATH_FUNCTION double detmath_core_mish(double x) {
    double less_one, e = detmath_core_sigmoid_power(x, &less_one);
    double bounded = x < -1000.0 ? -1000.0 : x;
    detmath_u64 negative = detmath_bits_f64(x) >> 63;
    double left = detmath_product(e, e + 2.0), right = detmath_fma(e, 2.0, 1.0);
    double other = detmath_fma(detmath_product(e, 2.0), e, right);
    double above = negative ? left : right, below = negative ? left + 2.0 : other;
    return detmath_product(bounded, above / below);
}

DETMATH_FUNCTION double detmath_core_softplus(double x) {
    double less_one, e = detmath_core_sigmoid_power(x, &less_one);
    double y = (x > 0.0 ? x : 0.0) + detmath_core_log1p(e);
    return x == x ? y : x;
}

DETMATH_FUNCTION double detmath_core_logsigmoid(double x) {
    return -detmath_core_softplus(-x);
}

/* By trial of all 2^32 inputs. */
DETMATH_EXCEPTIONS(sigmoid) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(silu) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(mish) = {{0xb3a00000u, 0xb33fffffu}, DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(softplus) = {{0x39ea41d0u, 0x3f3180bdu}, DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(logsigmoid) = {{0xb9ea41d0u, 0xbf3180bdu}, DETMATH_NO_MORE};

DETMATH_CORRECTLY_ROUNDED(sigmoid, 16)
DETMATH_CORRECTLY_ROUNDED(silu, 16)
DETMATH_CORRECTLY_ROUNDED(mish, 16)
DETMATH_CORRECTLY_ROUNDED(softplus, 16)
DETMATH_CORRECTLY_ROUNDED(logsigmoid, 16)

#endif

#include "shield_end.inc"

#endif
