/* atan in float pairs for cr's array forms: two candidates for the right rounding, the sum of a head and the most and the
 * least that its rest may be. Where they differ the others decide, in double.
 *
 * Rows are picked as in inverse_trigonometric_lanes.inc, and have a polynomial of one coefficient more: number + slope r +
 * bend r^2 + p r^3. r is exact, or -1/|x| rounded once, and the residual of that says what it lacks. u is slope + bend r, and
 * the head is number + u r, each rounded once; what that left is exact but for 2^-47 of the head. tail is p r^3 and what u and
 * slope lack, times r.
 *
 * What may be wrong is 6.5 2^-24 of the tail, for six roundings: r^2, p, the sum of their product and what u lacks, the tail,
 * the rest, and the rest with what may be wrong. And it is 19/16 2^-33 of the head, for the polynomials, 2^-33.18
 * (float_atan_pairs_rows), and the inner steps of p, 2^-37. The row of |x| up to 1/8, whose polynomial is atan to 2^-37.47
 * (float_atan_pairs_near), is nearer. That of -1/|x| is nearer too by its polynomial, 2^-40, and has what the tail, without
 * what the quotient lacks, lacks: 2^-24 |r|^3, below 2^-32.6, where the head is above 1.4. All inputs show that no pair that
 * agrees is wrong (`ctest --preset proof`). */
#ifndef DETMATH_LIBRARY_ARC_TANGENT_LANES_H
#define DETMATH_LIBRARY_ARC_TANGENT_LANES_H

#include "inverse_trigonometric_lanes.h"
#include "lanes.h"

#if defined(DETMATH_LANES)
/* Columns as those of detmath_atan_rows. */
static const float atan_pairs_rows[160] = {
    /* middles */
    0x1.a004eap0f, 0x1.0fe90cp1f, 0x1.4ffe18p1f, 0x1.900102p1f, 0x1.effc12p1f, 0x1.380cc8p2f,
    0x1.77ff72p2f, 0x1.b7fc0ep2f, 0.0f, 0.0f, 0x1.80127cp-3f, 0x1.4002f6p-2f, 0x1.ffdf3ap-2f,
    0x1.7ff836p-1f, 0x1.ffe8aap-1f, 0x1.40020ep0f,
    /* numbers */
    0x1.04e7ccp0f, 0x1.217ddcp0f, 0x1.34f18p0f, 0x1.42d734p0f, 0x1.5177d2p0f, 0x1.5e566cp0f,
    0x1.66f67ap0f, 0x1.6d2542p0f, 0x1.921fb6p0f, 0.0f, 0x1.7ba99p-3f, 0x1.362a26p-2f,
    0x1.daac38p-2f, 0x1.4973fep-1f, 0x1.92140ap-1f, 0x1.cac96p-1f,
    /* r^7 */
    -0x1.1972b8p-10f, 0x1.f8c454p-16f, 0x1.0b589ep-14f, 0x1.168768p-15f, 0x1.24ba88p-17f,
    0x1.dbdf72p-20f, 0x1.05cd9ap-21f, 0x1.5fd92ap-23f, -0x1.066652p-3f, -0x1.0e13bap-3f,
    -0x1.a81016p-5f, 0x1.2ccab8p-4f, 0x1.08ee9cp-4f, 0x1.957e84p-8f, -0x1.2babbap-7f,
    -0x1.4d3b32p-8f,
    /* r^6 */
    0x1.5ad9a8p-11f, -0x1.f5a07ep-12f, -0x1.2086e6p-12f, -0x1.0b66ap-13f, -0x1.5b0992p-15f,
    -0x1.61d85ep-17f, -0x1.9f47ap-19f, -0x1.20201cp-20f, 0x1.d3c6a4p-9f, -0x1.257eb8p-9f,
    -0x1.18e278p-3f, -0x1.00f876p-3f, -0x1.f8ee5ep-6f, 0x1.cefe58p-6f, 0x1.57294ep-6f,
    0x1.03357cp-7f,
    /* r^5 */
    0x1.8411b8p-9f, 0x1.28edd4p-9f, 0x1.225fa2p-10f, 0x1.136a1cp-11f, 0x1.8557c6p-13f,
    0x1.d1f19ap-15f, 0x1.4d5f26p-16f, 0x1.1209fcp-17f, 0x1.9a520ep-3f, 0x1.99f8bp-3f,
    0x1.c38d36p-4f, 0x1.1fc252p-7f, -0x1.3eadd2p-4f, -0x1.0bac54p-4f, -0x1.99d314p-6f,
    -0x1.1f25ecp-8f,
    /* r^4 */
    -0x1.f15ab4p-7f, -0x1.08c0cp-7f, -0x1.057356p-8f, -0x1.0b4b4p-9f, -0x1.b0c7e6p-11f,
    -0x1.350f2cp-12f, -0x1.039d34p-13f, -0x1.ebf22cp-15f, 0x1.077e4ap-16f, -0x1.af3dbcp-18f,
    0x1.42bfdep-3f, 0x1.8ddcfep-3f, 0x1.3aaee4p-3f, 0x1.c329e6p-5f, 0x1.4d3e52p-16f, -0x1.0b36ap-6f,
    /* r^3 */
    0x1.87ac16p-5f, 0x1.98bcep-6f, 0x1.b5646cp-7f, 0x1.ef6946p-8f, 0x1.d4830cp-9f, 0x1.94272ep-10f,
    0x1.900e96p-11f, 0x1.b5bda8p-12f, -0x1.555544p-2f, -0x1.55555p-2f, -0x1.133ef8p-2f,
    -0x1.6cf1a8p-3f, -0x1.5e278p-5f, 0x1.ec0616p-5f, 0x1.55553ep-4f, 0x1.2b3432p-4f,
    /* r^2 */
    -0x1.f6235cp-4f, -0x1.1e5282p-4f, -0x1.5966p-5f, -0x1.b9c0f2p-6f, -0x1.ef1334p-7f,
    -0x1.045536p-7f, -0x1.314006p-8f, -0x1.82db78p-9f, 0.0f, 0.0f, -0x1.666b0ep-3f, -0x1.09998p-2f,
    -0x1.47a9e2p-2f, -0x1.3a9572p-2f, -0x1.000baap-2f, -0x1.85d95ep-3f,
    /* r */
    0x1.194066p-2f, 0x1.73826p-3f, 0x1.038efep-3f, 0x1.7c76a4p-4f, 0x1.ff87bap-5f, 0x1.4aadf4p-5f,
    0x1.cd52cp-6f, 0x1.537a66p-6f, 0x1p0f, 0x1p0f, 0x1.ee9ae2p-1f, 0x1.d27206p-1f, 0x1.99a416p-1f,
    0x1.47b2dep-1f, 0x1.000bacp-1f, 0x1.8f98f8p-2f,
    /* what r lacks */
    0x1.d937bp-29f, -0x1.5035cp-28f, -0x1.3dccep-30f, 0x1.b25dp-29f, -0x1.5484fcp-30f,
    0x1.b620cp-32f, 0x1.e17e88p-32f, 0x1.1e6c74p-31f, 0.0f, 0.0f, -0x1.08705cp-26f,
    -0x1.6fa4a8p-27f, 0x1.4fda9p-27f, -0x1.8397ep-27f, -0x1.74f9dp-26f, -0x1.039e4p-30f};

static inline lanes_f atan_pairs_row(unsigned row, lanes_u at) {
    return detmath_look_up_from_lanes(atan_pairs_rows, 16u * row, at);
}

/* -1/a, and what it and pi/2 lack. */
static inline lanes_f atan_far(lanes_f a, lanes_f *low) {
    lanes_f q = -1.0f / a;
    *low = detmath_fmaf_lanes(q, detmath_fmaf_lanes(a, q, 1.0f), -0x1.777a5cp-25f);
    return q;
}

static inline lanes_f detmath_cr_atan_steps(lanes_f x, lanes_f *other) {
    lanes_f a = lanes_magnitude(x), low, q = atan_far(a, &low);
    lanes_f place = detmath_smaller_lanes(a, 8.0f) + 0.625f;
    lanes_u at = (lanes_u)place >> 21;
    lanes_f r = detmath_below_lanes(place, 8.0f, a, q) - atan_pairs_row(0, at);
    low = detmath_below_lanes(place, 8.0f, 0.0f, low);
    lanes_f p = detmath_fmaf_lanes(r, atan_pairs_row(2, at), atan_pairs_row(3, at));
    p = detmath_fmaf_lanes(r, p, atan_pairs_row(4, at));
    p = detmath_fmaf_lanes(r, p, atan_pairs_row(5, at));
    p = detmath_fmaf_lanes(r, p, atan_pairs_row(6, at));
    lanes_f bend = atan_pairs_row(7, at), slope = atan_pairs_row(8, at),
            first = atan_pairs_row(1, at);
    lanes_f u = detmath_fmaf_lanes(r, bend, slope);
    lanes_f u_low = detmath_fmaf_lanes(r, bend, slope - u) + atan_pairs_row(9, at);
    lanes_f tail = detmath_fmaf_lanes(r * r, p, u_low) * r;
    lanes_f sum = detmath_fmaf_lanes(r, u, first);
    lanes_f rest = (detmath_fmaf_lanes(r, u, first - sum) + low) + tail;
    lanes_f wrong = detmath_fmaf_lanes(lanes_magnitude(tail), 0x1.ap-22f, sum * 0x1.3p-33f);
    *other = detmath_with_sign_lanes(sum + (rest - wrong), x);
    return detmath_with_sign_lanes(sum + (rest + wrong), x);
}
#endif

#endif
