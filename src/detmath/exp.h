/* exp, exp2, exp10; expm1.h has what is less by 1. Coefficients and their
 * bounds: exp.sollya.
 *
 * All reduce to 2^n (1 + s) with |r| at most half a step of n. The NaN of every
 * function is the canonical one; exp(-inf) = +0, exp(inf) = inf. The errors are
 * the budgets in functions.inc. */
#ifndef DETMATH_EXP_H
#define DETMATH_EXP_H

#include "core.h"
#include "exp_columns.h"
#include "round.h"

#include "shield.inc"

/* x rounded to an integer, as long as |x| < 2^22; the integer is in the low
 * bits of *bits too. */
DETMATH_FUNCTION float detmath_exp_integer(float scaled, DETMATH_PRIVATE detmath_i32 *n) {
    *n = (detmath_i32)(detmath_bits_f32(scaled) - 0x4b400000u); /* of 0x1.8p23 */
    return scaled - 0x1.8p23f;
}

/* x within [low, high]; NaN stays NaN. */
DETMATH_FUNCTION float detmath_clamp(float x, float low, float high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}

/* e^r - 1 - r for |r| < 0.3475: r^2 / 2, rounded, and *rest, which is below 0.0075. The polynomial is
 * (e^r - 1 - r - r^2/2) / r^3 to 2^-23.76 (float_exp). */
DETMATH_FUNCTION float detmath_exp_tail_parts(float r, DETMATH_PRIVATE float *rest) {
    float p = detmath_fmaf(r, 0x1.a303dcp-13f, 0x1.6d13p-10f);
    p = detmath_fmaf(r, p, 0x1.110faep-7f);
    p = detmath_fmaf(r, p, 0x1.555518p-5f);
    p = detmath_fmaf(r, p, 0x1.555556p-3f);
    float halved = detmath_productf(r, 0.5f);
    float square = detmath_productf(r, halved);
    float square_low = detmath_fmaf(r, halved, -square);
    float cube = detmath_productf(detmath_productf(r, r), r);
    *rest = detmath_fmaf(cube, p, square_low);
    return square;
}

/* e^(r + low) - 1 - r for |low| < 2^-25. */
DETMATH_FUNCTION float detmath_exp_tail(float r, float low) {
    float rest, square = detmath_exp_tail_parts(r, &rest);
    return square + (rest + detmath_fmaf(low, r, low));
}

/* base + r + tail, where base is 0 or |base| >= |r|. */
DETMATH_FUNCTION float detmath_exp_sum(float base, float r, float tail) {
    float sum = base + r;
    float rest = (base - sum) + r; /* exact */
    return sum + (rest + tail);
}

/* The functions come in three forms with the same bits. detmath_NAME_full takes
 * any x, without a branch. detmath_NAME_quick is for arrays: it lacks what only
 * NaN, overflow and subnormal results need, and sets the top bit of *doubt
 * there. detmath_NAMEf is the quick one, or in doubt the other.
 *
 * x = (n + j/8) log 2 + r, with n + j/8 next to x / log 2, is 2^n 2^(j/8) (1 +
 * p). The table has t next to 2^(j/8), and what is left of it goes into p; so
 * the result is t + t p, rounded once, in one fma. p is below 0.046, and its
 * last two steps round it to 2^-28 at most, so that the result is off by less
 * than a tenth of an ulp before it is rounded.
 *
 * detmath_NAME_place(x) is the float 3 2^19 + n + j/8, whose bits are 8 n + j
 * and those of 3 2^19; detmath_NAME_power(place, x) is p but for what is left
 * of t. */
DETMATH_FUNCTION float detmath_exp_grid(detmath_u32 place) {
    return detmath_from_bits_f32(place) - 0x1.8p20f;
}

/* e^r - 1 is r + r^2 q(r), that to 2^-31.45 (float_exp_column) of e^r. */
DETMATH_FUNCTION detmath_u32 detmath_exp_place(float x) {
    return detmath_bits_f32(detmath_fmaf(x, 0x1.715476p0f, 0x1.8p20f));
}
DETMATH_FUNCTION float detmath_exp_power(detmath_u32 place, float x) {
    float k = detmath_exp_grid(place);
    float r = detmath_fmaf(k, -0x1.7f7d1cp-20f, detmath_fmaf(k, -0x1.62e4p-1f, x));
    float q = detmath_fmaf(r, 0x1.555a64p-5f, 0x1.555b8cp-3f);
    return detmath_fmaf(detmath_productf(r, r), detmath_fmaf(r, q, 0.5f), r);
}

/* 2^r - 1 is r q(r), that to 2^-31.80 (float_exp2_column) of 2^r; r is exact.
 */
DETMATH_FUNCTION detmath_u32 detmath_exp2_place(float x) {
    return detmath_bits_f32(x + 0x1.8p20f);
}
DETMATH_FUNCTION float detmath_exp2_power(detmath_u32 place, float x) {
    float r = x - detmath_exp_grid(place);
    float q = detmath_fmaf(r, 0x1.3b2ec2p-7f, 0x1.c6b866p-5f);
    q = detmath_fmaf(r, detmath_fmaf(r, q, 0x1.ebfbep-3f), 0x1.62e43p-1f);
    return detmath_productf(r, q);
}

/* 10^r - 1 is r q(r), that to 2^-31.07 (float_exp10_column) of 10^r. */
DETMATH_FUNCTION detmath_u32 detmath_exp10_place(float x) {
    return detmath_bits_f32(detmath_fmaf(x, 0x1.a934fp1f, 0x1.8p20f));
}
DETMATH_FUNCTION float detmath_exp10_power(detmath_u32 place, float x) {
    float k = detmath_exp_grid(place);
    float r = detmath_fmaf(k, -0x1.3509f8p-18f, detmath_fmaf(k, -0x1.344p-2f, x));
    float q = detmath_fmaf(r, 0x1.2be7b4p0f, 0x1.0471b4p1f);
    q = detmath_fmaf(r, detmath_fmaf(r, q, 0x1.53524cp1f), 0x1.26bb1cp1f);
    return detmath_productf(r, q);
}

/* (head + tail) * 2^n, from 0.7 to 1.99, for any |n| < 160, of which y is the
 * rounded sum; rounded once where it is subnormal too: there the sum is added
 * to the power of two whose last place times 2^n is 2^-149, and the difference
 * of the bits is the result. */
DETMATH_FUNCTION float detmath_exp_full_scale(float y, float head, float tail, detmath_i32 n) {
    detmath_u32 bits = detmath_bits_f32(y);
    detmath_i32 biased = (detmath_i32)(bits >> 23) + n;
    detmath_u32 normal = bits + ((detmath_u32)n << 23);
    detmath_u32 unit_bits = (detmath_u32)(1 - n) << 23;
    float unit = detmath_from_bits_f32(unit_bits);
    float sum = unit + head;
    float rest = (unit - sum) + head; /* exact */
    detmath_u32 subnormal = detmath_bits_f32(sum + (rest + tail)) - unit_bits;
    detmath_u32 scaled = biased < 1 ? subnormal : normal;
    return detmath_from_bits_f32(biased > 254 ? DETMATH_INFINITY_BITS : scaled);
}

/* n of a place, and a number of the table times 2^n, n + j/8 being that of the
 * place. */
DETMATH_FUNCTION detmath_i32 detmath_exp_scale_of(detmath_u32 place) {
    return (detmath_i32)((place >> 3) - (0x49c00000u >> 3));
}
DETMATH_FUNCTION float detmath_exp_put(float number, detmath_u32 place) {
    return detmath_from_bits_f32(detmath_bits_f32(number) + (place << 20));
}

/* The quick forms are for |x| up to LIMIT, those bits less 1; the full ones
 * know that beyond LOW and HIGH nothing changes. */
#define DETMATH_EXP_FORMS(NAME, LIMIT, LOW, HIGH)                                                  \
    DETMATH_FUNCTION float detmath_##NAME##_by(float x, DETMATH_PRIVATE const float *column,       \
                                               DETMATH_PRIVATE detmath_u32 *doubt) {               \
        detmath_u32 place = detmath_##NAME##_place(x);                                             \
        float t = detmath_exp_put(column[0], place);                                               \
        *doubt |= detmath_outside_magnitude(x, 0, LIMIT);                                          \
        return detmath_fmaf(t, detmath_##NAME##_power(place, x) + column[1], t);                   \
    }                                                                                              \
    DETMATH_FUNCTION float detmath_##NAME##_full(float x) {                                        \
        float bounded = detmath_clamp(x, LOW, HIGH);                                               \
        detmath_u32 place = detmath_##NAME##_place(bounded), j = place & 7u;                       \
        float t = detmath_exp_put(detmath_exp_columns[j], j);                                      \
        float p = detmath_##NAME##_power(place, bounded) + detmath_exp_columns[16u + j];           \
        float y = detmath_exp_full_scale(detmath_fmaf(t, p, t), t, detmath_productf(t, p),         \
                                         detmath_exp_scale_of(place));                             \
        return detmath_unless_nan(x, y);                                                           \
    }                                                                                              \
    DETMATH_QUICK_BY_COLUMN(_##NAME, DETMATH_COLUMNS_##NAME)                                       \
    DETMATH_QUICK_OR_FULL(_##NAME)

/* Up to 87, below 126, and up to 37.75. 2^x is exact for integers. */
DETMATH_EXP_FORMS(exp, 0x42ae0001u, -105.0f, 90.0f)
DETMATH_EXP_FORMS(exp2, 0x42fc0000u, -152.0f, 130.0f)
DETMATH_EXP_FORMS(exp10, 0x42170001u, -46.0f, 39.0f)

#if !defined(DETMATH_NO_DOUBLE)

/* The cores take the value of any fp32 number and are precise to about 2^-53.
 */

DETMATH_FUNCTION double detmath_core_clamp(double x, double low, double high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}

DETMATH_FUNCTION double detmath_core_integer(double scaled, DETMATH_PRIVATE detmath_i64 *n) {
    *n = (detmath_i64)(detmath_bits_f64(scaled) - 0x4338000000000000u); /* of 0x1.8p52 */
    return scaled - 0x1.8p52;
}

/* (e^r - 1) / r to 2^-61.51 (double_exp). */
DETMATH_FUNCTION double detmath_core_exp_slope(double r) {
    double p = detmath_fma(r, 0x1.1f19a3ad920bfp-29, 0x1.af5f2f23db406p-26);
    p = detmath_fma(r, p, 0x1.27e513892c2p-22);
    p = detmath_fma(r, p, 0x1.71ddf80df465ap-19);
    p = detmath_fma(r, p, 0x1.a01a018df3672p-16);
    p = detmath_fma(r, p, 0x1.a01a01b003fbbp-13);
    p = detmath_fma(r, p, 0x1.6c16c16c1ab2fp-10);
    p = detmath_fma(r, p, 0x1.111111110f654p-7);
    p = detmath_fma(r, p, 0x1.555555555554dp-5);
    p = detmath_fma(r, p, 0x1.5555555555559p-3);
    p = detmath_fma(r, p, 0.5);
    return detmath_fma(r, p, 1.0);
}

/* x - n ln 2. */
DETMATH_FUNCTION double detmath_core_exp_reduce(double x, DETMATH_PRIVATE detmath_i64 *n) {
    double k = detmath_core_integer(detmath_fma(x, 0x1.71547652b82fep0, 0x1.8p52), n);
    double r = detmath_fma(k, -0x1.62e42fefa38p-1, x);
    return detmath_fma(k, -0x1.ef35793c7673p-45, r);
}

DETMATH_FUNCTION double detmath_core_exp(double x) {
    detmath_i64 n;
    double r = detmath_core_exp_reduce(detmath_core_clamp(x, -200.0, 200.0), &n);
    double y = detmath_fma(r, detmath_core_exp_slope(r), 1.0);
    return detmath_exact_product(y, detmath_power_of_two(n));
}

/* 2^x - less, for a less of 0 or 1. The polynomial is (2^r - 1) / r to 2^-54.72
 * (double_exp2). */
DETMATH_FUNCTION double detmath_core_exp2_less(double x, double less) {
    detmath_i64 n;
    double bounded = detmath_core_clamp(x, -300.0, 300.0);
    double r = bounded - detmath_core_integer(bounded + 0x1.8p52, &n);
    double p = detmath_fma(r, 0x1.e0f3bd5baa0ap-36, 0x1.ec5de15e71755p-32);
    p = detmath_fma(r, p, 0x1.e4bb8386d7f49p-28);
    p = detmath_fma(r, p, 0x1.b5233e262135dp-24);
    p = detmath_fma(r, p, 0x1.62c0272dcc249p-20);
    p = detmath_fma(r, p, 0x1.ffcbfd44215p-17);
    p = detmath_fma(r, p, 0x1.430912f755655p-13);
    p = detmath_fma(r, p, 0x1.5d87fe787529dp-10);
    p = detmath_fma(r, p, 0x1.3b2ab6fba51a1p-7);
    p = detmath_fma(r, p, 0x1.c6b08d704a1d1p-5);
    p = detmath_fma(r, p, 0x1.ebfbdff82c58ep-3);
    p = detmath_fma(r, p, 0x1.62e42fefa39efp-1);
    double base = detmath_fma(-less, detmath_power_of_two(-n), 1.0);
    return detmath_exact_product(detmath_fma(r, p, base), detmath_power_of_two(n));
}

DETMATH_FUNCTION double detmath_core_exp2(double x) {
    return detmath_core_exp2_less(x, 0.0);
}

/* The same of 10^x. The whole powers from 10^0 to 10^15 are made exact: they
 * are results or middles between two, and so is what is less by 1. The
 * polynomial is (10^r - 1) / r to 2^-53.23 (double_exp10). */
DETMATH_FUNCTION double detmath_core_exp10_less(double x, double less) {
    detmath_i64 n;
    double bounded = detmath_core_clamp(x, -90.0, 90.0);
    double k = detmath_core_integer(detmath_fma(bounded, 0x1.a934f0979a371p1, 0x1.8p52), &n);
    double r = detmath_fma(k, -0x1.34413509f78p-2, bounded);
    r = detmath_fma(k, -0x1.fef311f12b358p-46, r);
    double p = detmath_fma(r, 0x1.3a63991fdcfcfp-15, 0x1.f4c949a1513b4p-13);
    p = detmath_fma(r, p, 0x1.2ecadb661f88ap-10);
    p = detmath_fma(r, p, 0x1.489b1c965de38p-8);
    p = detmath_fma(r, p, 0x1.4116a28aa9dacp-6);
    p = detmath_fma(r, p, 0x1.16e4de82a187cp-4);
    p = detmath_fma(r, p, 0x1.a7ed7088f31b5p-3);
    p = detmath_fma(r, p, 0x1.1429ffd23c00fp-1);
    p = detmath_fma(r, p, 0x1.2bd7609fd8f4p0);
    p = detmath_fma(r, p, 0x1.0470591de2af6p1);
    p = detmath_fma(r, p, 0x1.53524c73cea6ap1);
    p = detmath_fma(r, p, 0x1.26bb1bbb55516p1);
    double base = detmath_fma(-less, detmath_power_of_two(-n), 1.0);
    double y = detmath_exact_product(detmath_fma(r, p, base), detmath_power_of_two(n));
    double bare = detmath_core_clamp(bounded, 0.0, 15.0);
    double whole = (bare + 0x1.8p52) - 0x1.8p52;
    double snapped = (y + 0x1p52) - 0x1p52;
    return whole == bounded ? snapped : y;
}

DETMATH_FUNCTION double detmath_core_exp10(double x) {
    return detmath_core_exp10_less(x, 0.0);
}

/* Quicker cores, precise to 2^-43.3, for x for which the result is in the range
 * of normal numbers. n is in the low bits of shifted. */
DETMATH_FUNCTION double detmath_quick_scale(double y, double shifted) {
    return detmath_from_bits_f64(detmath_bits_f64(y) + (detmath_bits_f64(shifted) << 52));
}

/* By the table, with 2^(j/16). detmath_quick_NAME_place(x) is the double 3 2^47
 * + n + j/16. */
DETMATH_FUNCTION double detmath_quick_put(double number, detmath_u64 place) {
    return detmath_from_bits_f64(detmath_bits_f64(number) + (place << 48));
}
DETMATH_FUNCTION double detmath_quick_grid(detmath_u64 place) {
    return detmath_from_bits_f64(place) - 0x1.8p48;
}

/* p = e^r - 1 to 2^-40.05 (quick_exp_column) of itself. */
DETMATH_FUNCTION detmath_u64 detmath_quick_exp_place(float x) {
    return detmath_bits_f64(detmath_fma((double)x, 0x1.71547652b82fep0, 0x1.8p48));
}
DETMATH_FUNCTION double detmath_quick_exp_of(float x, detmath_u64 place, double number) {
    double r = detmath_fma(detmath_quick_grid(place), -0x1.62e42fefa39efp-1, (double)x);
    double square = detmath_product(r, r), t = detmath_quick_put(number, place);
    double a = detmath_fma(r, 0x1.55555555eb42bp-3, 0x1.ffffffff51168p-2);
    double b = detmath_fma(r, 0x1.1111550b7e9fp-7, 0x1.5556ba38b609ep-5);
    return detmath_fma(t, detmath_fma(square, detmath_fma(square, b, a), r), t);
}

/* r q(r) for the polynomial of r, with these coefficients. */
DETMATH_FUNCTION double detmath_quick_power(double r, double c0, double c1, double c2, double c3,
                                            double c4) {
    double square = detmath_product(r, r);
    double b = detmath_fma(square, c4, detmath_fma(r, c3, c2));
    return detmath_product(r, detmath_fma(square, b, detmath_fma(r, c1, c0)));
}

/* 2^r - 1 to 2^-41.06 (quick_exp2_column) of itself. */
DETMATH_FUNCTION detmath_u64 detmath_quick_exp2_place(float x) {
    return detmath_bits_f64((double)x + 0x1.8p48);
}
DETMATH_FUNCTION double detmath_quick_exp2_of(float x, detmath_u64 place, double number) {
    double r = (double)x - detmath_quick_grid(place), t = detmath_quick_put(number, place);
    double p =
        detmath_quick_power(r, 0x1.62e42fefa39dap-1, 0x1.ebfbdff6882a7p-3, 0x1.c6b08d723d23bp-5,
                            0x1.3b2c52e492b01p-7, 0x1.5d87fe8c6ddfcp-10);
    return detmath_fma(t, p, t);
}

/* 10^r - 1 to 2^-41.06 (quick_exp10_column) of itself. */
DETMATH_FUNCTION detmath_u64 detmath_quick_exp10_place(float x) {
    return detmath_bits_f64(detmath_fma((double)x, 0x1.a934f0979a371p1, 0x1.8p48));
}
DETMATH_FUNCTION double detmath_quick_exp10_of(float x, detmath_u64 place, double number) {
    double r = detmath_fma(detmath_quick_grid(place), -0x1.34413509f79ffp-2, (double)x);
    double t = detmath_quick_put(number, place);
    double p = detmath_quick_power(r, 0x1.26bb1bbb55504p1, 0x1.53524c72acd9ep1, 0x1.0470591eff8dfp1,
                                   0x1.2bd8e88125bb7p0, 0x1.142a007add89bp-1);
    return detmath_fma(t, p, t);
}

/* By trial of all 2^32 inputs. */
DETMATH_EXCEPTIONS(exp) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(exp2) = {
    {0x3b429d37u, 0x3f804385u}, {0xbcf3a937u, 0x3f7ac6b1u}, DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(exp10) = {DETMATH_NO_MORE};

/* Arrays often have -inf or the like, for what is masked out: from the number
 * with the bits END down, a negative one, the result is the same for all, and
 * they take END for x there. */
DETMATH_FUNCTION float detmath_exp_stop(float x, detmath_u32 end) {
    detmath_u32 bits = detmath_bits_f32(x);
    return detmath_from_bits_f32(bits < end ? bits : end);
}
DETMATH_FUNCTION detmath_u32 detmath_exp_outside(float x, detmath_u32 low, detmath_u32 high,
                                                 detmath_u32 end) {
    detmath_u32 beyond = detmath_bits_f32(x) - end;
    return detmath_outside_magnitude(x, low, high) & (beyond | (0xff800000u - end - beyond));
}

/* `column` has the number of the table. */
#define DETMATH_EXP_ROUNDED_BY(NAME, LOW, HIGH, END, WINDOW)                                       \
    DETMATH_FUNCTION double detmath_quick_core_##NAME(float x) {                                   \
        detmath_u64 place = detmath_quick_##NAME##_place(x);                                       \
        return detmath_quick_##NAME##_of(x, place, detmath_exp_powers[place & 15u]);               \
    }                                                                                              \
    DETMATH_FUNCTION detmath_u64 detmath_cr_##NAME##_place(float x) {                              \
        return detmath_quick_##NAME##_place(detmath_exp_stop(x, END));                             \
    }                                                                                              \
    DETMATH_FUNCTION float detmath_cr_##NAME##_by(float x, DETMATH_PRIVATE const double *column,   \
                                                  DETMATH_PRIVATE detmath_u32 *doubt) {            \
        float end = detmath_exp_stop(x, END);                                                      \
        detmath_u64 place = detmath_quick_##NAME##_place(end);                                     \
        *doubt |= detmath_exp_outside(x, LOW, HIGH, END);                                          \
        return detmath_round_normal(detmath_quick_##NAME##_of(end, place, column[0]), WINDOW,      \
                                    doubt);                                                        \
    }                                                                                              \
    DETMATH_FUNCTION float detmath_cr_##NAME##_quick(float x,                                      \
                                                     DETMATH_PRIVATE detmath_u32 *doubt) {         \
        double column[1] =                                                                         \
            DETMATH_COLUMN_1(detmath_exp_powers, detmath_cr_##NAME##_place(x) & 15u);              \
        return detmath_cr_##NAME##_by(x, column, doubt);                                           \
    }                                                                                              \
    DETMATH_CORRECTLY_ROUNDED_CODE(_##NAME)                                                        \
    DETMATH_QUICKLY_ROUNDED_SCALAR(_##NAME, quick_core, magnitude, LOW, HIGH, WINDOW)

/* The windows. The quick core's result y rounds to fp32 without doubt where no
 * middle between two floats lies within WINDOW units of y's last place. If y is
 * off by fewer units than that, the exact result lies on the same side of every
 * middle as y, and rounds alike.
 *
 * How far off is y? It is 2^n t (1 + p), and has a last place of at least 2^-53
 * of itself.
 * - r is off by n + j/16 times the error of the double ln 2, which is 2^-55.2,
 * and by its own rounding: in all less than 2^-48.2, for |n| <= 126, which is
 * 2^4.8 units. In exp10 the error of log10(2) is 2^-58.3, and counts ln(10)
 * times: 2^3 units. In exp2 r is exact.
 * - p is at most 0.0224 and off by 2^-40.05 of itself, in exp2 and exp10 by
 * 2^-41.06: 2^7.5 units and 2^6.5.
 * - Rounding t, p and y adds less than 3 units.
 * So exp is off by less than 182 + 28 + 3 units, exp2 by 91 + 3, exp10 by 91 +
 * 8 + 3. Each window is more than twice as wide.
 * tests/detmath/exp_window_test.c holds the cores against these figures by
 * MPFR.
 *
 * Up to 87, 125.5 and 37.75; from -105, -151 and -46 down. */
DETMATH_EXP_ROUNDED_BY(exp, 0, 0x42ae0001u, 0xc2d20000u, 512)
DETMATH_EXP_ROUNDED_BY(exp2, 0, 0x42fb0001u, 0xc3170000u, 256)
DETMATH_EXP_ROUNDED_BY(exp10, 0, 0x42170001u, 0xc2380000u, 256)

#endif

#include "shield_end.inc"

#endif
