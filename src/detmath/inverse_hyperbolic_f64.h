/* asinh, acosh and atanh in fp64: detmath_NAME is det, within 0.545 ulp, and detmath_cr_NAME correctly rounded. The kernels and why
 * their errors are no larger: inverse_hyperbolic_f64_lanes.inc, last_f64.h.
 *
 * NaN gives the canonical one, and so do acosh of x < 1 and atanh of |x| > 1; acosh 1 = +0, atanh(+-1) = +-inf; asinh and acosh
 * of inf are inf; asinh(-0) = atanh(-0) = -0. */
#ifndef DETMATH_INVERSE_HYPERBOLIC_F64_H
#define DETMATH_INVERSE_HYPERBOLIC_F64_H

#include "exp_f64.h"
#include "inverse_trigonometric_f64.h"
#include "log_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

#include "one_lane.inc"

#include "inverse_hyperbolic_f64_lanes.inc"

/* a + (a^2 + 1)^(1/2), or of a^2 - 1, for an a of 2^-54 (1) or more: within 2^-188 over the root. All is divided by a power of
 * two that makes it a fraction; a^2 is exact from 2^-10 on. */
DETMATH_FUNCTION struct detmath_last detmath_area_f64_operand(double a, detmath_u64 subtract) {
    struct detmath_last top = detmath_last_operand(a, 0);
    detmath_i32 exponent = top.exponent > 0 ? top.exponent + 1 : 1;
    struct detmath_long_fixed sum = {{top.y.word[0], top.y.word[1], top.y.word[2], 0}};
    struct detmath_long_fixed one = {{0, 0, (detmath_u64)1 << 62, 0}};
    sum = detmath_last_shifted(sum, exponent - top.exponent);
    one = detmath_last_shifted(one, 2 * exponent - 2);
    struct detmath_fraction part = {{sum.word[0], sum.word[1], sum.word[2]}};
    part = detmath_fraction_product(&part, &part);
    struct detmath_long_fixed square = {{part.word[0], part.word[1], part.word[2], 0}};
    detmath_long_fixed_add(&square, &one, subtract);
    double low, near = detmath_arc_f64_root(detmath_last_round(&square, 0, 0), 0.0, &low);
    struct detmath_long_fixed root = detmath_long_fixed_of(near);
    for (int i = 0; i < 3; i++) { /* each gains 50 bits */
        struct detmath_fraction y = {{root.word[0], root.word[1], root.word[2]}};
        y = detmath_fraction_product(&y, &y);
        struct detmath_long_fixed found = {{y.word[0], y.word[1], y.word[2], 0}};
        struct detmath_long_fixed left = square;
        detmath_long_fixed_add(&left, &found, 1);
        detmath_u32 below = (detmath_u32)(left.word[3] >> 63);
        if (below)
            left = detmath_last_negated(left);
        left = detmath_long_fixed_of(detmath_last_round(&left, 0, below) / (near + near));
        detmath_long_fixed_add(&root, &left, 0);
    }
    detmath_long_fixed_add(&sum, &root, 0);
    top = detmath_last_of(&sum);
    top.exponent += exponent;
    return top;
}

/* cr of finite numbers within the domain, from 2^-54 on; det beyond the steps, too. */
DETMATH_FUNCTION double detmath_area_f64_last(double a, double near, detmath_u64 subtract) {
    near = a < 0x1p1023 ? near : detmath_log_f64_steps(a) + 0x1.62e42fefa39efp-1;
    return detmath_last_log_of(detmath_area_f64_operand(a, subtract), near, DETMATH_BASE_E, 0);
}

DETMATH_SELDOM_FUNCTION double detmath_asinh_f64_last(double x) {
    double a = detmath_magnitude_f64(x), y = x;
    if (detmath_bits_f64(a) < DETMATH_INFINITY_BITS_F64 && a >= 0x1p-54)
        y = detmath_with_sign_f64(detmath_area_f64_last(a, detmath_asinh_f64_steps(a), 0), x);
    return detmath_unless_nan_f64(x, y);
}
DETMATH_SELDOM_FUNCTION double detmath_acosh_f64_last(double x) {
    double y = x == 1.0 ? 0.0 : x;
    if (detmath_bits_f64(x) < DETMATH_INFINITY_BITS_F64 && x > 1.0)
        y = detmath_area_f64_last(x, detmath_acosh_f64_steps(x), 1);
    return x >= 1.0 ? y : detmath_from_bits_f64(DETMATH_NAN_BITS_F64);
}
DETMATH_SELDOM_FUNCTION double detmath_atanh_f64_last(double x) {
    double a = detmath_magnitude_f64(x);
    if (a < 1.0 && a >= 0x1p-54) {
        struct detmath_long_fixed w = detmath_long_fixed_of(a * 0.5);
        double y = detmath_last_log_of(detmath_last_ratio(&w, 1), 2.0 * detmath_atanh_f64_steps(a),
                                       DETMATH_BASE_E, -1);
        return detmath_with_sign_f64(y, x);
    }
    double y =
        a < 1.0 ? x : detmath_with_sign_f64(detmath_from_bits_f64(DETMATH_INFINITY_BITS_F64), x);
    return a <= 1.0 ? y : detmath_from_bits_f64(DETMATH_NAN_BITS_F64);
}

/* det where the steps do not do. */
DETMATH_FUNCTION double detmath_asinh_f64_full(double x) {
    return detmath_asinh_f64_last(x);
}
DETMATH_FUNCTION double detmath_acosh_f64_full(double x) {
    return detmath_acosh_f64_last(x);
}
DETMATH_FUNCTION double detmath_atanh_f64_full(double x) {
    return detmath_atanh_f64_last(x);
}

DETMATH_FORMS_F64(_asinh)
DETMATH_FORMS_QUICK_BOTH_F64(_acosh, DETMATH_UNSIGNED_F64)
DETMATH_FORMS_F64(_atanh)

#endif

#include "shield_end.inc"

#endif
