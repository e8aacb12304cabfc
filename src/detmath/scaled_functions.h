/* Functions of scaled numbers (scaled.h): gelu, exp, log, sigmoid, tanh, softmax, and gradients. Each
 * is a plan, which the scales decide, and an element. */
#ifndef DETMATH_SCALED_FUNCTIONS_H
#define DETMATH_SCALED_FUNCTIONS_H

#include "error_function.h"
#include "exp.h"
#include "hyperbolic.h"
#include "log.h"
#include "scaled.h"
#include "sigmoid.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

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

/* e^v; the kernel's is a number at the infinities too, and beyond +-200 that at +-200, which is beyond
 * every format. */
DETMATH_INLINED double detmath_scaled_exponential(double v) {
    return v - v == 0.0 ? detmath_core_exp(v) : v < 0.0 ? 0.0 : v;
}

DETMATH_INLINED double detmath_scaled_exp_element(double x, double unused,
                                                  struct detmath_scaled_plan plan) {
    (void)unused;
    x = plan.zero_a ? 0.0 : x;
    return detmath_scaled_exponential(x * plan.b) / plan.c;
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

/* The derivative times y, what comes back: of relu, sigmoid, tanh, gelu and exp at a (relu's at 0 is
 * 0). The scale is that of y without its sign, as derivatives but exp's are at most 1.13, so that
 * nothing is lost or overflows that need not. plan.a has the sign of y's scale, and plan.b is a's. */
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
    e = ((e == 0.0) & (far - far == 0.0)) ? 0x1p-1000 : e;
    sum = 1.0 + e;
    return v == v ? e / detmath_product(sum, sum) : v;
}

DETMATH_INLINED double detmath_scaled_exp_gradient_element(double x, double y,
                                                           struct detmath_scaled_plan plan) {
    double v = (plan.zero_a ? 0.0 : x) * plan.b;
    return detmath_scaled_gradient(y, detmath_scaled_exponential(v), plan);
}

/* Phi(v) + v phi(v). It is never 1/2 but at 0 nor 1, which a format may round to either side. */
DETMATH_INLINED double detmath_scaled_gelu_slope(double v) {
    double far = detmath_scaled_magnitude(v), near = detmath_core_clamp(far, 0.0, 14.4);
    double scaled = detmath_core_erfc_scaled(1.0 / detmath_fma(near, 0x1.6a09e667f3bcdp-3, 1.0));
    double power = detmath_core_exp_minus(detmath_product(near, near * 0.5), 0.0);
    double lower = detmath_product(scaled * 0.5, power); /* Phi(-near) */
    double part = detmath_fma(-near, detmath_product(power, 0x1.9884533d43651p-2), lower);
    double beyond = detmath_core_clamp(far, 14.4, 36.0);
    double tail = detmath_scaled_tail_series(1.0 / detmath_product(beyond, beyond)) / beyond;
    double density =
        detmath_core_exp(detmath_product(beyond, beyond * -0.5)) * 0x1.9884533d43651p-2;
    part = far > 14.4 ? detmath_product(density, tail - beyond) : part;
    double slope = v < 0.0 ? part : 1.0 - part;
    slope = ((slope == 1.0) & (v > 2.0)) ? 0x1.0000000000001p0 : slope;
    double middle = detmath_fma(v, 0x1.9884533d43651p-1, 0.5);
    double beside = v > 0.0 ? 0x1.0000000000001p-1 : 0x1.fffffffffffffp-2;
    middle = ((middle == 0.5) & (v != 0.0)) ? beside : middle;
    slope = far < 0x1p-25 ? middle : slope;
    slope = far - far == 0.0 ? slope : v > 0.0 ? 1.0 : 0.0;
    return v == v ? slope : v;
}

DETMATH_INLINED double detmath_scaled_gelu_gradient_element(double x, double y,
                                                            struct detmath_scaled_plan plan) {
    double v = (plan.zero_a ? 0.0 : x) * plan.b;
    return detmath_scaled_gradient(y, detmath_scaled_gelu_slope(v), plan);
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

/* In which arithmetic a function is computed: in double and rounded once; or in fp16, as hardware does
 * that has nothing wider, its argument and its value rounded to fp16. */
enum detmath_scaled_compute {
    DETMATH_SCALED_F32,
    DETMATH_SCALED_F16,
    DETMATH_SCALED_AUTO /* of calls on arrays: what each scale recommends */
};

DETMATH_INLINED double detmath_scaled_half(double y) {
    struct detmath_format narrow = detmath_formats[DETMATH_F16];
    return detmath_scaled_decode(detmath_scaled_encode(y, narrow), narrow);
}

/* With the plans of the same functions in double. */
DETMATH_INLINED double detmath_scaled_exp_f16_element(double x, double unused,
                                                      struct detmath_scaled_plan plan) {
    (void)unused;
    double v = detmath_scaled_half((plan.zero_a ? 0.0 : x) * plan.b);
    return detmath_scaled_half(detmath_scaled_exponential(v)) / plan.c;
}

DETMATH_INLINED double detmath_scaled_sigmoid_f16_element(double x, double unused,
                                                          struct detmath_scaled_plan plan) {
    (void)unused;
    double v = detmath_scaled_half((plan.zero_a ? 0.0 : x) * plan.b);
    return detmath_scaled_half(detmath_core_sigmoid(v)) / plan.c;
}

/* plan.a tells of a scale beyond 2^800 or below 2^-800: no fp16 then holds an argument. */
DETMATH_INLINED double detmath_scaled_log_f16_element(double x, double unused,
                                                      struct detmath_scaled_plan plan) {
    (void)unused;
    double far = plan.a > 0.0 ? 0x1p800 : plan.a < 0.0 ? 0x1p-800 : 1.0;
    double v = detmath_scaled_half((plan.zero_a ? 0.0 : x) * plan.b * far);
    return detmath_scaled_half(detmath_core_log(v)) / plan.c;
}

DETMATH_INLINED double detmath_scaled_tanh_f16_element(double x, double unused,
                                                       struct detmath_scaled_plan plan) {
    (void)unused;
    double v = detmath_scaled_half((plan.zero_a ? 0.0 : plan.a * x) * plan.b);
    double y = detmath_scaled_half(detmath_core_tanh(v));
    return (v == v ? y : v) / (plan.b > 1.0 ? 1.0 : plan.b) / plan.c;
}

/* Beyond 14.4 gelu is its argument, or rounds to -0. */
DETMATH_INLINED double detmath_scaled_gelu_f16_element(double x, double unused,
                                                       struct detmath_scaled_plan plan) {
    (void)unused;
    double v = detmath_scaled_half((plan.zero_a ? 0.0 : plan.a * x) * plan.b);
    double y = detmath_scaled_half(detmath_core_gelu(detmath_core_clamp(v, -14.4, 14.4)));
    y = v > 14.4 ? v : v < -14.4 ? -0.0 : y;
    return (v == v ? y : v) / plan.b / plan.c;
}

/* softmax of v = s x: e^(s (x - best)) as data, at the scale 1 / sum, where best is the x at which
 * s x is largest (the least for s < 0). In fp16 arithmetic the argument and the power are rounded
 * to fp16 first. */
DETMATH_INLINED double detmath_scaled_softmax_element(double x, double best,
                                                      struct detmath_scaled_plan plan,
                                                      enum detmath_scaled_compute compute) {
    double steep = plan.zero_a ? 0.0 : plan.b;
    double argument = detmath_product(x - best, plan.a * steep);
    argument = plan.zero_a ? 0.0 : argument;
    if (compute == DETMATH_SCALED_F16)
        argument = detmath_scaled_half(argument);
    double power = detmath_core_exp(argument);
    if (compute == DETMATH_SCALED_F16)
        power = detmath_scaled_half(power);
    return argument < -200.0 ? 0.0 : power / plan.c;
}

/* The arithmetic that the scale alone recommends: fp16 where |s| <= 2^-4, since then data of unit
 * variance, which lie within 16 of each other, have arguments up to 1, whose rounding to fp16 costs
 * e^(s (x - best)) no more than 2^-12 of itself; else fp32. */
DETMATH_FUNCTION enum detmath_scaled_compute
detmath_scaled_softmax_compute(struct detmath_scaled_plan plan) {
    return plan.zero_a || plan.b <= 0.0625 ? DETMATH_SCALED_F16 : DETMATH_SCALED_F32;
}

#endif

#include "shield_end.inc"

#endif
