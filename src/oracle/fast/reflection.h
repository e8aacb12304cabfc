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
 * An entry of the table is the centre of a ball of 96 bits, rounded to double. The entries lie
 * between ln(pi) > 1 and ln(2^17) < 12, so each is off by less than 12 2^-53, and 2^-49 is taken.
 * The difference is rounded once, which is less than 2^-52 of the rounded difference.
 *
 * In fp64 polynomials serve down to -2^35, and tables of at most 2^17 entries do beyond. The
 * polynomial r has a base A there (fit.h), and the value is -A + (entry - r): the difference in
 * brackets is rounded, which is less than 2^-53 of the largest entry and |r|, and the sum is not. */
#ifndef DETCHECK_ORACLE_FAST_REFLECTION_H
#define DETCHECK_ORACLE_FAST_REFLECTION_H

#include <stdint.h>

enum { LEAST_REFLECTED_EXPONENT = 6, WIDE_LEAST_REFLECTED_EXPONENT = 35 };

/* The entry for input number i of a block is entries[(first + i) & mask]. Each is within
 * TABLE_ABSOLUTE of the true one; rounding a difference adds TABLE_RELATIVE of it. */
struct table_entries {
    const double *entries;
    uint32_t mask, first;
};
#define TABLE_ABSOLUTE 0x1p-49
#define TABLE_RELATIVE 0x1p-52
/* No entry is larger. */
#define TABLE_MOST 12

/* The 2^bits values at x mod 1 = r 2^-bits, infinity at r = 0; NULL without memory. */
double *reflection_table(int bits);

#endif
