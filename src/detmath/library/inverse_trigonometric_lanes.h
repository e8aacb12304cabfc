/* The arcs of inverse_trigonometric_lanes.inc on vectors, and asin and acos in float pairs for cr's array forms: two
 * candidates for the right rounding, the sum of a head and the most and the least that its rest may be. Where they differ
 * the others decide, in double.
 *
 * As there the arc is w + w z p, with w + low the root of 4 z beyond 1/2: a step from the processor's estimate gives w,
 * and another one low. p is u and what rounding its first two terms left, with the rest of the polynomial; the arc to
 * 2^-37.93 (float_asin_pairs). The head of the arc, w + w z u, is rounded once, and what that left is exact. What may be wrong
 * are the roundings of w z (p - u), which is below 2^-7 w z, the second step, 2^-36 w, and pi/2 in two parts. An |x| of 1, whose
 * root is 0, comes out as NaN, which is no equal of itself. All inputs show that no pair that agrees is wrong (`ctest --preset
 * proof`).
 *
 * The estimate's bits are the maker's: with AVX-512 and NEON it is right to 2^-14, so that one step makes w right to 24 bits,
 * and low to 2^-38. With AVX2, where it may be off by 1.5 2^-12, that would be 2^-33: there the step is one of the estimate, w
 * is right to 2^-21.9, and low times the rest of the polynomial counts. `ctest -R detmath_estimate` tries estimates that are
 * off by as much as they may be. */
#ifndef DETMATH_LIBRARY_INVERSE_TRIGONOMETRIC_LANES_H
#define DETMATH_LIBRARY_INVERSE_TRIGONOMETRIC_LANES_H

#include "lanes.h"

#if defined(DETMATH_LANES)
#include "detmath/inverse_trigonometric_lanes.inc"

/* The arc of w, which is |x| or beyond 1/2 the root: its head, and what it lacks. */
static inline lanes_f arc_pair(lanes_f a, lanes_f *rest, lanes_f *wrong) {
    lanes_f square = detmath_fmaf_lanes(a, -2.0f, 2.0f), zero = {0};
    lanes_f guess = lanes_rsqrt_estimate(square);
    if (DETMATH_LANES == 8)
        guess = detmath_fmaf_lanes(guess * 0.5f, detmath_fmaf_lanes(-(square * guess), guess, 1.0f),
                                   guess);
    lanes_f half = guess * 0.5f, root = square * guess;
    if (DETMATH_LANES != 8)
        root = detmath_fmaf_lanes(detmath_fmaf_lanes(-root, root, square), half, root);
    lanes_f low = detmath_fmaf_lanes(-root, root, square) * half;
    lanes_f w = detmath_above_lanes(a, 0.5f, root, a), z_low = detmath_fmaf_lanes(a, a, -(a * a));
    lanes_f z = detmath_above_lanes(a, 0.5f, square * 0.25f, a * a);
    low = detmath_above_lanes(a, 0.5f, low, zero);
    z_low = detmath_above_lanes(a, 0.5f, zero, z_low);
    lanes_f p = detmath_fmaf_lanes(z, 0x1.d95b8cp-6f, 0x1.7e6a78p-8f);
    p = detmath_fmaf_lanes(z, p, 0x1.39e2bp-6f);
    p = detmath_fmaf_lanes(z, p, 0x1.6b1544p-6f);
    p = detmath_fmaf_lanes(z, p, 0x1.f1fcd8p-6f);
    p = detmath_fmaf_lanes(z, p, 0x1.6db61ep-5f);
    lanes_f u = detmath_fmaf_lanes(z, 0x1.333334p-4f, 0x1.555556p-3f);
    lanes_f u_low = detmath_fmaf_lanes(z, 0x1.333334p-4f, 0x1.555556p-3f - u);
    u_low += detmath_fmaf_lanes(z_low, 0x1.333334p-4f, -0x1.554ee8p-28f);
    u_low = detmath_fmaf_lanes(z * z, p, u_low);
    lanes_f t = w * z, t_low = detmath_fmaf_lanes(w, z, -t);
    t_low += detmath_above_lanes(a, 0.5f, low * z, w * z_low);
    lanes_f sum = detmath_fmaf_lanes(t, u, w);
    *rest = detmath_fmaf_lanes(t, u, w - sum);
    *rest += detmath_fmaf_lanes(t, u_low,
                                detmath_fmaf_lanes(t_low, DETMATH_LANES == 8 ? u + u_low : u, low));
    *wrong = detmath_fmaf_lanes(t * z, 0x1.cp-29f, w * 0x1p-36f);
    return sum;
}

/* base, a multiple of pi/2, + sum + rest, where base is 0 or |base| >= |sum|, and the same with the least that rest may
 * be. */
static inline lanes_f arc_candidates(lanes_f base, lanes_f sum, lanes_f rest, lanes_f wrong,
                                     lanes_f *other) {
    lanes_f y = base + sum;
    rest += detmath_fmaf_lanes(base, -0x1.de12ccp-26f, (base - y) + sum);
    wrong = detmath_fmaf_lanes(base, 0x1p-48f, wrong);
    *other = y + (rest - wrong);
    return y + (rest + wrong);
}

/* x, or -x where turn is negative. */
static inline lanes_f arc_turned(lanes_f x, lanes_f turn) {
    return (lanes_f)((lanes_u)x ^ ((lanes_u)turn & 0x80000000u));
}

static inline lanes_f detmath_cr_asin_steps(lanes_f x, lanes_f *other) {
    lanes_f a = lanes_magnitude(x), rest, wrong, sum = arc_pair(a, &rest, &wrong), turn = 0.5f - a;
    lanes_f base = detmath_above_lanes(a, 0.5f, 0x1.921fb6p0f, 0.0f);
    lanes_f y = arc_candidates(base, arc_turned(sum, turn), arc_turned(rest, turn), wrong, other);
    *other = detmath_copy_sign_lanes(*other, x);
    return detmath_copy_sign_lanes(y, x);
}

static inline lanes_f detmath_cr_acos_steps(lanes_f x, lanes_f *other) {
    lanes_f a = lanes_magnitude(x), rest, wrong, sum = arc_pair(a, &rest, &wrong);
    lanes_f turn = detmath_above_lanes(a, 0.5f, x, -x),
            side = detmath_above_lanes(0.0f, x, 0x1.921fb6p1f, 0.0f);
    lanes_f base = detmath_above_lanes(a, 0.5f, side, 0x1.921fb6p0f);
    return arc_candidates(base, arc_turned(sum, turn), arc_turned(rest, turn), wrong, other);
}
#endif

#endif
