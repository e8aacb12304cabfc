/* ln|gamma(x)| left of -2^6, where a polynomial between two poles costs as much as it saves, and
 * none fits from -2^15 on, where neighbouring inputs lie between different poles: the reflection
 * formula ln|gamma(x)| = ln(pi / |sin(pi x)|) - ln gamma(1 - x) parts it into a smooth function,
 * which a polynomial fits, and one of x mod 1 alone. An input of the binade of 2^e has 23 - e bits
 * behind the point, so for 6 <= e <= 22 a table of 2^17 entries at most holds all that the latter
 * can be.
 *
 * A table's entry is the centre of a ball of 96 bits, rounded to double: its error is below 2^-53
 * 12 (the largest logarithm is ln(2^17), below 12; 0 < ln(pi) is the smallest). The difference is
 * rounded once more. */
#ifndef DETCHECK_ORACLE_FAST_REFLECTION_H
#define DETCHECK_ORACLE_FAST_REFLECTION_H

#include <stdint.h>

enum { LEAST_REFLECTED_EXPONENT = 6, MOST_REFLECTED_EXPONENT = 22 };

#define REFLECTION_ABSOLUTE 0x1p-49
#define REFLECTION_RELATIVE 0x1p-52

/* The 2^bits values at x mod 1 = r 2^-bits, infinity at r = 0; NULL without memory. */
double *reflection_table(int bits);

#endif
