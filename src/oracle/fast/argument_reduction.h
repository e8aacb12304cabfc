/* sin, cos and tan of fp32 arguments of 8 and more, where, for the larger, a block of inputs spans
 * many periods and no polynomial fits: each input is reduced to a fraction of a turn by integer
 * arithmetic. So are sinpi, cospi and tanpi from 1/4 on, where beside each zero a polynomial's
 * bound, which is absolute, is too wide.
 *
 * All |x| of a binade are m 2^k with an integer m < 2^24. With the 128-bit fixed-point constant
 * K = 2^k / (2 pi) mod 1, truncated, m K mod 1 is the turn of |x| with an error below 2^24 2^-128 =
 * 2^-104, since whole turns vanish modulo 1. Of its 128 bits 96 are kept: error below 2^-95 turns.
 * For the sine, or the cosine, which is the sine a quarter turn on, the nearest half turn is
 * subtracted, exactly, and s with |s| <= 1/4 is left; for the tangent the nearest quarter, and |s|
 * <= 1/8. Converted to a double in two parts, its relative error is below 2^-52 plus 2^-95 / |s|.
 * theta = 2 pi s carries two more roundings (of 2 pi, of the product): a relative 4u with u =
 * 2^-53.
 *
 * The sine is theta + theta w S(w), w = theta^2, by Taylor's polynomial to theta^23, |theta| <=
 * pi/2: what is left out is below theta^25/25! < 2^-67 |theta|. |S| is at most 1/6, and Horner's
 * rule gives it within sum (2j + 2) |c_j| w^j u < 0.43u (its coefficient c_j takes part in 2j + 1
 * roundings and was rounded once); so w S, at most 0.37, is within 2.47 0.43u + 2 0.37u for the
 * roundings of w and the product, and w's in S, in all within 2u; its product with theta adds 0.37u
 * |theta|, the sum one u of the sine. All that is below 2.4u |theta| + u |sin theta|, and |theta|
 * <= 1.58 |sin theta|: a relative 5u. theta's own error adds 4u, since |theta cos theta| <= |sin
 * theta|.
 *
 * For the tangent |theta| <= pi/4: the sine to theta^17 leaves out theta^19/19! < 2^-63 |theta| and
 * is within a relative 7u by the same reckoning; the cosine, 1 + w C(w) to theta^18, leaves out
 * theta^20/20! < 2^-68; it is at least 0.7, its error below 3u absolute, and d cos <= |theta| |d
 * theta| < 0.8 4u. The tangent is a quotient, one rounding more. All stay below REDUCTION_RELATIVE =
 * 2^-48, with a factor of two to spare. The turn's own error of 2^-95, times 2 pi, and for the
 * tangent divided by cos^2 of the unreduced angle, which is above 2^-66 for every fp32 argument not
 * below 2^10 (its distance to a multiple of a quarter turn is above 2^-36: the worst case of
 * reduction in fp32 is about 2^-33), stays below REDUCTION_ABSOLUTE = 2^-90 for sine and cosine; for
 * the tangent it is a relative 2^-92 / 2^-36, far below REDUCTION_RELATIVE.
 *
 * The turn of sinpi's argument is x/2: K = 2^(k - 1) mod 1 has one bit, m K mod 1 and s are exact,
 * and so is s as a double, having the bits of m at most. No absolute error is left. Where s is 0,
 * which for the tangent is at a pole too, the value is 0 or infinite, and decides nothing. */
#ifndef DETCHECK_ORACLE_FAST_ARGUMENT_REDUCTION_H
#define DETCHECK_ORACLE_FAST_ARGUMENT_REDUCTION_H

#include "op/function/reduction_kind.h"

#include <stdbool.h>
#include <stdint.h>

#define REDUCTION_RELATIVE 0x1p-48
#define REDUCTION_ABSOLUTE 0x1p-90

/* K of one binade, most significant word first. */
struct argument_reduction {
    enum reduction_kind function;
    uint32_t constant[4];
};

/* The constant for k, the exponent of the last place of the binade; -25 <= k <= 120. Of a function
 * of `period_two` the argument counts half turns. */
struct argument_reduction argument_reduction_open(enum reduction_kind function, bool period_two,
                                                  int k);

#endif
