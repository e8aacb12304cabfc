/* trigonometric_lanes.inc and trigonometric_pi_lanes.inc on vectors, and tan in float pairs for cr's array forms: two
 * candidates for the right rounding, the quotient less the most and the least that it may be too large. Where they differ the
 * others decide, in double.
 *
 * As there the tangent is (a + b t) / (b - a t), but of 16 rows, x = k pi/16 + r, so that little of t is rounded: a / b is the
 * tangent of the row to 2^-45.52 (float_tan_of_sixteenth), 2^-48.09 (float_tan_of_eighth) or 2^-46.79
 * (float_tan_of_three_sixteenths). t is the pair head + rest, which is exactly r and `rise`, negated so that a zero keeps its
 * sign; and rise is tan r - r to 2^-25.00 (float_tan_pairs), where four steps are rounded too: to 2^-24 each, but p, from 1/4
 * to 1/2, to 2^-24.4. Of both sums what rounding left is exact, but for rest's share.
 *
 * So what may be wrong of t is 4.26 2^-24 rise, which the tangent y has (1 + y^2) times; and as a share of y 2^-43 for rows
 * and the last steps, and for r + low 2^-38.76 up to 2^15. From there on 14 numbers have more, for they are very near to a
 * multiple of pi/2. All inputs show that no pair that agrees is wrong (`ctest --preset proof`). */
#ifndef DETMATH_LIBRARY_TRIGONOMETRIC_LANES_H
#define DETMATH_LIBRARY_TRIGONOMETRIC_LANES_H

#include "lanes.h"

#if defined(DETMATH_LANES)
#include "detmath/trigonometric_lanes.inc"
#include "detmath/trigonometric_pi_lanes.inc"

/* -a, and b. */
static const float tangent_pairs[32] = {0.0f,    -0x1.53c6bp-4f,  -0x1.945d54p-2f, -0x1.561934p-2f,
                                        -0x1p0f, -0x1.fffc8cp-2f, -0x1.e81c78p-1f, -0x1.ab0aep-2f,
                                        -0x1p0f, -0x1.ab0aep-2f,  -0x1.e81c78p-1f, -0x1.fffc8cp-2f,
                                        -0x1p0f, -0x1.561934p-2f, -0x1.945d54p-2f, -0x1.53c6bp-4f,
                                        0x1p0f,  0x1.ab0aep-2f,   0x1.e81c78p-1f,  0x1.fffc8cp-2f,
                                        0x1p0f,  0x1.561934p-2f,  0x1.945d54p-2f,  0x1.53c6bp-4f,
                                        0.0f,    -0x1.53c6bp-4f,  -0x1.945d54p-2f, -0x1.561934p-2f,
                                        -0x1p0f, -0x1.fffc8cp-2f, -0x1.e81c78p-1f, -0x1.ab0aep-2f};

/* As detmath_trig_reduce_quick, with rows half as far from each other: r, and -low. */
static inline lanes_f tangent_reduce(lanes_f x, lanes_f *low, lanes_u *row) {
    lanes_f shifted = detmath_fmaf_lanes(x, 0x1.45f306p2f, 0x1.8p23f), k = shifted - 0x1.8p23f;
    lanes_f t = detmath_fmaf_lanes(k, -0x1.921fb4p-3f, x), r = t + k * -0x1.4442d2p-27f;
    *low = detmath_fmaf_lanes(k, 0x1.4442d2p-27f, r - t);
    *low = detmath_fmaf_lanes(k, -0x1.ee59dap-53f, *low);
    *row = (lanes_u)shifted;
    return r;
}

static inline lanes_f detmath_cr_tan_steps(lanes_f x, lanes_f *other) {
    lanes_u row;
    lanes_f low, r = tangent_reduce(x, &low, &row), square = r * r;
    lanes_f a = detmath_look_up_lanes(tangent_pairs, row);
    lanes_f b = detmath_look_up_lanes(tangent_pairs + 16, row);
    lanes_f p = detmath_fmaf_lanes(square, -0x1.bf0d34p-5f, -0x1.110e8ep-3f);
    p = detmath_fmaf_lanes(square, p, -0x1.555556p-2f);
    lanes_f rise = detmath_fmaf_lanes(square, detmath_fmaf_lanes(r, p, low), low);
    lanes_f head = r - rise, rest = (r - head) - rise;
    lanes_f above = detmath_fmaf_lanes(head, b, -a), below = detmath_fmaf_lanes(head, a, b);
    lanes_f less = detmath_fmaf_lanes(-rest, b, detmath_fmaf_lanes(-head, b, above + a));
    lanes_f more = detmath_fmaf_lanes(rest, a, detmath_fmaf_lanes(head, a, b - below));
    lanes_f inverse = detmath_reciprocal_lanes(below), y = above * inverse;
    lanes_f off = detmath_fmaf_lanes(y, below, -above) + less;
    off = detmath_fmaf_lanes(y, more, off) * inverse;
    lanes_f size = lanes_magnitude(y), wrong = lanes_magnitude(rise);
    wrong = detmath_fmaf_lanes(size, detmath_fmaf_lanes(size, wrong, 0x1p-16f), wrong);
    *other = y - detmath_fmaf_lanes(wrong, 0x1.12p-22f, off);
    return y - detmath_fmaf_lanes(wrong, -0x1.12p-22f, off);
}
#endif

#endif
