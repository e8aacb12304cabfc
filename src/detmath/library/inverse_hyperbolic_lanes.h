/* asinh, acosh and atanh of inverse_hyperbolic_lanes.inc on vectors. */
#ifndef DETMATH_LIBRARY_INVERSE_HYPERBOLIC_LANES_H
#define DETMATH_LIBRARY_INVERSE_HYPERBOLIC_LANES_H

#include "log_lanes.h"

#if defined(DETMATH_LANES)
#include "detmath/inverse_hyperbolic_lanes.inc"
#endif

#endif
