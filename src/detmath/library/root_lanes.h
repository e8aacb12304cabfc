/* cbrt and hypot of root_lanes.inc on vectors, and rsqrt of det and cr. rsqrt is correctly rounded whatever it starts
 * from: here from the processor's estimate, whose bits are the maker's. That is right to 2^-14 with AVX-512 and
 * NEON, and to 1.5 2^-12 with AVX2. One iteration, of second order or with AVX2 of third, brings it within 1.1 ulps of the
 * root, where 1.5 would do for rsqrt_last.inc. */
#ifndef DETMATH_LIBRARY_ROOT_LANES_H
#define DETMATH_LIBRARY_ROOT_LANES_H

#include "lanes.h"

#if defined(DETMATH_LANES)
#include "detmath/root_lanes.inc"
#include "rsqrt_last.inc"

#define DETMATH_REACH_rsqrt    0x7f000000u /* positive normal numbers */
#define DETMATH_REACH_cr_rsqrt DETMATH_REACH_rsqrt
static inline lanes_u detmath_rsqrt_away_lanes(lanes_f x) {
    return (lanes_u)x - 0x00800000u;
}

static inline lanes_f detmath_rsqrt_steps_lanes(lanes_f x) {
    lanes_f r = lanes_rsqrt_estimate(x);
    lanes_f e = detmath_fmaf_lanes(-(x * r), r, 1.0f);
    if (DETMATH_LANES != 8)
        r = detmath_fmaf_lanes(r * 0.5f, e, r);
    else
        r = detmath_fmaf_lanes(r * e, detmath_fmaf_lanes(e, 0.375f, 0.5f), r);
    return detmath_rsqrt_last_lanes(x, r);
}

#define detmath_cr_rsqrt_away_lanes  detmath_rsqrt_away_lanes
#define detmath_cr_rsqrt_steps_lanes detmath_rsqrt_steps_lanes
#endif

#endif
