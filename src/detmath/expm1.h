/* expm1, exp2m1, exp10m1: e^x, 2^x and 10^x less 1. Coefficients and their
 * bounds: exp.sollya.
 *
 * All reduce as in exp.h, to 2^n (1 - 2^-n + (e^r - 1)). NaN gives the
 * canonical one; f(-inf) = -1, f(inf) = inf, f(-0) = -0. The errors are the
 * budgets in functions.inc. */
#ifndef DETMATH_EXPM1_H
#define DETMATH_EXPM1_H

#include "core.h"
#include "exp.h"
#include "round.h"

#include "shield.inc"

/* 1 - 2^-n + (e^(r + low) - 1). */
DETMATH_FUNCTION float detmath_expm1_sum(float r, float low, detmath_i32 n) {
    detmath_i32 m = n > 60 ? 60 : n; /* 2^-60 is as good as nothing */
    float power = detmath_from_bits_f32((127u - (detmath_u32)m) << 23);
    float base = 1.0f - power;
    float other = base - 1.0f; /* what is left of -power, and of 1, is what base lacks */
    float base_low = (1.0f - (base - other)) - (power + other);
    return detmath_exp_sum(base, r, detmath_exp_tail(r, low) + base_low);
}

/* (e^x - 1) / 2^n. */
DETMATH_FUNCTION float detmath_expm1_reduced(float x, DETMATH_PRIVATE detmath_i32 *n) {
    float k = detmath_exp_integer(detmath_fmaf(x, 0x1.715476p0f, 0x1.8p23f), n);
    float exact = detmath_fmaf(k, -0x1.62e4p-1f, x);
    float r = detmath_fmaf(k, -0x1.7f7d1cp-20f, exact);
    float low = detmath_fmaf(k, -0x1.7f7d1cp-20f, exact - r);
    return detmath_expm1_sum(r, low, *n);
}

DETMATH_FUNCTION float detmath_expm1_full(float x) {
    detmath_i32 n;
    float y = detmath_expm1_reduced(detmath_clamp(x, -18.0f, 90.0f), &n);
    y = detmath_scale_f32(y, n);
    y = detmath_magnitude_f32(x) < 0x33000000u ? x : y; /* below 2^-25 the sum is x */
    return detmath_unless_nan(x, y);
}

/* Here y may be small, as e^r - 1 is where n is 0, and -2^-n where n is
 * negative: the product with 2^n is normal from |x| = 2^-25 on, and below that
 * the result is x. */
DETMATH_FUNCTION float detmath_expm1_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    detmath_i32 n;
    float y = detmath_expm1_reduced(x, &n);
    detmath_u32 m = (detmath_u32)n, small = detmath_magnitude_f32(x) < 0x33000000u;
    *doubt |= ((m + 26u) | (127u - m)) & 0x80000000u;
    detmath_u32 bits = detmath_bits_f32(y) + (m << 23);
    return detmath_from_bits_f32(small ? detmath_bits_f32(x) : bits);
}

DETMATH_QUICK_OR_FULL(_expm1)

/* y 2^n; but where |x| < 2^-30, b^x - 1 is x ln b, with less than 2^-31 of it
 * to come, and subnormal numbers are made of integers. */
DETMATH_FUNCTION float detmath_power_less_one(float x, float y, detmath_i32 n, float ln,
                                              float low) {
    detmath_u32 small = detmath_magnitude_f32(x) < 0x30800000u;
    y = detmath_scale_f32(y, n);
    return detmath_unless_nan(x, small ? detmath_multiple(x, ln, low) : y);
}

/* 2^r = e^(r ln 2), with r ln 2 in two parts; the result over 2^n. */
DETMATH_FUNCTION float detmath_exp2m1_reduced(float x, DETMATH_PRIVATE detmath_i32 *n) {
    float r = x - detmath_exp_integer(x + 0x1.8p23f, n);
    float product = detmath_productf(r, 0x1.62e43p-1f);
    float low = detmath_fmaf(r, -0x1.05c61p-29f, detmath_fmaf(r, 0x1.62e43p-1f, -product));
    return detmath_expm1_sum(product, low, *n);
}

/* 10^r = e^(r ln 10) likewise; r too has a low part here. */
DETMATH_FUNCTION float detmath_exp10m1_reduced(float x, DETMATH_PRIVATE detmath_i32 *n) {
    float k = detmath_exp_integer(detmath_fmaf(x, 0x1.a934fp1f, 0x1.8p23f), n);
    float exact = detmath_fmaf(k, -0x1.344p-2f, x);
    float r = detmath_fmaf(k, -0x1.3509f8p-18f, exact);
    float r_low = detmath_fmaf(k, -0x1.3509f8p-18f, exact - r);
    float product = detmath_productf(r, 0x1.26bb1cp1f);
    float low = detmath_fmaf(r, -0x1.12aabap-25f, detmath_fmaf(r, 0x1.26bb1cp1f, -product));
    low = detmath_fmaf(r_low, 0x1.26bb1cp1f, low);
    return detmath_expm1_sum(product, low, *n);
}

/* The quick form leaves tiny x, and an n beyond those of expm1, to the full
 * one. */
#define DETMATH_POWER_LESS_ONE_FORMS(NAME, LOW, HIGH, LN, LN_LOW)                                  \
    DETMATH_FUNCTION float detmath_##NAME##_full(float x) {                                        \
        detmath_i32 n;                                                                             \
        float y = detmath_##NAME##_reduced(detmath_clamp(x, LOW, HIGH), &n);                       \
        return detmath_power_less_one(x, y, n, LN, LN_LOW);                                        \
    }                                                                                              \
    DETMATH_FUNCTION float detmath_##NAME##_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {   \
        detmath_i32 n;                                                                             \
        float y = detmath_##NAME##_reduced(x, &n);                                                 \
        detmath_u32 m = (detmath_u32)n;                                                            \
        *doubt |= detmath_outside_multiple(x, DETMATH_INFINITY_BITS) |                             \
                  (((m + 26u) | (127u - m)) & 0x80000000u);                                        \
        return detmath_unless_zero(x, detmath_from_bits_f32(detmath_bits_f32(y) + (m << 23)));     \
    }                                                                                              \
    DETMATH_QUICK_OR_FULL(_##NAME)

DETMATH_POWER_LESS_ONE_FORMS(exp2m1, -26.0f, 130.0f, 0x1.62e43p-1f, -0x1.05c61p-29f)
DETMATH_POWER_LESS_ONE_FORMS(exp10m1, -8.0f, 39.0f, 0x1.26bb1cp1f, -0x1.12aabap-25f)

#if !defined(DETMATH_NO_DOUBLE)

DETMATH_FUNCTION double detmath_core_expm1(double x) {
    detmath_i64 n;
    double bounded = detmath_core_clamp(x, -60.0, 200.0);
    double r = detmath_core_exp_reduce(bounded, &n);
    double power = detmath_power_of_two(n);
    double less_one = detmath_fma(r, detmath_core_exp_slope(r), 1.0 - detmath_power_of_two(-n));
    double y = detmath_exact_product(less_one, power);
    return x == 0.0 ? x : y;
}

/* Exact for integers up to 53, where r is 0: 2^25 - 1 is a middle. */
DETMATH_FUNCTION double detmath_core_exp2m1(double x) {
    double y = detmath_core_exp2_less(x, 1.0);
    return x == 0.0 ? x : y;
}

DETMATH_FUNCTION double detmath_core_exp10m1(double x) {
    double y = detmath_core_exp10_less(x, 1.0);
    return x == 0.0 ? x : y;
}

/* Quick cores by the table of exp.h; zeros stay as they are. e^r - 1 to
 * 2^-50.04 (quick_expm1_column) of itself. */
DETMATH_FUNCTION double detmath_quick_power_less_one(double x, detmath_u64 place) {
    double r = detmath_fma(detmath_quick_grid(place), -0x1.62e42fefa39efp-1, x);
    double square = detmath_product(r, r);
    double a = detmath_fma(r, 0x1.55555554a66cp-3, 0x1.fffffffffffdep-2);
    double b = detmath_fma(r, 0x1.11122e9372d38p-7, 0x1.555555572a4dfp-5);
    b = detmath_fma(square, 0x1.6c16184cd155dp-10, b);
    return detmath_fma(square, detmath_fma(square, b, a), r);
}
DETMATH_FUNCTION detmath_u64 detmath_quick_expm1_place(float x) {
    return detmath_quick_exp_place(x);
}
DETMATH_FUNCTION double detmath_quick_expm1_of(float x, detmath_u64 place, double number) {
    double t = detmath_quick_put(number, place);
    double y = detmath_fma(t, detmath_quick_power_less_one((double)x, place), t - 1.0);
    return detmath_magnitude_f32(x) == 0 ? (double)x : y;
}

/* By trial of all 2^32 inputs. */
DETMATH_EXCEPTIONS(expm1) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(exp2m1) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(exp10m1) = {{0x417d7f60u, 0x59c64405u}, DETMATH_NO_MORE};

/* The window, in units of the result's last place, at least 2^-53 of it: t (1 +
 * p) - 1 is least beside t where t is 2^(1/16) or its reciprocal and p has the
 * other sign: 0.0214, of which t's error, of less than 2^-54, is 2^4.6 units. p
 * is off by 2^3, r by as much at most, and rounding adds 4: less than 45. Up to
 * 17, from -17.5 down. */
DETMATH_EXP_ROUNDED_BY(expm1, 0x00800000u, 0x41880001u, 0xc18c0000u, 128)
DETMATH_NORMALLY_ROUNDED(exp2m1, magnitude, 0x01800000u, 0x42fe0000u, 16)
DETMATH_NORMALLY_ROUNDED(exp10m1, magnitude, 0x00800000u, 0x42180000u, 16)

#endif

#include "shield_end.inc"

#endif
