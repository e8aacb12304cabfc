/* What a port's functions take of a line of an operation on arrays, and det's functions for it by these names. Include it behind
 * detmath/all.h, and in OpenCL, too. */
#ifndef PORT_LINES_H
#define PORT_LINES_H

#include <detmath/log_softmax_gradient.h>

/* Operand and result K of line number `at`, numbers of type T; a NULL is an operand that is absent. */
#define PORT_X(T, K) (all->x[K] ? (const T *)all->x[K] + at * all->x_step[K] : (const T *)0)
#define PORT_Z(T, K) ((T *)all->z[K] + at * all->z_step[K] + all->skip)
/* 64 bytes for each element of the line. */
#define PORT_SCRATCH ((void *)((char *)all->scratch + 64 * at * all->n))

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
    F(PORT_Z(T, 0), PORT_X(T, 0), PORT_X(T, 1), PORT_X(T, 2), all->n, all->epsilon)
#define PORT_MATRIX_OF_XY(F, C, T)                                                                 \
    F(PORT_Z(T, 0), PORT_X(T, 0), PORT_X(T, 1), all->rows, all->n, all->columns);                  \
    for (size_t i = 0; all->x[2] && i < all->rows * all->columns; i++)                             \
    PORT_Z(T, 0)[i] = detmath_canonical##C(PORT_Z(T, 0)[i] + PORT_X(T, 2)[i])

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
    DETMATH_FUNCTION void detmath_logsumexp_gradient##C(NUMBER *z, const NUMBER *x,                \
                                                        const NUMBER *g, detmath_u64 n) {          \
        struct detmath_line from = detmath_line_of##C(x), given = detmath_line_of##C(g);           \
        struct detmath_line_out to = detmath_line_to##C(z);                                        \
        detmath_logsumexp_gradient_slowly(&to, &from, &given, n);                                  \
    }                                                                                              \
    DETMATH_FUNCTION void detmath_log_softmax_gradient##C(NUMBER *z, const NUMBER *x,              \
                                                          const NUMBER *g, detmath_u64 n) {        \
        struct detmath_line from = detmath_line_of##C(x), given = detmath_line_of##C(g);           \
        struct detmath_line_out to = detmath_line_to##C(z);                                        \
        detmath_log_softmax_gradient_slowly(&to, &from, &given, n);                                \
    }                                                                                              \
    DETMATH_FUNCTION void detmath_logcumsumexp_gradient##C(NUMBER *z, const NUMBER *x,             \
                                                           const NUMBER *g, detmath_u64 n,         \
                                                           int exclusive, void *scratch) {         \
        struct detmath_line from = detmath_line_of##C(x), given = detmath_line_of##C(g);           \
        struct detmath_line_out to = detmath_line_to##C(z);                                        \
        detmath_logcumsumexp_gradient_slowly(&to, &from, &given, n, exclusive,                     \
                                             (struct detmath_log_prefix *)scratch);                \
    }
PORT_LOG_GRADIENTS(float, f)
PORT_LOG_GRADIENTS(double, )

#endif
