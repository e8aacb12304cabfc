/* The arcs of inverse_trigonometric_lanes.inc on vectors. */
#ifndef DETMATH_LIBRARY_INVERSE_TRIGONOMETRIC_LANES_H
#define DETMATH_LIBRARY_INVERSE_TRIGONOMETRIC_LANES_H

#include "lanes.h"

#if defined(DETMATH_LANES)
#include "detmath/inverse_trigonometric_lanes.inc"
#endif

#endif
