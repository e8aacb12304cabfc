/* sin, cos and tan of fp32 arguments of 8 and more, where, for the larger, a block of inputs spans
 * many periods and no polynomial fits: each input is reduced to a fraction of a turn by integer
 * arithmetic.
 *
 * All |x| of a binade are m 2^k with an integer m < 2^24. With the 128-bit fixed-point constant
 * K = 2^k / (2 pi) mod 1, truncated, m K mod 1 is the turn of |x| with an error below 2^24 2^-128 =
 * 2^-104, since whole turns vanish modulo 1. Of its 128 bits 96 are kept: error below 2^-95 turns.
 * Subtracting the nearest quarter q / 4 leaves s with |s| <= 1/8, exactly; converted to a double in
 * two parts, its relative error is below 2^-52 plus 2^-95 / |s|. theta = 2 pi s carries two more
 * roundings (of 2 pi, of the product).
 *
 * sin theta and cos theta are Taylor polynomials to theta^17 and theta^18 in u = theta^2, |theta|
 * <= pi/4: what is left out is below theta^19/19! < 2^-63 |theta| and theta^20/20! < 2^-68. The
 * sine is theta + theta u S(u): the correction is at most 0.11 |theta| and its own rounding errors,
 * some ten of 2^-53 of it, count little beside the last addition; so the relative error is below 3
 * 2^-53 from the polynomial, its coefficients and the sum, and 4 2^-53 from theta. The cosine, 1 +
 * u C(u), is at least 0.7, its error below 3 2^-53 absolute, and d cos <= |theta| |d theta| < 0.8 4
 * 2^-53. The tangent is a quotient, one rounding more. All stay below TURNS_RELATIVE = 2^-48, with
 * a factor of two to spare. The turn's own error of 2^-95, times 2 pi, and for the tangent divided
 * by cos^2 of the unreduced angle, which is above 2^-66 for every fp32 argument not below 2^10 (its
 * distance to a multiple of a quarter turn is above 2^-36: the worst case of reduction in fp32 is
 * about 2^-33), stays below TURNS_ABSOLUTE = 2^-90 for sine and cosine; for the tangent it is a
 * relative 2^-92 / 2^-36, far below TURNS_RELATIVE. */
#ifndef DETCHECK_ORACLE_TURNS_H
#define DETCHECK_ORACLE_TURNS_H

#include "op/turns_function.h"

#include <stdint.h>

#define TURNS_RELATIVE 0x1p-48
#define TURNS_ABSOLUTE 0x1p-90

/* K of one binade, most significant word first. */
struct turns {
    enum turns_function function;
    uint32_t constant[4];
};

/* The constant for k, the exponent of the last place of the binade; -23 <= k <= 104. */
struct turns turns_open(enum turns_function function, int k);

#endif
