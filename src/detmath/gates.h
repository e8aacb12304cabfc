/* Gated activations: silu(x) u, gelu(x) u and gelu_tanh(x) u, each rounded once from two parts of fp32 (parts.h).
 *
 * The activation is 2^n times two parts, u is 2^m times a number in [1, 2), and their product is scaled in integers. So
 * nothing overflows or is lost on the way: the error is at most 0.60, 0.80 and 0.60 ulp where the activation is a normal
 * number. Where that is below all subnormal numbers it counts as -0. Where x or u is 0, infinite or NaN it is the product
 * of the activation and u as IEEE 754 has it. */
#ifndef DETMATH_GATES_H
#define DETMATH_GATES_H

#include "error_function.h"

#include "lines.h"

#include "sigmoid.h"

#include "root.h"

#include "reductions.h"

#include "shield.inc"

enum detmath_gate { DETMATH_SILU, DETMATH_GELU, DETMATH_GELU_TANH };

/* x = 2^*n times the result, whose magnitude is in [1, 2), for x other than 0. */
DETMATH_FUNCTION float detmath_significand_of(float x, DETMATH_PRIVATE detmath_i32 *n) {
    detmath_i32 up;
    detmath_u32 bits = detmath_bits_f32(x);
    detmath_u32 normal = detmath_normalized_f32(bits & detmath_magnitude_mask(), &up);
    *n = (detmath_i32)(normal >> 23) - 127 - up;
    return detmath_from_bits_f32((bits & 0x80000000u) | (normal & 0x007fffffu) | 0x3f800000u);
}

DETMATH_FUNCTION struct detmath_parts detmath_silu_over(struct detmath_parts above,
                                                        struct detmath_parts below) {
    struct detmath_parts y;
    float reciprocal = detmath_reciprocal(below.high);
    y.high = detmath_productf(above.high, reciprocal);
    float rest = detmath_fmaf(-y.high, below.high, above.high);
    rest += detmath_fmaf(-y.high, below.low, above.low);
    y.low = detmath_productf(rest, reciprocal);
    return y;
}

DETMATH_FUNCTION struct detmath_parts detmath_silu_parts(float x, DETMATH_PRIVATE detmath_i32 *n) {
    struct detmath_parts below, above = detmath_silu_quotient(x, n, &below);
    return detmath_silu_over(above, below);
}

/* max(x, 0) - 2^*n tail, or x / 2 where x is small, or x where it is large. */
DETMATH_FUNCTION struct detmath_parts detmath_gelu_parts(float x, struct detmath_parts tail,
                                                         DETMATH_PRIVATE detmath_i32 *n) {
    detmath_i32 exponent;
    float significand = detmath_significand_of(x, &exponent);
    int is_alone = exponent < -60 || (exponent > 3 && x > 0.0f);
    detmath_i32 few = *n < -60 ? -60 : *n;
    float power = detmath_from_bits_f32((detmath_u32)(127 + few) << 23);
    float first = detmath_productf(tail.high, power), base = x > 0.0f && !is_alone ? x : 0.0f;
    float sum = base - first, rest = (base - sum) - first;
    rest = detmath_fmaf(-tail.low, power, rest);
    tail.high = is_alone ? significand : base > 0.0f ? sum : -tail.high;
    tail.low = is_alone ? 0.0f : base > 0.0f ? rest : -tail.low;
    *n = exponent < -60 ? exponent - 1 : is_alone ? exponent : base > 0.0f ? 0 : *n;
    return tail;
}

/* The activation of x, and u. */
DETMATH_FUNCTION float detmath_gatef(float x, float u, int which) {
    detmath_i32 n, m;
    struct detmath_parts y = which == DETMATH_SILU   ? detmath_silu_parts(x, &n)
                             : which == DETMATH_GELU ? detmath_gelu_tail(x, &n)
                                                     : detmath_gelu_tanh_tail(x, &n);
    if (which != DETMATH_SILU)
        y = detmath_gelu_parts(x, y, &n);
    float significand = detmath_significand_of(u, &m);
    float product = detmath_productf(y.high, significand);
    float rest = detmath_fmaf(y.high, significand, -product);
    rest = detmath_fmaf(y.low, significand, rest);
    float z = detmath_scale_f32(product + rest, n + m);
    float least = which == DETMATH_SILU ? -120.0f : which == DETMATH_GELU ? -14.45f : -10.85f;
    z = x < least ? detmath_from_bits_f32(detmath_bits_f32(z) & 0x80000000u) : z;
    /* As if the activation of a number other than 0 were 1 or -1, where u decides; and of -infinity it is -0. */
    detmath_u32 bits = detmath_bits_f32(x), magnitude = bits & detmath_magnitude_mask();
    detmath_u32 of_u = detmath_bits_f32(u) & detmath_magnitude_mask();
    int is_number = magnitude - 1u < DETMATH_INFINITY_BITS - 1u;
    float special = detmath_from_bits_f32(is_number             ? (bits & 0x80000000u) | 0x3f800000u
                                          : bits == 0xff800000u ? 0x80000000u
                                                                : bits);
    special = detmath_productf(special, u);
    z = is_number && of_u - 1u < DETMATH_INFINITY_BITS - 1u ? z : special;
    return detmath_unless_nan(z, z);
}

/* Near are x and u of such magnitudes that no step of a gate leaves the normal numbers, from 2^-16 to 10, and from 2^-40 to
 * 2^40: of these powers of two need not be kept apart. */
DETMATH_FUNCTION int detmath_gate_is_far(float x, float u) {
    const int x_is_far = detmath_magnitude_f32(x) - 0x37800000u >= 0x41200000u - 0x37800000u;
    const int u_is_far = detmath_magnitude_f32(u) - 0x2b800000u >= 0x53800000u - 0x2b800000u;
    return x_is_far | u_is_far;
}

/* silu(x) u, to the bit as detmath_gatef, where they are near. */
DETMATH_FUNCTION float detmath_near_silu_mulf(float x, float u) {
    detmath_i32 n;
    const int negative = x < 0.0f;
    struct detmath_parts e = detmath_sigmoid_power(negative ? -x : x, 0.0f, &n), above = e;
    above.high = negative ? e.high : 1.0f;
    above.low = negative ? e.low : 0.0f;
    struct detmath_parts y =
        detmath_silu_over(detmath_parts_product(above, detmath_parts_of(x)),
                          detmath_parts_sum(detmath_parts_of(1.0f), detmath_parts_scaled(e, n)));
    const float power = detmath_from_bits_f32((detmath_u32)(127 + (negative ? n : 0)) << 23);
    float product = detmath_productf(y.high, u), rest = detmath_fmaf(y.high, u, -product);
    return detmath_exact_productf(product + detmath_fmaf(y.low, u, rest), power);
}

/* n elements; y may be x or u. */
DETMATH_INLINED void detmath_silu_mulf(DETMATH_ARRAY float *y, DETMATH_ARRAY const float *x,
                                       DETMATH_ARRAY const float *u, detmath_u64 n) {
    for (detmath_u64 at = 0; at < n; at += DETMATH_LANES) {
        float a[DETMATH_LANES], b[DETMATH_LANES];
        int there = (int)detmath_at_most(n - at, DETMATH_LANES), far = 0;
        detmath_lanes_loadf(a, x + at, n - at);
        detmath_lanes_loadf(b, u + at, n - at);
        for (int l = 0; l < DETMATH_LANES; l++)
            far |= detmath_gate_is_far(a[l], b[l]);
        if (far)
            for (int l = 0; l < DETMATH_LANES; l++)
                a[l] = detmath_gatef(a[l], b[l], DETMATH_SILU);
        else
            for (int l = 0; l < DETMATH_LANES; l++)
                a[l] = detmath_near_silu_mulf(a[l], b[l]);
        for (int l = 0; l < there; l++)
            y[at + (detmath_u64)l] = a[l];
    }
}

#define DETMATH_GATE_ARRAY(NAME, WHICH)                                                            \
    DETMATH_INLINED void detmath_##NAME##f(DETMATH_ARRAY float *y, DETMATH_ARRAY const float *x,   \
                                           DETMATH_ARRAY const float *u, detmath_u64 n) {          \
        for (detmath_u64 i = 0; i < n; i++)                                                        \
            y[i] = detmath_gatef(x[i], u[i], WHICH);                                               \
    }
DETMATH_GATE_ARRAY(gelu_mul, DETMATH_GELU)
DETMATH_GATE_ARRAY(gelu_tanh_mul, DETMATH_GELU_TANH)

#include "shield_end.inc"

#endif
