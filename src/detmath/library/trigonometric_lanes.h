/* trigonometric_lanes.inc and trigonometric_pi_lanes.inc on vectors. */
#ifndef DETMATH_LIBRARY_TRIGONOMETRIC_LANES_H
#define DETMATH_LIBRARY_TRIGONOMETRIC_LANES_H

#include "lanes.h"

#if defined(DETMATH_LANES)
#include "detmath/trigonometric_lanes.inc"
#include "detmath/trigonometric_pi_lanes.inc"
#endif

#endif
