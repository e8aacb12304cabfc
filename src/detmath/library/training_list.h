/* Kernels of training of one instruction set: losses, optimisers, gradients. Not installed. */
#ifndef DETMATH_LIBRARY_TRAINING_LIST_H
#define DETMATH_LIBRARY_TRAINING_LIST_H

#include "detmath/cross_entropy.h"
#include "detmath/gate_gradients.h"
#include "detmath/norm_gradients.h"
#include "detmath/optimisers.h"
#include "detmath/softmax_gradient.h"
#include "reduction_list.h"

struct detmath_training {
    struct detmath_parts (*cross_entropy)(const float *x, const float *weights, size_t n,
                                          size_t target, float smoothing);
    void (*cross_entropy_gradient)(float *y, const float *x, const float *weights, size_t n,
                                   size_t target, float g, float smoothing);
    void (*norm_gradient)(float *y, const float *x, const float *g, const float *weight, size_t n,
                          float epsilon, enum detmath_norm which);
    struct detmath_norm_line (*norm_line)(const float *x, size_t n, float epsilon,
                                          enum detmath_norm which);
    /* The sum for a weight; *bias: that for its bias. */
    float (*norm_weight_gradient)(const float *x, const float *g,
                                  const struct detmath_norm_line *lines, size_t n, size_t per,
                                  enum detmath_norm which, float *bias);
    /* By enum detmath_gate; dx and du may be operands. */
    void (*gate_gradients[3])(float *dx, float *du, const float *x, const float *u, const float *g,
                              size_t n);
    void (*softmax_gradient)(float *y, const float *x, const float *g, size_t n);
    /* Takes a step for n elements: p, the velocity and the moments become the new ones. */
    void (*sgd)(float *p, const float *g, float *velocity, size_t n,
                const struct detmath_sgd *rates);
    void (*adam)(float *p, const float *g, float *mean, float *square, size_t n,
                 const struct detmath_adam *rates);
};

#endif
