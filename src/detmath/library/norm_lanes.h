/* Norms on vectors: the steps of norms.h, and their bits. To be included after the headers of detmath, whose lanes are 64. */
#ifndef DETMATH_LIBRARY_NORM_LANES_H
#define DETMATH_LIBRARY_NORM_LANES_H

#include "detmath/norms.h"
#include "parts_lanes.h"

#if defined(DETMATH_LANES)

/* What norms.h calls a lane is one of 64 sums, in so many vectors. */
enum { NORM_SUMS = 64, NORM_VECTORS = NORM_SUMS / DETMATH_LANES };

/* detmath_largest_magnitudef. */
static inline detmath_u32 norm_largest(const float *x, size_t n) {
    lanes_u most[4] = {{0}, {0}, {0}, {0}};
    detmath_u32 largest = 0;
    size_t at = 0;
    for (; n - at >= 4 * DETMATH_LANES; at += 4 * DETMATH_LANES)
        for (int k = 0; k < 4; k++)
            most[k] = lanes_larger(
                most[k], (lanes_u)lanes_magnitude(lanes_load(x + at + k * DETMATH_LANES)));
    for (; at < n; at++) {
        const detmath_u32 magnitude = detmath_magnitude_f32(x[at]);
        largest = largest > magnitude ? largest : magnitude;
    }
    most[0] = lanes_larger(lanes_larger(most[0], most[1]), lanes_larger(most[2], most[3]));
    for (int l = 0; l < DETMATH_LANES; l++)
        largest = largest > most[0][l] ? largest : most[0][l];
    return largest;
}

struct norm_sums {
    float high[NORM_SUMS], low[NORM_SUMS];
};

/* detmath_norm_sum_block. Vectors of sums stay in registers, so that few of them go through the block at once. */
enum {
    NORM_AT_ONCE = NORM_VECTORS < 4 ? NORM_VECTORS : 4,
    NORM_STEP = NORM_AT_ONCE * DETMATH_LANES
};
static inline struct detmath_parts norm_sum_block(const float *x, size_t n, float scale) {
    struct norm_sums sums;
    const size_t whole = n / NORM_SUMS * NORM_SUMS;
    for (int first = 0; first < NORM_SUMS; first += NORM_STEP) {
        lanes_f high[NORM_AT_ONCE], low[NORM_AT_ONCE];
        for (int k = 0; k < NORM_AT_ONCE; k++)
            high[k] = low[k] = -(lanes_f){0};
        for (size_t at = (size_t)first; at < whole; at += NORM_SUMS)
            for (int k = 0; k < NORM_AT_ONCE; k++) {
                const lanes_f z = lanes_load(x + at + k * DETMATH_LANES) * scale, sum = high[k] + z;
                low[k] = low[k] + detmath_sum_restf_lanes(high[k], z, sum);
                high[k] = sum;
            }
        for (int k = 0; k < NORM_AT_ONCE; k++) {
            lanes_store(sums.high + first + k * DETMATH_LANES, high[k]);
            lanes_store(sums.low + first + k * DETMATH_LANES, low[k]);
        }
    }
    if (whole < n)
        detmath_norm_count(sums.high, sums.low, x + whole, n - whole, scale);
    return detmath_parts_fold(sums.high, sums.low);
}

/* detmath_norm_deviation but for the sign of 0. A difference that is not 0 has an exponent no lower than what it lacks: where
 * it is exact, it is half a unit of the mean's last place or more, which the second part is at most; and else it is
 * half as large as the mean at least. So what the last sum lost takes two steps. */
static inline struct detmath_parts_lanes norm_deviation(lanes_f z,
                                                        struct detmath_parts_lanes mean) {
    struct detmath_parts_lanes d;
    const lanes_f difference = z - mean.high,
                  rest = detmath_sum_restf_lanes(z, -mean.high, difference) - mean.low;
    d.high = difference + rest;
    d.low = rest - (d.high - difference);
    return d;
}

/* detmath_norm_squares_block. Where `highs` is not NULL it and `lows` get the parts of all z - m. */
static inline struct detmath_parts norm_squares_block(const float *x, size_t n, float scale,
                                                      struct detmath_parts mean, int centred,
                                                      float *highs, float *lows) {
    struct norm_sums sums;
    const size_t whole = n / NORM_SUMS * NORM_SUMS;
    const struct detmath_parts_lanes middle = {(lanes_f){0} + mean.high, (lanes_f){0} + mean.low};
    for (int first = 0; first < NORM_SUMS; first += NORM_STEP) {
        lanes_f high[NORM_AT_ONCE], low[NORM_AT_ONCE];
        for (int k = 0; k < NORM_AT_ONCE; k++)
            high[k] = low[k] = -(lanes_f){0};
        for (size_t at = (size_t)first; at < whole; at += NORM_SUMS)
            for (int k = 0; k < NORM_AT_ONCE; k++) {
                struct detmath_parts_lanes d = {.high =
                                                    lanes_load(x + at + k * DETMATH_LANES) * scale};
                if (centred)
                    d = norm_deviation(d.high, middle);
                if (highs) {
                    lanes_store(highs + at + k * DETMATH_LANES, d.high);
                    lanes_store(lows + at + k * DETMATH_LANES, d.low);
                }
                const lanes_f square = d.high * d.high, sum = high[k] + square;
                lanes_f rest = lanes_fma(d.high, d.high, -square);
                if (centred)
                    rest = lanes_fma(d.high + d.high, d.low, rest);
                low[k] = low[k] + (detmath_sum_restf_lanes(high[k], square, sum) + rest);
                high[k] = sum;
            }
        for (int k = 0; k < NORM_AT_ONCE; k++) {
            lanes_store(sums.high + first + k * DETMATH_LANES, high[k]);
            lanes_store(sums.low + first + k * DETMATH_LANES, low[k]);
        }
    }
    if (whole < n)
        detmath_norm_count_squares(sums.high, sums.low, x + whole, n - whole, scale, mean, centred);
    return detmath_parts_fold(sums.high, sums.low);
}

/* What the elements of a line share; or the same, and the parts of all z - m, of n that is a multiple of 64. */
#define NORM_SQUARES(X, N, SCALE, MEAN, CENTRED)                                                   \
    norm_squares_block(X, N, SCALE, MEAN, CENTRED, NULL, NULL)
#define NORM_SQUARES_KEPT(X, N, SCALE, MEAN, CENTRED)                                              \
    norm_squares_block(X, N, SCALE, MEAN, CENTRED, highs + ((X)-x), lows + ((X)-x))
DETMATH_SELDOM_FUNCTION struct detmath_norm_line
norm_line_kept(const float *x, size_t n, float epsilon, float *highs, float *lows) {
    const int which = DETMATH_LAYER_NORM;
    DETMATH_NORM_LINE(norm_largest, norm_sum_block, NORM_SQUARES_KEPT);
}
DETMATH_SELDOM_FUNCTION struct detmath_norm_line norm_line_centred(const float *x, size_t n,
                                                                   float epsilon) {
    const int which = DETMATH_LAYER_NORM;
    DETMATH_NORM_LINE(norm_largest, norm_sum_block, NORM_SQUARES);
}
DETMATH_SELDOM_FUNCTION struct detmath_norm_line
norm_line_plain(const float *x, size_t n, float epsilon, enum detmath_norm as) {
    const int which = as == DETMATH_RMS_NORM ? DETMATH_RMS_NORM : DETMATH_L2_NORM;
    DETMATH_NORM_LINE(norm_largest, norm_sum_block, NORM_SQUARES);
}

/* What detmath_norm_elements works with; where `lows` is not NULL, y and it have the parts of all z - m. */
struct norm_call {
    float *y;
    const float *x, *weight, *bias;
    size_t n;
    struct detmath_norm_line line;
    const float *lows;
};

DETMATH_SELDOM_FUNCTION void norm_far(const struct norm_call *call, size_t at, size_t n,
                                      int centred) {
    detmath_norm_elements(call->y + at, call->x + at, call->weight ? call->weight + at : NULL,
                          call->bias ? call->bias + at : NULL, n, &call->line, centred);
}

/* detmath_norm_element, where the result is a number: then nothing on the way was infinite or NaN. */
static inline lanes_f norm_element(const struct norm_call *call, size_t at, int centred,
                                   int has_weight, int has_bias) {
    const struct detmath_norm_line *line = &call->line;
    const lanes_f zero = {0}, root = zero + line->root.high;
    const struct detmath_parts_lanes mean = {zero + line->mean.high, zero + line->mean.low};
    struct detmath_parts_lanes d = {.high = lanes_load(call->x + at) * line->scale};
    if (centred && call->lows)
        d = (struct detmath_parts_lanes){lanes_load(call->y + at), lanes_load(call->lows + at)};
    else if (centred)
        d = norm_deviation(d.high, mean);
    if (centred)
        d.high += zero;
    lanes_f y = d.high * root, rest = lanes_fma(d.high, root, -y);
    rest = lanes_fma(d.high, zero + line->root.low, rest);
    if (centred)
        rest = lanes_fma(d.low, root, rest);
    if (has_weight) {
        const lanes_f weight = lanes_load(call->weight + at), product = y * weight;
        rest = lanes_fma(rest, weight, lanes_fma(y, weight, -product));
        y = product;
    }
    if (has_bias) {
        const lanes_f bias = lanes_load(call->bias + at), sum = y + bias;
        rest = detmath_sum_restf_lanes(y, bias, sum) + rest;
        y = sum;
    }
    return lanes_unless_zero(rest, y, y + rest);
}

static inline void norm_elements(const struct norm_call *call, int centred, int has_weight,
                                 int has_bias) {
    size_t at = 0;
    for (; call->n - at >= 2 * DETMATH_LANES; at += 2 * DETMATH_LANES) {
        const lanes_f a = norm_element(call, at, centred, has_weight, has_bias),
                      b = norm_element(call, at + DETMATH_LANES, centred, has_weight, has_bias);
        const lanes_u most = lanes_larger((lanes_u)lanes_magnitude(a), (lanes_u)lanes_magnitude(b));
        if (DETMATH_SELDOM(lanes_reach(most, DETMATH_INFINITY_BITS))) {
            norm_far(call, at, 2 * DETMATH_LANES, centred);
            continue;
        }
        lanes_store(call->y + at, a);
        lanes_store(call->y + at + DETMATH_LANES, b);
    }
    norm_far(call, at, call->n - at, centred);
}

/* detmath_normf. Lines of up to so many elements keep what they need twice. */
enum { NORM_KEPT = 4096 };
static inline void norm_of_lanes(float *y, const float *x, const float *weight, const float *bias,
                                 size_t n, float epsilon, enum detmath_norm which) {
    float lows[NORM_KEPT];
    const int centred = which == DETMATH_LAYER_NORM;
    struct norm_call call = {.y = y, .x = x, .weight = weight, .bias = bias, .n = n};
    if (n == 0)
        return;
    if (centred && y != x && n <= NORM_KEPT && n % NORM_SUMS == 0) {
        call.line = norm_line_kept(x, n, epsilon, y, lows);
        call.lows = lows;
    } else
        call.line =
            centred ? norm_line_centred(x, n, epsilon) : norm_line_plain(x, n, epsilon, which);
    if (call.line.scale == 0.0f)
        norm_far(&call, 0, n, centred);
    else if (centred && weight)
        norm_elements(&call, 1, 1, bias != NULL);
    else if (centred)
        norm_elements(&call, 1, 0, bias != NULL);
    else if (weight)
        norm_elements(&call, 0, 1, bias != NULL);
    else
        norm_elements(&call, 0, 0, bias != NULL);
}
#endif

#endif
