/* lgamma, ln|gamma|, in fp64: detmath_lgamma is det, within 0.51 ulp, and detmath_cr_lgamma correctly rounded as far as is
 * known. The kernel and why its errors are no larger: log_gamma_f64_lanes.inc; the zeros left of 0: here and
 * log_gamma_f64_table.h; cr's last phase: gamma_last_f64.h.
 *
 * NaN gives the canonical one; infinities, zeros and negative integers, which all numbers below -2^52 are, give inf; lgamma(1)
 * and lgamma(2) are +0. What overflows is infinite.
 *
 * Next to a zero |1 / gamma| = 1 + u, and u = d P(d) for the distance d, which is x less three parts: the first difference is
 * exact, and no number of fp64 is nearer to a zero than 2^-56.5, so that d, in two parts, is within 2^-100 of itself. P is
 * within 2^-75.28 (f64_log_gamma_rows) of itself and four of its sums keep all that they round off: d^4 T is rounded to 1.25
 * 2^-53, which next to -2.457 and -2.747 is below 2^-61.4 of P. What d's low part adds to P has three terms, which lack 2^-64.
 * So u is within 2^-61 of itself, and the logarithm, as in the lanes, too.
 *
 * cr's last phase is within 2^-159, and no |lgamma| of a number of fp64 is between 0 and 2^-53.98. Of the numbers that have
 * results below 2^-k, next to 31 zeros, there are 2^(58-k) at most, of which the nearest to a middle is expected at 2^-(111-k)
 * of its result: at 2^-111, 2^-48 above the error. */
#ifndef DETMATH_LOG_GAMMA_F64_H
#define DETMATH_LOG_GAMMA_F64_H

#include "gamma_f64.h"
#include "log_gamma_f64_table.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

#include "one_lane.inc"

#include "log_gamma_f64_lanes.inc"

DETMATH_FUNCTION double detmath_log_gamma_f64_column(detmath_u32 row, detmath_u32 column) {
    return detmath_log_gamma_f64_rows[DETMATH_LOG_GAMMA_F64_COLUMNS * row + column];
}

/* u at x of that row; 1 where that serves. */
DETMATH_FUNCTION detmath_u32 detmath_log_gamma_f64_series(
    double x, detmath_u32 row, DETMATH_PRIVATE struct detmath_gamma_f64_pair *u) {
    double c3 = detmath_log_gamma_f64_column(row, 7), c4 = detmath_log_gamma_f64_column(row, 9);
    double c2 = detmath_log_gamma_f64_column(row, 5), low, d_low;
    double far = x - detmath_log_gamma_f64_column(row, 0), p = 0.0;
    double d = detmath_gamma_f64_sum(far, -detmath_log_gamma_f64_column(row, 1), &low);
    d = detmath_gamma_f64_sum(d, low - detmath_log_gamma_f64_column(row, 2), &d_low);
    for (detmath_u32 column = 22; column > 10; column--)
        p = detmath_fma(d, p, detmath_log_gamma_f64_column(row, column));
    struct detmath_gamma_f64_pair h = {p, 0.0};
    for (detmath_u32 column = 9; column > 2; column -= 2)
        h = detmath_gamma_f64_step(d, h, detmath_log_gamma_f64_column(row, column),
                                   detmath_log_gamma_f64_column(row, column + 1u));
    double slope = detmath_fma(d, detmath_fma(d, 3.0 * c4, 2.0 * c3), c2);
    h.low = detmath_fma(d_low, slope, h.low);
    *u = detmath_gamma_f64_times(d, h);
    u->low = detmath_fma(d_low, h.high, u->low);
    return detmath_magnitude_f64(d) <= detmath_log_gamma_f64_column(row, 23);
}

/* The row of an x from -16.5 to -2.25. */
DETMATH_FUNCTION detmath_u32 detmath_log_gamma_f64_row(double x) {
    detmath_u32 whole = (detmath_u32)(0.5 - x), above = x > -(double)whole;
    return x > -2.61 ? 0u : 2u * (whole - 2u) - above;
}

/* lgamma(x) and what is wrong with it, next to a zero or elsewhere. */
DETMATH_FUNCTION struct detmath_log_gamma_f64_parts detmath_log_gamma_f64_left(double x) {
    struct detmath_gamma_f64_pair u, q;
    if (x > -16.5 && x < -2.25 &&
        detmath_log_gamma_f64_series(x, detmath_log_gamma_f64_row(x), &u)) {
        struct detmath_log_gamma_f64_sum y;
        q = detmath_gamma_f64_plus(u, 1.0, 0.0);
        y.log2 = detmath_log_gamma_f64_log2(
            q, u, detmath_ones_f64(detmath_magnitude_f64(u.high) < 0x1p-6));
        y.log2.high = -y.log2.high;
        y.log2.low = -y.log2.low;
        y.wrong = detmath_product(detmath_magnitude_f64(y.log2.high), 0x1p-60);
        return detmath_log_gamma_f64_whole(y);
    }
    return detmath_lgamma_f64_parts(x);
}

/* x (ln x - 1), for an x from 2^900 on: halves of it, and so on, do not overflow. */
DETMATH_FUNCTION double detmath_lgamma_f64_large(double x) {
    double rest, high = detmath_pow_f64_log2(x, &rest), less = high - 0x1.71547652b82fep0;
    rest += ((high - less) - 0x1.71547652b82fep0) - 0x1.777d0ffda0d24p-56;
    double log = detmath_product(less, 0x1.62e42fefa39efp-1);
    double low = detmath_fma(less, 0x1.62e42fefa39efp-1, -log);
    low = detmath_fma(less, 0x1.abc9e3b39803fp-56, detmath_fma(rest, 0x1.62e42fefa39efp-1, low));
    double part = detmath_exact_product(x, 0x1p-12);
    return detmath_exact_product(detmath_fma(part, log, detmath_product(part, low)), 0x1p12);
}

/* What no steps are needed for: NaN, infinities, zeros and poles; 1 for all others. */
DETMATH_FUNCTION detmath_u32 detmath_lgamma_f64_special(double x, DETMATH_PRIVATE double *y) {
    double a = detmath_magnitude_f64(x);
    detmath_u64 bits = detmath_bits_f64(a);
    *y = detmath_from_bits_f64(bits > DETMATH_INFINITY_BITS_F64 ? DETMATH_NAN_BITS_F64
                                                                : DETMATH_INFINITY_BITS_F64);
    if (bits - 1u >= DETMATH_INFINITY_BITS_F64 - 1u)
        return 0;
    return !(x < 0.0 && (a >= 0x1p52 || (a + 0x1p52) - 0x1p52 == a));
}

DETMATH_SELDOM_FUNCTION double detmath_lgamma_f64_full(double x) {
    double y, a = detmath_magnitude_f64(x);
    if (!detmath_lgamma_f64_special(x, &y))
        return y;
    if (detmath_bits_f64(a) < 0x07b0000000000000u)
        return -detmath_log(a);
    if (x >= 0x1p900)
        return detmath_lgamma_f64_large(x);
    struct detmath_log_gamma_f64_parts parts = detmath_log_gamma_f64_left(x);
    return parts.sum + parts.rest;
}

/* Below 2^-139 lgamma(x) is -ln|x| but for less than 2^-145 of itself, and no logarithm is nearer to a middle than 2^-121 of itself. */
DETMATH_FUNCTION double detmath_lgamma_f64_last(double x) {
    double y, near = 0.0, a = detmath_magnitude_f64(x);
    if (!detmath_lgamma_f64_special(x, &y))
        return y;
    if (detmath_bits_f64(a) < 0x3740000000000000u) /* 2^-139 */
        return -detmath_cr_log(a);
    if (x == 1.0 || x == 2.0)
        return 0.0;
    if (x < 0.0) {
        struct detmath_log_gamma_f64_parts parts = detmath_log_gamma_f64_left(x);
        y = parts.sum + (parts.rest + parts.wrong);
        if (detmath_bits_f64(y) == detmath_bits_f64(parts.sum + (parts.rest - parts.wrong)))
            return y;
        near = detmath_log(detmath_magnitude_f64(detmath_gamma_f64_sine(a).high));
    }
    return detmath_last_lgamma(x, near);
}

DETMATH_FORMS_F64(_lgamma)

#endif

#include "shield_end.inc"

#endif
