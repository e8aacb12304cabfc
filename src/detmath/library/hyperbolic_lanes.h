/* tanh of hyperbolic_lanes.inc on vectors. */
#ifndef DETMATH_LIBRARY_HYPERBOLIC_LANES_H
#define DETMATH_LIBRARY_HYPERBOLIC_LANES_H

#include "lanes.h"

#if defined(DETMATH_LANES)
#include "detmath/hyperbolic_lanes.inc"
#endif

#endif
