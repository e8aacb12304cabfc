/* Sums of products of dyadic numbers, and what a layer of a network makes of them: dot, matrix
 * products, affine layers, ReLU, the mean squared error, and a step of training. Arrays share one
 * scale; shifts decide where results lie, and nothing is computed in floating point.
 *
 *   dot       sum of x[k] y[k], shifted           (S 2^-q, s1 + s2 - q), q of either sign
 *   affine    z = (W x) + b, aligned to the sum   (S + b 2^(s1+s2-s3)) 2^-q, s1 + s2 - q)
 *   relu      max(v, 0)                           (v, s)
 *   mse       mean of squared differences         (sum of d^2) 2^p / n toward zero, 2 s + p)
 *   step      momentum and learning rate          m' = m - m / 2^a + g clipped, w' = w - m' / 2^b
 *
 * Every product and every partial sum, in the order of k from 0 on, is held in the accumulator of
 * the rules. Where none can overflow, and wherever the rules wrap, the order does not matter, and
 * the array forms use that (dyadic_arrays.h). */
#ifndef DETMATH_DYADIC_LINEAR_H
#define DETMATH_DYADIC_LINEAR_H

#include "dyadic.h"

#include "shield.inc"

/* Of dot and affine: scales of both factors and of the bias (s1 + s2 where there is none), and q.
 * raise2 and lower2 bring the bias to s1 + s2; raise1 and lower1 are the shift by q. */
DETMATH_INLINED struct detmath_dyadic_plan
detmath_dyadic_plan_affine(detmath_i32 s1, detmath_i32 s2, detmath_i32 s3, detmath_i32 q,
                           struct detmath_dyadic_rules rules) {
    struct detmath_dyadic_plan plan = detmath_dyadic_plan_mul(s1, s2, q, rules);
    plan.status |= detmath_dyadic_plan_of(s3, 0, 0, rules).status;
    detmath_dyadic_plan_shift(&plan, (detmath_i64)s1 + s2 - s3, &plan.raise2, &plan.lower2);
    return plan;
}

/* The sum so far and one product more. */
DETMATH_INLINED detmath_i64 detmath_dyadic_add_product(detmath_i64 sum, detmath_i64 x,
                                                       detmath_i64 y,
                                                       struct detmath_dyadic_rules rules,
                                                       detmath_u32 *status) {
    x = detmath_dyadic_load(x, rules, status);
    y = detmath_dyadic_load(y, rules, status);
    struct detmath_dyadic_exact product =
        rules.bits == 32 ? detmath_dyadic_exactly(x * y) : detmath_dyadic_product(x, y);
    return detmath_dyadic_hold(detmath_dyadic_sum(sum, detmath_dyadic_hold(product, rules, status)),
                               rules, status);
}

/* A sum of products as a result: plus the bias, if any, which is aligned first, and shifted by q. */
DETMATH_INLINED detmath_i64 detmath_dyadic_affine_mantissa(detmath_i64 sum, detmath_i64 bias,
                                                           struct detmath_dyadic_plan plan,
                                                           detmath_u64 random,
                                                           detmath_u32 *status) {
    /* The random bits of the bias are those of the sum, halves exchanged. */
    bias = detmath_dyadic_shifted(bias, plan.raise2, plan.lower2, plan.rules,
                                  random >> 32 | random << 32, status);
    sum = detmath_dyadic_hold(detmath_dyadic_sum(sum, bias), plan.rules, status);
    sum = detmath_dyadic_hold(detmath_dyadic_raised(sum, plan.raise1), plan.rules, status);
    return detmath_dyadic_lowered(sum, plan.lower1, random);
}

/* Of mse: a difference as sub has it, its square added to the sum so far. */
DETMATH_INLINED detmath_i64 detmath_dyadic_add_square(detmath_i64 sum, detmath_i64 v1,
                                                      detmath_i64 v2,
                                                      struct detmath_dyadic_plan plan,
                                                      detmath_u64 random, detmath_u32 *status) {
    detmath_i64 d = detmath_dyadic_sub_mantissas(v1, v2, plan, random, status);
    return detmath_dyadic_add_product(sum, d, d, plan.rules, status);
}

/* Of mse, from the plan of sub: the mean of n squares with precision shift p. */
DETMATH_INLINED struct detmath_dyadic_plan
detmath_dyadic_plan_mean(struct detmath_dyadic_plan difference, detmath_i32 p) {
    /* A scale that is out of bounds may be too large to double. */
    detmath_i32 scale = difference.status ? 0 : 2 * difference.s;
    struct detmath_dyadic_plan plan = detmath_dyadic_plan_div(scale, 0, p, difference.rules);
    plan.status |= difference.status;
    return plan;
}

/* A step of training, for one weight: the velocity m decays by 2^-decay and takes up the gradient,
 * clipped to -bound to bound, and the weight gives up 2^-rate of the velocity. Velocity and gradient
 * have scale s_gradient, the weight s_weight; both shifts round as the rules say. */
struct detmath_dyadic_step {
    struct detmath_dyadic_rules rules;
    struct detmath_dyadic_bounds bounds; /* of a gradient */
    struct detmath_dyadic_shift decay;
    detmath_i32 has_momentum; /* else the velocity is the gradient */
    detmath_i32 raise;
    struct detmath_dyadic_shift lower; /* of the velocity to the weight's scale and by the rate */
    detmath_u32 status;
};

/* decay: 1 to 63, or 0 for no momentum. rate: 0 to 63. bound: above 0. */
DETMATH_INLINED struct detmath_dyadic_step
detmath_dyadic_step_of(detmath_i32 s_weight, detmath_i32 s_gradient, detmath_i32 rate,
                       detmath_i32 decay, detmath_i64 bound, struct detmath_dyadic_rules rules) {
    struct detmath_dyadic_plan plan = detmath_dyadic_plan_of(s_weight, s_gradient, 0, rules);
    if (rate < 0 || rate > DETMATH_DYADIC_MOST_SHIFT || decay < 0 ||
        decay > DETMATH_DYADIC_MOST_SHIFT)
        plan.status |= DETMATH_DYADIC_BAD_SHIFT;
    if (bound < 1) {
        plan.status |= DETMATH_DYADIC_BAD_WIDTH;
        bound = 1;
    }
    detmath_dyadic_plan_shift(&plan, (detmath_i64)s_weight - s_gradient - rate, &plan.raise1,
                              &plan.lower1);
    struct detmath_dyadic_step step = {rules,       {-bound, bound}, plan.lower2, decay > 0,
                                       plan.raise1, plan.lower1,     plan.status};
    if (!plan.status)
        step.decay = detmath_dyadic_shift_of(decay, rules.rounding);
    return step;
}

DETMATH_INLINED detmath_i64 detmath_dyadic_step_velocity(detmath_i64 m, detmath_i64 gradient,
                                                         struct detmath_dyadic_step step,
                                                         detmath_u64 random, detmath_u32 *status) {
    struct detmath_dyadic_rules rules = step.rules;
    gradient = detmath_dyadic_clip(detmath_dyadic_load(gradient, rules, status), step.bounds);
    gradient = detmath_dyadic_load(gradient, rules, status);
    m = detmath_dyadic_load(step.has_momentum ? m : 0, rules, status);
    m = detmath_dyadic_hold(
        detmath_dyadic_difference(m, detmath_dyadic_lowered(m, step.decay, random)), rules, status);
    return detmath_dyadic_hold(detmath_dyadic_sum(m, gradient), rules, status);
}

/* The random bits of the weight are those of the velocity, halves exchanged. */
DETMATH_INLINED detmath_i64 detmath_dyadic_step_weight(detmath_i64 w, detmath_i64 velocity,
                                                       struct detmath_dyadic_step step,
                                                       detmath_u64 random, detmath_u32 *status) {
    struct detmath_dyadic_rules rules = step.rules;
    velocity = detmath_dyadic_shifted(velocity, step.raise, step.lower, rules,
                                      random >> 32 | random << 32, status);
    w = detmath_dyadic_load(w, rules, status);
    return detmath_dyadic_hold(detmath_dyadic_difference(w, velocity), rules, status);
}

#include "shield_end.inc"

#endif
