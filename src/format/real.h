/* A real number as the oracle knows it: sign, exponent, the first 128 bits, and whether more
 * follow.
 *
 * Truncation plus that last bit is enough to round to any format here in any direction, once, with
 * nothing to prove: the bits kept are right, and what follows is known to be zero or not. */
#ifndef DETCHECK_FORMAT_REAL_H
#define DETCHECK_FORMAT_REAL_H

#include "base/wide.h"

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

enum real_kind { REAL_ZERO, REAL_FINITE, REAL_INFINITE, REAL_NAN };

struct real {
    enum real_kind kind;
    bool negative;
    /* Finite: the exact value lies beyond the stored one, away from zero, by less than one unit in
     * the last place that its source kept (for real_from_mpfr, of the MPFR precision). */
    bool inexact;
    /* Zero: the sum of nonzero terms that cancel, or of zeros of both signs. Its sign then is plus,
     * and minus where rounding is down (IEEE 754, 6.3). */
    bool cancelled;
    int32_t exponent;        /* finite: 2^exponent <= |value| < 2^(exponent+1) */
    struct wide significand; /* finite: bit 127 is set; value = significand * 2^(exponent-127) */
};

/* Exponents given to results so large or small that MPFR's range ended: far beyond any format. */
enum { REAL_HUGE_EXPONENT = 1 << 24, REAL_TINY_EXPONENT = -(1 << 24) };

/* A finite value too large, or a nonzero one too small, for any format. */
struct real real_huge(bool negative);
struct real real_tiny(bool negative);
struct real real_zero(bool negative);
/* 2^exponent. */
struct real real_power_of_two(int32_t exponent);
struct real real_infinity(bool negative);
struct real real_nan(void);

/* `value` as MPFR returned it when rounding toward zero, with the ternary value of that call (0:
 * exact). At most 128 bits of precision. A zero with a nonzero ternary is an underflow: real_tiny;
 * an infinity with one is an overflow: real_huge. */
struct real real_from_mpfr(mpfr_srcptr value, int ternary);

/* A finite double or an infinity or NaN, exactly. */
struct real real_from_double(double value);

/* Whether |a| < |b|, of values that are not inexact. Infinity is above all numbers, and NaN above
 * it. */
bool real_is_smaller(const struct real *a, const struct real *b);

/* The value as a double, its sign of zero kept: exact where the significand has 53 bits at most, no bit below 2^-1074,
 * and exponent <= 1023, as for every number of a format. What is below 2^-1074 is cut off. */
double real_to_double(const struct real *real);

/* The stored value; `value` must have the precision to hold it (128 bits always do). */
void real_to_mpfr(mpfr_ptr value, const struct real *real);

#endif
