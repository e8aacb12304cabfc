/* exp, exp2, exp10, expm1, exp2m1 and exp10m1 in fp64: detmath_NAME is det, within 0.55 ulp, and detmath_cr_NAME correctly
 * rounded. The kernels and why their errors are no larger: exp_f64_lanes.inc, last_f64.h.
 *
 * NaN gives the canonical one; exp(-inf) = +0, exp(inf) = inf, expm1(-inf) = -1, expm1(-0) = -0, and so on for the other bases.
 * What overflows is infinite. Subnormal results are rounded once. */
#ifndef DETMATH_EXP_F64_H
#define DETMATH_EXP_F64_H

#include "exp.h"
#include "exp_f64_table.h"
#include "last_f64.h"
#include "quick_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* What of log10 2 is left beside its first part, times ln 10, to be subtracted. */
#define DETMATH_EXP10_F64_MORE 0x1.ba66111603c15p-43

/* A row of the table: library/lanes_f64.h has those of vectors. */
DETMATH_FUNCTION struct detmath_row_f64 detmath_exp_f64_row(detmath_u64 place) {
    return detmath_row_f64_of(detmath_exp_f64_rows, place);
}

#include "one_lane.inc"

#include "exp_f64_lanes.inc"

/* (head + tail) 2^n for a head from 0.9 to 2, of which y is the rounded sum; rounded once where it is subnormal too: see
 * detmath_exp_full_scale. */
DETMATH_FUNCTION double detmath_exp_f64_scale(double y, double head, double tail, detmath_i32 n) {
    detmath_u64 bits = detmath_bits_f64(y), unit_bits = (detmath_u64)(detmath_i64)(1 - n) << 52;
    detmath_i32 biased = (detmath_i32)(bits >> 52) + n;
    detmath_u64 normal = bits + ((detmath_u64)(detmath_i64)n << 52);
    double unit = detmath_from_bits_f64(unit_bits);
    double sum = unit + head, rest = (unit - sum) + head; /* exact */
    detmath_u64 subnormal = detmath_bits_f64(sum + (rest + tail)) - unit_bits;
    detmath_u64 scaled = biased < 1 ? subnormal : normal;
    return detmath_from_bits_f64(biased > 2046 ? DETMATH_INFINITY_BITS_F64 : scaled);
}

/* det of any operand; beyond LOW and HIGH nothing changes. */
#define DETMATH_EXP_F64_FULL(SUFFIX, LOW, HIGH)                                                    \
    DETMATH_SELDOM_FUNCTION double detmath##SUFFIX##_f64_full(double x) {                          \
        detmath_u64 place;                                                                         \
        double t, p = detmath##SUFFIX##_f64_power(detmath_core_clamp(x, LOW, HIGH), &place, &t);   \
        detmath_exp_f64_at(place & 15u, &t);                                                       \
        detmath_i32 n = (detmath_i32)((place >> 4 & 0xfffu) ^ 0x800u) - 0x800;                     \
        double y = detmath_exp_f64_scale(detmath_fma(t, p, t), t, detmath_product(t, p), n);       \
        return detmath_unless_nan_f64(x, y);                                                       \
    }
DETMATH_EXP_F64_FULL(_exp, -750.0, 720.0)
DETMATH_EXP_F64_FULL(_exp2, -1080.0, 1030.0)
DETMATH_EXP_F64_FULL(_exp10, -326.0, 310.0)
#undef DETMATH_EXP_F64_FULL

/* b^x - 1: below 2^-54 that of e is x, and below 2^-20 those of 2 and 10 are known by their series in integers. */
DETMATH_FUNCTION double detmath_exp_f64_small(double x) {
    return x;
}
DETMATH_FUNCTION double detmath_exp2_f64_small(double x) {
    return detmath_last_small(x, DETMATH_BASE_2, 0);
}
DETMATH_FUNCTION double detmath_exp10_f64_small(double x) {
    return detmath_last_small(x, DETMATH_BASE_10, 0);
}
#define DETMATH_LESS_ONE_F64_FULL(SUFFIX, POWER)                                                   \
    DETMATH_SELDOM_FUNCTION double detmath##SUFFIX##_f64_full(double x) {                          \
        if (x < -64.0)                                                                             \
            return -1.0;                                                                           \
        if (x > 64.0)                                                                              \
            return detmath##POWER##_f64_full(x);                                                   \
        return detmath_unless_nan_f64(x, detmath##POWER##_f64_small(x));                           \
    }
DETMATH_LESS_ONE_F64_FULL(_expm1, _exp)
DETMATH_LESS_ONE_F64_FULL(_exp2m1, _exp2)
DETMATH_LESS_ONE_F64_FULL(_exp10m1, _exp10)
#undef DETMATH_LESS_ONE_F64_FULL

/* cr of operands that are no NaN. 2^x and 10^x of integers are numbers or middles between two, or too near to these to need
 * it. */
DETMATH_FUNCTION double detmath_exp_f64_last(double x) {
    return detmath_last_exp(x, DETMATH_BASE_E);
}
DETMATH_FUNCTION double detmath_exp2_f64_last(double x) {
    if ((x + 0x1.8p52) - 0x1.8p52 == x)
        return detmath_exp2_f64_full(x);
    return detmath_last_exp(x, DETMATH_BASE_2);
}
DETMATH_FUNCTION double detmath_exp10_f64_last(double x) {
    detmath_u64 fives = 1;
    double whole = detmath_core_clamp((x + 0x1.8p52) - 0x1.8p52, 0.0, 23.0);
    if (whole != x)
        return detmath_last_exp(x, DETMATH_BASE_10);
    for (int i = 0; i < (int)whole; i++)
        fives *= 5u;
    return detmath_exact_product((double)fives, detmath_power_of_two((detmath_i64)whole));
}
DETMATH_FUNCTION double detmath_expm1_f64_last(double x) {
    if (detmath_magnitude_f64(x) < 0x1p-54)
        return x;
    return detmath_last_less_one(x, DETMATH_BASE_E);
}
/* Other powers of 2 and 10 are irrational, or no sums of powers of 2, and so are they less 1. */
DETMATH_FUNCTION double detmath_exp2m1_f64_last(double x) {
    if (detmath_magnitude_f64(x) < 0x1p-20)
        return detmath_exp2_f64_small(x);
    if ((x + 0x1.8p52) - 0x1.8p52 == x)
        return detmath_exp2_f64_full(x) - 1.0;
    return detmath_last_less_one(x, DETMATH_BASE_2);
}
DETMATH_FUNCTION double detmath_exp10m1_f64_last(double x) {
    if (detmath_magnitude_f64(x) < 0x1p-20)
        return detmath_exp10_f64_small(x);
    if (detmath_core_clamp((x + 0x1.8p52) - 0x1.8p52, 1.0, 22.0) == x)
        return detmath_exp10_f64_last(x) - 1.0;
    return detmath_last_less_one(x, DETMATH_BASE_10);
}

DETMATH_FORMS_QUICK_F64(_exp)
DETMATH_FORMS_QUICK_F64(_exp2)
DETMATH_FORMS_F64(_exp10)
DETMATH_FORMS_F64(_expm1)
DETMATH_FORMS_F64(_exp2m1)
DETMATH_FORMS_F64(_exp10m1)

#endif

#include "shield_end.inc"

#endif
