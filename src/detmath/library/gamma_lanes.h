/* gamma_lanes.inc and log_gamma_lanes.inc on vectors. */
#ifndef DETMATH_LIBRARY_GAMMA_LANES_H
#define DETMATH_LIBRARY_GAMMA_LANES_H

#include "log_lanes.h"
#include "power_lanes.h"

#if defined(DETMATH_LANES)
#include "detmath/gamma_lanes.inc"
#include "detmath/log_gamma_lanes.inc"
#endif

#endif
