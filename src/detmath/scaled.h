/* Scaled numbers: data in a narrow format or fp32, and a scale beside it; they mean data * scale.
 *
 * A scale is a finite m * 2^e: one in fp32 has e = 0, a power of two m = 1 and e of 32 bits, and
 * none at all is 1. m = 0 makes the whole array zero, whatever its data. An infinite or NaN m makes
 * all results NaN. Signs are free; scales of results are positive, and the sign is in the data.
 *
 * What the scales decide is decided once, in a plan; then every element is computed in double and
 * rounded once to the format. Each double operation is within 2^-53, and the products of data and
 * scale are exact, so that what is not correctly rounded lies within 2^-50 of where the rounding
 * changes. Codes are read and made by integer operations: flushing of subnormals changes nothing.
 */
#ifndef DETMATH_SCALED_H
#define DETMATH_SCALED_H

#include "cast.h"
#include "core.h"
#include "error_function.h"
#include "exp.h"
#include "hyperbolic.h"
#include "log.h"
#include "round.h"
#include "sigmoid.h"

#if !defined(DETMATH_NO_DOUBLE)

struct detmath_scale {
    float m;
    detmath_i32 e;
};

DETMATH_FUNCTION struct detmath_scale detmath_scale_of(float m, detmath_i32 e) {
    struct detmath_scale scale = {m, e};
    return scale;
}

/* The exact value of a code, as detmath_decode, without branches. */
DETMATH_INLINED double detmath_scaled_decode(detmath_u32 code, struct detmath_format format) {
    detmath_u32 magnitude = code & (format.sign_bit - 1u);
    detmath_i32 fraction_bits = format.precision - 1;
    detmath_u64 normal = ((detmath_u64)magnitude << (52 - fraction_bits)) +
                         ((detmath_u64)(format.emin + 1022) << 52);
    double unit = detmath_power_of_two(format.emin - fraction_bits);
    detmath_u64 subnormal = detmath_bits_f64((double)(detmath_i32)magnitude * unit);
    detmath_u64 bits = magnitude >> fraction_bits ? normal : subnormal;
    detmath_u64 infinite = (magnitude == format.overflow) & (format.overflow != format.nan);
    detmath_u64 beyond = infinite ? 0x7ff0000000000000u : 0x7ff8000000000000u;
    bits = ((magnitude > format.max_finite) | (code == format.nan)) ? beyond : bits;
    return detmath_from_bits_f64(bits | ((code & format.sign_bit) ? 0x8000000000000000u : 0));
}

/* The code of y rounded once to nearest-even, as detmath_encode, without branches. */
DETMATH_INLINED detmath_u32 detmath_scaled_encode(double y, struct detmath_format format) {
    detmath_u64 bits = detmath_bits_f64(y), magnitude = bits & detmath_magnitude_mask_f64();
    detmath_i64 above = (detmath_i64)(magnitude >> 52) - (format.emin + 1023);
    detmath_u64 significand = (magnitude & 0xfffffffffffffu) | 0x10000000000000u;
    detmath_i64 wanted = 53 - format.precision - (above < 0 ? above : 0);
    detmath_u64 shift = (detmath_u64)(wanted > 63 ? 63 : wanted); /* at 63 all is less than half */
    detmath_u64 integer = significand >> shift, first = significand >> (shift - 1) & 1;
    detmath_u64 rest = significand << (65 - shift) ? 1 : 0;
    integer += first & (rest | integer);
    /* The hidden bit, or a carry into it, adds 1 to the exponent field. */
    integer += (detmath_u64)(above > 0 ? above : 0) << (format.precision - 1);
    detmath_u64 sign = bits >> 63 ? format.sign_bit : 0;
    detmath_u64 beyond = format.overflow == format.nan ? format.nan : sign | format.overflow;
    detmath_u64 code = ((integer == 0) & (sign == format.nan)) ? 0 : sign | integer;
    code = integer > format.max_finite ? beyond : code;
    return (detmath_u32)(magnitude > 0x7ff0000000000000u ? format.nan : code);
}

/* The same by the rules of a cast to nearest-even; every NaN counts as positive. */
DETMATH_INLINED detmath_u32 detmath_scaled_encode_by(double y, struct detmath_cast cast) {
    return detmath_cast_f64(y != y ? 0x7ff8000000000000u : detmath_bits_f64(y), cast, 0);
}

/* What the scales decide: multipliers of the operands, a divisor, and the result's scale. */
struct detmath_scaled_plan {
    double a, b; /* signed; 1 for an operand that is zero, 0 for one that there is not */
    double c;    /* > 0; NaN makes the results NaN */
    detmath_u32 zero_a, zero_b; /* the operand's scale is 0: its data count as 0 */
    struct detmath_scale scale;
};

/* The exact m of a scale; NaN where it is no number. */
DETMATH_FUNCTION double detmath_scale_m(struct detmath_scale scale) {
    double m = detmath_scaled_decode(detmath_bits_f32(scale.m), detmath_formats[DETMATH_F32]);
    return m - m == 0.0 ? m : detmath_from_bits_f64(0x7ff8000000000000u);
}

/* 2^n, or 2^-800 or 2^800 where n is beyond: so far that no data feel a difference. */
DETMATH_FUNCTION double detmath_scale_power(detmath_i64 n) {
    return detmath_power_of_two(n < -800 ? -800 : n > 800 ? 800 : n);
}

/* m * 2^e as a scale, m > 0: m rounded to fp32 within its normal numbers, and e to 32 bits. The
 * rest of the value is left to the data: *factor. */
DETMATH_FUNCTION struct detmath_scale detmath_scale_round(double m, detmath_i64 e, double *factor) {
    struct detmath_format fp32 = detmath_formats[DETMATH_F32];
    detmath_i64 most = 0x7fffffff, least = -most - 1;
    detmath_u32 code = detmath_encode(m, fp32);
    code = code < 0x00800000u ? 0x00800000u : code > fp32.max_finite ? fp32.max_finite : code;
    detmath_i64 kept = e < least ? least : e > most ? most : e;
    *factor = (m / detmath_scaled_decode(code, fp32)) * detmath_scale_power(e - kept);
    return detmath_scale_of(detmath_from_bits_f32(code), (detmath_i32)kept);
}

DETMATH_FUNCTION double detmath_scaled_magnitude(double x) {
    return detmath_from_bits_f64(detmath_bits_f64(x) & 0x7fffffffffffffffu);
}

/* add, sub, max, min: at the larger of the two scales, so that nothing overflows that need not. */
DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_sum(struct detmath_scale a,
                                                                    struct detmath_scale b) {
    double ma = detmath_scale_m(a), mb = detmath_scale_m(b);
    double na = detmath_scaled_magnitude(ma), nb = detmath_scaled_magnitude(mb);
    struct detmath_scaled_plan plan = {1.0, 1.0, 1.0, ma == 0.0, mb == 0.0, {1.0f, 0}};
    int first = plan.zero_b || (!plan.zero_a && (a.e > b.e || (a.e == b.e && na >= nb)));
    if (plan.zero_a && plan.zero_b)
        return plan;
    plan.c = first ? na : nb;
    plan.scale = first ? a : b;
    plan.scale.m = detmath_from_bits_f32(detmath_magnitude_f32(plan.scale.m));
    if (!plan.zero_a)
        plan.a = ma * detmath_scale_power((detmath_i64)a.e - plan.scale.e);
    if (!plan.zero_b)
        plan.b = mb * detmath_scale_power((detmath_i64)b.e - plan.scale.e);
    if (ma != ma || mb != mb) {
        plan.c = ma + mb;
        plan.scale = detmath_scale_of(1.0f, 0);
    }
    return plan;
}

/* mul and div: at the product or quotient of the scales. plan.a is what that leaves to the data:
 * 1 or -1 where the scale is exact, as powers of two are. */
DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_factor(double m, detmath_i64 e,
                                                                       double ma, double mb) {
    struct detmath_scaled_plan plan = {1.0, 1.0, 1.0, ma == 0.0, mb == 0.0, {1.0f, 0}};
    if (ma != ma || mb != mb)
        plan.c = ma + mb;
    if (plan.zero_a || plan.zero_b || plan.c != plan.c)
        return plan;
    plan.scale = detmath_scale_round(detmath_scaled_magnitude(m), e, &plan.a);
    plan.a = m < 0.0 ? -plan.a : plan.a;
    return plan;
}

DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_product(struct detmath_scale a,
                                                                        struct detmath_scale b) {
    double ma = detmath_scale_m(a), mb = detmath_scale_m(b);
    return detmath_scaled_plan_factor(detmath_product(ma, mb), (detmath_i64)a.e + b.e, ma, mb);
}

DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_quotient(struct detmath_scale a,
                                                                         struct detmath_scale b) {
    double ma = detmath_scale_m(a), mb = detmath_scale_m(b);
    return detmath_scaled_plan_factor(ma / mb, (detmath_i64)a.e - b.e, ma, mb);
}

/* relu, reduce_max, gelu, softmax: the scale stays, without its sign, which plan.a is. plan.b is
 * the scale as a number, for functions that are not linear. */
DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_one(struct detmath_scale a) {
    double m = detmath_scale_m(a);
    struct detmath_scaled_plan plan = {1.0, 1.0, 1.0, m == 0.0, 0, {1.0f, 0}};
    if (m != m)
        plan.c = m;
    if (m == 0.0 || m != m)
        return plan;
    plan.a = m < 0.0 ? -1.0 : 1.0;
    plan.b = detmath_scaled_magnitude(m) * detmath_scale_power(a.e);
    plan.scale = detmath_scale_of(detmath_from_bits_f32(detmath_magnitude_f32(a.m)), a.e);
    return plan;
}

/* Elements: data in, data out, in double; to be rounded to the format by who calls. */
DETMATH_INLINED double detmath_scaled_add_element(double x, double y,
                                                  struct detmath_scaled_plan plan) {
    x = plan.zero_a ? 0.0 : x;
    y = plan.zero_b ? 0.0 : y;
    return detmath_fma(plan.a, x, detmath_product(plan.b, y)) / plan.c;
}

DETMATH_INLINED double detmath_scaled_sub_element(double x, double y,
                                                  struct detmath_scaled_plan plan) {
    x = plan.zero_a ? 0.0 : x;
    y = plan.zero_b ? 0.0 : y;
    return detmath_fma(plan.a, x, detmath_product(-plan.b, y)) / plan.c;
}

DETMATH_INLINED double detmath_scaled_mul_element(double x, double y,
                                                  struct detmath_scaled_plan plan) {
    x = plan.zero_a ? 0.0 : x;
    y = plan.zero_b ? 0.0 : y;
    return detmath_product(x, y) * plan.a / plan.c;
}

DETMATH_INLINED double detmath_scaled_div_element(double x, double y,
                                                  struct detmath_scaled_plan plan) {
    x = plan.zero_a ? 0.0 : x;
    y = plan.zero_b ? 0.0 : y;
    return x / y * plan.a / plan.c;
}

/* NaN where either is; +0 is above -0. */
DETMATH_INLINED double detmath_scaled_larger(double u, double v) {
    detmath_u64 both = detmath_bits_f64(u) & detmath_bits_f64(v);
    double larger = u > v ? u : v;
    larger = u == v ? detmath_from_bits_f64(u == 0.0 ? both : detmath_bits_f64(u)) : larger;
    return u != u ? u : larger;
}

DETMATH_INLINED double detmath_scaled_max_element(double x, double y,
                                                  struct detmath_scaled_plan plan) {
    x = plan.zero_a ? 0.0 : x;
    y = plan.zero_b ? 0.0 : y;
    return detmath_scaled_larger(plan.a * x, plan.b * y) / plan.c;
}

DETMATH_INLINED double detmath_scaled_min_element(double x, double y,
                                                  struct detmath_scaled_plan plan) {
    x = plan.zero_a ? 0.0 : x;
    y = plan.zero_b ? 0.0 : y;
    return -detmath_scaled_larger(-(plan.a * x), -(plan.b * y)) / plan.c;
}

DETMATH_INLINED double detmath_scaled_relu_element(double x, double unused,
                                                   struct detmath_scaled_plan plan) {
    (void)unused;
    x = plan.zero_a ? 0.0 : x;
    return detmath_scaled_larger(plan.a * x, 0.0) / plan.c;
}

/* The sum of (-1)^n (2n-1)!! / v^2n for v > 14.4, in w = 1 / v^2: Phi(-v) v / phi(v). */
DETMATH_FUNCTION double detmath_scaled_tail_series(double w) {
    double sum = 1.0;
    for (int n = 12; n > 0; n--)
        sum = detmath_fma(-detmath_product(w, (double)(2 * n - 1)), sum, 1.0);
    return sum;
}

/* x Phi(v) for |v| < 2^-25, v of the sign of x: x (1/2 + v / sqrt(2 pi)) to well below an ulp, and
 * never x/2 itself, which a format may round to either side. */
DETMATH_FUNCTION double detmath_scaled_about_half(double x, double v) {
    double middle = x * 0.5, y = detmath_fma(x, v * 0x1.9884533d43651p-2, middle);
    detmath_u64 bits = detmath_bits_f64(middle);
    double beside = detmath_from_bits_f64(detmath_bits_f64(x) >> 63 ? bits - 1u : bits + 1u);
    return x == 0.0 ? x : y == middle ? beside : y;
}

/* gelu(v) = v Phi(v), so with v = s x the data are gelu(s x) / s = x Phi(s x), at the scale s: no
 * larger than x, and about x/2 where s x is tiny, so that nothing overflows or is lost however
 * large or small the scale. Below v = -14.4, where the kernel of gelu ends since its results in
 * fp32 are 0 there, Phi is its asymptotic series. */
DETMATH_FUNCTION double detmath_scaled_gelu_element(double x, double unused,
                                                    struct detmath_scaled_plan plan) {
    (void)unused;
    x = plan.zero_a ? 0.0 : plan.a * x;
    double v = x * plan.b;
    if (v != v || x - x != 0.0) /* NaN, or infinite */
        return (x < 0.0 ? -0.0 : x) / plan.c;
    if (detmath_scaled_magnitude(v) < 0x1p-25)
        return detmath_scaled_about_half(x, v) / plan.c;
    if (v > -14.4)
        return detmath_core_gelu(v) / plan.b / plan.c;
    if (v < -20.0) /* below 2^-288 of x */
        return -0.0 / plan.c;
    double density = detmath_core_exp(detmath_product(v, -0.5) * v) * 0x1.9884533d43651p-2;
    return -(density * detmath_scaled_tail_series(1.0 / detmath_product(v, v))) / plan.b / plan.c;
}

/* exp, sigmoid: numbers about 1, so that 1 is the scale. tanh: the operand's scale where that is
 * below 1, so that small data stay, else 1. log: 1, or for powers of two beyond 2^127 the least
 * power that brings ln|s| below 128. plan.b is the operand's scale with its sign, and plan.a what
 * the function adds. */
DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_function(struct detmath_scale a) {
    struct detmath_scaled_plan plan = detmath_scaled_plan_one(a);
    plan.b = plan.a * plan.b;
    plan.a = 0.0;
    plan.scale = detmath_scale_of(1.0f, 0);
    return plan;
}

DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_tanh(struct detmath_scale a) {
    struct detmath_scaled_plan plan = detmath_scaled_plan_one(a);
    if (plan.b > 1.0)
        plan.scale = detmath_scale_of(1.0f, 0);
    return plan;
}

DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_log(struct detmath_scale a) {
    struct detmath_scaled_plan plan = detmath_scaled_plan_function(a);
    detmath_u32 far = a.e < 0 ? 0u - (detmath_u32)a.e : (detmath_u32)a.e;
    if (a.e < -800 || a.e > 800) {
        double m = detmath_scale_m(a);
        plan.b = plan.zero_a ? 1.0 : m;
        plan.a = detmath_product((double)a.e, 0x1.62e42fefa39efp-1);
    }
    for (; far > 127u && !plan.zero_a && plan.c == plan.c; far >>= 1)
        plan.scale.e++;
    plan.c *= detmath_power_of_two(plan.scale.e);
    return plan;
}

DETMATH_INLINED double detmath_scaled_exp_element(double x, double unused,
                                                  struct detmath_scaled_plan plan) {
    (void)unused;
    x = plan.zero_a ? 0.0 : x;
    double v = x * plan.b;
    return (v == v ? detmath_core_exp(v) : v) / plan.c;
}

DETMATH_INLINED double detmath_scaled_sigmoid_element(double x, double unused,
                                                      struct detmath_scaled_plan plan) {
    (void)unused;
    x = plan.zero_a ? 0.0 : x;
    return detmath_core_sigmoid(x * plan.b) / plan.c;
}

DETMATH_INLINED double detmath_scaled_log_element(double x, double unused,
                                                  struct detmath_scaled_plan plan) {
    (void)unused;
    x = plan.zero_a ? 0.0 : x;
    return (detmath_core_log(x * plan.b) + plan.a) / plan.c;
}

/* tanh(v) = v (1 - v^2 / 3 + ...), and never v itself, which a format may round away from 0. */
DETMATH_INLINED double detmath_scaled_tanh_element(double x, double unused,
                                                   struct detmath_scaled_plan plan) {
    (void)unused;
    x = plan.zero_a ? 0.0 : plan.a * x;
    double v = x * plan.b, base = plan.b > 1.0 ? v : x, over = plan.b > 1.0 ? 1.0 : plan.b;
    double square = v * v * 0.3333333333333333;
    double small = detmath_fma(-base, square, base);
    detmath_u64 bits = detmath_bits_f64(base);
    small = small == base ? detmath_from_bits_f64(bits - 1u) : small;
    small = base == 0.0 ? base : small;
    double y = detmath_scaled_magnitude(v) < 0x1p-20 ? small : detmath_core_tanh(v) / over;
    return (v == v ? y : v) / plan.c;
}

/* The derivative times y, what comes back: of relu, sigmoid, tanh and gelu at a (relu's at 0 is 0).
 * The scale is that of y without its sign, as derivatives are at most 1.13, so that nothing is lost
 * or overflows that need not. plan.a has the sign of y's scale, and plan.b is a's. */
DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_gradient(struct detmath_scale a,
                                                                         struct detmath_scale b) {
    struct detmath_scaled_plan x = detmath_scaled_plan_function(a), y = detmath_scaled_plan_one(b);
    y.c = x.c + y.c - 1.0; /* 1 or NaN */
    y.b = x.b;
    y.zero_b = y.zero_a;
    y.zero_a = x.zero_a;
    if (y.c != y.c)
        y.scale = detmath_scale_of(1.0f, 0);
    return y;
}

DETMATH_INLINED double detmath_scaled_gradient(double y, double slope,
                                               struct detmath_scaled_plan plan) {
    y = plan.zero_b ? 0.0 : y;
    return detmath_product(plan.a * y, slope) / plan.c;
}

DETMATH_INLINED double detmath_scaled_relu_gradient_element(double x, double y,
                                                            struct detmath_scaled_plan plan) {
    double v = (plan.zero_a ? 0.0 : x) * plan.b;
    return detmath_scaled_gradient(y, v > 0.0 ? 1.0 : v != v ? v : 0.0, plan);
}

/* e / (1 + e)^2 with e = e^-|v|, or four times that for tanh at v / 2. */
DETMATH_INLINED double detmath_scaled_bell(double v) {
    double far = detmath_scaled_magnitude(v), sum;
    double e = far - far == 0.0 ? detmath_core_exp(-far) : 0.0; /* 0 at infinity */
    sum = 1.0 + e;
    return v == v ? e / detmath_product(sum, sum) : v;
}

DETMATH_INLINED double detmath_scaled_sigmoid_gradient_element(double x, double y,
                                                               struct detmath_scaled_plan plan) {
    double v = (plan.zero_a ? 0.0 : x) * plan.b;
    return detmath_scaled_gradient(y, detmath_scaled_bell(v), plan);
}

DETMATH_INLINED double detmath_scaled_tanh_gradient_element(double x, double y,
                                                            struct detmath_scaled_plan plan) {
    double v = (plan.zero_a ? 0.0 : x) * plan.b;
    return detmath_scaled_gradient(y, 4.0 * detmath_scaled_bell(v + v), plan);
}

/* The same without branches, where the kernel of gelu or a zero gives it; else *doubt is set. */
DETMATH_INLINED double detmath_scaled_gelu_quick(double x, struct detmath_scaled_plan plan,
                                                 detmath_u32 *doubt) {
    x = plan.zero_a ? 0.0 : plan.a * x;
    double v = x * plan.b;
    detmath_u32 usual = (v > -14.4) & (detmath_scaled_magnitude(v) >= 0x1p-25) & (x - x == 0.0);
    *doubt |= !(usual | (x == 0.0));
    double y = detmath_core_gelu(v) / plan.b;
    return (x == 0.0 ? x : y) / plan.c;
}

/* softmax of v = s x: e^(s (x - best)) as data, at the scale 1 / sum, where best is the x at which
 * s x is largest (the least for s < 0). In fp16 arithmetic the argument and the power are rounded
 * to fp16 first. */
enum detmath_scaled_compute {
    DETMATH_SCALED_F32,
    DETMATH_SCALED_F16,
    DETMATH_SCALED_AUTO /* of calls on arrays: what each scale recommends */
};

DETMATH_INLINED double detmath_scaled_softmax_element(double x, double best,
                                                      struct detmath_scaled_plan plan,
                                                      enum detmath_scaled_compute compute) {
    struct detmath_format half_format = detmath_formats[DETMATH_F16];
    double steep = plan.zero_a ? 0.0 : plan.b;
    double argument = detmath_product(x - best, plan.a * steep);
    argument = plan.zero_a ? 0.0 : argument;
    if (compute == DETMATH_SCALED_F16)
        argument = detmath_scaled_decode(detmath_encode(argument, half_format), half_format);
    double power = detmath_core_exp(argument);
    if (compute == DETMATH_SCALED_F16)
        power = detmath_scaled_decode(detmath_encode(power, half_format), half_format);
    return argument < -200.0 ? 0.0 : power / plan.c;
}

/* The arithmetic that the scale alone recommends: fp16 where |s| <= 2^-4, since then data of unit
 * variance, which lie within 16 of each other, have arguments up to 1, whose rounding to fp16 costs
 * e^(s (x - best)) no more than 2^-12 of itself; else fp32. */
DETMATH_FUNCTION enum detmath_scaled_compute
detmath_scaled_softmax_compute(struct detmath_scaled_plan plan) {
    return plan.zero_a || plan.b <= 0.0625 ? DETMATH_SCALED_F16 : DETMATH_SCALED_F32;
}

/* The scale by which matmul divides its sums over k products: none; the root of k, which keeps unit
 * variance; the power of two nearest to that (the larger of two); or k itself, a mean. */
enum detmath_scaled_strategy {
    DETMATH_SCALED_STATIC_ONE,
    DETMATH_SCALED_STATIC_UNIT,
    DETMATH_SCALED_STATIC_POWER,
    DETMATH_SCALED_STATIC_MEAN
};

/* As an fp32 number; k from 1 to 2^30. The root is cut to 24 bits, by integers. */
DETMATH_FUNCTION float detmath_scaled_static(enum detmath_scaled_strategy strategy, detmath_u32 k) {
    detmath_u64 square = (detmath_u64)k << 32, root = 0;
    detmath_i32 places = 16, length = 0;
    for (; square < (detmath_u64)1 << 46; square <<= 2)
        places++;
    for (detmath_u64 bit = (detmath_u64)1 << 31; bit; bit >>= 1)
        if ((root | bit) * (root | bit) <= square)
            root |= bit;
    for (detmath_u64 rest = root; rest; rest >>= 1)
        length++;
    /* sqrt(k) is root / 2^places, and is at least 2^(n + 1/2) just when k is at least 2^(2n + 1).
     */
    detmath_i32 n = length - 1 - places;
    n += k >> (2 * n + 1) != 0;
    if (strategy == DETMATH_SCALED_STATIC_POWER)
        return detmath_from_bits_f32((detmath_u32)(n + 127) << 23);
    if (strategy == DETMATH_SCALED_STATIC_UNIT)
        return (float)((double)(root >> (length - 24) << (length - 24)) *
                       detmath_power_of_two(-places));
    return strategy == DETMATH_SCALED_STATIC_MEAN ? (float)k : 1.0f;
}

/* matmul: sums of k products over the static scale, at the product of the scales times it. plan.a
 * is what the sum is to be multiplied by, before plan.c. Where scales are powers of two the static
 * scale must be one, and goes into e. */
DETMATH_FUNCTION struct detmath_scaled_plan
detmath_scaled_plan_matmul(struct detmath_scale a, struct detmath_scale b,
                           enum detmath_scaled_strategy strategy, detmath_u32 k,
                           detmath_i32 is_power) {
    double ma = detmath_scale_m(a), mb = detmath_scale_m(b);
    double divisor = (double)detmath_scaled_static(strategy, k);
    detmath_i64 e = (detmath_i64)(detmath_bits_f64(divisor) >> 52) - 1023;
    double m =
        is_power ? detmath_product(ma, mb) : detmath_product(detmath_product(ma, mb), divisor);
    struct detmath_scaled_plan plan =
        detmath_scaled_plan_factor(m, (detmath_i64)a.e + b.e + (is_power ? e : 0), ma, mb);
    if (!plan.zero_a && !plan.zero_b && plan.c == plan.c)
        plan.a /= divisor;
    return plan;
}

/* rebalance: data / 2^n at the scale times 2^n, which goes into e where the scale is a power of
 * two, else into m. The value stays, where the data stay in range. */
DETMATH_FUNCTION struct detmath_scaled_plan
detmath_scaled_plan_rebalance(struct detmath_scale a, detmath_i32 n, detmath_i32 is_power) {
    double m = detmath_scale_m(a);
    struct detmath_scaled_plan plan = {1.0, 1.0, 1.0, m == 0.0, 0, {1.0f, 0}};
    plan.c = m != m ? m : 1.0;
    if (m == 0.0 || m != m)
        return plan;
    double scaled = is_power ? m : m * detmath_scale_power(n);
    plan.scale = detmath_scale_round(detmath_scaled_magnitude(scaled),
                                     (detmath_i64)a.e + (is_power ? n : 0), &plan.a);
    plan.scale.m = m < 0.0 ? -plan.scale.m : plan.scale.m;
    plan.a *= detmath_scale_power(-(detmath_i64)n);
    return plan;
}

/* rescale: the data at the given scale t, whatever their own was; NaN where t is 0 or no number. */
DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_rescale(struct detmath_scale a,
                                                                        struct detmath_scale t) {
    double ma = detmath_scale_m(a), mt = detmath_scale_m(t);
    struct detmath_scaled_plan plan = {1.0, 1.0, 1.0, ma == 0.0, 0, t};
    if (ma != ma || mt != mt || mt == 0.0) {
        plan.c = detmath_from_bits_f64(0x7ff8000000000000u);
        return plan;
    }
    if (plan.zero_a)
        return plan;
    plan.a = mt < 0.0 ? -ma : ma;
    plan.a *= detmath_scale_power((detmath_i64)a.e - t.e);
    plan.c = detmath_scaled_magnitude(mt);
    return plan;
}

/* cast: the data in another format, the scale forwarded whatever it is. */
DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_cast(struct detmath_scale a) {
    struct detmath_scaled_plan plan = {1.0, 1.0, 1.0, 0, 0, a};
    return plan;
}

/* rebalance and cast. */
DETMATH_INLINED double detmath_scaled_apply_element(double x, double unused,
                                                    struct detmath_scaled_plan plan) {
    (void)unused;
    x = plan.zero_a ? 0.0 : x;
    return x * plan.a / plan.c;
}

#endif
#endif
