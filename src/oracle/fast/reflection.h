/* How is ln|gamma(x)| found left of -2^6, where poles are too near each other for a polynomial?
 *
 * Down to -2^15 a polynomial between two poles costs as much as it saves. From there on no
 * polynomial fits, because neighbouring inputs lie between different poles. The reflection formula
 *     ln|gamma(x)| = ln(pi / |sin(pi x)|) - ln gamma(1 - x)
 * parts the function into two. The second part is smooth, and a polynomial fits it (fit.h). The
 * first depends on x mod 1 alone. An input of the binade of 2^e has 23 - e bits behind the point,
 * so for 6 <= e <= 22 a table of at most 2^17 entries holds every value that the first part can
 * have.
 *
 * With |d| <= 1/2 the distance of x to the nearest integer, the first part is
 *     ln(pi / |sin(pi d)|) = -ln |d| + sum of zeta(2k) / k d^(2k), k = 1, 2, ....
 * 26 terms of the sum, at most ln(pi/2) together, leave out less than 2^-58. In double, rounding d^2, the
 * coefficients, products and sums costs less than 2.5 u = 2.5 2^-53. For d = r 2^-bits the logarithm is
 * bits ln 2 - ln r, off by 2^7 + 9 units of 2^-60 (logarithms.h). The entries lie between ln(pi) > 1 and
 * 12, so rounding them to double costs 2^-50 at most. All this is below 2^-49, TABLE_ABSOLUTE. The
 * difference is rounded once, which is less than 2^-52 of the rounded difference.
 *
 * In fp64 polynomials serve down to -2^35, and tables of at most 2^17 entries do beyond. The
 * polynomial r has a base A there (fit.h), and the value is -A + (entry - r): the difference in
 * brackets is rounded, which is less than 2^-53 of the largest entry and |r|, and the sum is not. */
#ifndef DETCHECK_ORACLE_FAST_REFLECTION_H
#define DETCHECK_ORACLE_FAST_REFLECTION_H

#include <stdint.h>

enum { LEAST_REFLECTED_EXPONENT = 6, WIDE_LEAST_REFLECTED_EXPONENT = 35 };

/* Each entry is within TABLE_ABSOLUTE of the true one; rounding a difference adds TABLE_RELATIVE of
 * it. */
struct table_entries {
    const double *entries;
    uint32_t mask, first, flip;
};
#define TABLE_ABSOLUTE 0x1p-49
#define TABLE_RELATIVE 0x1p-52
/* No finite entry is larger. */
#define TABLE_MOST 12

/* Which entry is that for input number i of a block. With all bits of `flip` set they run backwards. */
static inline uint32_t table_index(const struct table_entries *table, uint32_t i) {
    return ((table->first + i) ^ table->flip) & table->mask;
}

/* The 2^bits values at x mod 1 = r 2^-bits, infinity at r = 0; NULL without memory. */
double *reflection_table(int bits);

#endif
