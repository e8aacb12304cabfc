/* How are gamma and ln|gamma| found beside their poles at the negative integers?
 *
 * There a polynomial would have to end before the pole. So the pole is taken out of the function,
 * and a polynomial fits what is left.
 *
 * Let n < 0 be the integer nearest to the centre of a block, d = x - n, and s the spacing of the
 * block's binade. The codes of negative numbers run downwards. The code that is j after that of n
 * has x = n - j s, so d = -j s. That is an exact double, and no rounding is needed to find it.
 * (Before the pole j is negative, and s may be the spacing of the lower binade.)
 *
 * gamma. g(x) = d gamma(x) is analytic for |Re d| < 1. Let p be the polynomial's value and b its
 * bound, |g - p| <= b (fit.h). From |t| <= 1 follows |p| >= L with L = |a_0| - |a_1| - ... - b,
 * since b also covers what rounding does to p. The quotient v = p/d is rounded once. With u =
 * 2^-53,
 *     |gamma(x) - v| <= b / |d| + u |p/d| <= |p/d| (b/L + u) <= |v| (1 + 2u) (b/L + u).
 * The code takes 1.02 for 1 + 2u, which covers the rounding of the bound itself. So fit.relative is
 * 1.02 (b/L + u), and fit.bound is 0. No quotient underflows: |d| <= 1/2, and no residue is smaller
 * than 1/64!, about 2^-296. At the pole d is 0, v is infinite, and the judging loop is never sure
 * of an infinite v.
 *
 * ln|gamma|. The quotient becomes a difference: ln|gamma(x)| = ln|d gamma(x)| - ln|j| - ln s. The
 * polynomial fits ln s - ln|d gamma(x)|, and a table holds -ln|j| for |j| <= 2^POLE_LOG2. Farther
 * from the pole a plain polynomial fits. It is also better there, because ln|gamma| has zeros,
 * around which a table of rounded logarithms is too coarse. The entries are below 8 in magnitude, so
 * rounding them to double is off by at most 2^-51, after the 2^-53 of logarithms.h. The difference
 * is rounded once. TABLE_ABSOLUTE and TABLE_RELATIVE (reflection.h) cover both.
 *
 * In fp64 that serves from -2^35, where reflection ends, up to -2^24. Entries for |j| <= 2^17 are below
 * 12: off by 2^-50 and 2^-53, which TABLE_ABSOLUTE covers. The difference is one from the polynomial's
 * base (reflection.h), of which |A| > 2^27 is the larger summand. So an ulp is 2^-25 at least, and the
 * table costs less than 2^-23 of it.
 *
 * What is left of ln|gamma| is the sum of two functions (gamma.c): ln|1 / sinc(pi d)|, which is small
 * and has its singularities at the other poles, and -ln gamma(1 - x), which is large and has none near.
 * Each is bounded on a square of its own, and fit.h's first part is the sum for both: interpolation is
 * linear. Left of LEFT_PARTS the same is done for a plain polynomial, and ln(pi / |sin(pi x)|). A bound
 * for both at once would be as large as the second on a square as small as the first needs. */
#ifndef DETCHECK_ORACLE_FAST_POLES_H
#define DETCHECK_ORACLE_FAST_POLES_H

#include <stdbool.h>
#include <stdint.h>

enum { POLE_LOG2 = 11, WIDE_POLE_LOG2 = 17, WIDE_LEAST_POLE_EXPONENT = 24 };

/* d is (from_pole + i) spacing at input number i of a block. */
struct pole_distance {
    int32_t from_pole;
    double spacing; /* -s */
};

/* The values of -ln i for i <= 2^bits, infinity at i = 0; NULL without memory. */
double *pole_table(int bits);

#endif
