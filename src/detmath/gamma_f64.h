/* tgamma in fp64: detmath_tgamma is det, within 0.51 ulp, and detmath_cr_tgamma correctly rounded as far as is known. The
 * kernel and why its errors are no larger: gamma_f64_lanes.inc; cr's last phase: gamma_last_f64.h.
 *
 * NaN, -inf and negative integers give the canonical NaN, tgamma(inf) = inf, tgamma(+-0) = +-inf. What overflows is infinite;
 * from -184 down, where no number is nearer to a pole than 2^-45, all else is a zero with the sign of tgamma. Subnormal
 * results are rounded once. */
#ifndef DETMATH_GAMMA_F64_H
#define DETMATH_GAMMA_F64_H

#include "exp_f64.h"
#include "gamma_f64_table.h"
#include "gamma_last_f64.h"
#include "power_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

#include "one_lane.inc"

#include "gamma_f64_lanes.inc"

/* Ones where gamma(x) < 0, for an x < 0 that is no integer: there floor(x) is odd. */
DETMATH_FUNCTION detmath_u64 detmath_gamma_f64_sign(double x) {
    detmath_u64 whole = (detmath_u64)detmath_smaller_f64(detmath_magnitude_f64(x), 0x1p53);
    return x < 0.0 ? (~whole & 1u) << 63 : 0u;
}

/* 1/x for what is below 2^-110: gamma(x) lacks 0.58 of that, and 1/x is a number or 2^-107 of itself or farther from any middle
 * between two. */
DETMATH_FUNCTION double detmath_tgamma_f64_tiny(double x) {
    detmath_i32 exponent;
    detmath_u32 negative;
    detmath_u64 m = detmath_real_parts(x, &exponent, &negative);
    double inverse = 1.0 / (double)(detmath_i64)m;
    detmath_i64 at = (detmath_i64)(detmath_bits_f64(inverse) >> 52) - exponent;
    detmath_u64 bits = detmath_bits_f64(inverse) - ((detmath_u64)(detmath_i64)exponent << 52);
    if (m == 0 || at > 2046)
        bits = DETMATH_INFINITY_BITS_F64;
    return detmath_from_bits_f64(bits | (detmath_u64)negative << 63);
}

/* y 2^n by a quotient and its rest, rounded once where it is subnormal too. */
DETMATH_FUNCTION double detmath_tgamma_f64_end(struct detmath_gamma_f64_parts y, detmath_i32 n) {
    detmath_u64 bits = detmath_bits_f64(y.sum), sign = bits & 0x8000000000000000u;
    detmath_i32 up = (detmath_i32)(bits >> 52 & 0x7ffu) - 1023;
    double scale = detmath_power_of_two(-up), head, tail;
    head = detmath_exact_product(detmath_magnitude_f64(y.sum), scale);
    tail = detmath_product(detmath_product(y.rest, y.inverse), sign ? -scale : scale);
    double z = detmath_exp_f64_scale(head + tail, head, tail, n + up);
    return detmath_with_sign_f64(z, y.sum);
}

/* What no steps are needed for: NaN, infinities, poles, what is tiny, overflows or vanishes; else ones. */
DETMATH_FUNCTION detmath_u64 detmath_tgamma_f64_special(double x, DETMATH_PRIVATE double *y) {
    double a = detmath_magnitude_f64(x);
    detmath_u64 bits = detmath_bits_f64(a);
    *y = detmath_from_bits_f64(DETMATH_NAN_BITS_F64);
    if (bits > DETMATH_INFINITY_BITS_F64)
        return 0;
    if (bits < 0x3910000000000000u) /* 2^-110 */
        *y = detmath_tgamma_f64_tiny(x);
    else if (x > 171.75)
        *y = detmath_from_bits_f64(DETMATH_INFINITY_BITS_F64);
    else if (x < -184.0 && a < 0x1p52 && (a + 0x1p52) - 0x1p52 != a)
        *y = detmath_from_bits_f64(detmath_gamma_f64_sign(x));
    else if (!(x < 0.0) || (x > -184.0 && (a + 0x1p52) - 0x1p52 != a))
        return ~(detmath_u64)0;
    return 0;
}

DETMATH_SELDOM_FUNCTION double detmath_tgamma_f64_full(double x) {
    double y;
    detmath_u64 place;
    if (!detmath_tgamma_f64_special(x, &y))
        return y;
    struct detmath_gamma_f64_quotient quotient = detmath_gamma_f64_far(x, &place);
    detmath_i32 n = (detmath_i32)((place >> 4 & 0xfffu) ^ 0x800u) - 0x800;
    return detmath_tgamma_f64_end(detmath_gamma_f64_divided(quotient, 0.0), n);
}
/* cr's nearer candidates, for an a up to 8.25. */
DETMATH_FUNCTION double detmath_cr_tgamma_f64_nearer(double x, DETMATH_PRIVATE double *other,
                                                     DETMATH_PRIVATE detmath_u64 *away) {
    struct detmath_gamma_f64_pair more;
    detmath_u64 by_one;
    struct detmath_gamma_f64_parts y =
        detmath_gamma_f64_divided(detmath_gamma_f64_near_of(x, &more, &by_one, 1u), 0x1p-66);
    *away = detmath_tgamma_f64_away(x) | detmath_ones_f64(detmath_magnitude_f64(x) > 8.25);
    *other = detmath_fma(y.rest - y.wrong, y.inverse, y.sum);
    return detmath_fma(y.rest + y.wrong, y.inverse, y.sum);
}
DETMATH_FUNCTION double detmath_tgamma_f64_last(double x) {
    double y, other;
    detmath_u64 away;
    if (!detmath_tgamma_f64_special(x, &y))
        return y;
    y = detmath_cr_tgamma_f64_nearer(x, &other, &away);
    if (!(away | (detmath_bits_f64(y) ^ detmath_bits_f64(other))))
        return y;
    return detmath_last_tgamma(x);
}

DETMATH_FORMS_F64(_tgamma)

#endif

#include "shield_end.inc"

#endif
