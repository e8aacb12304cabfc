/* sinh, cosh and tanh in fp64: detmath_NAME is det, within 0.505 ulp, and detmath_cr_NAME correctly rounded. The kernels and why
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

/* det and cr where the steps do not do; beyond 720 nothing changes. */
DETMATH_SELDOM_FUNCTION double detmath_cosh_f64_full(double x) {
    double size = detmath_smaller_f64(detmath_magnitude_f64(x), 720.0);
    return detmath_unless_nan_f64(x, detmath_last_hyperbolic(size, 0, 0));
}
DETMATH_SELDOM_FUNCTION double detmath_sinh_f64_full(double x) {
    double size = detmath_smaller_f64(detmath_magnitude_f64(x), 720.0);
    double y = size < 0x1p-54 ? x : detmath_last_hyperbolic(size, 1, x < 0.0);
    return detmath_unless_nan_f64(x, y);
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
DETMATH_FORMS_F64(_cosh)
DETMATH_FORMS_F64(_tanh)

#endif

#include "shield_end.inc"

#endif
