/* Scaled numbers: data in a narrow format or fp32, and a scale beside it; they mean data * scale.
 * Functions of them, softmax and gradients are in scaled_functions.h.
 *
 * A scale is a finite m * 2^e: one in fp32 has e = 0, a power of two m = 1 and e of 32 bits, and
 * none at all is 1. m = 0 makes the whole array zero, whatever its data. An infinite or NaN m makes
 * all results NaN. Signs are free; scales of results are positive, and the sign is in the data.
 *
 * What the scales decide is decided once, in a plan; then every element is computed in double and
 * rounded once to the format. Each double operation is within 2^-53, and the products of data and
 * scale are exact, so that what is not correctly rounded lies within 2^-50 of where the rounding
 * changes. Codes are read and made by integer operations: flushing of subnormals changes nothing.
 */
#ifndef DETMATH_SCALED_H
#define DETMATH_SCALED_H

#include "scaled_plans.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* Elements: data in, data out, in double; to be rounded to the format by who calls. */
DETMATH_INLINED double detmath_scaled_add_element(double x, double y,
                                                  struct detmath_scaled_plan plan) {
    x = plan.zero_a ? 0.0 : x;
    y = plan.zero_b ? 0.0 : y;
    return detmath_fma(plan.a, x, detmath_product(plan.b, y)) / plan.c;
}

DETMATH_INLINED double detmath_scaled_sub_element(double x, double y,
                                                  struct detmath_scaled_plan plan) {
    x = plan.zero_a ? 0.0 : x;
    y = plan.zero_b ? 0.0 : y;
    return detmath_fma(plan.a, x, detmath_product(-plan.b, y)) / plan.c;
}

DETMATH_INLINED double detmath_scaled_mul_element(double x, double y,
                                                  struct detmath_scaled_plan plan) {
    x = plan.zero_a ? 0.0 : x;
    y = plan.zero_b ? 0.0 : y;
    return detmath_product(x, y) * plan.a / plan.c;
}

/* mul whose scalar is multiplied into the data, as any other operand (scaled_tensors.h). */
DETMATH_INLINED double detmath_scaled_mul_data_element(double x, double y,
                                                       struct detmath_scaled_plan plan) {
    return detmath_scaled_mul_element(x, y, plan);
}

DETMATH_INLINED double detmath_scaled_div_element(double x, double y,
                                                  struct detmath_scaled_plan plan) {
    x = plan.zero_a ? 0.0 : x;
    y = plan.zero_b ? 0.0 : y;
    return x / y * plan.a / plan.c;
}

/* The derivative of a quotient by its divisor y, x the dividend times what comes back: -x / y^2, where
 * the square is exact. */
DETMATH_INLINED double detmath_scaled_div_gradient_element(double x, double y,
                                                           struct detmath_scaled_plan plan) {
    x = plan.zero_a ? 0.0 : x;
    y = plan.zero_b ? 0.0 : y;
    return -(x / detmath_product(y, y)) * plan.a / plan.c;
}

/* NaN where either is; +0 is above -0. */
DETMATH_INLINED double detmath_scaled_larger(double u, double v) {
    detmath_u64 both = detmath_bits_f64(u) & detmath_bits_f64(v);
    double larger = u > v ? u : v;
    larger = u == v ? detmath_from_bits_f64(u == 0.0 ? both : detmath_bits_f64(u)) : larger;
    return u != u ? u : larger;
}

DETMATH_INLINED double detmath_scaled_max_element(double x, double y,
                                                  struct detmath_scaled_plan plan) {
    x = plan.zero_a ? 0.0 : x;
    y = plan.zero_b ? 0.0 : y;
    return detmath_scaled_larger(plan.a * x, plan.b * y) / plan.c;
}

DETMATH_INLINED double detmath_scaled_min_element(double x, double y,
                                                  struct detmath_scaled_plan plan) {
    x = plan.zero_a ? 0.0 : x;
    y = plan.zero_b ? 0.0 : y;
    return -detmath_scaled_larger(-(plan.a * x), -(plan.b * y)) / plan.c;
}

/* The derivative of max(x, y) by x: 1, 0, and 1/2 where the two are equal. */
DETMATH_INLINED double detmath_scaled_step_element(double x, double y,
                                                   struct detmath_scaled_plan plan) {
    x = plan.zero_a ? 0.0 : x;
    y = plan.zero_b ? 0.0 : y;
    double u = plan.a * x, v = plan.b * y;
    double step = u > v ? 1.0 : u == v ? 0.5 : 0.0;
    step = u != u ? u : v != v ? v : step;
    return step / plan.c;
}

DETMATH_INLINED double detmath_scaled_relu_element(double x, double unused,
                                                   struct detmath_scaled_plan plan) {
    (void)unused;
    x = plan.zero_a ? 0.0 : x;
    return detmath_scaled_larger(plan.a * x, 0.0) / plan.c;
}

/* rebalance and cast. */
DETMATH_INLINED double detmath_scaled_apply_element(double x, double unused,
                                                    struct detmath_scaled_plan plan) {
    (void)unused;
    x = plan.zero_a ? 0.0 : x;
    return x * plan.a / plan.c;
}

#endif

#include "shield_end.inc"

#endif
