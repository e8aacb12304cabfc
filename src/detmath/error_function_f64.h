/* erf and erfc in fp64: detmath_NAME is det, within 0.68 ulp, and detmath_cr_NAME correctly rounded. The kernels and why their
 * errors are no larger: error_function_f64_lanes.inc, error_function_last_f64.h.
 *
 * NaN gives the canonical one. erf(+-inf) = +-1, erf(-0) = -0; erfc(-inf) = 2, erfc(inf) = +0. Subnormal results are those of cr. */
#ifndef DETMATH_ERROR_FUNCTION_F64_H
#define DETMATH_ERROR_FUNCTION_F64_H

#include "error_function_f64_table.h"
#include "error_function_last_f64.h"
#include "exp_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

#include "one_lane.inc"

#include "error_function_f64_lanes.inc"

/* det and cr where the steps do not do, and the last phase of any operand but NaN. Beyond 6 erf rounds to 1. A 0 is known by
 * its bits: a processor may take a subnormal x as 0. */
DETMATH_FUNCTION double detmath_erf_f64_last(double x) {
    if (detmath_bits_f64(x) << 1 == 0)
        return x;
    return detmath_magnitude_f64(x) > 6.0 ? detmath_with_sign_f64(1.0, x) : detmath_last_erf(x);
}
DETMATH_SELDOM_FUNCTION double detmath_erf_f64_full(double x) {
    return x != x ? detmath_unless_nan_f64(x, x) : detmath_erf_f64_last(x);
}

/* Beyond 27.5 erfc is below half of the least number, and below -6 it rounds to 2. */
DETMATH_FUNCTION double detmath_erfc_f64_last(double x) {
    return x > 27.5 ? 0.0 : x < -6.0 ? 2.0 : detmath_last_erfc(x);
}
DETMATH_SELDOM_FUNCTION double detmath_erfc_f64_full(double x) {
    return x != x ? detmath_unless_nan_f64(x, x) : detmath_erfc_f64_last(x);
}

DETMATH_FORMS_F64(_erf)
DETMATH_FORMS_F64(_erfc)

#endif

#include "shield_end.inc"

#endif
