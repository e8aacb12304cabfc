/* det's functions for operations on arrays whose lines are more than elements beside each other: attention, convolution, gradients of
 * the weights of norms, and elements in order. port_lines.h includes it, in C, C++, CUDA C and OpenCL C. */
#ifndef PORT_KERNELS_H
#define PORT_KERNELS_H

#include <detmath/attention_odd.h>
#include <detmath/convolution.h>
#include <detmath/norm_gradients.h>

/* The keys of a query that it sees, and what they have as a bias: a number each, or a slope and the distance of the first key. */
struct port_keys {
    DETMATH_ARRAY const float *k, *v, *mask, *slope;
    detmath_u64 n;
    detmath_i64 distance;
};

/* A query of attention: its `width` results. `scratch` has room for four numbers for each key. */
DETMATH_FUNCTION void detmath_attention_linef(DETMATH_ARRAY float *z, DETMATH_ARRAY const float *q,
                                              const struct port_keys *keys, detmath_u64 width,
                                              float scale, float soft_cap,
                                              DETMATH_ARRAY float *scratch) {
    const struct detmath_attention_scoring all = {scale, soft_cap};
    const detmath_u64 n = keys->n;
    const float infinity = detmath_from_bits_f32(DETMATH_INFINITY_BITS);
    DETMATH_ARRAY float *bias = scratch + 2 * n;
    const struct detmath_attention_scores scores = {scratch, scratch + n};
    struct detmath_attention_row row = {q, keys->k, keys->v, 0, 0, n, width, 1, width, width};
    int is_bad = 0, has_any = 0;
    for (detmath_u64 j = 0; j < n; j++) {
        struct detmath_attention_row one = row;
        one.keys = keys->k + j * width;
        one.bias = keys->mask ? keys->mask + j : 0;
        if (keys->slope) {
            const struct detmath_parts far =
                detmath_attention_alibi(*keys->slope, keys->distance + (detmath_i64)j);
            bias[2 * j] = far.high;
            bias[2 * j + 1] = far.low;
            one.bias = bias + 2 * j;
            one.bias_low = bias + 2 * j + 1;
        }
        const struct detmath_parts score = detmath_attention_score_of(&all, &one, 0);
        scratch[j] = score.high;
        scratch[n + j] = score.low;
        is_bad |= !(score.high < infinity);
        has_any |= score.high != detmath_attention_none();
    }
    for (detmath_u64 i = 0; i < width; i++) {
        float y = is_bad ? detmath_from_bits_f32(DETMATH_NAN_BITS) : 0.0f;
        if (!is_bad && has_any) {
            y = detmath_attention_again(&row, scores, i, 1.0f);
            y = detmath_attention_is_odd(y) ? detmath_attention_odd(&row, scores, y, i) : y;
        }
        z[i] = y;
    }
}

/* An element of a convolution: of n elements of a window with their weights. `bias` may be 0. */
DETMATH_FUNCTION float detmath_convolution_linef(DETMATH_ARRAY const float *x,
                                                 DETMATH_ARRAY const float *weights,
                                                 DETMATH_ARRAY const float *bias, detmath_u64 n) {
    return detmath_convolution_element(detmath_convolution_sum(x, weights, n, 1),
                                       bias ? *bias : 0.0f, bias != 0);
}

/* Which weights the lines of a norm have: line k those of group k % groups, `each` of them. */
struct port_weights {
    detmath_u64 lines, n, groups, each;
};

/* The gradients of all weights and biases of a norm; each weight has n / each elements of a line. `scratch` has room for 64 bytes for
 * each element. */
DETMATH_FUNCTION void detmath_norm_weights_gradientf(DETMATH_ARRAY float *weight,
                                                     DETMATH_ARRAY float *bias,
                                                     DETMATH_ARRAY const float *x,
                                                     DETMATH_ARRAY const float *g,
                                                     const struct port_weights *all, float epsilon,
                                                     int which, DETMATH_ARRAY void *scratch) {
    const detmath_u64 n = all->n, in = all->lines / all->groups, per = n / all->each;
    DETMATH_ARRAY struct detmath_norm_line *lines =
        (DETMATH_ARRAY struct detmath_norm_line *)scratch;
    DETMATH_ARRAY float *own = (DETMATH_ARRAY float *)(lines + all->lines);
    for (detmath_u64 k = 0; k < all->lines; k++)
        lines[k % all->groups * in + k / all->groups] =
            detmath_norm_line_of(x + k * n, n, epsilon, which);
    for (detmath_u64 i = 0; i < all->groups * all->each; i++) {
        const detmath_u64 group = i / all->each, first = i % all->each * per;
        float of_bias;
        for (detmath_u64 k = 0; k < in * per; k++) {
            const detmath_u64 at = (k / per * all->groups + group) * n + first + k % per;
            own[k] = x[at];
            own[in * per + k] = g[at];
        }
        weight[i] = detmath_norm_weight_gradientf(own, own + in * per, lines + group * in, in * per,
                                                  per, which, &of_bias);
        bias[i] = of_bias;
    }
}

#define PORT_WEIGHTS_FUNCTION(NAME, WHICH)                                                         \
    DETMATH_FUNCTION void detmath_##NAME##_weights_gradientf(                                      \
        DETMATH_ARRAY float *weight, DETMATH_ARRAY float *bias, DETMATH_ARRAY const float *x,      \
        DETMATH_ARRAY const float *g, const struct port_weights *all, float epsilon,               \
        DETMATH_ARRAY void *scratch) {                                                             \
        detmath_norm_weights_gradientf(weight, bias, x, g, all, epsilon, WHICH, scratch);          \
    }
PORT_WEIGHTS_FUNCTION(rms_norm, DETMATH_RMS_NORM)
PORT_WEIGHTS_FUNCTION(layer_norm, DETMATH_LAYER_NORM)
PORT_WEIGHTS_FUNCTION(l2_norm, DETMATH_L2_NORM)

/* The first `kept` of n elements in order, and their places: NaN is above all numbers, and of equal elements the first comes first,
 * whether they rise or fall. `z` may be 0. */
#define PORT_ORDER_FUNCTION(NUMBER, C)                                                             \
    DETMATH_FUNCTION int detmath_comes_before##C(NUMBER a, NUMBER b, int falls) {                  \
        return falls ? (a != a && b == b) || a > b : (b != b && a == a) || a < b;                  \
    }                                                                                              \
    DETMATH_FUNCTION void detmath_order_line##C(                                                   \
        DETMATH_ARRAY NUMBER *z, DETMATH_ARRAY detmath_i64 *places, DETMATH_ARRAY const NUMBER *x, \
        detmath_u64 n, detmath_u64 kept, int falls) {                                              \
        for (detmath_u64 i = 0; i < n; i++) {                                                      \
            detmath_u64 before = 0;                                                                \
            for (detmath_u64 j = 0; j < n && before < kept; j++)                                   \
                before += detmath_comes_before##C(x[j], x[i], falls) ||                            \
                          (j < i && !detmath_comes_before##C(x[i], x[j], falls));                  \
            if (before < kept)                                                                     \
                places[before] = (detmath_i64)i;                                                   \
            if (before < kept && z)                                                                \
                z[before] = detmath_canonical##C(x[i]);                                            \
        }                                                                                          \
    }
PORT_ORDER_FUNCTION(float, f)
#if !defined(PORT_FP32_ALONE)
PORT_ORDER_FUNCTION(double, )
#endif

#endif
