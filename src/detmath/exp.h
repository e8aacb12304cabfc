/* exp, exp2, exp10; expm1.h has what is less by 1. Coefficients and their bounds: exp.sollya.
 *
 * All reduce to 2^n (1 + s) with |r| at most half a step of n. The NaN of every function is the
 * canonical one; exp(-inf) = +0, exp(inf) = inf. The errors are the budgets in functions.inc. */
#ifndef DETMATH_EXP_H
#define DETMATH_EXP_H

#include "core.h"
#include "round.h"

#include "shield.inc"

/* x rounded to an integer, as long as |x| < 2^22; the integer is in the low bits of *bits too. */
DETMATH_FUNCTION float detmath_exp_integer(float scaled, DETMATH_PRIVATE detmath_i32 *n) {
    *n = (detmath_i32)(detmath_bits_f32(scaled) - 0x4b400000u); /* of 0x1.8p23 */
    return scaled - 0x1.8p23f;
}

/* x within [low, high]; NaN stays NaN. */
DETMATH_FUNCTION float detmath_clamp(float x, float low, float high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}

/* e^(r + low) - 1 - r for |r| < 0.3475, |low| < 2^-25, with r^2 / 2 in two parts. The polynomial is
 * (e^r - 1 - r - r^2/2) / r^3 to 2^-23.76 (float_exp). */
DETMATH_FUNCTION float detmath_exp_tail(float r, float low) {
    float p = detmath_fmaf(r, 0x1.a303dcp-13f, 0x1.6d13p-10f);
    p = detmath_fmaf(r, p, 0x1.110faep-7f);
    p = detmath_fmaf(r, p, 0x1.555518p-5f);
    p = detmath_fmaf(r, p, 0x1.555556p-3f);
    float halved = detmath_productf(r, 0.5f);
    float square = detmath_productf(r, halved);
    float square_low = detmath_fmaf(r, halved, -square);
    float cube = detmath_productf(detmath_productf(r, r), r);
    float rest = detmath_fmaf(cube, p, square_low);
    return square + (rest + detmath_fmaf(low, r, low));
}

/* base + r + tail, where base is 0 or |base| >= |r|. */
DETMATH_FUNCTION float detmath_exp_sum(float base, float r, float tail) {
    float sum = base + r;
    float rest = (base - sum) + r; /* exact */
    return sum + (rest + tail);
}

/* The functions come in three forms with the same bits. detmath_NAME_full takes any x, without a
 * branch. detmath_NAME_quick is for arrays: it lacks what only NaN, overflow and subnormal results
 * need, and sets the top bit of *doubt there. detmath_NAMEf is the quick one, or in doubt the
 * other.
 *
 * All three take detmath_NAME_reduced, the function over 2^n as a sum yet to be rounded: a head,
 * from 0.7 to 1.42, and a tail below 0.25. */

/* y * 2^n for y from 0.7 to 1.42, where that is surely normal; else in doubt. What
 * detmath_exp_integer makes of NaN, infinities and large numbers is never an n without doubt. */
DETMATH_FUNCTION float detmath_exp_quick_scale(float y, detmath_i32 n,
                                               DETMATH_PRIVATE detmath_u32 *doubt) {
    detmath_u32 m = (detmath_u32)n;
    *doubt |= ((m + 125u) | (127u - m)) & 0x80000000u;
    return detmath_from_bits_f32(detmath_bits_f32(y) + (m << 23));
}

/* (head + tail) * 2^n for any |n| < 160, rounded once where it is subnormal too: there the sum is
 * added to the power of two whose last place times 2^n is 2^-149, and the difference of the bits is
 * the result. */
DETMATH_FUNCTION float detmath_exp_full_scale(float head, float tail, detmath_i32 n) {
    detmath_u32 bits = detmath_bits_f32(head + tail);
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

#define DETMATH_EXP_FORMS(NAME, LOW, HIGH)                                                         \
    DETMATH_FUNCTION float detmath_##NAME##_full(float x) {                                        \
        detmath_i32 n;                                                                             \
        float tail, head = detmath_##NAME##_reduced(detmath_clamp(x, LOW, HIGH), &n, &tail);       \
        return detmath_unless_nan(x, detmath_exp_full_scale(head, tail, n));                       \
    }                                                                                              \
    DETMATH_FUNCTION float detmath_##NAME##_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {   \
        detmath_i32 n;                                                                             \
        float tail, head = detmath_##NAME##_reduced(x, &n, &tail);                                 \
        return detmath_exp_quick_scale(head + tail, n, doubt);                                     \
    }                                                                                              \
    DETMATH_QUICK_OR_FULL(_##NAME)

/* e^x / 2^n. With the reduced argument in two parts, an exact one e and the small -n ln2_low, it is
 * 1 + e + (-n ln2_low + r^2 q(r)), r their rounded sum: only the parenthesis, below 0.07, and the
 * last addition are rounded, to 2^-28 and 2^-25 at worst where the result is below 1. The
 * polynomial is (e^r - 1 - r) / r^2, for |r| < 0.3475 to 2^-31.63 (float_exp_part) of e^r. */
DETMATH_FUNCTION float detmath_exp_reduced(float x, DETMATH_PRIVATE detmath_i32 *n,
                                           DETMATH_PRIVATE float *tail) {
    float k = detmath_exp_integer(detmath_fmaf(x, 0x1.715476p0f, 0x1.8p23f), n);
    float exact = detmath_fmaf(k, -0x1.62e4p-1f, x);
    float r = detmath_fmaf(k, -0x1.7f7d1cp-20f, exact);
    float q = detmath_fmaf(r, 0x1.a2d442p-13f, 0x1.6d30d2p-10f);
    q = detmath_fmaf(r, q, 0x1.110fc4p-7f);
    q = detmath_fmaf(r, q, 0x1.5555p-5f);
    q = detmath_fmaf(r, q, 0x1.555556p-3f);
    q = detmath_fmaf(r, q, 0.5f);
    float sum = 1.0f + exact;
    float rest = (1.0f - sum) + exact; /* exact */
    rest = detmath_fmaf(k, -0x1.7f7d1cp-20f, rest);
    *tail = detmath_fmaf(detmath_productf(r, r), q, rest);
    return sum;
}

/* 2^x / 2^n = 1 + r/2 + r q(r): the first sum is made exact, and r q(r) is below 0.17. The
 * polynomial is right to 2^-27.32 (float_exp2_part) of 2^r. */
DETMATH_FUNCTION float detmath_exp2_reduced(float x, DETMATH_PRIVATE detmath_i32 *n,
                                            DETMATH_PRIVATE float *tail) {
    float k = detmath_exp_integer(x + 0x1.8p23f, n);
    float r = x - k;
    float q = detmath_fmaf(r, 0x1.442516p-13f, 0x1.5ef5dap-10f);
    q = detmath_fmaf(r, q, 0x1.3b2a48p-7f);
    q = detmath_fmaf(r, q, 0x1.c6af9cp-5f);
    q = detmath_fmaf(r, q, 0x1.ebfbep-3f);
    q = detmath_fmaf(r, q, 0x1.8b90cp-3f);
    float sum = detmath_fmaf(r, 0.5f, 1.0f);
    float rest = detmath_fmaf(r, 0.5f, 1.0f - sum); /* exact */
    *tail = detmath_fmaf(r, q, rest);
    return sum;
}

/* 10^x / 2^n = 1 + 2 e + (-2 n low + r q(r)), as in detmath_exp_reduced. The polynomial is right to
 * 2^-27.65 (float_exp10_part) of 10^r. */
DETMATH_FUNCTION float detmath_exp10_reduced(float x, DETMATH_PRIVATE detmath_i32 *n,
                                             DETMATH_PRIVATE float *tail) {
    float k = detmath_exp_integer(detmath_fmaf(x, 0x1.a934fp1f, 0x1.8p23f), n);
    float exact = detmath_fmaf(k, -0x1.344p-2f, x);
    float r = detmath_fmaf(k, -0x1.3509f8p-18f, exact);
    float q = detmath_fmaf(r, 0x1.a8dfdp-3f, 0x1.1560dp-1f);
    q = detmath_fmaf(r, q, 0x1.2bd77cp0f);
    q = detmath_fmaf(r, q, 0x1.046fa8p1f);
    q = detmath_fmaf(r, q, 0x1.53524cp1f);
    q = detmath_fmaf(r, q, 0x1.35d8ep-2f);
    float sum = detmath_fmaf(exact, 2.0f, 1.0f);
    float rest = detmath_fmaf(exact, 2.0f, 1.0f - sum); /* exact */
    rest = detmath_fmaf(k, -0x1.3509f8p-17f, rest);
    *tail = detmath_fmaf(r, q, rest);
    return sum;
}

/* 2^x is exact for integers. */
DETMATH_EXP_FORMS(exp, -105.0f, 90.0f)
DETMATH_EXP_FORMS(exp2, -152.0f, 130.0f)
DETMATH_EXP_FORMS(exp10, -46.0f, 39.0f)

#if !defined(DETMATH_NO_DOUBLE)

/* The cores take the value of any fp32 number and are precise to about 2^-53. */

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

/* 2^x - less, for a less of 0 or 1. The polynomial is (2^r - 1) / r to 2^-54.72 (double_exp2). */
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

/* The same of 10^x. The whole powers from 10^0 to 10^15 are made exact: they are results or middles
 * between two, and so is what is less by 1. The polynomial is (10^r - 1) / r to 2^-53.23
 * (double_exp10). */
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

/* Quicker cores, precise to 2^-43.3, for x for which the result is in the range of normal numbers.
 * n is in the low bits of shifted. */
DETMATH_FUNCTION double detmath_quick_scale(double y, double shifted) {
    return detmath_from_bits_f64(detmath_bits_f64(y) + (detmath_bits_f64(shifted) << 52));
}

/* (e^r - 1) / r to 2^-43.39 (quick_exp). */
DETMATH_FUNCTION double detmath_quick_slope(double r) {
    double square = r * r, fourth = square * square; /* factors only */
    double a = detmath_fma(r, 0x1.fffffffff7065p-2, 1.0);
    double b = detmath_fma(r, 0x1.555555747167p-5, 0x1.555555556318fp-3);
    double c = detmath_fma(r, 0x1.6c164d287fa39p-10, 0x1.111110ec7faccp-7);
    double d = detmath_fma(r, 0x1.a15b80646e695p-16, 0x1.a01a572c0eb2ap-13);
    d = detmath_fma(square, 0x1.72114b2fefb1ap-19, d);
    a = detmath_fma(square, b, a);
    c = detmath_fma(square, d, c);
    return detmath_fma(fourth, c, a);
}

DETMATH_FUNCTION double detmath_quick_core_exp(float x) {
    double shifted = detmath_fma((double)x, 0x1.71547652b82fep0, 0x1.8p52);
    double r = detmath_fma(shifted - 0x1.8p52, -0x1.62e42fefa39efp-1, (double)x);
    return detmath_quick_scale(detmath_fma(r, detmath_quick_slope(r), 1.0), shifted);
}

/* The polynomial is (2^r - 1) / r to 2^-43.55 (quick_exp2). */
DETMATH_FUNCTION double detmath_quick_core_exp2(float x) {
    double shifted = (double)x + 0x1.8p52;
    double r = (double)x - (shifted - 0x1.8p52);
    double square = r * r, fourth = square * square; /* factors only */
    double a = detmath_fma(r, 0x1.ebfbdff823e41p-3, 0x1.62e42fefa39abp-1);
    double b = detmath_fma(r, 0x1.3b2ab717f2a52p-7, 0x1.c6b08d706a2b3p-5);
    double c = detmath_fma(r, 0x1.4308acd3d451ep-13, 0x1.5d87fe3126a5cp-10);
    double d = detmath_fma(r, 0x1.63d0e0de10be9p-20, 0x1.ffcca80c23a3ep-17);
    d = detmath_fma(square, 0x1.b525660e9b955p-24, d);
    a = detmath_fma(square, b, a);
    c = detmath_fma(square, d, c);
    return detmath_quick_scale(detmath_fma(r, detmath_fma(fourth, c, a), 1.0), shifted);
}

/* The polynomial is (10^r - 1) / r to 2^-43.53 (quick_exp10). */
DETMATH_FUNCTION double detmath_quick_core_exp10(float x) {
    double shifted = detmath_fma((double)x, 0x1.a934f0979a371p1, 0x1.8p52);
    double r = detmath_fma(shifted - 0x1.8p52, -0x1.34413509f79ffp-2, (double)x);
    double square = r * r, fourth = square * square; /* factors only */
    double a = detmath_fma(r, 0x1.53524c73c8c52p1, 0x1.26bb1bbb554dcp1);
    double b = detmath_fma(r, 0x1.2bd760baf18dbp0, 0x1.0470591df5618p1);
    double c = detmath_fma(r, 0x1.a7ece9ebb685p-3, 0x1.1429ff98e456dp-1);
    double d = detmath_fma(r, 0x1.420e0fb5ceb72p-6, 0x1.16e53de4df6p-4);
    d = detmath_fma(square, 0x1.4897aaba5085ep-8, d);
    a = detmath_fma(square, b, a);
    c = detmath_fma(square, d, c);
    return detmath_quick_scale(detmath_fma(r, detmath_fma(fourth, c, a), 1.0), shifted);
}

/* By trial of all 2^32 inputs. */
DETMATH_EXCEPTIONS(exp) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(exp2) = {
    {0x3b429d37u, 0x3f804385u}, {0xbcf3a937u, 0x3f7ac6b1u}, DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(exp10) = {DETMATH_NO_MORE};

/* Arrays often have -inf or the like, for what is masked out: from the number with the bits END
 * down, a negative one, the result is the same for all, and they take END for x there. */
#define DETMATH_EXP_ROUNDED(NAME, LOW, HIGH, END, WINDOW)                                          \
    DETMATH_FUNCTION float detmath_cr_##NAME##_quick(float x,                                      \
                                                     DETMATH_PRIVATE detmath_u32 *doubt) {         \
        detmath_u32 bits = detmath_bits_f32(x), beyond = bits - (END);                             \
        detmath_u32 not_beyond = beyond | (0xff800000u - (END)-beyond);                            \
        *doubt |= detmath_outside_magnitude(x, LOW, HIGH) & not_beyond;                            \
        x = detmath_from_bits_f32(bits < (END) ? bits : (END));                                    \
        return detmath_round_normal(detmath_quick_core_##NAME(x), WINDOW, doubt);                  \
    }                                                                                              \
    DETMATH_CORRECTLY_ROUNDED_CODE(_##NAME)                                                        \
    DETMATH_QUICKLY_ROUNDED_SCALAR(_##NAME, quick_core, magnitude, LOW, HIGH, WINDOW)

/* The windows. The quick core's result y rounds to fp32 without doubt where no middle between two
 * floats lies within WINDOW units of y's last place. If y is off by fewer units than that, the
 * exact result lies on the same side of every middle as y, and rounds alike.
 *
 * How far off is y? It is 2^n (1 + r slope(r)), where e^x = 2^n e^r and |r| <= ln(2) / 2. Let u =
 * 2^-53. Without 2^n, y's last place is u where e^r < 1, and 2u elsewhere.
 * - r is off by |n| times the error of the double ln 2, which is 2^-55.2, and by its own rounding,
 *   at most 2^-55: in all less than 2^-48.2, for |n| <= 126. In exp10 the error of log10(2) is
 *   2^-58.3, and counts ln(10) times. In exp2 r is exact.
 * - slope(r) is off by 2^-43.39 of itself, in exp2 by 2^-43.55 and in exp10 by 2^-43.53
 *   (exp.sollya). That counts |e^r - 1| times, at most 0.293 where e^r < 1, and 0.415 elsewhere.
 * - Rounding slope(r) and y adds less than 3u.
 * The worst case is e^r < 1. exp is off by 0.293 2^9.61 + 28 + 3 < 260 units, exp2 by 0.293 2^9.45
 * + 3 < 210, exp10 by 0.293 2^9.47 + 9 + 3 < 220. In expm1 (expm1.h) the largest error is that of n = 1:
 * there the result, 2 (e^r - 1/2), is as small as 2 0.207, where y's last place is u/4 without 2^n.
 * So it is off by 4 (0.293 2^9.61 + 1 + 3) < 933 units. (For n = 0 it is off by 2^9.61, since
 * slope(r) is all of it.) Each window is more than twice as wide. tests/detmath/exp_window_test.c
 * holds the cores against these figures by MPFR.
 *
 * Up to 87, 125.5 and 37.75; from -105, -151 and -46 down. */
DETMATH_EXP_ROUNDED(exp, 0, 0x42ae0001u, 0xc2d20000u, 1024)
DETMATH_EXP_ROUNDED(exp2, 0, 0x42fb0001u, 0xc3170000u, 1024)
DETMATH_EXP_ROUNDED(exp10, 0, 0x42170001u, 0xc2380000u, 1024)

#endif

#include "shield_end.inc"

#endif
