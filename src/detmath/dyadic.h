/* Dyadic numbers: an integer mantissa v and a scale s of either sign that mean v * 2^-s. A larger s
 * is a finer scale. Integer operations only, so that the bits are the same everywhere.
 *
 *   align       (v, s) to scale t         (v 2^(t-s), t)
 *   add, sub    both aligned to t         (v1 +- v2, t), t = min(s1, s2) or max(s1, s2)
 *   mul         quantisation shift q      (v1 v2 2^-q, s1 + s2 - q), q of either sign
 *   div         precision shift p         (v1 2^p / v2 toward zero, s1 - s2 + p), likewise
 *   relu        max(v, 0)                  (max(v, 0), s)
 *   relu_gradient   of relu               (g, s1) where x is above 0, else (0, s1)
 *   equal       of the numbers             (1, 0) or (0, 0)
 *   requantise  (v, s) to t and b bits    (clip(v 2^(t-s)), t)
 *   gradient    of requantise             the incoming one where the value before the clip lay
 *                                         within the bounds, else zero with the incoming scale
 *
 * Each step is taken in an accumulator of 32 or 64 bits: operands, aligned mantissas, sums,
 * products and shifted dividends are held in it, and what does not fit is wrapped, saturated or
 * reported. Shifts to the right are rounded by the rules' direction; shifts are as long as scales
 * allow. What goes wrong is said in
 * *status, to which bits are added (enum detmath_dyadic_status); where any other than
 * DETMATH_DYADIC_OVERFLOW is, the result is (0, 0). */
#ifndef DETMATH_DYADIC_H
#define DETMATH_DYADIC_H

#include "dyadic_steps.h"

#include "shield.inc"

struct detmath_dyadic {
    detmath_i64 v;
    detmath_i32 s;
};

/* What b bits hold: -2^(b-1) to 2^(b-1) - 1, b from 1 to 64, or 0 to 2^b - 1, b from 1 to 63. */
struct detmath_dyadic_bounds {
    detmath_i64 least, most;
};

DETMATH_INLINED struct detmath_dyadic_bounds
detmath_dyadic_bounds_of(detmath_i32 bits, detmath_i32 is_signed, detmath_u32 *status) {
    struct detmath_dyadic_bounds bounds = {0, 0};
    if (bits < 1 || bits > (is_signed ? 64 : 63)) {
        *status |= DETMATH_DYADIC_BAD_WIDTH;
        return bounds;
    }
    detmath_i32 value_bits = is_signed ? bits - 1 : bits;
    bounds.most = (detmath_i64)(((detmath_u64)1 << value_bits) - 1);
    bounds.least = is_signed ? -bounds.most - 1 : 0;
    return bounds;
}

DETMATH_INLINED detmath_i64 detmath_dyadic_clip(detmath_i64 v,
                                                struct detmath_dyadic_bounds bounds) {
    v = v < bounds.least ? bounds.least : v;
    return v > bounds.most ? bounds.most : v;
}

/* What the scales decide, once for any number of mantissas: by how much either operand is raised
 * and then lowered, or by how much the product is lowered (the first), and the result's scale. The
 * plan is good for nothing where status is not 0. */
struct detmath_dyadic_plan {
    struct detmath_dyadic_rules rules;
    detmath_i32 raise1, raise2;
    struct detmath_dyadic_shift lower1, lower2;
    struct detmath_dyadic_bounds bounds;
    detmath_i32 s;
    detmath_u32 status;
};

DETMATH_INLINED struct detmath_dyadic_plan
detmath_dyadic_plan_of(detmath_i64 s1, detmath_i64 s2, detmath_i64 s,
                       struct detmath_dyadic_rules rules) {
    struct detmath_dyadic_shift none = {0, 0, 0, 0, 0, 0};
    struct detmath_dyadic_bounds nothing = {0, 0};
    struct detmath_dyadic_plan plan = {rules, 0, 0, none, none, nothing, (detmath_i32)s, 0};
    detmath_i64 most = DETMATH_DYADIC_MOST_SCALE;
    if (s1 < -most || s1 > most || s2 < -most || s2 > most || s < -most || s > most)
        plan.status |= DETMATH_DYADIC_BAD_SCALE;
    return plan;
}

/* A shift to the left by `by`, or, where that is negative, to the right with that rounding. Beyond 64
 * bits to the left, and 126 to the right, nothing changes any more. */
DETMATH_INLINED void detmath_dyadic_plan_shift_by(detmath_i64 by,
                                                  enum detmath_dyadic_rounding rounding,
                                                  detmath_i32 *raise,
                                                  struct detmath_dyadic_shift *lower) {
    const detmath_i64 left = DETMATH_DYADIC_MOST_SHIFT + 1, right = 2 * DETMATH_DYADIC_MOST_SHIFT;
    detmath_i64 up = by > 0 ? by : 0, down = by < 0 ? -by : 0;
    *raise = (detmath_i32)(up < left ? up : left);
    *lower = detmath_dyadic_shift_of((detmath_i32)(down < right ? down : right), rounding);
}

DETMATH_INLINED void detmath_dyadic_plan_shift(const struct detmath_dyadic_plan *plan,
                                               detmath_i64 by, detmath_i32 *raise,
                                               struct detmath_dyadic_shift *lower) {
    detmath_dyadic_plan_shift_by(by, plan->rules.rounding, raise, lower);
}

/* Of align, and of requantise and gradient: (v, s) to scale t. */
DETMATH_INLINED struct detmath_dyadic_plan
detmath_dyadic_plan_align(detmath_i32 s, detmath_i32 t, struct detmath_dyadic_rules rules) {
    struct detmath_dyadic_plan plan = detmath_dyadic_plan_of(s, 0, t, rules);
    detmath_dyadic_plan_shift(&plan, (detmath_i64)t - s, &plan.raise1, &plan.lower1);
    return plan;
}

/* The same, with the bounds of `bits` bits. */
DETMATH_INLINED struct detmath_dyadic_plan
detmath_dyadic_plan_requantise(detmath_i32 s, detmath_i32 t, detmath_i32 bits,
                               detmath_i32 is_signed, struct detmath_dyadic_rules rules) {
    struct detmath_dyadic_plan plan = detmath_dyadic_plan_align(s, t, rules);
    plan.bounds = detmath_dyadic_bounds_of(bits, is_signed, &plan.status);
    return plan;
}

DETMATH_INLINED struct detmath_dyadic_plan
detmath_dyadic_plan_add(detmath_i32 s1, detmath_i32 s2, struct detmath_dyadic_rules rules) {
    detmath_i32 least = s1 < s2 ? s1 : s2, most = s1 < s2 ? s2 : s1;
    detmath_i32 t = rules.alignment == DETMATH_DYADIC_COARSER ? least : most;
    struct detmath_dyadic_plan plan = detmath_dyadic_plan_of(s1, s2, t, rules);
    detmath_dyadic_plan_shift(&plan, (detmath_i64)t - s1, &plan.raise1, &plan.lower1);
    detmath_dyadic_plan_shift(&plan, (detmath_i64)t - s2, &plan.raise2, &plan.lower2);
    return plan;
}

DETMATH_INLINED struct detmath_dyadic_plan
detmath_dyadic_plan_mul(detmath_i32 s1, detmath_i32 s2, detmath_i32 q,
                        struct detmath_dyadic_rules rules) {
    struct detmath_dyadic_plan plan =
        detmath_dyadic_plan_of(s1, s2, (detmath_i64)s1 + s2 - q, rules);
    detmath_dyadic_plan_shift(&plan, -(detmath_i64)q, &plan.raise1, &plan.lower1);
    return plan;
}

DETMATH_INLINED struct detmath_dyadic_plan
detmath_dyadic_plan_div(detmath_i32 s1, detmath_i32 s2, detmath_i32 p,
                        struct detmath_dyadic_rules rules) {
    struct detmath_dyadic_plan plan =
        detmath_dyadic_plan_of(s1, s2, (detmath_i64)s1 - s2 + p, rules);
    /* Toward zero as the quotient is: both together are v1 2^p / v2 toward zero, rounded once. */
    detmath_dyadic_plan_shift_by(p, DETMATH_DYADIC_TOWARD_ZERO, &plan.raise1, &plan.lower1);
    return plan;
}

/* Of equal: the operand of the coarser scale is raised, as far as a shift goes; both fields of the
 * other are 0. */
DETMATH_INLINED struct detmath_dyadic_plan
detmath_dyadic_plan_equal(detmath_i32 s1, detmath_i32 s2, struct detmath_dyadic_rules rules) {
    struct detmath_dyadic_plan plan = detmath_dyadic_plan_of(s1, s2, 0, rules);
    detmath_i64 apart = (detmath_i64)s2 - s1, most = DETMATH_DYADIC_MOST_SHIFT + 1;
    plan.raise1 = apart > most ? (detmath_i32)most : apart > 0 ? (detmath_i32)apart : 0;
    plan.raise2 = -apart > most ? (detmath_i32)most : apart < 0 ? (detmath_i32)-apart : 0;
    return plan;
}

/* Mantissas by a plan without trouble. An operand is held in the accumulator first. */
DETMATH_INLINED detmath_i64 detmath_dyadic_load(detmath_i64 v, struct detmath_dyadic_rules rules,
                                                detmath_u32 *status) {
    return detmath_dyadic_hold(detmath_dyadic_exactly(v), rules, status);
}

DETMATH_INLINED detmath_i64 detmath_dyadic_shifted(detmath_i64 v, detmath_i32 raise,
                                                   struct detmath_dyadic_shift lower,
                                                   struct detmath_dyadic_rules rules,
                                                   detmath_u64 random, detmath_u32 *status) {
    v = detmath_dyadic_load(v, rules, status);
    v = detmath_dyadic_hold(detmath_dyadic_raised(v, raise), rules, status);
    return detmath_dyadic_lowered(v, lower, random);
}

DETMATH_INLINED detmath_i64 detmath_dyadic_align_mantissa(detmath_i64 v,
                                                          struct detmath_dyadic_plan plan,
                                                          detmath_u64 random, detmath_u32 *status) {
    return detmath_dyadic_shifted(v, plan.raise1, plan.lower1, plan.rules, random, status);
}

/* Of two operands at most one is rounded, so that one draw of random bits is enough. */
DETMATH_INLINED detmath_i64 detmath_dyadic_add_mantissas(detmath_i64 v1, detmath_i64 v2,
                                                         struct detmath_dyadic_plan plan,
                                                         detmath_u64 random, detmath_u32 *status) {
    v1 = detmath_dyadic_shifted(v1, plan.raise1, plan.lower1, plan.rules, random, status);
    v2 = detmath_dyadic_shifted(v2, plan.raise2, plan.lower2, plan.rules, random, status);
    return detmath_dyadic_hold(detmath_dyadic_sum(v1, v2), plan.rules, status);
}

DETMATH_INLINED detmath_i64 detmath_dyadic_sub_mantissas(detmath_i64 v1, detmath_i64 v2,
                                                         struct detmath_dyadic_plan plan,
                                                         detmath_u64 random, detmath_u32 *status) {
    v1 = detmath_dyadic_shifted(v1, plan.raise1, plan.lower1, plan.rules, random, status);
    v2 = detmath_dyadic_shifted(v2, plan.raise2, plan.lower2, plan.rules, random, status);
    return detmath_dyadic_hold(detmath_dyadic_difference(v1, v2), plan.rules, status);
}

DETMATH_INLINED detmath_i64 detmath_dyadic_mul_mantissas(detmath_i64 v1, detmath_i64 v2,
                                                         struct detmath_dyadic_plan plan,
                                                         detmath_u64 random, detmath_u32 *status) {
    v1 = detmath_dyadic_load(v1, plan.rules, status);
    v2 = detmath_dyadic_load(v2, plan.rules, status);
    /* What 32 bits hold has a product that 64 hold. */
    struct detmath_dyadic_exact product =
        plan.rules.bits == 32 ? detmath_dyadic_exactly(v1 * v2) : detmath_dyadic_product(v1, v2);
    detmath_i64 v = detmath_dyadic_hold(product, plan.rules, status);
    v = detmath_dyadic_hold(detmath_dyadic_raised(v, plan.raise1), plan.rules, status);
    return detmath_dyadic_lowered(v, plan.lower1, random);
}

/* Toward zero, whatever the rules' rounding; by 0 it is 0, and an error. */
DETMATH_INLINED detmath_i64 detmath_dyadic_div_mantissas(detmath_i64 v1, detmath_i64 v2,
                                                         struct detmath_dyadic_plan plan,
                                                         detmath_u32 *status) {
    v1 = detmath_dyadic_load(v1, plan.rules, status);
    v2 = detmath_dyadic_load(v2, plan.rules, status);
    if (v2 == 0) {
        *status |= DETMATH_DYADIC_DIVISION_BY_ZERO;
        return 0;
    }
    v1 = detmath_dyadic_hold(detmath_dyadic_raised(v1, plan.raise1), plan.rules, status);
    v1 = detmath_dyadic_lowered(v1, plan.lower1, 0);
    /* By -1 as a difference, since the quotient of the least integer does not fit. */
    struct detmath_dyadic_exact quotient =
        v2 == -1 ? detmath_dyadic_difference(0, v1) : detmath_dyadic_exactly(v1 / v2);
    return detmath_dyadic_hold(quotient, plan.rules, status);
}

/* v1 2^k == v2, k from 0 to 64: by the lower bits of v2, since the shifted v1 need not fit. */
DETMATH_INLINED detmath_i64 detmath_dyadic_is_raised(detmath_i64 v1, detmath_i64 v2,
                                                     detmath_i32 k) {
    detmath_i64 high = v2 >> (k & 63);
    detmath_i64 whole = (detmath_i64)((detmath_u64)high << (k & 63)) == v2;
    return k < 64 ? whole & (high == v1) : (v1 == 0) & (v2 == 0);
}

DETMATH_INLINED detmath_i64 detmath_dyadic_equal_mantissas(detmath_i64 v1, detmath_i64 v2,
                                                           struct detmath_dyadic_plan plan,
                                                           detmath_u32 *status) {
    v1 = detmath_dyadic_load(v1, plan.rules, status);
    v2 = detmath_dyadic_load(v2, plan.rules, status);
    return plan.raise2 ? detmath_dyadic_is_raised(v2, v1, plan.raise2)
                       : detmath_dyadic_is_raised(v1, v2, plan.raise1);
}

DETMATH_INLINED detmath_i64 detmath_dyadic_relu_mantissa(detmath_i64 v,
                                                         struct detmath_dyadic_plan plan,
                                                         detmath_u32 *status) {
    v = detmath_dyadic_load(v, plan.rules, status);
    return v < 0 ? 0 : v;
}

/* For the gradient of relu: s1, the scale of the incoming gradient, is the result's too. */
DETMATH_INLINED struct detmath_dyadic_plan
detmath_dyadic_plan_relu_gradient(detmath_i32 s1, detmath_i32 s2,
                                  struct detmath_dyadic_rules rules) {
    return detmath_dyadic_plan_of(s1, s2, s1, rules);
}

/* At 0, where relu has no derivative, it is 0, as scaled.relu_gradient has it. */
DETMATH_INLINED detmath_i64 detmath_dyadic_relu_gradient_mantissa(detmath_i64 gradient,
                                                                  detmath_i64 v,
                                                                  struct detmath_dyadic_plan plan,
                                                                  detmath_u32 *status) {
    gradient = detmath_dyadic_load(gradient, plan.rules, status);
    v = detmath_dyadic_load(v, plan.rules, status);
    return v > 0 ? gradient : 0;
}

DETMATH_INLINED detmath_i64 detmath_dyadic_requantise_mantissa(detmath_i64 v,
                                                               struct detmath_dyadic_plan plan,
                                                               detmath_u64 random,
                                                               detmath_u32 *status) {
    return detmath_dyadic_clip(detmath_dyadic_align_mantissa(v, plan, random, status), plan.bounds);
}

/* The straight-through gradient of that with respect to v, where `gradient` is the one with respect
 * to its result: rounding counts as the identity, and the clip as the identity where what it was
 * given lay within the bounds. Same plan and random bits as in the forward pass; the scale of the
 * gradient stays. */
DETMATH_INLINED detmath_i64 detmath_dyadic_gradient_mantissa(detmath_i64 gradient, detmath_i64 v,
                                                             struct detmath_dyadic_plan plan,
                                                             detmath_u64 random,
                                                             detmath_u32 *status) {
    gradient = detmath_dyadic_load(gradient, plan.rules, status);
    v = detmath_dyadic_align_mantissa(v, plan, random, status);
    return v >= plan.bounds.least && v <= plan.bounds.most ? gradient : 0;
}

/* One number. */
DETMATH_INLINED struct detmath_dyadic detmath_dyadic_of(detmath_i64 v, detmath_i32 s,
                                                        detmath_u32 trouble, detmath_u32 *status) {
    struct detmath_dyadic result = {v, s}, nothing = {0, 0};
    *status |= trouble;
    return trouble > DETMATH_DYADIC_OVERFLOW ? nothing : result;
}

#define DETMATH_DYADIC_RESULT(PLAN, MANTISSA)                                                      \
    struct detmath_dyadic_plan plan = PLAN;                                                        \
    detmath_u32 trouble = plan.status;                                                             \
    detmath_i64 v = trouble ? 0 : MANTISSA;                                                        \
    return detmath_dyadic_of(v, plan.s, trouble, status)

/* x at scale t: to a coarser one rounded, to a finer one exactly as far as the accumulator holds
 * it. */
DETMATH_FUNCTION struct detmath_dyadic detmath_dyadic_align(struct detmath_dyadic x, detmath_i32 t,
                                                            struct detmath_dyadic_rules rules,
                                                            detmath_u64 random,
                                                            detmath_u32 *status) {
    DETMATH_DYADIC_RESULT(detmath_dyadic_plan_align(x.s, t, rules),
                          detmath_dyadic_align_mantissa(x.v, plan, random, &trouble));
}

DETMATH_FUNCTION struct detmath_dyadic detmath_dyadic_add(struct detmath_dyadic x1,
                                                          struct detmath_dyadic x2,
                                                          struct detmath_dyadic_rules rules,
                                                          detmath_u64 random, detmath_u32 *status) {
    DETMATH_DYADIC_RESULT(detmath_dyadic_plan_add(x1.s, x2.s, rules),
                          detmath_dyadic_add_mantissas(x1.v, x2.v, plan, random, &trouble));
}

DETMATH_FUNCTION struct detmath_dyadic detmath_dyadic_sub(struct detmath_dyadic x1,
                                                          struct detmath_dyadic x2,
                                                          struct detmath_dyadic_rules rules,
                                                          detmath_u64 random, detmath_u32 *status) {
    DETMATH_DYADIC_RESULT(detmath_dyadic_plan_add(x1.s, x2.s, rules),
                          detmath_dyadic_sub_mantissas(x1.v, x2.v, plan, random, &trouble));
}

DETMATH_FUNCTION struct detmath_dyadic detmath_dyadic_mul(struct detmath_dyadic x1,
                                                          struct detmath_dyadic x2, detmath_i32 q,
                                                          struct detmath_dyadic_rules rules,
                                                          detmath_u64 random, detmath_u32 *status) {
    DETMATH_DYADIC_RESULT(detmath_dyadic_plan_mul(x1.s, x2.s, q, rules),
                          detmath_dyadic_mul_mantissas(x1.v, x2.v, plan, random, &trouble));
}

DETMATH_FUNCTION struct detmath_dyadic detmath_dyadic_div(struct detmath_dyadic x1,
                                                          struct detmath_dyadic x2, detmath_i32 p,
                                                          struct detmath_dyadic_rules rules,
                                                          detmath_u32 *status) {
    DETMATH_DYADIC_RESULT(detmath_dyadic_plan_div(x1.s, x2.s, p, rules),
                          detmath_dyadic_div_mantissas(x1.v, x2.v, plan, &trouble));
}

/* Whether both are the same number, whatever their scales: 1 or 0 with scale 0. Nothing is lost. */
DETMATH_FUNCTION struct detmath_dyadic detmath_dyadic_equal(struct detmath_dyadic x1,
                                                            struct detmath_dyadic x2,
                                                            struct detmath_dyadic_rules rules,
                                                            detmath_u32 *status) {
    DETMATH_DYADIC_RESULT(detmath_dyadic_plan_equal(x1.s, x2.s, rules),
                          detmath_dyadic_equal_mantissas(x1.v, x2.v, plan, &trouble));
}

/* max(x, 0). */
DETMATH_FUNCTION struct detmath_dyadic detmath_dyadic_relu(struct detmath_dyadic x,
                                                           struct detmath_dyadic_rules rules,
                                                           detmath_u32 *status) {
    DETMATH_DYADIC_RESULT(detmath_dyadic_plan_align(x.s, x.s, rules),
                          detmath_dyadic_relu_mantissa(x.v, plan, &trouble));
}

/* The gradient with respect to x of max(x, 0), where `gradient` is the one with respect to that. */
DETMATH_FUNCTION struct detmath_dyadic
detmath_dyadic_relu_gradient(struct detmath_dyadic gradient, struct detmath_dyadic x,
                             struct detmath_dyadic_rules rules, detmath_u32 *status) {
    DETMATH_DYADIC_RESULT(detmath_dyadic_plan_relu_gradient(gradient.s, x.s, rules),
                          detmath_dyadic_relu_gradient_mantissa(gradient.v, x.v, plan, &trouble));
}

/* x at scale t within what `bits` bits hold. */
DETMATH_FUNCTION struct detmath_dyadic
detmath_dyadic_requantise(struct detmath_dyadic x, detmath_i32 t, detmath_i32 bits,
                          detmath_i32 is_signed, struct detmath_dyadic_rules rules,
                          detmath_u64 random, detmath_u32 *status) {
    DETMATH_DYADIC_RESULT(detmath_dyadic_plan_requantise(x.s, t, bits, is_signed, rules),
                          detmath_dyadic_requantise_mantissa(x.v, plan, random, &trouble));
}

DETMATH_FUNCTION struct detmath_dyadic
detmath_dyadic_gradient(struct detmath_dyadic gradient, struct detmath_dyadic x, detmath_i32 t,
                        detmath_i32 bits, detmath_i32 is_signed, struct detmath_dyadic_rules rules,
                        detmath_u64 random, detmath_u32 *status) {
    struct detmath_dyadic_plan plan =
        detmath_dyadic_plan_requantise(x.s, t, bits, is_signed, rules);
    detmath_u32 trouble = plan.status | detmath_dyadic_plan_of(0, 0, gradient.s, rules).status;
    detmath_i64 v =
        trouble ? 0 : detmath_dyadic_gradient_mantissa(gradient.v, x.v, plan, random, &trouble);
    return detmath_dyadic_of(v, gradient.s, trouble, status);
}

#include "shield_end.inc"

#endif
