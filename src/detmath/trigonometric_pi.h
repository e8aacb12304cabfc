/* sinpi, cospi, tanpi and asinpi, acospi, atanpi: the functions of pi x, and the inverse ones over
 * pi. Constants: trigonometric_pi.sollya; the polynomials are those of trigonometric.h and
 * inverse_trigonometric.h.
 *
 * det's sinpi and cospi go by rows (trigonometric_pi_lanes.inc). For the others |x| = k/2 + f with
 * |f| <= 1/4, exactly, and pi f is taken in two parts, so that tanpi errs as tan does. What they are
 * exactly: sinpi of an integer is 0 with the sign of x, cospi of half of an odd one +0; tanpi is odd,
 * and on from 0 by 1/4 it is 0, 1, inf, -1, -0, 1, -inf, -1. Infinities and NaNs give the canonical
 * NaN there; asinpi and acospi of |x| > 1 are NaN, acospi 1 = +0, atanpi(inf) = 1/2. The errors are
 * the budgets in functions.inc. */
#ifndef DETMATH_TRIGONOMETRIC_PI_H
#define DETMATH_TRIGONOMETRIC_PI_H

#include "core.h"
#include "inverse_trigonometric.h"
#include "round.h"
#include "trigonometric.h"

#include "shield.inc"

/* |x| less a multiple of 4, at most 2 from 0: from 2^24 on numbers are even, and those and what is not finite are taken
 * for 0. */
DETMATH_FUNCTION float detmath_pi_rest(float x) {
    detmath_u32 magnitude = detmath_magnitude_f32(x);
    float a = detmath_from_bits_f32(magnitude < 0x4b800000u ? magnitude : 0u);
    return a - ((a + 0x1.8p25f) - 0x1.8p25f);
}

/* y; but pi x where |x| < 2^-30, where what follows is less than 2^-57 of it. */
DETMATH_FUNCTION float detmath_pi_unless_tiny(float x, float y) {
    float multiple = detmath_multiple(x, 0x1.921fb6p1f, -0x1.777a5cp-24f);
    return detmath_magnitude_f32(x) < 0x30800000u ? multiple : y;
}

/* Rows of 8: pi cos(pi k/8), and what it lacks. */
DETMATH_CONSTANT float detmath_slope_rows[16] = {
    0x1.921fb6p1f,    0x1.738396p1f,    0x1.1c5832p1f,  0x1.33c5b4p0f,    0.0f,
    -0x1.33c5b4p0f,   -0x1.1c5832p1f,   -0x1.738396p1f, -0x1.777a5cp-24f, -0x1.12c73p-25f,
    -0x1.48a746p-25f, -0x1.19d93ap-31f, 0.0f,           0x1.19d93ap-31f,  0x1.48a746p-25f,
    0x1.12c73p-25f};

/* A quarter of tan(pi k/8) where k is a multiple of 4: so that of an infinity is a number. */
DETMATH_CONSTANT float detmath_tanpi_halves[16] = {0.0f,      0.0f, 0.0f,  0.0f, 0x1p127f, 0.0f,
                                                   0.0f,      0.0f, -0.0f, 0.0f, 0.0f,     0.0f,
                                                   -0x1p127f, 0.0f, 0.0f,  0.0f};

#include "one_lane.inc"

#include "trigonometric_pi_lanes.inc"

/* Three forms: see exp.h. */
DETMATH_FUNCTION float detmath_sinpi_full(float x) {
    float y = detmath_sinpi_of(detmath_pi_rest(x), 0u, detmath_bits_f32(x) & 0x80000000u);
    return detmath_pi_unless_tiny(x, detmath_trig_if_finite(x, y));
}
DETMATH_FUNCTION float detmath_sinpi_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_sinpi_away(x) < DETMATH_REACH_sinpi ? 0u : 0x80000000u;
    return detmath_sinpi_steps(x);
}
DETMATH_QUICK_OR_FULL(_sinpi)

DETMATH_FUNCTION float detmath_cospi_full(float x) {
    return detmath_trig_if_finite(x, detmath_sinpi_of(detmath_pi_rest(x), 4u, 0u));
}
DETMATH_FUNCTION float detmath_cospi_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_cospi_away(x) < DETMATH_REACH_cospi ? 0u : 0x80000000u;
    return detmath_cospi_steps(x);
}
DETMATH_QUICK_OR_FULL(_cospi)

DETMATH_FUNCTION float detmath_tanpi_full(float x) {
    float y = detmath_tanpi_of(detmath_pi_rest(x), detmath_bits_f32(x) & 0x80000000u);
    return detmath_pi_unless_tiny(x, detmath_trig_if_finite(x, y));
}
DETMATH_FUNCTION float detmath_tanpi_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_tanpi_away(x) < DETMATH_REACH_tanpi ? 0u : 0x80000000u;
    return detmath_tanpi_steps(x);
}
DETMATH_QUICK_OR_FULL(_tanpi)

/* base + (r + tail) by / pi, where base is 0 or 1/2 or 1, and by a power of two. */
DETMATH_FUNCTION float detmath_arc_over_pi(float base, float r, float tail, float by) {
    float w = detmath_productf(r, 0x1.45f306p-2f);
    float low = detmath_fmaf(r, 0x1.b9391p-27f, detmath_fmaf(r, 0x1.45f306p-2f, -w));
    low = detmath_fmaf(tail, 0x1.45f306p-2f, low);
    return detmath_arc_sum(base, 0.0f, detmath_productf(w, by), detmath_productf(low, by));
}

/* y >= 0 with the sign of x; but x/pi where |x| < 2^-30. */
DETMATH_FUNCTION float detmath_arc_signed_over_pi(float x, float y) {
    float multiple = detmath_multiple(x, 0x1.45f306p-2f, 0x1.b9391p-27f);
    detmath_u32 bits = detmath_bits_f32(x), sign = bits & 0x80000000u;
    return detmath_from_bits_f32((bits ^ sign) < 0x30800000u ? detmath_bits_f32(multiple)
                                                             : sign | detmath_bits_f32(y));
}

DETMATH_FUNCTION float detmath_asinpi_full(float x) {
    return detmath_arc_domain(x, detmath_arc_signed_over_pi(x, detmath_asinpi_steps(x)));
}

DETMATH_FUNCTION float detmath_asinpi_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_asinpi_away(x) < DETMATH_REACH_asinpi ? 0u : 0x80000000u;
    return detmath_asinpi_steps(x);
}

DETMATH_QUICK_OR_FULL(_asinpi)

DETMATH_FUNCTION float detmath_acospi_full(float x) {
    return detmath_arc_domain(x, detmath_acospi_steps(x));
}

DETMATH_FUNCTION float detmath_acospi_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_acospi_away(x) < DETMATH_REACH_acospi ? 0u : 0x80000000u;
    return detmath_acospi_steps(x);
}

DETMATH_QUICK_OR_FULL(_acospi)

/* By the nearest of 0, 1/4 and 1/2, as in double below: of an angle up to pi/8 the polynomial rounds
 * less than of pi/4, next to which a result below 1/4 has a unit of its own size. The quotient is in
 * two parts. */
DETMATH_INLINED float detmath_arc_tangent_over_pi(float a) {
    detmath_u32 near = a <= 0x1.a8279ap-2f, far = a > 0x1.3504f4p1f;
    float above = far ? -1.0f : a - 1.0f, below = far ? a : a + 1.0f;
    float above_low = far ? 0.0f : a - (above + 1.0f); /* the sum is exact */
    float below_low = far ? 0.0f : a < 1.0f ? (1.0f - below) + a : (a - below) + 1.0f;
    float reciprocal = detmath_arc_reciprocal(below), q = detmath_productf(above, reciprocal);
    float rest = detmath_fmaf(-q, below, above) + detmath_fmaf(-q, below_low, above_low);
    float r = detmath_arc_choose(near ? ~0u : 0u, a, q);
    float low = detmath_arc_choose(near ? ~0u : 0u, 0.0f, detmath_productf(rest, reciprocal));
    float tail = detmath_arc_tangent_tail(r, low), base = near ? 0.0f : far ? 0.5f : 0.25f;
    return detmath_arc_over_pi(base, r, tail, 1.0f);
}

DETMATH_FUNCTION float detmath_atanpi_full(float x) {
    float a = detmath_from_bits_f32(detmath_magnitude_f32(x));
    float y = detmath_arc_tangent_over_pi(a > 0x1p100f ? 0x1p100f : a);
    return detmath_unless_nan(x, detmath_arc_signed_over_pi(x, y));
}

DETMATH_FUNCTION float detmath_atanpi_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    detmath_u32 magnitude = detmath_magnitude_f32(x);
    *doubt |= detmath_outside_multiple(x, 0x71800000u); /* 2^100 */
    float y = detmath_arc_tangent_over_pi(detmath_from_bits_f32(magnitude));
    return detmath_from_bits_f32(detmath_bits_f32(y) | (detmath_bits_f32(x) ^ magnitude));
}

DETMATH_QUICK_OR_FULL(_atanpi)

#if !defined(DETMATH_NO_DOUBLE)

/* The same in double, for fp32 numbers: f has 24 bits. */
DETMATH_FUNCTION double detmath_core_half_turns(double x, DETMATH_PRIVATE detmath_u64 *k) {
    double a = detmath_core_absolute(x);
    a = a < 0x1p24 ? a : a - a; /* 0, or NaN */
    double rest = a - ((a + 0x1.8p54) - 0x1.8p54);
    double shifted = detmath_fma(rest, 2.0, 0x1.8p52);
    *k = detmath_bits_f64(shifted);
    return detmath_fma(shifted - 0x1.8p52, -0.5, rest);
}

/* sin r for r = pi f: what is left of pi f goes along with the polynomial of trigonometric.h. */
DETMATH_FUNCTION double detmath_core_sine_of_pi(double f) {
    double r = detmath_product(f, 0x1.921fb54442d18p1), s = detmath_product(r, r);
    double low = detmath_fma(f, 0x1.1a62633145c07p-53, detmath_fma(f, 0x1.921fb54442d18p1, -r));
    double p = detmath_core_trig_polynomial(s, DETMATH_CORE_SIN);
    return detmath_fma(detmath_product(s, r), p, detmath_fma(detmath_product(s, -0.5), low, low)) +
           r;
}

DETMATH_FUNCTION double detmath_core_cosine_of_pi(double f) {
    return detmath_core_trig_cos(detmath_product(f, 0x1.921fb54442d18p1));
}

/* y with the sign that k and x give; a zero gets the sign of x. */
DETMATH_FUNCTION double detmath_core_half_turned(double x, double y, detmath_u64 k) {
    detmath_u64 sign = y == 0.0 ? 0u : k << 62 & 0x8000000000000000u;
    return detmath_from_bits_f64((detmath_bits_f64(y) ^ sign) ^
                                 (detmath_bits_f64(x) & 0x8000000000000000u));
}

DETMATH_FUNCTION double detmath_core_sinpi(double x) {
    detmath_u64 k;
    double f = detmath_core_half_turns(x, &k);
    double sine = detmath_core_sine_of_pi(f), cosine = detmath_core_cosine_of_pi(f);
    return detmath_core_half_turned(x, k & 1 ? cosine : sine, k);
}

DETMATH_FUNCTION double detmath_core_cospi(double x) {
    detmath_u64 k;
    double f = detmath_core_half_turns(x, &k);
    double sine = detmath_core_sine_of_pi(f), cosine = detmath_core_cosine_of_pi(f);
    /* What is 0 is +0: of an f of -0 too. */
    double y = k & 1 ? 0.0 - sine : cosine;
    return detmath_core_half_turned(0.0, y, k);
}

DETMATH_FUNCTION double detmath_core_tanpi(double x) {
    detmath_u64 k;
    double f = detmath_core_half_turns(x, &k);
    double sine = detmath_core_sine_of_pi(f), cosine = detmath_core_cosine_of_pi(f);
    double above = k & 1 ? -cosine : sine, below = k & 1 ? sine : cosine;
    detmath_u64 whole = (k << 62 & 0x8000000000000000u) | (k & 1 ? 0x7ff0000000000000u : 0u);
    detmath_u64 y = detmath_bits_f64(above / below);
    y = f == 0.0 ? whole : y;
    return detmath_from_bits_f64(y ^ (detmath_bits_f64(x) & 0x8000000000000000u));
}

/* base + (r + tail) by / pi. */
DETMATH_FUNCTION double detmath_core_arc_over_pi(double base, double r, double tail, double by) {
    double w = detmath_product(r, 0x1.45f306dc9c883p-2);
    double low = detmath_fma(r, -0x1.6b01ec5417056p-56, detmath_fma(r, 0x1.45f306dc9c883p-2, -w));
    low = detmath_fma(tail, 0x1.45f306dc9c883p-2, low);
    return detmath_core_arc_sum(base, 0.0, detmath_product(w, by), detmath_product(low, by));
}

DETMATH_FUNCTION double detmath_core_asinpi(double x) {
    double a = detmath_core_absolute(x);
    double tail, r = detmath_core_arc_sine(a, &tail), by = a > 0.5 ? -2.0 : 1.0;
    double y = detmath_core_arc_over_pi(a > 0.5 ? 0.5 : 0.0, r, tail, by);
    return detmath_core_arc_domain(a, detmath_core_signed(x, y));
}

DETMATH_FUNCTION double detmath_core_acospi(double x) {
    double a = detmath_core_absolute(x);
    double tail, r = detmath_core_arc_sine(a, &tail);
    double by = detmath_core_signed(x, a > 0.5 ? 2.0 : -1.0), base = a > 0.5 ? 0.0 : 0.5;
    base = x < -0.5 ? 1.0 : base;
    return detmath_core_arc_domain(a, detmath_core_arc_over_pi(base, r, tail, by));
}

/* The angle of (d, n), or of (-d, n) where `left`, over pi, as detmath_core_arc_tangent has it. */
DETMATH_INLINED double detmath_core_arc_tangent_over_pi(double n, double d, int left) {
    int low = n <= detmath_product(d, 0x1.a8279ap-2), high = detmath_product(n, 0x1.a8279ap-2) > d;
    double above = low ? n : high ? -d : n - d;
    double below = low ? d : high ? n : n + d;
    double base = low ? 0.0 : high ? 0.5 : 0.25, t = above / below;
    base = left ? 1.0 - base : base;
    t = left ? -t : t;
    double s = detmath_product(t, t);
    double tail = detmath_product(detmath_product(s, t), detmath_core_arc_tangent_slope(s));
    return detmath_core_arc_over_pi(base, t, tail, 1.0);
}

DETMATH_FUNCTION double detmath_core_atanpi(double x) {
    double y = detmath_core_arc_tangent_over_pi(detmath_core_absolute(x), 1.0, 0);
    return detmath_core_signed(x, y);
}

/* By trial of all 2^32 inputs. */
DETMATH_EXCEPTIONS(sinpi) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(cospi) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(tanpi) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(asinpi) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(acospi) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(atanpi) = {
    {0x3f693531u, 0x3e70d331u}, {0xbf693531u, 0xbe70d331u}, DETMATH_NO_MORE};

DETMATH_CORRECTLY_ROUNDED(sinpi, 16)
DETMATH_CORRECTLY_ROUNDED(cospi, 16)
DETMATH_CORRECTLY_ROUNDED(tanpi, 16)
DETMATH_CORRECTLY_ROUNDED(asinpi, 16)
DETMATH_CORRECTLY_ROUNDED(acospi, 16)
DETMATH_CORRECTLY_ROUNDED(atanpi, 16)

#endif

#include "shield_end.inc"

#endif
