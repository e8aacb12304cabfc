/* Kernels of training for one instruction set: compiled several times, as arrays.c is. */
#include "training_list.h"

#include "kernels.h"

DETMATH_FLATTENED static struct detmath_parts
cross_entropy(const float *x, const float *weights, size_t n, size_t target, float smoothing) {
    return detmath_cross_entropyf(x, weights, n, target, smoothing);
}

DETMATH_FLATTENED static void cross_entropy_gradient(float *y, const float *x, const float *weights,
                                                     size_t n, size_t target, float g,
                                                     float smoothing) {
    detmath_cross_entropy_gradientf(y, x, weights, n, target, g, smoothing);
}

DETMATH_FLATTENED static void norm_gradient(float *y, const float *x, const float *g,
                                            const float *weight, size_t n, float epsilon,
                                            enum detmath_norm which) {
    detmath_norm_gradientf(y, x, g, weight, n, epsilon, (int)which);
}

DETMATH_FLATTENED static struct detmath_norm_line norm_line(const float *x, size_t n, float epsilon,
                                                            enum detmath_norm which) {
    return detmath_norm_line_of(x, n, epsilon, (int)which);
}

DETMATH_FLATTENED static float norm_weight_gradient(const float *x, const float *g,
                                                    const struct detmath_norm_line *lines, size_t n,
                                                    size_t per, enum detmath_norm which,
                                                    float *bias) {
    return detmath_norm_weight_gradientf(x, g, lines, n, per, (int)which, bias);
}

#define GATE(NAME)                                                                                 \
    DETMATH_FLATTENED static void NAME##_gradient(float *dx, float *du, const float *x,            \
                                                  const float *u, const float *g, size_t n) {      \
        detmath_##NAME##_gradientf(dx, du, x, u, g, n);                                            \
    }
GATE(silu_mul)
GATE(gelu_mul)
GATE(gelu_tanh_mul)

DETMATH_FLATTENED static void softmax_gradient(float *y, const float *x, const float *g, size_t n) {
    detmath_softmax_gradientf(y, x, g, n);
}

DETMATH_FLATTENED static void sgd(float *p, const float *g, float *velocity, size_t n,
                                  const struct detmath_sgd *rates) {
    for (size_t i = 0; i < n; i++)
        p[i] = detmath_sgdf(p[i], g[i], &velocity[i], rates);
}

DETMATH_FLATTENED static void adam(float *p, const float *g, float *mean, float *square, size_t n,
                                   const struct detmath_adam *rates) {
    for (size_t i = 0; i < n; i++)
        p[i] = detmath_adamf(p[i], g[i], &mean[i], &square[i], rates);
}

#define JOIN(A, B)  JOIN_(A, B)
#define JOIN_(A, B) A##B
extern const struct detmath_training JOIN(detmath_training_, DETMATH_LEVEL);
const struct detmath_training JOIN(detmath_training_, DETMATH_LEVEL) = {
    .cross_entropy = cross_entropy,
    .cross_entropy_gradient = cross_entropy_gradient,
    .norm_gradient = norm_gradient,
    .norm_line = norm_line,
    .norm_weight_gradient = norm_weight_gradient,
    .gate_gradients = {silu_mul_gradient, gelu_mul_gradient, gelu_tanh_mul_gradient},
    .softmax_gradient = softmax_gradient,
    .sgd = sgd,
    .adam = adam};
