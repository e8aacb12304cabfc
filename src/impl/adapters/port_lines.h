/* What a port's functions take of a line of an operation on arrays, and det's functions for it by these names; in C, C++, CUDA C and
 * OpenCL C. With PORT_FP32_ALONE defined none is of fp64. */
#ifndef PORT_LINES_H
#define PORT_LINES_H

#include <detmath/reductions.h>

#include <detmath/cross_entropy.h>
#include <detmath/gate_gradients.h>
#include <detmath/gates.h>
#include <detmath/log_softmax_gradient.h>
#include <detmath/loss_sums.h>
#include <detmath/norm_gradients.h>
#include <detmath/norms.h>
#include <detmath/optimisers.h>
#include <detmath/rope.h>
#include <detmath/softmax_gradient.h>

#include "port_given.h"
#include "port_kernels.h"

/* Operand and result K of line number `at`, numbers of type T; a NULL is an operand that is absent. */
#define PORT_X(T, K)                                                                               \
    (all->x[K] ? (DETMATH_ARRAY const T *)all->x[K] + at * all->x_step[K]                          \
               : (DETMATH_ARRAY const T *)0)
#define PORT_Z(T, K) ((DETMATH_ARRAY T *)all->z[K] + at * all->z_step[K] + all->skip)
/* 64 bytes for each element of the line, and more: port_arrays.h. */
#define PORT_SCRATCH                                                                               \
    ((DETMATH_ARRAY void *)((DETMATH_ARRAY char *)all->scratch + at * all->scratch_step))

/* How a function F is called, by CALL of port_arrays.inc. C is what stands behind names for the type T: f, or nothing. */
#define PORT_NUMBER_OF_X(F, C, T) *PORT_Z(T, 0) = F(PORT_X(T, 0), all->n)
#define PORT_NUMBER_OF_XY(F, C, T)                                                                 \
    *PORT_Z(T, 0) = F(PORT_X(T, 0), PORT_X(T, 1), all->n);                                         \
    if (all->x[2])                                                                                 \
    *PORT_Z(T, 0) = detmath_canonical##C(*PORT_Z(T, 0) + *PORT_X(T, 2))
#define PORT_LINE_OF_X(F, C, T)  F(PORT_Z(T, 0), PORT_X(T, 0), all->n)
#define PORT_LINE_OF_XY(F, C, T) F(PORT_Z(T, 0), PORT_X(T, 0), PORT_X(T, 1), all->n)
#define PORT_TWO_LINES_OF_XYG(F, C, T)                                                             \
    F(PORT_Z(T, 0), PORT_Z(T, 1), PORT_X(T, 0), PORT_X(T, 1), PORT_X(T, 2), all->n)
#define PORT_SCAN_OF_XY(F, C, T)                                                                   \
    F(PORT_Z(T, 0), PORT_X(T, 0), PORT_X(T, 1), all->n, all->exclusive, PORT_SCRATCH)
#define PORT_NORM(F, C, T)                                                                         \
    F(PORT_Z(T, 0), PORT_X(T, 0), PORT_X(T, 1), PORT_X(T, 2), all->n, all->numbers[PORT_EPSILON])
#define PORT_MATRIX_OF_XY(F, C, T)                                                                 \
    F(PORT_Z(T, 0), PORT_X(T, 0), PORT_X(T, 1), all->rows, all->n, all->columns);                  \
    for (detmath_u64 i = 0; all->x[2] && i < all->rows * all->columns; i++)                        \
    PORT_Z(T, 0)[i] = detmath_canonical##C(PORT_Z(T, 0)[i] + PORT_X(T, 2)[i])

/* Rotary angles: `turn` is 1, or -1 for the gradient. */
#define PORT_ROPE_BY(F, T, TURN)                                                                   \
    F(PORT_Z(T, 0), PORT_X(T, 0), all->n, TURN **PORT_X(detmath_i64, 1), all->numbers[PORT_BASE],  \
      all->numbers[PORT_FACTOR], all->rotary, all->interleaved)
#define PORT_ROPE(F, C, T)      PORT_ROPE_BY(F, T, 1)
#define PORT_ROPE_BACK(F, C, T) PORT_ROPE_BY(F, T, -1)
/* Losses of a class. */
#define PORT_LOSS(F, C, T)                                                                         \
    *PORT_Z(T, 0) = F(PORT_X(T, 0), PORT_X(T, 2), all->n, *PORT_X(detmath_i64, 1), all->ignored,   \
                      all->numbers[PORT_SMOOTHING])
#define PORT_LOSS_GRADIENT(F, C, T)                                                                \
    F(PORT_Z(T, 0), PORT_X(T, 0), PORT_X(T, 3), all->n, *PORT_X(detmath_i64, 1), all->ignored,     \
      *PORT_X(T, 2), all->numbers[PORT_SMOOTHING])
/* Steps of optimisers, element by element: the parameter, the gradient, and what is kept of the steps before. */
#define PORT_SGD(F, C, T)                                                                          \
    const struct detmath_sgd own = {all->numbers[PORT_RATE],                                       \
                                    all->numbers[PORT_MOMENTUM],                                   \
                                    all->numbers[PORT_DAMPENING],                                  \
                                    all->numbers[PORT_DECAY],                                      \
                                    all->nesterov,                                                 \
                                    all->step == 1};                                               \
    for (detmath_u64 i = 0; i < all->n; i++) {                                                     \
        T velocity = all->x[2] ? PORT_X(T, 2)[i] : 0;                                              \
        PORT_Z(T, 0)[i] = F(PORT_X(T, 0)[i], PORT_X(T, 1)[i], &velocity, &own);                    \
        PORT_Z(T, 1)[i] = velocity;                                                                \
    }
#define PORT_ADAM_BY(F, T, DECOUPLED)                                                              \
    const struct detmath_adam own = detmath_adam_of(                                               \
        all->numbers[PORT_RATE], all->numbers[PORT_BETA1], all->numbers[PORT_BETA2],               \
        all->numbers[PORT_EPSILON], all->numbers[PORT_DECAY], (detmath_u32)all->step, DECOUPLED);  \
    for (detmath_u64 i = 0; i < all->n; i++) {                                                     \
        T mean = PORT_X(T, 2)[i], square = PORT_X(T, 3)[i];                                        \
        PORT_Z(T, 0)[i] = F(PORT_X(T, 0)[i], PORT_X(T, 1)[i], &mean, &square, &own);               \
        PORT_Z(T, 1)[i] = mean;                                                                    \
        PORT_Z(T, 2)[i] = square;                                                                  \
    }
#define PORT_ADAM(F, C, T)  PORT_ADAM_BY(F, T, 0)
#define PORT_ADAMW(F, C, T) PORT_ADAM_BY(F, T, 1)

/* Attention: a line is a query. */
#define PORT_ATTENTION(F, C, T)                                                                    \
    const struct port_keys keys = port_keys_of(all, at);                                           \
    F(PORT_Z(T, 0), PORT_X(T, 0), &keys, all->n, detmath_cr_rsqrtf((float)all->n),                 \
      all->numbers[PORT_SOFT_CAP], (DETMATH_ARRAY T *)PORT_SCRATCH)
/* Convolution: a line is an element of the result. */
#define PORT_WINDOW(F, C, T)                                                                       \
    const detmath_u64 output = port_output_of(all, at),                                            \
                      terms = port_window_of(all, at, (DETMATH_ARRAY T *)PORT_SCRATCH);            \
    *PORT_Z(T, 0) = F((DETMATH_ARRAY T *)PORT_SCRATCH, PORT_X(T, 1) + output * terms,              \
                      all->x[2] ? PORT_X(T, 2) + output : (DETMATH_ARRAY const T *)0, terms)
/* The gradients of weights get all lines. */
#define PORT_WEIGHTS(F, C, T)                                                                      \
    const struct port_weights own = {all->rows, all->n, all->groups, all->each};                   \
    F(PORT_Z(T, 0), PORT_Z(T, 1), PORT_X(T, 0), PORT_X(T, 1), &own, all->numbers[PORT_EPSILON],    \
      PORT_SCRATCH)
/* Elements in order. */
#define PORT_ORDER_BY(F, T, FALLS)                                                                 \
    F(PORT_Z(T, 0), PORT_Z(detmath_i64, 1), PORT_X(T, 0), all->n, all->z_step[0],                  \
      (FALLS) != all->reverse)
#define PORT_ORDER(F, C, T)         PORT_ORDER_BY(F, T, 0)
#define PORT_ORDER_FALLING(F, C, T) PORT_ORDER_BY(F, T, 1)
#define PORT_ORDER_PLACE(F, C, T)                                                                  \
    F((DETMATH_ARRAY T *)0, PORT_Z(detmath_i64, 0), PORT_X(T, 0), all->n, 1, !all->reverse)

/* The keys that a query sees. */
DETMATH_FUNCTION struct port_keys port_keys_of(const struct port_lines *all, detmath_u64 at) {
    const detmath_i64 queries = (detmath_i64)all->x_extents[0][2],
                      keys = (detmath_i64)all->x_extents[1][2],
                      own = (detmath_i64)(at % all->x_extents[0][2]) + keys - queries;
    const detmath_u64 heads = all->x_extents[0][1], groups = all->x_extents[1][1],
                      head = at / all->x_extents[0][2],
                      group = head / heads * groups + head % heads / (heads / groups);
    detmath_i64 window = keys + queries, from, to;
    struct port_keys seen;
    if (all->window && all->window < (detmath_u64)window)
        window = (detmath_i64)all->window;
    from = own - window + 1 < 0 ? 0 : own - window + 1;
    to = all->causal ? own + 1 : own + window;
    to = to > keys ? keys : to < from ? from : to;
    const detmath_u64 first = (group * all->x_extents[1][2] + (detmath_u64)from) * all->n;
    seen.k = (DETMATH_ARRAY const float *)all->x[1] + first;
    seen.v = (DETMATH_ARRAY const float *)all->x[2] + first;
    seen.mask = seen.slope = 0;
    if (all->x[3] && all->alibi)
        seen.slope = (DETMATH_ARRAY const float *)all->x[3] + head % heads;
    else if (all->x[3])
        seen.mask = (DETMATH_ARRAY const float *)all->x[3] +
                    at % all->x_extents[0][2] * all->x_extents[1][2] + (detmath_u64)from;
    seen.n = (detmath_u64)(to - from);
    seen.distance = from - own;
    return seen;
}

/* The output channel of an element. */
DETMATH_FUNCTION detmath_u64 port_output_of(const struct port_lines *all, detmath_u64 at) {
    for (detmath_u64 i = 2; i < all->dimensions; i++)
        at /= all->z_extents[i];
    return at % all->z_extents[1];
}

/* Gathers what the window of an element has, 0 in the padding; returns how many. */
DETMATH_FUNCTION detmath_u64 port_window_of(const struct port_lines *all, detmath_u64 at,
                                            DETMATH_ARRAY float *window) {
    const detmath_u64 outputs = all->z_extents[1] / all->groups, channels = all->x_extents[1][1],
                      group = port_output_of(all, at) / outputs;
    detmath_u64 sample = at, terms = channels;
    for (detmath_u64 i = 2; i < all->dimensions; i++)
        terms *= all->x_extents[1][i];
    for (detmath_u64 i = 1; i < all->dimensions; i++)
        sample /= all->z_extents[i];
    for (detmath_u64 term = 0; term < terms; term++) {
        detmath_u64 place = 0, size = 1, tap = term, spot = at;
        int is_inside = 1;
        for (detmath_u64 i = all->dimensions - 1; i > 1; i--) {
            const detmath_u64 from =
                spot % all->z_extents[i] * all->stride + tap % all->x_extents[1][i] * all->dilation;
            is_inside =
                is_inside && from >= all->padding && from - all->padding < all->x_extents[0][i];
            place += size * (from - all->padding);
            size *= all->x_extents[0][i];
            spot /= all->z_extents[i];
            tap /= all->x_extents[1][i];
        }
        place += size * (sample * all->x_extents[0][1] + group * channels + tap);
        window[term] = is_inside ? ((DETMATH_ARRAY const float *)all->x[0])[place] : 0.0f;
    }
    return terms;
}

/* A line at a position: pairs of neighbours, or of the two halves of its first `rotary` elements (0: of all). */
DETMATH_FUNCTION void detmath_rope_linef(DETMATH_ARRAY float *z, DETMATH_ARRAY const float *x,
                                         detmath_u64 n, detmath_i64 position, float base,
                                         float factor, detmath_u64 rotary, int interleaved) {
    const detmath_u64 pairs = (rotary ? rotary : n) / 2;
    const struct detmath_rope rope = detmath_rope_of(base, factor, pairs ? (detmath_u32)pairs : 1u);
    for (detmath_u64 i = 0; i < n; i++)
        z[i] = detmath_canonicalf(x[i]);
    for (detmath_u64 i = 0; i < pairs; i++) {
        const detmath_u64 first = interleaved ? 2 * i : i,
                          second = first + (interleaved ? 1 : pairs);
        const struct detmath_turn_parts turn =
            detmath_rope_turn(detmath_rope_frequency(&rope, (detmath_u32)i), position);
        float y0, y1;
        detmath_rope_pair(&y0, &y1, x[first], x[second], turn, position == 0);
        z[first] = y0;
        z[second] = y1;
    }
}

/* The loss of a line, whose class may be one to be ignored, or none; weights of classes may be 0. */
DETMATH_FUNCTION float detmath_cross_entropy_linef(DETMATH_ARRAY const float *x,
                                                   DETMATH_ARRAY const float *weights,
                                                   detmath_u64 n, detmath_i64 target,
                                                   detmath_i64 ignored, float smoothing) {
    if (target == ignored)
        return 0.0f;
    if (target < 0 || (detmath_u64)target >= n)
        return detmath_from_bits_f32(DETMATH_NAN_BITS);
    return detmath_loss_rounded(
        detmath_cross_entropyf(x, weights, n, (detmath_u64)target, smoothing));
}

/* Its gradient, times g. */
DETMATH_FUNCTION void detmath_cross_entropy_gradient_linef(
    DETMATH_ARRAY float *z, DETMATH_ARRAY const float *x, DETMATH_ARRAY const float *weights,
    detmath_u64 n, detmath_i64 target, detmath_i64 ignored, float g, float smoothing) {
    if (target >= 0 && (detmath_u64)target < n && target != ignored) {
        detmath_cross_entropy_gradientf(z, x, weights, n, (detmath_u64)target, g, smoothing);
        return;
    }
    for (detmath_u64 i = 0; i < n; i++)
        z[i] = target == ignored ? 0.0f : detmath_from_bits_f32(DETMATH_NAN_BITS);
}

/* Norms, as functions of their own. */
#define PORT_NORM_FUNCTIONS(NAME, WHICH)                                                           \
    DETMATH_FUNCTION void detmath_##NAME##f(                                                       \
        DETMATH_ARRAY float *z, DETMATH_ARRAY const float *x, DETMATH_ARRAY const float *weight,   \
        DETMATH_ARRAY const float *bias, detmath_u64 n, float epsilon) {                           \
        detmath_normf(z, x, weight, bias, n, epsilon, WHICH);                                      \
    }                                                                                              \
    DETMATH_FUNCTION void detmath_##NAME##_gradientf(                                              \
        DETMATH_ARRAY float *z, DETMATH_ARRAY const float *x, DETMATH_ARRAY const float *g,        \
        DETMATH_ARRAY const float *weight, detmath_u64 n, float epsilon) {                         \
        detmath_norm_gradientf(z, x, g, weight, n, epsilon, WHICH);                                \
    }
PORT_NORM_FUNCTIONS(rms_norm, DETMATH_RMS_NORM)
PORT_NORM_FUNCTIONS(layer_norm, DETMATH_LAYER_NORM)
PORT_NORM_FUNCTIONS(l2_norm, DETMATH_L2_NORM)

/* Gradients of logarithms of sums, of elements beside each other. */
#define PORT_LOG_GRADIENTS(NUMBER, C)                                                              \
    DETMATH_FUNCTION void detmath_logsumexp_gradient##C(                                           \
        DETMATH_ARRAY NUMBER *z, DETMATH_ARRAY const NUMBER *x, DETMATH_ARRAY const NUMBER *g,     \
        detmath_u64 n) {                                                                           \
        struct detmath_line from = detmath_line_of##C(x), given = detmath_line_of##C(g);           \
        struct detmath_line_out to = detmath_line_to##C(z);                                        \
        detmath_logsumexp_gradient_slowly(&to, &from, &given, n);                                  \
    }                                                                                              \
    DETMATH_FUNCTION void detmath_log_softmax_gradient##C(                                         \
        DETMATH_ARRAY NUMBER *z, DETMATH_ARRAY const NUMBER *x, DETMATH_ARRAY const NUMBER *g,     \
        detmath_u64 n) {                                                                           \
        struct detmath_line from = detmath_line_of##C(x), given = detmath_line_of##C(g);           \
        struct detmath_line_out to = detmath_line_to##C(z);                                        \
        detmath_log_softmax_gradient_slowly(&to, &from, &given, n);                                \
    }                                                                                              \
    DETMATH_FUNCTION void detmath_logcumsumexp_gradient##C(                                        \
        DETMATH_ARRAY NUMBER *z, DETMATH_ARRAY const NUMBER *x, DETMATH_ARRAY const NUMBER *g,     \
        detmath_u64 n, int exclusive, DETMATH_ARRAY void *scratch) {                               \
        struct detmath_line from = detmath_line_of##C(x), given = detmath_line_of##C(g);           \
        struct detmath_line_out to = detmath_line_to##C(z);                                        \
        detmath_logcumsumexp_gradient_slowly(&to, &from, &given, n, exclusive,                     \
                                             (DETMATH_ARRAY struct detmath_log_prefix *)scratch);  \
    }
#if !defined(DETMATH_NO_DOUBLE)
PORT_LOG_GRADIENTS(float, f)
#endif
#if !defined(PORT_FP32_ALONE)
PORT_LOG_GRADIENTS(double, )
#endif

#endif
