/* expm1, exp2m1, exp10m1: e^x, 2^x and 10^x less 1, det's by expm1_lanes.inc. Coefficients and their bounds: exp.sollya.
 *
 * NaN gives the canonical one; f(-inf) = -1, f(inf) = inf, f(-0) = -0. The errors are the budgets in functions.inc. */
#ifndef DETMATH_EXPM1_H
#define DETMATH_EXPM1_H

#include "core.h"
#include "exp.h"
#include "round.h"

#include "shield.inc"

#include "one_lane.inc"

#include "expm1_lanes.inc"

/* Three forms: see exp.h. */
#define DETMATH_LESS_ONE_QUICK(NAME)                                                               \
    DETMATH_FUNCTION float detmath_##NAME##_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {   \
        *doubt |= detmath_##NAME##_away(x) < DETMATH_REACH_##NAME ? 0u : 0x80000000u;              \
        return detmath_##NAME##_steps(x);                                                          \
    }
DETMATH_LESS_ONE_QUICK(expm1)
DETMATH_LESS_ONE_QUICK(exp2m1)
DETMATH_LESS_ONE_QUICK(exp10m1)

/* y, or where the quick form was in doubt -1 for negative x, and for others the power, of which 1 is nothing. */
DETMATH_FUNCTION float detmath_less_one_beyond(float x, float y, float power, detmath_u32 doubt) {
    float far =
        detmath_from_bits_f32(detmath_bits_f32(x) >> 31 ? 0xbf800000u : detmath_bits_f32(power));
    return detmath_unless_nan(
        x, detmath_from_bits_f32(doubt ? detmath_bits_f32(far) : detmath_bits_f32(y)));
}

DETMATH_FUNCTION float detmath_expm1_full(float x) {
    detmath_u32 doubt = 0;
    float y = detmath_expm1_quick(x, &doubt);
    return detmath_less_one_beyond(x, y, detmath_exp_full(x), doubt);
}

/* Where |x| < 2^-30, b^x - 1 is x ln b, with less than 2^-31 of it to come, and subnormal numbers are made of integers. */
#define DETMATH_POWER_LESS_ONE_FULL(NAME, POWER, LN, LN_LOW)                                       \
    DETMATH_FUNCTION float detmath_##NAME##_full(float x) {                                        \
        detmath_u32 doubt = 0, small = detmath_magnitude_f32(x) < 0x30800000u;                     \
        float y = detmath_##NAME##_quick(x, &doubt);                                               \
        y = detmath_less_one_beyond(x, y, POWER(x), doubt);                                        \
        float multiple = detmath_multiple(x, LN, LN_LOW);                                          \
        return detmath_from_bits_f32(small ? detmath_bits_f32(multiple) : detmath_bits_f32(y));    \
    }
DETMATH_POWER_LESS_ONE_FULL(exp2m1, detmath_exp2_full, 0x1.62e43p-1f, -0x1.05c61p-29f)
DETMATH_POWER_LESS_ONE_FULL(exp10m1, detmath_exp10_full, 0x1.26bb1cp1f, -0x1.12aabap-25f)

DETMATH_QUICK_OR_FULL(_expm1)
DETMATH_QUICK_OR_FULL(_exp2m1)
DETMATH_QUICK_OR_FULL(_exp10m1)

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
