/* Steps of stochastic gradient descent and of Adam, an element at a time, in fp32 arithmetic and fma: every quantity has two
 * parts of fp32 (parts.h), and the results alone are rounded.
 *
 *   sgd    g' = g + decay p                       adam   g' = g + decay p (adamw: g)
 *          v' = momentum v + (1 - dampening) g'          m' = beta1 m + (1 - beta1) g'
 *               (in the first step g')                   v' = beta2 v + (1 - beta2) g'^2
 *          p' = p - rate v'                              p' = p (adamw: p (1 - rate decay)) - rate / (1 - beta1^t) m'
 *               (nesterov: g' + momentum v')                  / ((v' / (1 - beta2^t))^(1/2) + epsilon)
 *
 * What is 0 among the rates is left out. Errors are below 0.51 ulp where no sum cancels, nothing overflows on the way and the
 * result is a normal number; Adam's moments are brought to the size of 1, each by a power of two of its own, so that small
 * gradients lose nothing. Powers of beta are integers of 64 bits below the point. A parameter that comes out as 0 is -0
 * only where it was and nothing but zeros were taken from it that leave it so. */
#ifndef DETMATH_OPTIMISERS_H
#define DETMATH_OPTIMISERS_H

#include "norms.h"

#include "parts_over.h"

#include "round.h"

#include "shield.inc"

struct detmath_sgd {
    float rate, momentum, dampening, decay; /* 0: none */
    int nesterov, is_first;
};

/* a x, in two parts. */
DETMATH_FUNCTION struct detmath_parts detmath_parts_of_product(float a, float x) {
    struct detmath_parts product;
    product.high = detmath_productf(a, x);
    product.low = detmath_fmaf(a, x, -product.high);
    return product;
}

/* 1 - x. */
DETMATH_FUNCTION struct detmath_parts detmath_parts_below_one(float x) {
    struct detmath_parts rest;
    rest.high = 1.0f - x;
    rest.low = detmath_sum_restf(1.0f, -x, rest.high);
    return rest;
}

DETMATH_FUNCTION float detmath_parts_number(struct detmath_parts x) {
    return detmath_canonicalf(detmath_parts_rounded(x.high, x.low));
}

/* y, the difference of p and something; as a zero it is -0 only where `keeps`. */
DETMATH_FUNCTION float detmath_stepped(float y, int keeps) {
    return detmath_from_bits_f32(y == 0.0f ? (keeps ? 0x80000000u : 0u) : detmath_bits_f32(y));
}

/* The new parameter; *velocity becomes the new one, and where there is no momentum g'. */
DETMATH_FUNCTION float detmath_sgdf(float p, float g, DETMATH_PRIVATE float *velocity,
                                    DETMATH_PRIVATE const struct detmath_sgd *sgd) {
    struct detmath_parts slope = detmath_parts_of(g), v;
    int has_velocity = sgd->momentum != 0.0f && !sgd->is_first;
    int is_damped = has_velocity && sgd->dampening == 1.0f; /* the gradient does not enter */
    int keeps =
        detmath_bits_f32(p) == 0x80000000u &&
        (!has_velocity || detmath_bits_f32(*velocity) == 0u) &&
        ((is_damped && !sgd->nesterov) || (detmath_bits_f32(g) == 0u && sgd->decay == 0.0f));
    if (sgd->decay != 0.0f)
        slope = detmath_parts_plus(slope, detmath_parts_of_product(sgd->decay, p));
    v = slope;
    if (has_velocity) {
        if (is_damped) /* but an infinite one makes NaN */
            v = detmath_parts_of(detmath_from_bits_f32(
                slope.high - slope.high == 0.0f ? 0x80000000u : DETMATH_NAN_BITS));
        else if (sgd->dampening != 0.0f)
            v = detmath_parts_product(slope, detmath_parts_below_one(sgd->dampening));
        v = detmath_parts_plus(v, detmath_parts_of_product(sgd->momentum, *velocity));
    }
    *velocity = detmath_parts_number(v);
    if (sgd->nesterov && sgd->momentum != 0.0f)
        v = detmath_parts_plus(slope, detmath_parts_product(v, detmath_parts_of(sgd->momentum)));
    v = detmath_parts_product(v, detmath_parts_of(sgd->rate));
    return detmath_stepped(
        detmath_parts_number(detmath_parts_plus(detmath_parts_of(p), detmath_parts_negative(v))),
        keeps);
}

struct detmath_adam {
    float decay, beta1, beta2, epsilon;
    int is_decoupled;                  /* adamw */
    struct detmath_parts rest1, rest2; /* 1 - beta */
    struct detmath_parts rate, second,
        keeps; /* rate / (1 - beta1^t), 1 - beta2^t, 1 - rate decay */
};

DETMATH_FUNCTION detmath_u64 detmath_upper_product(detmath_u64 a, detmath_u64 b) {
    detmath_u64 low = (a & 0xffffffffu) * (b & 0xffffffffu);
    detmath_u64 first = (a >> 32) * (b & 0xffffffffu) + (low >> 32);
    detmath_u64 second = (a & 0xffffffffu) * (b >> 32) + (first & 0xffffffffu);
    return (a >> 32) * (b >> 32) + (first >> 32) + (second >> 32);
}

/* 1 - beta^t, for beta from 0 to below 1 and t of 1 or more. */
DETMATH_FUNCTION struct detmath_parts detmath_correction(float beta, detmath_u32 t) {
    struct detmath_parts rest;
    detmath_u32 bits = detmath_bits_f32(beta);
    detmath_i32 shift = (detmath_i32)(bits >> 23) - 127 + 41, n = 0;
    detmath_u64 significand = (bits & 0x007fffffu) | 0x00800000u, power = 0, all = 0;
    power = shift < -24 ? 0 : shift < 0 ? significand >> -shift : significand << shift;
    int is_one = 1;
    for (; t; t >>= 1) {
        if (t & 1u)
            all = is_one ? power : detmath_upper_product(all, power);
        is_one &= !(t & 1u);
        power = detmath_upper_product(power, power);
    }
    all = 0 - all; /* 0 is 1 */
    rest = detmath_parts_of(1.0f);
    if (all == 0)
        return rest;
    for (; !(all >> 63); n++)
        all <<= 1;
    float scale = detmath_from_bits_f32((detmath_u32)(127 - n) << 23);
    rest.high = detmath_productf((float)(all >> 40), detmath_productf(scale, 0x1p-24f));
    rest.low = detmath_productf((float)(all >> 16 & 0xffffffu), detmath_productf(scale, 0x1p-48f));
    return rest;
}

DETMATH_FUNCTION struct detmath_adam detmath_adam_of(float rate, float beta1, float beta2,
                                                     float epsilon, float decay, detmath_u32 t,
                                                     int is_decoupled) {
    struct detmath_adam adam;
    struct detmath_parts lost = detmath_parts_of_product(rate, decay);
    adam.decay = decay;
    adam.beta1 = beta1;
    adam.beta2 = beta2;
    adam.epsilon = epsilon;
    adam.is_decoupled = is_decoupled;
    adam.rest1 = detmath_parts_below_one(beta1);
    adam.rest2 = detmath_parts_below_one(beta2);
    adam.rate = detmath_parts_over(detmath_parts_of(rate), detmath_correction(beta1, t));
    adam.second = detmath_correction(beta2, t);
    adam.keeps = detmath_parts_plus(detmath_parts_of(1.0f), detmath_parts_negative(lost));
    return adam;
}

/* x 2^n, for |n| <= 300; of two roundings where it is subnormal. */
DETMATH_FUNCTION float detmath_by_power(float x, detmath_i32 n) {
    detmath_i32 third = n / 3, rest = n - 2 * third;
    float power = detmath_from_bits_f32((detmath_u32)(127 + third) << 23);
    float last = detmath_from_bits_f32((detmath_u32)(127 + rest) << 23);
    return detmath_productf(detmath_productf(detmath_productf(x, power), power), last);
}

DETMATH_FUNCTION struct detmath_parts detmath_parts_by_power(struct detmath_parts x,
                                                             detmath_i32 n) {
    x.high = detmath_by_power(x.high, n);
    x.low = detmath_by_power(x.low, n);
    return x;
}

/* The exponent e for which |x| < 2^e; -149 of 0. */
DETMATH_FUNCTION detmath_i32 detmath_size_of(float x) {
    detmath_i32 up;
    detmath_u32 magnitude = detmath_bits_f32(x) & 0x7fffffffu;
    if (magnitude == 0u)
        return -149;
    magnitude = detmath_normalized_f32(magnitude, &up);
    return (detmath_i32)(magnitude >> 23) - 126 - up;
}

/* x, or what a number counts as beside infinities and NaN: 0. */
DETMATH_FUNCTION float detmath_infinite_part(float x) {
    return x - x == 0.0f ? 0.0f : x;
}

/* A number of two parts times 2^n, rounded once, and where it is subnormal once more. */
DETMATH_FUNCTION float detmath_parts_scaled_number(struct detmath_parts x, detmath_i32 n) {
    float y = detmath_parts_rounded(x.high, x.low);
    return y == 0.0f ? y : detmath_scale_f32(y, n);
}

/* What is taken from the parameter, of m' / 2^e and v' / 4^k that are numbers. The root and epsilon are brought to the size of
 * the larger one. */
DETMATH_FUNCTION struct detmath_parts
detmath_adam_update(struct detmath_parts m, detmath_i32 e, struct detmath_parts v, detmath_i32 k,
                    DETMATH_PRIVATE const struct detmath_adam *adam) {
    struct detmath_parts root = detmath_parts_of(0.0f);
    detmath_i32 size = detmath_size_of(adam->epsilon);
    size = v.high > 0.0f && k > size ? k : size;
    if (v.high < 0.0f)
        return detmath_parts_of(detmath_from_bits_f32(DETMATH_NAN_BITS));
    if (v.high > 0.0f) {
        v = detmath_parts_over(v, adam->second);
        root = detmath_parts_by_power(detmath_parts_product(v, detmath_parts_rsqrt(v)), k - size);
    }
    root = detmath_parts_plus(root, detmath_parts_of(detmath_by_power(adam->epsilon, -size)));
    if (root.high == 0.0f)
        return detmath_parts_of(
            m.high == 0.0f ? detmath_from_bits_f32(DETMATH_NAN_BITS)
                           : detmath_from_bits_f32((detmath_bits_f32(m.high) & 0x80000000u) |
                                                   DETMATH_INFINITY_BITS));
    return detmath_parts_by_power(detmath_parts_product(detmath_parts_over(m, root), adam->rate),
                                  e - size);
}

/* The new parameter; *mean and *square become the new moments. */
DETMATH_FUNCTION float detmath_adamf(float p, float g, DETMATH_PRIVATE float *mean,
                                     DETMATH_PRIVATE float *square,
                                     DETMATH_PRIVATE const struct detmath_adam *adam) {
    struct detmath_parts slope = detmath_parts_of(g), base = detmath_parts_of(p), m, v, update;
    const float old = *mean, old_square = *square;
    if (adam->decay != 0.0f && adam->is_decoupled)
        base = detmath_parts_product(base, adam->keeps);
    else if (adam->decay != 0.0f)
        slope = detmath_parts_plus(slope, detmath_parts_of_product(adam->decay, p));
    const int keeps = detmath_bits_f32(base.high) == 0x80000000u && detmath_bits_f32(g) == 0u &&
                      (adam->beta1 == 0.0f || detmath_bits_f32(old) == 0u) &&
                      (adam->decay == 0.0f || adam->is_decoupled);
    /* Infinities and NaN alone. */
    float far = detmath_infinite_part(slope.high), far_mean = far, far_square = far * far;
    if (adam->beta1 != 0.0f)
        far_mean = far_mean + detmath_infinite_part(old);
    if (adam->beta2 != 0.0f)
        far_square = far_square + detmath_infinite_part(old_square);
    /* Numbers, so large as 1. */
    slope.high = far == 0.0f ? slope.high : 0.0f;
    slope.low = far == 0.0f ? slope.low : 0.0f;
    m = detmath_parts_of(adam->beta1 == 0.0f ? detmath_from_bits_f32(0x80000000u) /* adds nothing */
                         : old - old != 0.0f ? 0.0f
                                             : old);
    v = detmath_parts_of(adam->beta2 == 0.0f || old_square - old_square != 0.0f ? 0.0f
                                                                                : old_square);
    detmath_i32 e = detmath_size_of(slope.high), k = e, of_mean = detmath_size_of(m.high),
                of_square =
                    v.high == 0.0f ? k : (detmath_size_of(v.high) + 301) / 2 - 150; /* 0 is none */
    e = of_mean > e ? of_mean : e;
    k = of_square > k ? of_square : k;
    const struct detmath_parts square_root = detmath_parts_by_power(slope, -k);
    slope = detmath_parts_by_power(slope, -e);
    m = detmath_parts_plus(detmath_parts_of_product(adam->beta1, detmath_by_power(m.high, -e)),
                           detmath_parts_product(slope, adam->rest1));
    v = detmath_parts_plus(
        detmath_parts_of_product(adam->beta2, detmath_by_power(v.high, -2 * k)),
        detmath_parts_product(detmath_parts_product(square_root, square_root), adam->rest2));
    update = detmath_adam_update(m, e, v, k, adam);
    if (far_mean - far_mean != 0.0f) /* over a number, or over infinity */
        update =
            detmath_parts_of(v.high < 0.0f ? detmath_from_bits_f32(DETMATH_NAN_BITS) : far_mean);
    if (far_square - far_square != 0.0f)
        update =
            detmath_parts_of(far_square > 0.0f && far_mean - far_mean == 0.0f
                                 ? detmath_from_bits_f32(detmath_bits_f32(m.high) & 0x80000000u)
                                 : detmath_from_bits_f32(DETMATH_NAN_BITS));
    *mean = far_mean - far_mean != 0.0f ? detmath_canonicalf(far_mean)
                                        : detmath_parts_scaled_number(m, e);
    *square = far_square - far_square != 0.0f ? detmath_canonicalf(far_square)
                                              : detmath_parts_scaled_number(v, 2 * k);
    /* Over an infinite square +0 is left of a mean above 0, which leaves -0 as it is. */
    const int keeps_over = detmath_bits_f32(base.high) == 0x80000000u && m.high > 0.0f &&
                           far_square > 0.0f && far_square - far_square != 0.0f;
    return detmath_stepped(
        detmath_parts_number(detmath_parts_plus(base, detmath_parts_negative(update))),
        keeps || keeps_over);
}

#include "shield_end.inc"

#endif
