/* First candidates of lgamma from 1/2 to 8 for one number of fp64, as quick_f64.h has those of others: a table of ln gamma in place of a
 * logarithm of gamma. Coefficients and the table: quick_log_gamma_f64.sollya.
 *
 * Rows have 32 middles from each power of two to the next, the powers among them, so that the rows of 1 and 2 begin with 0. x less the
 * middle next to it is z, which is exact. The result is A + z B + z^2 p, of which A and B have two parts. Where A is not 0, A + z B is at
 * least 0.46 of it, and what rounding that leaves is exact. The coefficients leave 2^-53.04 (quick_log_gamma) of p. z^2 p is above 0. In units of
 * 2^-53 z^2 p, z^2 loses 1, two sums of p 2, the coefficients 1, the product 1, the tail 1, and the tail's sum with what is wrong 1; what else
 * is in these sums is 2^-49 at most and loses 2^-100.5. So 2^-53 z^2 p 7.5 + 2^-100 is taken for what is wrong. */
#ifndef DETMATH_QUICK_LOG_GAMMA_F64_H
#define DETMATH_QUICK_LOG_GAMMA_F64_H

#include "quick_log_gamma_f64_table.h"

#include "shield.inc"

#if defined(DETMATH_QUICK_F64)

DETMATH_INLINED double detmath_cr_lgamma_f64_quick(double x, DETMATH_PRIVATE double *other,
                                                   DETMATH_PRIVATE detmath_u64 *away) {
    detmath_u64 place = (detmath_bits_f64(x) + ((detmath_u64)1 << 46)) >> 47, row = place - 0x7fc0u;
    *other = x;
    *away = detmath_ones_f64(row > 128u);
    if (*away)
        return x;
    DETMATH_CONSTANT_POINTER double *at = &detmath_quick_f64_log_gammas[12u * row];
    double z = x - detmath_from_bits_f64(place << 47), s = detmath_product(z, z);
    double sum = detmath_fma(z, at[2], at[0]), low = detmath_fma(z, at[2], at[0] - sum);
    double b = detmath_fma(s, detmath_fma(z, at[7], at[6]), detmath_fma(z, at[5], at[4]));
    double d = detmath_fma(s, detmath_fma(z, at[11], at[10]), detmath_fma(z, at[9], at[8]));
    double tail = detmath_product(s, detmath_fma(detmath_product(s, s), d, b));
    double wrong = detmath_fma(tail, 0x1.ep-51, 0x1p-100);
    low = (detmath_fma(z, at[3], at[1]) + low) + tail;
    *other = sum + (low + wrong);
    return sum + (low - wrong);
}

#endif

#include "shield_end.inc"

#endif
