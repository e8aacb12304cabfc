/* gelu and gelu_tanh in fp64: detmath_NAME is det, within 0.68 ulp, and detmath_cr_NAME correctly rounded. The kernels and why
 * their errors are no larger: gelu_f64_lanes.inc, error_function_last_f64.h.
 *
 * NaN gives the canonical one. The result of inf is inf, and that of -inf and of -0 is -0. Subnormal results are those of cr. */
#ifndef DETMATH_GELU_F64_H
#define DETMATH_GELU_F64_H

#include "error_function_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

#include "one_lane.inc"

#include "gelu_f64_lanes.inc"

/* Gates: up to 2^-60 they round to x/2, of an odd subnormal number to what is above that; from 16 on to x, and below `least` to
 * 0. */
DETMATH_FUNCTION double detmath_gelu_f64_tiny(double x) {
    detmath_u64 bits = detmath_bits_f64(x), below = bits >> 63;
    double normal = detmath_product(x, 0.5);
    double subnormal = detmath_from_bits_f64(below << 63 | ((bits << 1 >> 1) + 1u - below) >> 1);
    return detmath_magnitude_f64(x) < 0x1p-1021 ? subnormal : normal;
}
#define DETMATH_GELU_F64(NAME, LEAST)                                                              \
    DETMATH_FUNCTION double detmath_##NAME##_f64_last(double x) {                                  \
        if (detmath_magnitude_f64(x) < 0x1p-60)                                                    \
            return detmath_gelu_f64_tiny(x);                                                       \
        return x < (LEAST) ? -0.0 : x >= 16.0 ? x : detmath_last_##NAME(x);                        \
    }                                                                                              \
    DETMATH_SELDOM_FUNCTION double detmath_##NAME##_f64_full(double x) {                           \
        return x != x ? detmath_unless_nan_f64(x, x) : detmath_##NAME##_f64_last(x);               \
    }
DETMATH_GELU_F64(gelu, -39.0)
DETMATH_GELU_F64(gelu_tanh, -23.0)
#undef DETMATH_GELU_F64

DETMATH_FORMS_F64(_gelu)
DETMATH_FORMS_F64(_gelu_tanh)

#endif

#include "shield_end.inc"

#endif
