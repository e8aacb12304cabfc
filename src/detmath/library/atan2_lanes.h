/* atan2 and atan2pi of atan2_lanes.inc on vectors. */
#ifndef DETMATH_LIBRARY_ATAN2_LANES_H
#define DETMATH_LIBRARY_ATAN2_LANES_H

#include "inverse_trigonometric_lanes.h"
#include "lanes.h"

#if defined(DETMATH_LANES)
#include "detmath/atan2_lanes.inc"
#endif

#endif
