/* gamma and ln|gamma| beside their poles at the negative integers, where a polynomial would have to
 * be shorter than the distance to the pole: the pole is taken out, and a polynomial fits the rest.
 *
 * Let n < 0 be the integer nearest to the centre of a block, and d = x - n. The codes of negative
 * numbers run downwards, so where code j after that of n has x = n - j s, with s the spacing of the
 * block's binade, d = -j s is a double, exact, and known from the code without any rounding (j < 0
 * before the pole, where s may be that of the lower binade).
 *
 * gamma: g(x) = d gamma(x) is analytic for |Re d| < 1, its residue is at d = 0, and gamma(x) =
 * g(x) / d. Let the polynomial's value be p with |g - p| <= b on the block (fit.h). |p| is at least
 * L = |a_0| - |a_1| - ... - b, since |t| <= 1 and what rounding adds is in b. The quotient v = p/d
 * is rounded once, u = 2^-53, so |p/d| <= |v| (1 + 2u) and |gamma(x) - v| <= b / |d| + u |p/d| <=
 * |p/d| (b/L + u) <= 1.01 |v| (b/L + u), which is a bound relative to v alone: fit.relative, taken
 * with 1.02 for the rounding of its own few operations; fit.bound is 0. No quotient underflows:
 * 1/46! / 0.5 is far from 2^-1022. At the pole, d = 0 gives an infinite v, of which the kernel is
 * never sure.
 *
 * ln|gamma|: here the quotient becomes a difference, ln|gamma(x)| = ln|d gamma(x)| - ln|j| - ln s.
 * The polynomial fits ln s - ln|d gamma(x)|, and a table holds -ln|j| for |j| < 2^POLE_LOG2, which
 * is as far as the pole is taken out: farther off a plain polynomial fits, and does better around
 * the zeros of ln|gamma|, which tables of rounded logarithms cannot. The table's entries are below
 * 8 in magnitude, each with an error below 2^-51, and the difference is rounded once: within
 * REFLECTION_ABSOLUTE and REFLECTION_RELATIVE (reflection.h). */
#ifndef DETCHECK_ORACLE_FAST_POLES_H
#define DETCHECK_ORACLE_FAST_POLES_H

#include <stdbool.h>

enum { POLE_LOG2 = 11 };

/* The 2^POLE_LOG2 values of -ln i, infinity at i = 0; or, `before` the pole, of -ln(2^POLE_LOG2 -
 * i), all finite. NULL without memory. */
double *pole_table(bool before);

#endif
