/* Results whose codes follow from the codes of consecutive inputs by a few steps on integers: those of
 * functions that round to integers, or take a number apart.
 *
 * Of the input with code c, in a run that a pattern holds for, the result has the code
 *     (((c + add + (c >> odd_shift & odd)) & keep) << shift) + offset,
 * modulo 2^width. No step carries higher bits to lower ones but the shift to the right, and that is of c
 * itself: so lanes of the codes' own width do, and a loop needs a few operations for each of them.
 *
 * Rounding to integers. Let p be the precision and x = m 2^(e-p+1) a positive number with 0 <= e < p - 1.
 * The bits of its code below s = p - 1 - e are those behind the point, and above them is the integer part
 * with the exponent on top. Codes are in the order of values, and a carry out of the fraction leads to the
 * first code of the next binade. So cutting the low bits rounds toward zero, and adding 2^s - 1 before
 * that rounds away from it. Adding 2^(s-1) rounds to nearest, ties away; 2^(s-1) - 1, and 1 more where the
 * integer part is odd, to nearest, ties to even. Bit s says whether it is odd. Where e = 0 the integer
 * part is 1, and bit s is the last one of the biased exponent, which is the bias: odd, as it has ones
 * alone. A sign on top stays as it is.
 *
 * The fraction of such a number is l 2^(e-p+1), l being what lies below bit s. l is a double below 2^52;
 * its code has the first bits of l's significand, all that are not zero, and its exponent is that of l
 * less p - 1 - e. It is a normal number, since the fraction is at least 2^-s > 2^emin. (`keep` has the
 * sign, and `offset` what is between the biased exponents.) */
#ifndef DETCHECK_OP_FUNCTION_CODE_PATTERN_H
#define DETCHECK_OP_FUNCTION_CODE_PATTERN_H

#include "base/bits.h"
#include "format/format.h"

struct code_pattern {
    uint64_t last; /* the last code that it holds for */
    uint64_t add, odd, keep, offset;
    unsigned odd_shift, shift;
    bool is_fraction; /* what is behind the point, below bit odd_shift */
};

/* The last code of finite numbers with the exponent and the sign of this one: subnormal numbers too have
 * an exponent each, and zero is alone. */
uint64_t last_of_binade(const struct format *format, uint64_t code);

/* All results are that number of the format. */
struct code_pattern pattern_of_constant(const struct format *format, const struct real *y,
                                        uint64_t last);
/* Their codes are those of the inputs and `offset`. */
struct code_pattern pattern_of_line(uint64_t offset, uint64_t last);

/* The bit of 2^0 in the code of a number from 1 on; 0 and less where all of them are integers. */
static inline int pattern_integer_bit(const struct format *format, const struct real *x) {
    return format->precision - 1 - x->exponent;
}

/* What is behind the point, with the sign of x: as far as the pattern holds from that finite number on.
 * (x rounded to an integer: integral.c.) */
struct code_pattern pattern_of_fractions(const struct format *format, uint64_t code);

/* The code of the result, but for bits beyond the format's; of a pattern of fractions, and of others. */
INLINED uint64_t pattern_fraction(const struct code_pattern *pattern, unsigned precision,
                                  uint64_t code) {
    uint64_t low = code & (((uint64_t)1 << pattern->odd_shift) - 1);
    /* low < 2^52 as a double, by a sum that is exact */
    uint64_t bits = bits_of(from_bits(low | UINT64_C(0x433) << 52) - 0x1p52);
    uint64_t magnitude = (bits >> (53 - precision)) + pattern->offset;
    return (code & pattern->keep) | (low ? magnitude : 0);
}

INLINED uint64_t pattern_code(const struct code_pattern *pattern, uint64_t code) {
    uint64_t sum = code + pattern->add + (code >> pattern->odd_shift & pattern->odd);
    return ((sum & pattern->keep) << pattern->shift) + pattern->offset;
}

/* The code of the result at one code. */
uint64_t code_pattern_at(const struct code_pattern *pattern, const struct format *format,
                         uint64_t code);

#endif
