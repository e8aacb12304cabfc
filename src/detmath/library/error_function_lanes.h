/* erf and erfc of error_function_lanes.inc on vectors. */
#ifndef DETMATH_LIBRARY_ERROR_FUNCTION_LANES_H
#define DETMATH_LIBRARY_ERROR_FUNCTION_LANES_H

#include "lanes.h"

#if defined(DETMATH_LANES)
#include "detmath/error_function_lanes.inc"

/* Rounds once more where the result is subnormal, as detmath_scale_f32 does. */
static inline lanes_f detmath_erfc_steps_lanes(lanes_f x) {
    return detmath_erfc_scaled_lanes(x) * 0x1p-64f;
}
#endif

#endif
