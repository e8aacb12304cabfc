/* trigonometric_lanes.inc and trigonometric_pi_lanes.inc on vectors, and tan and sincos in float pairs for cr's array forms:
 * two candidates for the right rounding, a head less the most and the least that it may be too large. Where they differ the
 * others decide, in double.
 *
 * As there the tangent is (a + b t) / (b - a t), but of 16 rows, x = k pi/16 + r, so that little of t is rounded: a / b is the
 * tangent of the row to 2^-45.52 (float_tan_of_sixteenth), 2^-48.09 (float_tan_of_eighth) or 2^-46.79
 * (float_tan_of_three_sixteenths). t is the pair head + rest, which is exactly r and `rise`, negated so that a zero keeps its
 * sign; and rise is tan r - r to 2^-25.00 (float_tan_pairs), where four steps are rounded too: to 2^-24 each, but p, from 1/4
 * to 1/2, to 2^-24.4. Of both sums what rounding left is exact, but for rest's share.
 *
 * So what may be wrong of t is 4.26 2^-24 rise, which the tangent y has (1 + y^2) times; and as a share of y 2^-42 for rows
 * and the last steps, and for r + low 2^-38.75 up to 2^15. From there on 17 numbers, and these negated, have more, for they
 * are very near to a multiple of pi/2. All inputs show that no pair that agrees is wrong (`ctest --preset proof`). */
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

/* The sine of pi row / 8 and its cosine as `slope`, or the cosine and the sine negated. */
struct sine_row {
    lanes_f first, first_low, slope, slope_low;
};

/* Of r + low: lag is r less the sine; the cosine less 1 is drop and drop_rest, where drop is -r^2/2 rounded. */
struct sine_parts {
    lanes_f lag, drop, drop_rest;
};

/* first + r slope + drop first, each sum with what it left, - lag slope + drop_rest first and what the rows lack.
 *
 * Wrong in units of 2^-24 lag: slope has at most 1 each of drop, of its product with r, of lag's sum and of the last two
 * roundings, 0.75 of p, which is from 1/4 to 1/2, and 0.5 of the polynomial, 2^-25.00 (float_sin_pairs). What slope_low has of
 * lag is 0.48 at most, where slope is 0.92. drop_rest is at most r/4 of lag: its polynomial, 2^-22.67 (float_cos_pairs), and
 * steps are 7.3 units of it, which is 0.5, and low's share of the sine beyond r is below 0.2. No row has more than 6.7 of all
 * that together, for which 6.75 is taken, and for the rest 2^-37.2 of the sum, as for tan: a sum is at least 0.19 where first
 * is not 0. */
static inline lanes_f sine_pair(lanes_f r, struct sine_row row, struct sine_parts parts,
                                lanes_f *other) {
    lanes_f sum = detmath_fmaf_lanes(r, row.slope, row.first);
    lanes_f y = detmath_fmaf_lanes(parts.drop, row.first, sum);
    lanes_f less = detmath_fmaf_lanes(-r, row.slope, sum - row.first);
    less += detmath_fmaf_lanes(-parts.drop, row.first, y - sum);
    lanes_f more = detmath_fmaf_lanes(r, row.slope_low, row.first_low);
    more = detmath_fmaf_lanes(parts.drop, row.first_low, more);
    less -= detmath_fmaf_lanes(parts.drop_rest, row.first, more);
    less = detmath_fmaf_lanes(parts.lag, row.slope, less);
    lanes_f wrong = detmath_fmaf_lanes(lanes_magnitude(y), 0x1p-16f, lanes_magnitude(parts.lag));
    *other = y - detmath_fmaf_lanes(wrong, 0x1.bp-22f, less);
    return y - detmath_fmaf_lanes(wrong, -0x1.bp-22f, less);
}

/* A zero keeps its sign: drop is +0 for it, of which `first`, -0, makes no other. */
static inline lanes_f detmath_cr_sincos_steps(lanes_f x, lanes_f *other, lanes_f *cosine,
                                              lanes_f *other_cosine) {
    lanes_u place;
    lanes_f low, r = detmath_trig_reduce_quick_lanes(x, &low, &place), half = r * -0.5f;
    struct sine_row row = {detmath_look_up_turned_lanes(detmath_sine_rows, 0u, place),
                           detmath_look_up_turned_lanes(detmath_sine_rows, 8u, place),
                           detmath_look_up_turned_lanes(detmath_sine_rows, 16u, place),
                           detmath_look_up_turned_lanes(detmath_sine_rows, 24u, place)};
    struct sine_row across = {row.slope, row.slope_low, -row.first, -row.first_low};
    lanes_f drop = detmath_fmaf_lanes(half, r, 0.0f), rest = detmath_fmaf_lanes(half, r, -drop);
    lanes_f even = detmath_fmaf_lanes(drop, 0x1.6bcecp-7f, 0x1.555552p-3f);
    lanes_f p = detmath_fmaf_lanes(drop, -0x1.b233c4p-10f, -0x1.1114f8p-5f);
    p = detmath_fmaf_lanes(drop, p, -0x1.555556p-2f);
    struct sine_parts parts = {
        detmath_fmaf_lanes(r * drop, p, detmath_fmaf_lanes(-low, drop, -low)), drop,
        detmath_fmaf_lanes(drop * drop, even, detmath_fmaf_lanes(-r, low, rest))};
    lanes_f sine = sine_pair(r, row, parts, other);
    *other = detmath_turned_lanes(*other, place);
    *cosine = detmath_turned_lanes(sine_pair(r, across, parts, other_cosine), place);
    *other_cosine = detmath_turned_lanes(*other_cosine, place);
    return detmath_turned_lanes(sine, place);
}
#endif

#endif
