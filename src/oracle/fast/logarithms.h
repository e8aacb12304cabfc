/* The logarithms of the first integers, in a few nanoseconds each: a thousandth of what Arb takes.
 *
 * Of an even number ln 2k = ln 2 + ln k. Of an odd one, from r^2 - 1 = (r - 1) (r + 1) follows
 *     ln r = (ln(r - 1) + ln(r + 1)) / 2 + artanh(1 / (2 r^2 - 1)),
 * where r - 1 and r + 1 are even. So with h = (r - 1) / 2
 *     ln r = ln 2 + (ln h + ln(h + 1)) / 2 + artanh(1 / (2 r^2 - 1)).
 *
 * All is reckoned in units of 2^-60, which 64 bits hold for numbers below 2^23. ln 2 is off by half a
 * unit, cutting a mean takes another half, and cutting artanh one more. The last is the double y (1 + y^2
 * (1/3 + ... + y^10/13)). For y <= 1/17 what it leaves out is below 2^-65. The roundings of y, the sum
 * and the product, and those of smaller things, are below 2^-51 of it together: 31 units for r = 3, 11, 4 and 1
 * in the next binades, and a quarter of the one before in those that follow. A logarithm takes on the
 * error of a number of half its size, or the mean of two such, and adds that of its own binade. Numbers
 * below 2^18 have 17 binades with an odd number, so the error is at most 31 + 11 + 4 + 1 + 1/3 + 17 * 2
 * units, which is below 2^7. */
#ifndef DETCHECK_ORACLE_FAST_LOGARITHMS_H
#define DETCHECK_ORACLE_FAST_LOGARITHMS_H

#include <stdint.h>

#define LOGARITHM_UNIT 0x1p-60
#define LN2_UNITS      UINT64_C(0xb17217f7d1cf79b)

/* Sets units[1] .. units[count - 1]; of k < 2^18, units[k] is within 2^7 units of ln k. */
void make_logarithms(uint64_t *units, uint32_t count);

#endif
