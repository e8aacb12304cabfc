/* sinh, cosh and tanh in fp64: detmath_NAME is det, within 0.51 ulp (sinh), 0.57 (cosh) or 0.55, and detmath_cr_NAME correctly rounded. The kernels and why
 * their errors are no larger: hyperbolic_f64_lanes.inc, last_f64.h.
 *
 * NaN gives the canonical one; sinh and tanh of -0 are -0, of -inf -inf and -1; cosh(-inf) = inf. What overflows is infinite. */
#ifndef DETMATH_HYPERBOLIC_F64_H
#define DETMATH_HYPERBOLIC_F64_H

#include "exp_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

#include "one_lane.inc"

#include "hyperbolic_f64_lanes.inc"

/* det and cr where the steps do not do; from 711 on, and for NaN, the size does not matter. */
DETMATH_FUNCTION double detmath_hyperbolic_f64_full(double x, detmath_u64 subtract) {
    double size = detmath_magnitude_f64(x), y = detmath_from_bits_f64(DETMATH_INFINITY_BITS_F64);
    if (size < 711.0)
        y = detmath_last_hyperbolic(size, subtract, 0);
    return detmath_unless_nan_f64(x, y);
}
DETMATH_SELDOM_FUNCTION double detmath_cosh_f64_full(double x) {
    return detmath_hyperbolic_f64_full(x, 0);
}
DETMATH_SELDOM_FUNCTION double detmath_sinh_f64_full(double x) {
    if (detmath_magnitude_f64(x) < 0x1p-54)
        return x;
    return detmath_unless_nan_f64(x, detmath_with_sign_f64(detmath_hyperbolic_f64_full(x, 1), x));
}
DETMATH_SELDOM_FUNCTION double detmath_tanh_f64_full(double x) {
    double y = detmath_magnitude_f64(x) < 1.0 ? x : detmath_with_sign_f64(1.0, x);
    return detmath_unless_nan_f64(x, y);
}

/* cr of operands that are no NaN. */
DETMATH_FUNCTION double detmath_sinh_f64_last(double x) {
    return detmath_sinh_f64_full(x);
}
DETMATH_FUNCTION double detmath_cosh_f64_last(double x) {
    return detmath_cosh_f64_full(x);
}
DETMATH_FUNCTION double detmath_tanh_f64_last(double x) {
    double size = detmath_magnitude_f64(x);
    return size >= 0x1p-54 && size < 20.0 ? detmath_last_tanh(size, x < 0.0)
                                          : detmath_tanh_f64_full(x);
}

DETMATH_FORMS_F64(_sinh)
DETMATH_FORMS_QUICK_F64(_cosh)
DETMATH_FORMS_F64(_tanh)

#endif

#include "shield_end.inc"

#endif
