/* Gates on vectors: the steps of gates.h, error_function.h and sigmoid.h where magnitudes are ordinary, so that no power of two is
 * kept apart, and their bits. To be included after the headers of detmath, whose lanes are 64. */
#ifndef DETMATH_LIBRARY_GATE_LANES_H
#define DETMATH_LIBRARY_GATE_LANES_H

#include "detmath/gates.h"
#include "parts_lanes.h"

#if defined(DETMATH_LANES)

/* 2^n of normal numbers; n is -60 at least where that is as good as nothing. */
static inline lanes_f lanes_power(lanes_i n) {
    return (lanes_f)((n + 127) << 23);
}
static inline lanes_f lanes_power_beside_1(lanes_i n) {
    const lanes_f least = (lanes_f){0} + 0x1p-60f;
    return lanes_most(lanes_power(n), least);
}

/* x = n ln 2 + r + low. */
static inline lanes_f lanes_reduce_ln2(lanes_f x, lanes_f *low, lanes_i *n) {
    const lanes_f shifted = detmath_fmaf_lanes(x, 0x1.715476p0f, 0x1.8p23f),
                  k = shifted - 0x1.8p23f;
    const lanes_f exact = detmath_fmaf_lanes(k, -0x1.62e4p-1f, x);
    const lanes_f r = detmath_fmaf_lanes(k, -0x1.7f7d1cp-20f, exact);
    *n = (lanes_i)shifted - 0x4b400000;
    *low = detmath_fmaf_lanes(k, -0x1.7f7d1cp-20f, exact - r);
    return r;
}

/* detmath_exp_tail. */
static inline lanes_f lanes_exp_tail(lanes_f r, lanes_f low) {
    lanes_f p = detmath_fmaf_lanes(r, 0x1.a303dcp-13f, 0x1.6d13p-10f);
    p = detmath_fmaf_lanes(r, p, 0x1.110faep-7f);
    p = detmath_fmaf_lanes(r, p, 0x1.555518p-5f);
    p = detmath_fmaf_lanes(r, p, 0x1.555556p-3f);
    const lanes_f halved = r * 0.5f, square = r * halved, cube = (r * r) * r;
    const lanes_f rest = detmath_fmaf_lanes(cube, p, detmath_fmaf_lanes(r, halved, -square));
    return square + (rest + detmath_fmaf_lanes(low, r, low));
}

/* detmath_near_silu_mulf. */
static inline lanes_f silu_mul_near(lanes_f x, lanes_f u) {
    const lanes_f one = (lanes_f){0} + 1.0f, zero = {0};
    lanes_i n;
    lanes_f low, r = lanes_reduce_ln2(-lanes_magnitude(x), &low, &n), sum = one + r;
    const lanes_f rest = ((one - sum) + r) + lanes_exp_tail(r, low), e = sum + rest,
                  e_low = rest - (e - sum), beside = lanes_power_beside_1(n);
    const lanes_f above = lanes_above(zero, x, e, one),
                  above_low = lanes_above(zero, x, e_low, zero);
    const lanes_f scaled = e * beside, below = one + scaled,
                  below_low = ((one - below) + scaled) + e_low * beside;
    const lanes_f times = above * x,
                  times_low =
                      detmath_fmaf_lanes(above_low, x, detmath_fmaf_lanes(above, x, -times));
    const lanes_f reciprocal = detmath_reciprocal_lanes(below), y = times * reciprocal;
    const lanes_f left =
        detmath_fmaf_lanes(-y, below, times) + detmath_fmaf_lanes(-y, below_low, times_low);
    const lanes_f product = y * u, more = detmath_fmaf_lanes(y, u, -product);
    return (product + detmath_fmaf_lanes(left * reciprocal, u, more)) *
           lanes_above(zero, x, lanes_power(n), one);
}

/* detmath_exp_minus. */
static inline struct detmath_parts_lanes lanes_exp_minus(lanes_f y, lanes_f low, lanes_i *n) {
    struct detmath_parts_lanes power;
    lanes_f r_low, r = lanes_reduce_ln2(-y, &r_low, n);
    r_low -= low;
    const lanes_f sum = r + r_low, tail = lanes_exp_tail(sum, (r - sum) + r_low), s = sum + tail;
    power.high = 1.0f + s;
    power.low = ((1.0f - power.high) + s) + ((sum - s) + tail);
    return power;
}

/* detmath_coarse_reciprocal. */
static inline lanes_f lanes_coarse_reciprocal(lanes_f d) {
    const lanes_f y = (lanes_f)(0x7ef311c7u - (lanes_u)d), e = detmath_fmaf_lanes(-d, y, 1.0f),
                  once = detmath_fmaf_lanes(y, e, y);
    return detmath_fmaf_lanes(once, e * e, once);
}

/* detmath_gelu_scaled, whose variable is that of detmath_erfc_variable and whose sum that of detmath_erfc_sum. */
static inline struct detmath_parts_lanes lanes_gelu_scaled(lanes_f y) {
    struct detmath_parts_lanes t, sum;
    const lanes_f d = detmath_fmaf_lanes(y, 0x1.a8p-3f, 1.0f),
                  d_low = detmath_fmaf_lanes(y, 0x1.a8p-3f, 1.0f - d);
    const lanes_f coarse = lanes_coarse_reciprocal(d);
    lanes_f error = detmath_fmaf_lanes(-d_low, coarse, detmath_fmaf_lanes(-d, coarse, 1.0f));
    t.high = detmath_fmaf_lanes(coarse, error, coarse);
    error = detmath_fmaf_lanes(-d_low, t.high, detmath_fmaf_lanes(-d, t.high, 1.0f));
    t.low = error * t.high;
    const lanes_f v = t.high - 0.625f;
    lanes_f p = detmath_fmaf_lanes(v, 0x1.c6000ep-5f, -0x1.311872p-6f);
    p = detmath_fmaf_lanes(v, p, -0x1.751b2cp-3f);
    p = detmath_fmaf_lanes(v, p, -0x1.e6e11cp-4f);
    p = detmath_fmaf_lanes(v, p, 0x1.6315d2p-2f);
    p = detmath_fmaf_lanes(v, p, 0x1.06ee8p0f);
    p = detmath_fmaf_lanes(v, p, 0x1.871c1cp0f);
    p = detmath_fmaf_lanes(v, p, 0x1.9740c6p0f);
    const lanes_f curve = detmath_fmaf_lanes(v, p, 0x1.4444f4p0f),
                  curve_low = detmath_fmaf_lanes(v, p, 0x1.4444f4p0f - curve),
                  chord = detmath_fmaf_lanes(v, curve, 0x1.983feep-1f),
                  chord_low = detmath_fmaf_lanes(v, curve, 0x1.983feep-1f - chord) +
                              detmath_fmaf_lanes(v, curve_low, 0x1.2a23ap-26f),
                  tangent = detmath_fmaf_lanes(v, detmath_fmaf_lanes(v, p, curve), chord);
    sum.high = detmath_fmaf_lanes(v, chord, 0x1.99fbp-2f);
    const lanes_f rest = detmath_fmaf_lanes(v, chord, 0x1.99fbp-2f - sum.high);
    sum.low = rest +
              detmath_fmaf_lanes(v, chord_low, detmath_fmaf_lanes(t.low, tangent, 0x1.2828b4p-20f));
    return lanes_parts_product(t, sum);
}

/* max(x, 0) - 2^n tail, times u: detmath_gelu_parts and the last steps of detmath_gatef. */
static inline lanes_f gelu_near(lanes_f x, struct detmath_parts_lanes tail, lanes_i n, lanes_f u) {
    const lanes_f zero = {0}, power = lanes_power_beside_1(n), first = tail.high * power;
    const lanes_f sum = x - first, rest = detmath_fmaf_lanes(-tail.low, power, (x - sum) - first);
    const lanes_f high = lanes_above(x, zero, sum, -tail.high),
                  low = lanes_above(x, zero, rest, -tail.low);
    const lanes_f product = high * u, more = detmath_fmaf_lanes(high, u, -product);
    return (product + detmath_fmaf_lanes(low, u, more)) *
           lanes_above(x, zero, zero + 1.0f, lanes_power(n));
}

/* detmath_gelu_tail. */
static inline lanes_f gelu_mul_near(lanes_f x, lanes_f u) {
    lanes_i n;
    const lanes_f y = lanes_magnitude(x), middle = y * 0.5f, square = y * middle;
    struct detmath_parts_lanes tail =
        lanes_exp_minus(square, detmath_fmaf_lanes(y, middle, -square), &n);
    tail = lanes_parts_product(tail, lanes_gelu_scaled(y));
    const lanes_f high = middle * tail.high;
    tail.low = detmath_fmaf_lanes(middle, tail.low, detmath_fmaf_lanes(middle, tail.high, -high));
    tail.high = high;
    return gelu_near(x, tail, n, u);
}

/* detmath_gelu_tanh_tail, whose exponent is that of detmath_gelu_tanh_exponent. */
static inline lanes_f gelu_tanh_mul_near(lanes_f x, lanes_f u) {
    lanes_i n;
    const lanes_f y = lanes_magnitude(x), square = y * y,
                  square_low = detmath_fmaf_lanes(y, y, -square), cubic = square * 0x1.2444f2p-4f;
    lanes_f low = detmath_fmaf_lanes(square, 0x1.2444f2p-4f, -cubic);
    low = detmath_fmaf_lanes(square_low, 0x1.2444f2p-4f,
                             detmath_fmaf_lanes(square, 0x1.49b16ap-29f, low));
    const lanes_f sum = 0x1.988454p0f + cubic, part = sum - 0x1.988454p0f;
    low += (0x1.988454p0f - (sum - part)) + (cubic - part);
    low += -0x1.857936p-25f;
    const lanes_f exponent = y * sum,
                  exponent_low = detmath_fmaf_lanes(y, low, detmath_fmaf_lanes(y, sum, -exponent));
    const struct detmath_parts_lanes power = lanes_exp_minus(exponent, exponent_low, &n);
    const lanes_f scale = lanes_power_beside_1(n), scaled = power.high * scale;
    const lanes_f under = 1.0f + scaled, over = under - 1.0f,
                  under_low = detmath_fmaf_lanes(power.low, scale,
                                                 (1.0f - (under - over)) + (scaled - over));
    const lanes_f reciprocal = lanes_coarse_reciprocal(under), q = power.high * reciprocal;
    const lanes_f q_low =
        (detmath_fmaf_lanes(-q, under, power.high) + detmath_fmaf_lanes(-q, under_low, power.low)) *
        reciprocal;
    struct detmath_parts_lanes tail = {.high = y * q};
    tail.low = detmath_fmaf_lanes(y, q_low, detmath_fmaf_lanes(y, q, -tail.high));
    return gelu_near(x, tail, n, u);
}

/* Near are x from 2^-24 to 10, and u from 2^-20 to 2^12; others leave bits of DETMATH_LANES_FAR. */
static inline lanes_u gate_is_far(lanes_f x, lanes_f u) {
    const lanes_u least = (lanes_u){0} + (103u << 24),
                  most = (lanes_u){0} + (0x82400000u - (103u << 24));
    const lanes_u above = (lanes_u)x + (lanes_u)x - least;
    return lanes_far(u, -20) | (lanes_u)(lanes_larger(above, most) == above);
}

/* What is far, or no vector. */
DETMATH_SELDOM_FUNCTION void gate_far(float *y, const float *x, const float *u, size_t there,
                                      enum detmath_gate which) {
    for (size_t l = 0; l < there; l++)
        y[l] = detmath_gatef(x[l], u[l], (int)which);
}

/* As detmath_silu_mulf and the others. So many VECTORS go side by side, since each waits for its own steps. */
#define GATE_OF_LANES(NAME, WHICH, VECTORS)                                                        \
    static inline void NAME##f_of_lanes(float *y, const float *x, const float *u, size_t n) {      \
        const size_t step = (VECTORS)*DETMATH_LANES;                                               \
        size_t at = 0;                                                                             \
        for (; n - at >= step; at += step) {                                                       \
            lanes_f a[VECTORS], b[VECTORS];                                                        \
            lanes_u far = {0};                                                                     \
            for (int k = 0; k < (VECTORS); k++) {                                                  \
                a[k] = lanes_load(x + at + k * DETMATH_LANES);                                     \
                b[k] = lanes_load(u + at + k * DETMATH_LANES);                                     \
                far |= gate_is_far(a[k], b[k]);                                                    \
            }                                                                                      \
            if (DETMATH_SELDOM(lanes_have(far, DETMATH_LANES_FAR))) {                              \
                gate_far(y + at, x + at, u + at, step, WHICH);                                     \
                continue;                                                                          \
            }                                                                                      \
            for (int k = 0; k < (VECTORS); k++)                                                    \
                a[k] = NAME##_near(a[k], b[k]);                                                    \
            for (int k = 0; k < (VECTORS); k++)                                                    \
                lanes_store(y + at + k * DETMATH_LANES, a[k]);                                     \
        }                                                                                          \
        for (; n - at >= DETMATH_LANES; at += DETMATH_LANES) {                                     \
            const lanes_f a = lanes_load(x + at), b = lanes_load(u + at);                          \
            if (DETMATH_SELDOM(lanes_have(gate_is_far(a, b), DETMATH_LANES_FAR)))                  \
                gate_far(y + at, x + at, u + at, DETMATH_LANES, WHICH);                            \
            else                                                                                   \
                lanes_store(y + at, NAME##_near(a, b));                                            \
        }                                                                                          \
        gate_far(y + at, x + at, u + at, n - at, WHICH);                                           \
    }
GATE_OF_LANES(silu_mul, DETMATH_SILU, 4)
GATE_OF_LANES(gelu_mul, DETMATH_GELU, 2)
GATE_OF_LANES(gelu_tanh_mul, DETMATH_GELU_TANH, 3)
#endif

#endif
