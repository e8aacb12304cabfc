/* Gradients of gated activations (gates.h): for the gradient g of y = f(x) u,
 *   dx = g u f'(x)   du = g f(x)
 * each rounded once from two parts of fp32 (parts.h). With e = e^-w for w = |x|, or of gelu_tanh what tanh is of, twice, and
 * v = w, or |x| times its derivative, f'(x) of silu and gelu_tanh is e (1 + e - v) / (1 + e)^2 below 0 and
 * (1 + e + e v) / (1 + e)^2 above. Of gelu it is q(|x|) - |x| p(|x|) below 0 and 1 less that above, p being the normal
 * density and q what lies beyond.
 *
 * f' is 2^n times two parts and its product with g and u is scaled in integers, so that nothing overflows or is lost on
 * the way. Where dx is a normal number its error is at most 0.65 ulp for x below -2, and for others 0.65 ulp and, beside
 * that, |g u| times 2^-35 of silu, 2^-34 of gelu_tanh and 2^-28 of gelu: near the zero of f', at -1.28 of silu and -0.75 of
 * the others, that term alone holds, and there may be many ulps. A subnormal dx is rounded once more. The error of du is
 * gates.h's. f' counts as -0 where f does: below -120 of silu, -14.45 of gelu and -10.85 of gelu_tanh. There the bounds do
 * not hold: f' is below all numbers of fp32, but g u may be so large that their product is a normal number. Where x, u or g
 * is 0, infinite or NaN, dx is the product of f'(x), u and g as IEEE 754 has it, f' being 1 at infinity, and at -infinity -0. */
#ifndef DETMATH_GATE_GRADIENTS_H
#define DETMATH_GATE_GRADIENTS_H

#include "gates.h"

#include "norms.h"

#include "parts_over.h"

#include "shield.inc"

/* e^-w, over 2^*n, and v. */
DETMATH_FUNCTION struct detmath_parts detmath_gate_power(float y, int which,
                                                         DETMATH_PRIVATE struct detmath_parts *v,
                                                         DETMATH_PRIVATE detmath_i32 *n) {
    struct detmath_parts square, slope, exponent;
    *v = detmath_parts_of(y);
    if (which == DETMATH_SILU)
        return detmath_sigmoid_power(y, 0.0f, n);
    square.high = detmath_productf(y, y);
    square.low = detmath_fmaf(y, y, -square.high);
    slope.high = 0x1.b6676cp-3f; /* three times that of u's cube */
    slope.low = -0x1.175e2p-32f;
    slope = detmath_parts_product(slope, square);
    exponent.high = 0x1.988454p0f;
    exponent.low = -0x1.857936p-25f;
    *v = detmath_parts_product(detmath_parts_plus(exponent, slope), detmath_parts_of(y));
    exponent = detmath_gelu_tanh_exponent(y);
    return detmath_exp_minus(exponent.high, exponent.low, n);
}

/* f'(x), over 2^*n. */
DETMATH_FUNCTION struct detmath_parts detmath_gate_slope(float x, int which,
                                                         DETMATH_PRIVATE detmath_i32 *n) {
    const struct detmath_parts one = detmath_parts_of(1.0f);
    struct detmath_parts v, e, scaled, below;
    int is_negative = (int)(detmath_bits_f32(x) >> 31);
    float most = which == DETMATH_SILU   ? 120.0f
                 : which == DETMATH_GELU ? 14.45f
                                         : 10.85f,
          y = detmath_clamp(detmath_from_bits_f32(detmath_magnitude_f32(x)), 0.0f, most);
    if (which == DETMATH_GELU) {
        float middle = detmath_productf(y, 0.5f), square = detmath_productf(y, middle);
        struct detmath_parts density;
        density.high = 0x1.988454p-2f; /* (2 pi)^(-1/2) */
        density.low = -0x1.857936p-27f;
        density = detmath_parts_product(density, detmath_parts_of(-y));
        e = detmath_exp_minus(square, detmath_fmaf(y, middle, -square), n);
        v = detmath_parts_product(detmath_gelu_scaled(y), detmath_parts_of(0.5f));
        e = detmath_parts_product(e, detmath_parts_plus(v, density));
        if (is_negative)
            return e;
        scaled = detmath_parts_plus(one, detmath_parts_negative(detmath_parts_scaled(e, *n)));
        *n = 0;
        return scaled;
    }
    e = detmath_gate_power(y, which, &v, n);
    scaled = detmath_parts_scaled(e, *n);
    below = detmath_parts_plus(one, scaled);
    if (is_negative) {
        e = detmath_parts_product(e, detmath_parts_plus(below, detmath_parts_negative(v)));
    } else {
        e = detmath_parts_plus(below, detmath_parts_product(scaled, v));
        *n = 0;
    }
    return detmath_parts_over(e, detmath_parts_product(below, below));
}

/* A number of x's sign, 1 where that is a number but 0. */
DETMATH_FUNCTION float detmath_kind_of(float x) {
    detmath_u32 bits = detmath_bits_f32(x), size = bits & detmath_magnitude_mask();
    return detmath_from_bits_f32(
        size - 1u < DETMATH_INFINITY_BITS - 1u ? (bits & 0x80000000u) | 0x3f800000u : bits);
}

/* dx. */
DETMATH_FUNCTION float detmath_gate_slopef(float x, float u, float g, int which) {
    detmath_i32 n, m, k;
    struct detmath_parts slope = detmath_gate_slope(x, which, &n), factor;
    float a = detmath_significand_of(g, &m), b = detmath_significand_of(u, &k);
    float least = which == DETMATH_SILU ? -120.0f : which == DETMATH_GELU ? -14.45f : -10.85f;
    detmath_u32 bits = detmath_bits_f32(x),
                sign = (detmath_bits_f32(g) ^ detmath_bits_f32(u)) & 0x80000000u;
    factor.high = detmath_productf(a, b);
    factor.low = detmath_fmaf(a, b, -factor.high);
    factor = detmath_parts_product(factor, slope);
    float z = detmath_scale_f32(factor.high + factor.low, n + m + k);
    z = x < least ? detmath_from_bits_f32(sign ^ 0x80000000u) : z;
    float kind = detmath_kind_of(x), of_u = detmath_kind_of(u), of_g = detmath_kind_of(g);
    kind = bits == 0x7f800000u   ? 1.0f
           : bits == 0xff800000u ? detmath_from_bits_f32(0x80000000u)
           : kind != kind        ? kind
                                 : detmath_kind_of(slope.high);
    int is_number = (bits == 0x7f800000u || detmath_magnitude_f32(x) < DETMATH_INFINITY_BITS) &&
                    detmath_magnitude_f32(of_u) == 0x3f800000u &&
                    detmath_magnitude_f32(of_g) == 0x3f800000u;
    float special = detmath_productf(detmath_productf(of_g, of_u), kind);
    return is_number ? z : detmath_unless_nan(special, special);
}

/* n elements; dx and du may be any of the operands. */
#define DETMATH_GATE_GRADIENT(NAME, WHICH)                                                         \
    DETMATH_INLINED void detmath_##NAME##_gradientf(                                               \
        DETMATH_ARRAY float *dx, DETMATH_ARRAY float *du, DETMATH_ARRAY const float *x,            \
        DETMATH_ARRAY const float *u, DETMATH_ARRAY const float *g, detmath_u64 n) {               \
        for (detmath_u64 i = 0; i < n; i++) {                                                      \
            float slope = detmath_gate_slopef(x[i], u[i], g[i], WHICH);                            \
            float product = detmath_gatef(x[i], g[i], WHICH);                                      \
            dx[i] = slope;                                                                         \
            du[i] = product;                                                                       \
        }                                                                                          \
    }
DETMATH_GATE_GRADIENT(silu_mul, DETMATH_SILU)
DETMATH_GATE_GRADIENT(gelu_mul, DETMATH_GELU)
DETMATH_GATE_GRADIENT(gelu_tanh_mul, DETMATH_GELU_TANH)

#include "shield_end.inc"

#endif
