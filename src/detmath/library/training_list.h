/* Kernels of training of one instruction set: losses, optimisers, gradients. Not installed. */
#ifndef DETMATH_LIBRARY_TRAINING_LIST_H
#define DETMATH_LIBRARY_TRAINING_LIST_H

#include "detmath/cross_entropy.h"
#include "detmath/norm_gradients.h"
#include "detmath/optimisers.h"
#include "reduction_list.h"

struct detmath_training {
    struct detmath_parts (*cross_entropy)(const float *x, size_t n, size_t target, float smoothing);
    void (*cross_entropy_gradient)(float *y, const float *x, size_t n, size_t target, float g,
                                   float smoothing);
    void (*norm_gradient)(float *y, const float *x, const float *g, const float *weight, size_t n,
                          float epsilon, enum detmath_norm which);
    /* Takes a step for n elements: p, the velocity and the moments become the new ones. */
    void (*sgd)(float *p, const float *g, float *velocity, size_t n,
                const struct detmath_sgd *rates);
    void (*adam)(float *p, const float *g, float *mean, float *square, size_t n,
                 const struct detmath_adam *rates);
};

#endif
