/* lgamma, ln|gamma|, in fp64: detmath_lgamma is det, within 0.51 ulp, and detmath_cr_lgamma correctly rounded as far as is
 * known. The kernel and why its errors are no larger: log_gamma_f64_lanes.inc; the zeros left of 0: here and
 * log_gamma_f64_table.h; cr's last phase: gamma_last_f64.h. cr of one number from 1/2 to 8 begins in quick_log_gamma_f64.h.
 *
 * NaN gives the canonical one; infinities, zeros and negative integers, which all numbers below -2^52 are, give inf; lgamma(1)
 * and lgamma(2) are +0. What overflows is infinite.
 *
 * Next to a zero |1 / gamma| = 1 + u, and u = d P(d) for the distance d, which is x less three parts: the first difference is
 * exact, and no number of fp64 is nearer to a zero than 2^-56.5, so that d, in two parts, is within 2^-100 of itself. P is
 * within 2^-75.28 (f64_log_gamma_rows) of itself and four of its sums keep all that they round off: d^4 T is rounded to 1.25
 * 2^-53, which next to -2.457 and -2.747 is below 2^-61.4 of P. What d's low part adds to P has three terms, which lack 2^-64.
 * So u is within 2^-61 of itself, and the logarithm, as in the lanes, too. cr's nearer candidates have five more such sums, which
 * leave d^9 times a rest, below 2^-72 of P; of what d's low part adds six terms, which lack 2^-68; and the logarithm's 2^-65, 2^-67
 * and 2^-68.5: 1.49 2^-65, which is within 2^-64 of itself.
 *
 * cr's last phase is within 2^-159, and no |lgamma| of a number of fp64 is between 0 and 2^-53.98. Of the numbers that have
 * results below 2^-k, next to 31 zeros, there are 2^(58-k) at most, of which the nearest to a middle is expected at 2^-(111-k)
 * of its result: at 2^-111, 2^-48 above the error. */
#ifndef DETMATH_LOG_GAMMA_F64_H
#define DETMATH_LOG_GAMMA_F64_H

#include "gamma_f64.h"
#include "log_gamma_f64_table.h"
#include "quick_log_gamma_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

#include "one_lane.inc"

#include "log_gamma_f64_lanes.inc"

/* lgamma(x) and what is wrong with it, next to a zero or elsewhere. */
DETMATH_FUNCTION struct detmath_log_gamma_f64_parts detmath_log_gamma_f64_left(double x) {
    if (x > -16.5 && x < -2.25) {
        detmath_u64 serves;
        struct detmath_log_gamma_f64_parts y = detmath_log_gamma_f64_zero(x, 0u, &serves);
        if (serves)
            return y;
    }
    return detmath_lgamma_f64_parts(x);
}
/* The same by cr's nearer candidates, for an a up to 8.25. */
DETMATH_FUNCTION struct detmath_log_gamma_f64_parts detmath_log_gamma_f64_nearer(double x) {
    if (x < -2.25) {
        detmath_u64 serves;
        struct detmath_log_gamma_f64_parts y = detmath_log_gamma_f64_zero(x, 1u, &serves);
        if (serves)
            return y;
    }
    return detmath_log_gamma_f64_whole(detmath_log_gamma_f64_near(x, 1u));
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

/* Candidates of cr by that. */
DETMATH_FUNCTION double detmath_lgamma_f64_candidates(struct detmath_log_gamma_f64_parts parts,
                                                      DETMATH_PRIVATE double *other) {
    *other = parts.sum + (parts.rest - parts.wrong);
    return parts.sum + (parts.rest + parts.wrong);
}
DETMATH_FUNCTION double detmath_cr_lgamma_f64_nearer(double x, DETMATH_PRIVATE double *other,
                                                     DETMATH_PRIVATE detmath_u64 *away) {
    double y, a = detmath_magnitude_f64(x);
    *away =
        detmath_ones_f64(a > 8.25) | detmath_ones_f64(detmath_bits_f64(a) < 0x07b0000000000000u);
    if (!detmath_lgamma_f64_special(x, &y))
        *away = ~(detmath_u64)0;
    return detmath_lgamma_f64_candidates(detmath_log_gamma_f64_nearer(x), other);
}

/* Below 2^-139 lgamma(x) is -ln|x| but for less than 2^-145 of itself, and no logarithm is nearer to a middle than 2^-121 of itself. */
DETMATH_FUNCTION double detmath_lgamma_f64_last(double x) {
    double y, other, near = 0.0, a = detmath_magnitude_f64(x);
    detmath_u64 away;
    if (!detmath_lgamma_f64_special(x, &y))
        return y;
    if (detmath_bits_f64(a) < 0x3740000000000000u) /* 2^-139 */
        return -detmath_cr_log(a);
    if (x == 1.0 || x == 2.0)
        return 0.0;
    if (x < 0.0 || a <= 8.25) {
        y = a <= 8.25 ? detmath_cr_lgamma_f64_nearer(x, &other, &away)
                      : detmath_lgamma_f64_candidates(detmath_log_gamma_f64_left(x), &other);
        if (detmath_bits_f64(y) == detmath_bits_f64(other))
            return y;
    }
    if (x < 0.0)
        near = detmath_log(detmath_magnitude_f64(detmath_gamma_f64_sine(a).high));
    return detmath_last_lgamma(x, near);
}

#if defined(DETMATH_QUICK_F64)
/* From 1/2 to 8 one number has candidates of its own. */
DETMATH_FORM_F64(_lgamma)
DETMATH_CR_FULL_F64(_lgamma)
DETMATH_CR_FORM_F64(detmath_cr_lgamma_f64_begun, _lgamma)
DETMATH_FUNCTION double detmath_cr_lgamma(double x) {
    detmath_u64 away;
    double other, y = detmath_cr_lgamma_f64_quick(x, &other, &away);
    return away || DETMATH_SELDOM(other > y) ? detmath_cr_lgamma_f64_begun(x) : y;
}
#else
DETMATH_FORMS_F64(_lgamma)
#endif

#endif

#include "shield_end.inc"

#endif
