/* sinh, cosh, tanh. Coefficients and their bounds: hyperbolic.sollya.
 *
 * All are computed of |x|, and the odd ones get the sign of x: by |x| = k ln 2 + r
 * (cr's tanh: 2 |x|), det's tanh by rows. sinh and tanh of -0 are -0, of -inf -inf
 * and -1; cosh(-inf) = inf.
 * The errors are the budgets in functions.inc. */
#ifndef DETMATH_HYPERBOLIC_H
#define DETMATH_HYPERBOLIC_H

#include "core.h"
#include "exp.h"
#include "expm1.h"
#include "hyperbolic_table.h"
#include "round.h"

#include "shield.inc"

/* r and its low part, where x = k ln 2 + r + low, for |k| < 2^9. */
DETMATH_FUNCTION float detmath_reduce_ln2(float x, DETMATH_PRIVATE float *low,
                                          DETMATH_PRIVATE detmath_i32 *n) {
    float k = detmath_exp_integer(detmath_fmaf(x, 0x1.715476p0f, 0x1.8p23f), n);
    float exact = detmath_fmaf(k, -0x1.62e4p-1f, x);
    float r = detmath_fmaf(k, -0x1.7f7d1cp-20f, exact);
    *low = detmath_fmaf(k, -0x1.7f7d1cp-20f, exact - r);
    return r;
}

/* y with the sign bit of x, for y > 0. */
DETMATH_FUNCTION float detmath_with_sign(float y, float x) {
    return detmath_from_bits_f32(detmath_bits_f32(y) | (detmath_bits_f32(x) & 0x80000000u));
}

DETMATH_FUNCTION float detmath_absolute_f32(float x) {
    return detmath_from_bits_f32(detmath_magnitude_f32(x));
}

/* |x| = (n + j/16) ln 2 + r, as in exp.h. With p = 2^n t / 2, where t is near
 * 2^(j/16), m = 2^-n / (2 t) and r less ln t - j/16 ln 2, cosh x is (p + m) +
 * (p + m) (cosh r - 1) + (p - m) sinh r, and sinh |x| is (p - m) + (p - m)
 * (cosh r - 1) + (p + m) sinh r. Here |r| < 0.0221, so that r^2 / 2 and r^3 /
 * 6, somewhat changed, are enough: cosh r - 1 to 2^-29.12 (float_cosh) and sinh
 * r - r to 2^-35.40 (float_sinh), absolutely. `up` is what is added to the bits
 * of numbers of the table.
 *
 * The first sum is in two parts. What is added to it is below 0.023 of cosh,
 * and of sinh, which is taken from here from 1/2 on, below 0.05: what is
 * rounded there is less than 0.1 ulp of the result. */
DETMATH_FUNCTION float detmath_hyperbolic(float x, detmath_u32 place, detmath_u32 up,
                                          DETMATH_PRIVATE const float *column, int is_cosh) {
    float k = detmath_from_bits_f32(place) - 0x1.8p19f;
    float r = detmath_fmaf(k, -0x1.62e4p-1f, x) - detmath_fmaf(k, 0x1.7f7d1cp-20f, column[2]);
    float plus = detmath_from_bits_f32(detmath_bits_f32(column[0]) + up);
    float minus = detmath_from_bits_f32(detmath_bits_f32(column[1]) - up);
    float sum = plus + minus, difference = plus - minus, square = detmath_productf(r, r);
    float even = detmath_productf(square, 0x1.000236p-1f);
    float odd = detmath_fmaf(detmath_productf(square, r), 0x1.555666p-3f, r);
    float head = is_cosh ? sum : difference, other = is_cosh ? difference : sum;
    float rest = is_cosh ? (plus - sum) + minus : (plus - difference) - minus; /* exact */
    return head + detmath_fmaf(other, odd, detmath_fmaf(head, even, rest));
}

DETMATH_FUNCTION detmath_u32 detmath_hyperbolic_place(float a) {
    return detmath_bits_f32(detmath_fmaf(a, 0x1.715476p0f, 0x1.8p19f));
}

/* The quick form is for |x| up to 86, where both powers are normal numbers. */
DETMATH_FUNCTION float detmath_hyperbolic_quick(float x, DETMATH_PRIVATE const float *column,
                                                int is_cosh, DETMATH_PRIVATE detmath_u32 *doubt) {
    float a = detmath_absolute_f32(x);
    detmath_u32 place = detmath_hyperbolic_place(a);
    *doubt |= detmath_outside_magnitude(x, 0, 0x42ac0001u);
    return detmath_hyperbolic(a, place, place << 19, column, is_cosh);
}

/* Of more than 60 powers of two those beyond are a factor, at the end: 2^-120
 * is as good as nothing. */
DETMATH_FUNCTION float detmath_hyperbolic_full(float x, int is_cosh) {
    float a = detmath_clamp(detmath_absolute_f32(x), 0.0f, 89.5f);
    detmath_u32 place = detmath_hyperbolic_place(a), j = place & 15u,
                n = (place - 0x49400000u) >> 4;
    detmath_u32 few = n > 60u ? 60u : n;
    float column[3] = DETMATH_COLUMN_3(detmath_hyperbolic_columns, j);
    float y = detmath_hyperbolic(a, place, (16u * few + j) << 19, column, is_cosh);
    return detmath_productf(y, detmath_from_bits_f32((127u + n - few) << 23));
}

/* sinh x for |x| < 1/2, as x + x^3 p(x^2) to 2^-32.62 (float_sinh_near) of sinh
 * x. */
DETMATH_FUNCTION float detmath_sinh_near(float x) {
    float square = detmath_productf(x, x);
    float p = detmath_fmaf(square, 0x1.a2a9b8p-13f, 0x1.110fc4p-7f);
    p = detmath_fmaf(square, p, 0x1.555556p-3f);
    return detmath_fmaf(detmath_productf(square, x), p, x);
}

/* sinh x, where y is that of |x|; from 2^-13 down it is x. */
DETMATH_FUNCTION float detmath_sinh_of(float x, float y) {
    detmath_u32 magnitude = detmath_magnitude_f32(x);
    y = magnitude < 0x3f000000u ? detmath_sinh_near(x) : detmath_with_sign(y, x);
    return magnitude < 0x39000000u ? x : y; /* x^2 / 6 < 2^-28 */
}

DETMATH_FUNCTION detmath_u32 detmath_sinh_place(float x) {
    return detmath_hyperbolic_place(detmath_absolute_f32(x));
}
DETMATH_FUNCTION float detmath_sinh_by(float x, DETMATH_PRIVATE const float *column,
                                       DETMATH_PRIVATE detmath_u32 *doubt) {
    return detmath_sinh_of(x, detmath_hyperbolic_quick(x, column, 0, doubt));
}
DETMATH_FUNCTION float detmath_sinh_full(float x) {
    return detmath_unless_nan(x, detmath_sinh_of(x, detmath_hyperbolic_full(x, 0)));
}
DETMATH_QUICK_BY_COLUMN(_sinh, DETMATH_COLUMNS_sinh)
DETMATH_QUICK_OR_FULL(_sinh)

DETMATH_FUNCTION detmath_u32 detmath_cosh_place(float x) {
    return detmath_hyperbolic_place(detmath_absolute_f32(x));
}
DETMATH_FUNCTION float detmath_cosh_by(float x, DETMATH_PRIVATE const float *column,
                                       DETMATH_PRIVATE detmath_u32 *doubt) {
    return detmath_hyperbolic_quick(x, column, 1, doubt);
}
DETMATH_FUNCTION float detmath_cosh_full(float x) {
    return detmath_unless_nan(x, detmath_hyperbolic_full(x, 1));
}
DETMATH_QUICK_BY_COLUMN(_cosh, DETMATH_COLUMNS_cosh)
DETMATH_QUICK_OR_FULL(_cosh)

/* 1 / d to 2^-17, for normal d whose reciprocal is normal: a seed to 2^-4.3
 * whose error e gets to the fourth power, 1 / (1 - e) being near (1 + e) (1 +
 * e^2). */
DETMATH_FUNCTION float detmath_coarse_reciprocal(float d) {
    float y = detmath_from_bits_f32(0x7ef311c7u - detmath_bits_f32(d));
    float e = detmath_fmaf(-d, y, 1.0f);
    float once = detmath_fmaf(y, e, y);
    return detmath_fmaf(once, detmath_productf(e, e), once);
}

/* (n + n_low) / (d + d_low) as the quotient to 2^-17, and *rest to be added to
 * it. */
DETMATH_FUNCTION float detmath_quotientf(float n, float n_low, float d, float d_low,
                                         DETMATH_PRIVATE float *rest) {
    float reciprocal = detmath_coarse_reciprocal(d);
    float q = detmath_productf(n, reciprocal);
    float remainder = detmath_fmaf(-q, d, n) + detmath_fmaf(-q, d_low, n_low);
    *rest = detmath_productf(remainder, reciprocal);
    return q;
}

#include "one_lane.inc"

#include "hyperbolic_lanes.inc"

/* Three forms: see exp.h. Below 2^-13 x^2 / 3 is below 2^-27. */
DETMATH_FUNCTION float detmath_tanh_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_tanh_away(x) < DETMATH_REACH_tanh ? 0u : 0x80000000u;
    return detmath_magnitude_f32(x) < 0x39000000u ? x : detmath_tanh_steps(x);
}
DETMATH_FUNCTION float detmath_tanh_full(float x) {
    detmath_u32 doubt = 0;
    return detmath_unless_nan(x, detmath_tanh_quick(x, &doubt));
}
DETMATH_QUICK_OR_FULL(_tanh)

#if !defined(DETMATH_NO_DOUBLE)

DETMATH_FUNCTION double detmath_core_magnitude(double x) {
    return detmath_from_bits_f64(detmath_bits_f64(x) & 0x7fffffffffffffffu);
}

DETMATH_FUNCTION double detmath_core_with_sign(double y, double x) {
    return detmath_from_bits_f64(detmath_bits_f64(y) | (detmath_bits_f64(x) & 0x8000000000000000u));
}

/* even cosh r + odd sinh r. cosh r - 1 to 2^-64.29 (double_cosh), sinh r - r to
 * 2^-53.99 (double_sinh). */
DETMATH_FUNCTION double detmath_core_hyperbolic_sum(double even, double odd, double r) {
    double square = detmath_product(r, r);
    double c = detmath_fma(square, 0x1.1f78ec418c353p-29, 0x1.27e4d813915fap-22);
    c = detmath_fma(square, c, 0x1.a01a01a819ac2p-16);
    c = detmath_fma(square, c, 0x1.6c16c16c15ff9p-10);
    c = detmath_fma(square, c, 0x1.5555555555556p-5);
    c = detmath_product(square, detmath_fma(square, c, 0.5));
    double s = detmath_fma(square, 0x1.ad7ed46c9ed0cp-33, 0x1.ae321d66d18f3p-26);
    s = detmath_fma(square, s, 0x1.71de46620d09bp-19);
    s = detmath_fma(square, s, 0x1.a01a019d920c8p-13);
    s = detmath_fma(square, s, 0x1.111111111148ap-7);
    s = detmath_fma(square, s, 0x1.5555555555555p-3);
    s = detmath_fma(detmath_product(square, r), s, r);
    return even + detmath_fma(odd, s, detmath_product(even, c));
}

DETMATH_FUNCTION double detmath_core_hyperbolic(double x, int is_cosh) {
    detmath_i64 n;
    double bounded = detmath_core_clamp(detmath_core_magnitude(x), 0.0, 200.0);
    double r = detmath_core_exp_reduce(bounded, &n);
    double root = detmath_power_of_two(-n);
    double sum = detmath_fma(root, root, 1.0), difference = detmath_fma(-root, root, 1.0);
    double y = is_cosh ? detmath_core_hyperbolic_sum(sum, difference, r)
                       : detmath_core_hyperbolic_sum(difference, sum, r);
    return detmath_exact_product(y, detmath_power_of_two(n - 1));
}

DETMATH_FUNCTION double detmath_core_sinh(double x) {
    return detmath_core_with_sign(detmath_core_hyperbolic(x, 0), x);
}

DETMATH_FUNCTION double detmath_core_cosh(double x) {
    return detmath_core_hyperbolic(x, 1);
}

DETMATH_FUNCTION double detmath_core_tanh(double x) {
    detmath_i64 n;
    double bounded = detmath_core_clamp(detmath_core_magnitude(x), 0.0, 20.0);
    double r = detmath_core_exp_reduce(bounded + bounded, &n);
    double power = detmath_power_of_two(-n), slope = detmath_core_exp_slope(r);
    double over = detmath_fma(r, slope, 1.0 - power), under = detmath_fma(r, slope, 1.0 + power);
    return detmath_core_with_sign(over / under, x);
}

/* By trial of all 2^32 inputs. */
DETMATH_EXCEPTIONS(sinh) = {
    {0x3a1285ffu, 0x3a1285ffu}, {0xba1285ffu, 0xba1285ffu}, DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(cosh) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(tanh) = {DETMATH_NO_MORE};

/* Quick cores, as in fp32, but with powers that are right to 2^-53. cosh r - 1
 * to 2^-45.57 (quick_cosh), absolutely, and sinh r / r to 2^-48.38
 * (quick_sinh). */
DETMATH_FUNCTION detmath_u64 detmath_quick_hyperbolic_place(float x) {
    return detmath_quick_exp_place(detmath_absolute_f32(x));
}
DETMATH_FUNCTION double detmath_quick_hyperbolic(float x, double up, double down, int is_cosh) {
    double a = (double)detmath_absolute_f32(x);
    detmath_u64 place = detmath_quick_hyperbolic_place(x);
    double r = detmath_fma(detmath_quick_grid(place), -0x1.62e42fefa39efp-1, a);
    double plus = detmath_quick_put(up, place), minus = detmath_quick_put(down, 0u - place);
    double sum = plus + minus, difference = plus - minus, square = detmath_product(r, r);
    double even = detmath_fma(square, 0x1.5556ba3941dddp-5, 0x1.ffffffff51157p-2);
    double odd = detmath_fma(square, 0x1.1111dd00c88f1p-7, 0x1.55555555235bap-3);
    even = detmath_product(square, even);
    odd = detmath_fma(detmath_product(square, r), odd, r);
    double head = is_cosh ? sum : difference, other = is_cosh ? difference : sum;
    return detmath_fma(other, odd, detmath_fma(head, even, head));
}

/* The windows, as in exp.h, in units of the result's last place, at least 2^-53
 * of it. For cosh even is off by 2^7.43 units, r by 2^4.8, and rounding adds 4:
 * less than 210. sinh is least beside the rest where r is negative and n + j/16
 * is 1/16: there the difference is twice as large as the result, so that even
 * counts twice, and its own error, of 2^-53, is 2^6 units; odd is off by
 * 2^4.62: less than 346 + 64 + 28 + 25 + 4. */
#define DETMATH_HYPERBOLIC_ROUNDED(NAME, IS_COSH, SIGNED, HIGH, WINDOW)                            \
    DETMATH_FUNCTION double detmath_quick_##NAME##_of(float x,                                     \
                                                      DETMATH_PRIVATE const double *column) {      \
        double y = detmath_quick_hyperbolic(x, column[0], column[1], IS_COSH);                     \
        return SIGNED ? detmath_core_with_sign(y, (double)x) : y;                                  \
    }                                                                                              \
    DETMATH_FUNCTION detmath_u64 detmath_cr_##NAME##_place(float x) {                              \
        return detmath_quick_hyperbolic_place(x);                                                  \
    }                                                                                              \
    DETMATH_FUNCTION double detmath_quick_core_##NAME(float x) {                                   \
        detmath_u32 at = (detmath_u32)detmath_quick_hyperbolic_place(x) & 15u;                     \
        double column[2] = DETMATH_COLUMN_2(detmath_hyperbolic_powers, at);                        \
        return detmath_quick_##NAME##_of(x, column);                                               \
    }                                                                                              \
    DETMATH_QUICKLY_ROUNDED_COLUMN(_##NAME, magnitude, 0x00800000u, HIGH, WINDOW)

DETMATH_HYPERBOLIC_ROUNDED(sinh, 0, 1, 0x42b20000u, 1024)
DETMATH_HYPERBOLIC_ROUNDED(cosh, 1, 0, 0x42b20000u, 512)

/* tanh |x| = (e^2|x| - 1) / (e^2|x| + 1), for |x| up to 10; from there on it
 * rounds to 1. The window: the numerator is off as expm1 is (expm1.h), and the
 * quotient by 2 units more. */
DETMATH_FUNCTION double detmath_quick_tanh_operand(float x) {
    detmath_u32 magnitude = detmath_magnitude_f32(x);
    float a = detmath_from_bits_f32(magnitude < 0x41200000u ? magnitude : 0x41200000u);
    return (double)(a + a);
}
DETMATH_FUNCTION detmath_u64 detmath_cr_tanh_place(float x) {
    return detmath_bits_f64(
        detmath_fma(detmath_quick_tanh_operand(x), 0x1.71547652b82fep0, 0x1.8p48));
}
DETMATH_FUNCTION double detmath_quick_tanh_of(float x, DETMATH_PRIVATE const double *column) {
    detmath_u64 place = detmath_cr_tanh_place(x);
    double p = detmath_quick_power_less_one(detmath_quick_tanh_operand(x), place);
    double t = detmath_quick_put(column[0], place);
    double y = detmath_fma(t, p, t - 1.0) / detmath_fma(t, p, t + 1.0);
    return detmath_core_with_sign(y, (double)x);
}
DETMATH_FUNCTION double detmath_quick_core_tanh(float x) {
    double column[1] = DETMATH_COLUMN_1(detmath_exp_powers, detmath_cr_tanh_place(x) & 15u);
    return detmath_quick_tanh_of(x, column);
}
DETMATH_QUICKLY_ROUNDED_COLUMN(_tanh, magnitude, 0x00800000u, 0x7f800000u, 128)

#endif

#include "shield_end.inc"

#endif
