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

/* Operand and result K of line number `at`, numbers of type T; a NULL is an operand that is absent. */
#define PORT_X(T, K)                                                                               \
    (all->x[K] ? (DETMATH_ARRAY const T *)all->x[K] + at * all->x_step[K]                          \
               : (DETMATH_ARRAY const T *)0)
#define PORT_Z(T, K) ((DETMATH_ARRAY T *)all->z[K] + at * all->z_step[K] + all->skip)
/* 64 bytes for each element of the line. */
#define PORT_SCRATCH ((DETMATH_ARRAY void *)((DETMATH_ARRAY char *)all->scratch + 64 * at * all->n))

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
