/* softmax on vectors: the steps of reductions_exp.inc where powers are ordinary, and their bits. To be included after the headers
 * of detmath, whose lanes are 64. */
#ifndef DETMATH_LIBRARY_SOFTMAX_LANES_H
#define DETMATH_LIBRARY_SOFTMAX_LANES_H

#include "detmath/reductions.h"
#include "parts_lanes.h"

#if defined(DETMATH_LANES)

/* What reductions.h calls a lane is one of 64 sums, in so many vectors. */
enum { SOFTMAX_SUMS = 64, SOFTMAX_VECTORS = SOFTMAX_SUMS / DETMATH_LANES };

/* The largest element; NaN where there is one. */
static inline float softmax_largest(const float *x, size_t n) {
    lanes_f most = (lanes_f){0} + x[0], more = most;
    lanes_u sizes = {0};
    float largest = x[0];
    detmath_u32 size = 0;
    size_t at = 0;
    for (; n - at >= 2 * DETMATH_LANES; at += 2 * DETMATH_LANES) {
        const lanes_f a = lanes_load(x + at), b = lanes_load(x + at + DETMATH_LANES);
        most = lanes_most(most, a);
        more = lanes_most(more, b);
        sizes = lanes_larger(
            sizes, lanes_larger((lanes_u)lanes_magnitude(a), (lanes_u)lanes_magnitude(b)));
    }
    most = lanes_most(most, more);
    for (int l = 0; l < DETMATH_LANES; l++) {
        largest = most[l] > largest ? most[l] : largest;
        size = size > sizes[l] ? size : sizes[l];
    }
    for (; at < n; at++) {
        const detmath_u32 magnitude = detmath_magnitude_f32(x[at]);
        largest = x[at] > largest ? x[at] : largest;
        size = size > magnitude ? size : magnitude;
    }
    return size > DETMATH_INFINITY_BITS ? detmath_from_bits_f32(DETMATH_NAN_BITS) : largest;
}

/* detmath_near_powerf. */
static inline lanes_f softmax_power(lanes_f x, lanes_f m) {
    const lanes_f d = x - m, part = d - x, low = (x - (d - part)) - (m + part);
    const lanes_f shifted = detmath_fmaf_lanes(d, 0x1.715476p0f, 0x1.8p23f),
                  k = shifted - 0x1.8p23f;
    const lanes_f exact = detmath_fmaf_lanes(k, -0x1.62e4p-1f, d),
                  r = detmath_fmaf_lanes(k, -0x1.7f7d1cp-20f, exact);
    lanes_f q = detmath_fmaf_lanes(r, 0x1.a2d442p-13f, 0x1.6d30d2p-10f);
    q = detmath_fmaf_lanes(r, q, 0x1.110fc4p-7f);
    q = detmath_fmaf_lanes(r, q, 0x1.5555p-5f);
    q = detmath_fmaf_lanes(r, q, 0x1.555556p-3f);
    q = detmath_fmaf_lanes(r, q, 0.5f);
    const lanes_f head = 1.0f + exact,
                  rest = detmath_fmaf_lanes(k, -0x1.7f7d1cp-20f, (1.0f - head) + exact);
    const lanes_f tail = detmath_fmaf_lanes(low, head, detmath_fmaf_lanes(r * r, q, rest));
    return (lanes_f)((lanes_u)(head + tail) + (((lanes_u)shifted - 0x4b400000u) << 23));
}

DETMATH_SELDOM_FUNCTION void softmax_step(float *lane, const float *x, size_t n, float m, int *skip,
                                          float *powers) {
    detmath_power_stepf(lane, x, n, m, skip, powers);
}

/* detmath_power_blockf of whole steps of 64, of which one that has the first m, or powers that are not near, is the header's. */
static inline float softmax_block(const float *x, size_t n, float m, int *skip, float *powers) {
    lanes_f sums[SOFTMAX_VECTORS];
    float lane[SOFTMAX_SUMS];
    const lanes_f most = (lanes_f){0} + m, near = (lanes_f){0} + (float)DETMATH_NEAR;
    size_t at = 0;
    for (int k = 0; k < SOFTMAX_VECTORS; k++)
        sums[k] = -(lanes_f){0};
    for (; n - at >= SOFTMAX_SUMS; at += SOFTMAX_SUMS) {
        lanes_f v[SOFTMAX_VECTORS], e[SOFTMAX_VECTORS], least, largest;
        least = largest = lanes_load(x + at);
        for (int k = 0; k < SOFTMAX_VECTORS; k++) {
            v[k] = lanes_load(x + at + k * DETMATH_LANES);
            least = lanes_least(least, v[k]);
            largest = lanes_most(largest, v[k]);
        }
        if (DETMATH_SELDOM(detmath_any_lanes(least - most <= near) ||
                           (*skip && detmath_any_lanes(largest == most)))) {
            memcpy(lane, sums, sizeof lane);
            softmax_step(lane, x + at, SOFTMAX_SUMS, m, skip, powers + at);
            memcpy(sums, lane, sizeof lane);
            continue;
        }
        for (int k = 0; k < SOFTMAX_VECTORS; k++)
            e[k] = softmax_power(v[k], most);
        for (int k = 0; k < SOFTMAX_VECTORS; k++) {
            lanes_store(powers + at + k * DETMATH_LANES, e[k]);
            sums[k] = sums[k] + e[k];
        }
    }
    memcpy(lane, sums, sizeof lane);
    if (at < n)
        softmax_step(lane, x + at, n - at, m, skip, powers + at);
    return detmath_lanes_foldf(lane);
}

DETMATH_SELDOM_FUNCTION void softmax_shares(float *y, const float *x, size_t n, float m, float s) {
    detmath_sharesf(y, x, n, m, s, 0);
}

/* detmath_sharesf of the powers in y. */
static inline void softmax_by_powers(float *y, const float *x, size_t n, float m, float s) {
    const lanes_f zero = {0}, inverse = zero + detmath_inversef(s), sum = zero + s,
                  least = zero + 0x1p-60f;
    size_t at = 0;
    for (; n - at >= DETMATH_LANES; at += DETMATH_LANES) {
        const lanes_f e = lanes_load(y + at), q = e * inverse;
        if (DETMATH_SELDOM(detmath_any_lanes(e < least)))
            softmax_shares(y + at, x + at, DETMATH_LANES, m, s);
        else
            lanes_store(y + at, lanes_fma(lanes_fma(-q, sum, e), inverse, q));
    }
    softmax_shares(y + at, x + at, n - at, m, s);
}

/* detmath_softmaxf, of a y that is apart from x. */
static inline void softmax_of_lanes(float *y, const float *x, size_t n) {
    float level[DETMATH_TREE_LEVELS];
    const float m = softmax_largest(x, n);
    detmath_u64 count = 0;
    int skip = 1;
    if (!(m - m == 0.0f)) {
        for (size_t i = 0; i < n; i++)
            y[i] = detmath_from_bits_f32(DETMATH_NAN_BITS);
        return;
    }
    level[0] = 0;
    for (size_t at = 0; at < n; at += DETMATH_BLOCK, count++) {
        const size_t there = n - at < DETMATH_BLOCK ? n - at : DETMATH_BLOCK;
        detmath_tree_addf(level, count, softmax_block(x + at, there, m, &skip, y + at));
    }
    softmax_by_powers(y, x, n, m, 1 + detmath_tree_totalf(level, count));
}
#endif

#endif
