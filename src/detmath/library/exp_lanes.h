/* expm1, exp2m1 and exp10m1 of expm1_lanes.inc on vectors, and all exponentials in float pairs for cr's array forms: two
 * candidates for the right rounding, the sum of a head and the most and the least that its rest may be. Where they differ
 * the others decide, in double.
 *
 * The steps are those of expm1_lanes.inc, with a polynomial of one coefficient more, which is e^r to 2^-39.19
 * (float_exp_pairs). What may be wrong of the tail is 7 2^-25 r^2, since r, two steps of the polynomial, the tail, its sum with
 * that and its product with t are rounded to 24 bits each, r's half an ulp counting twice; what rounding the second part of
 * k log 2 or of r ln 10 left, as a share of |x|, SHARE; and where 1 is not subtracted 2^-45, for what is added last. All inputs
 * show that no pair that agrees is wrong (`ctest --preset proof`). */
#ifndef DETMATH_LIBRARY_EXP_LANES_H
#define DETMATH_LIBRARY_EXP_LANES_H

#include "lanes.h"

#include <stdbool.h>

#if defined(DETMATH_LANES)
#include "detmath/expm1_lanes.inc"

/* The power of high + low at the place, less 1 if that is asked for. */
static inline lanes_f exp_pair(lanes_u place, lanes_f high, lanes_f low, lanes_f x, float share,
                               bool less_one, lanes_f *other) {
    lanes_f t, c = detmath_power_at_lanes(place, &t);
    lanes_f r = high + low, q = detmath_fmaf_lanes(r, 0x1.10f98ap-7f, 0x1.5559fp-5f);
    q = detmath_fmaf_lanes(r, q, 0x1.555556p-3f);
    q = detmath_fmaf_lanes(r, detmath_fmaf_lanes(r, q, 0.5f), c);
    lanes_f tail = detmath_fmaf_lanes(r, q, low + c);
    lanes_f wrong = detmath_fmaf_lanes(lanes_magnitude(x), share, less_one ? 0.0f : 0x1p-45f);
    wrong = detmath_fmaf_lanes(r * r, 0x1.cp-23f, wrong);
    lanes_f rest = {0}, less = less_one ? detmath_less_lanes(t, &rest) : t;
    lanes_f sum = detmath_fmaf_lanes(t, high, less);
    rest += detmath_fmaf_lanes(t, high, less - sum);
    *other = sum + detmath_fmaf_lanes(t, tail - wrong, rest);
    return sum + detmath_fmaf_lanes(t, tail + wrong, rest);
}

/* By the reduction of REDUCTION. */
#define EXP_PAIRS(NAME, REDUCTION, SHARE, LESS_ONE)                                                \
    static inline lanes_f detmath_cr_##NAME##_steps(lanes_f x, lanes_f *other) {                   \
        lanes_u place;                                                                             \
        lanes_f low, high = detmath_##REDUCTION##_reduce_lanes(x, &place, &low);                   \
        lanes_f y = exp_pair(place, high, low, x, SHARE, LESS_ONE, other);                         \
        return LESS_ONE ? detmath_unless_zero_lanes(x, y) : y;                                     \
    }
/* Powers from 2^-96 on, so that no part of them is subnormal: away is the distance from a middle. */
#define EXP_AWAY(NAME, MIDDLE)                                                                     \
    static inline lanes_u detmath_##NAME##_away_lanes(lanes_f x) {                                 \
        return (lanes_u)lanes_magnitude(x - MIDDLE);                                               \
    }
#define DETMATH_REACH_exp   0x429a0000u /* 77: from -67 to 87 */
#define DETMATH_REACH_exp2  0x42dc0000u /* 110: from -95 to 125 */
#define DETMATH_REACH_exp10 0x42040000u /* 33: from -28.5 to 37.5 */
EXP_AWAY(exp, 10.0f)
EXP_AWAY(exp2, 15.0f)
EXP_AWAY(exp10, 4.5f)
EXP_PAIRS(exp, expm1, 0x1p-41f, false)
EXP_PAIRS(exp2, exp2m1, 0x1p-48f, false)
EXP_PAIRS(exp10, exp10m1, 0x1p-37f, false)
EXP_PAIRS(expm1, expm1, 0x1p-41f, true)
EXP_PAIRS(exp2m1, exp2m1, 0x1p-48f, true)
EXP_PAIRS(exp10m1, exp10m1, 0x1p-37f, true)
#endif

#endif
