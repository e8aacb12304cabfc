/* The supporting line's value, to 128 bits. */
#include "oracle/fast/supporting_line.h"

#include "base/fault.h"

/* Bits that a product by the numerator grows by at most. */
enum { NUMERATOR_BITS = 3 };

/* w / divisor, rounded down; *rest is what remains. */
static struct wide divide(struct wide w, unsigned divisor, unsigned *rest) {
    struct wide quotient = {0, 0};
    uint64_t remainder = 0;
    for (int part = 0; part < 8; part++) {
        uint64_t word = part < 4 ? w.high : w.low;
        uint64_t digit = remainder << 16 | (word >> (48 - part % 4 * 16) & 0xffff);
        quotient = wide_shift_left(quotient, 16);
        quotient.low |= digit / divisor;
        remainder = digit % divisor;
    }
    *rest = (unsigned)remainder;
    return quotient;
}

/* On the side of the supporting line where f(x) is, next to it: in all that can be told the least
 * that f(x) can be. */
static struct real beside(const struct supporting_line *supporting_line, const struct real *x) {
    struct wide multiple = wide_shift_right(x->significand, NUMERATOR_BITS);
    unsigned rest;
    multiple.high *= supporting_line->numerator;
    struct real line = *x;
    line.significand = divide(multiple, supporting_line->denominator, &rest);
    /* |f(x)| is less than that of the supporting line for x < 0. */
    if (x->negative && rest == 0)
        line.significand = wide_subtract(line.significand, (struct wide){0, 1});
    unsigned zeros = leading_zeros(line.significand.high);
    line.significand = wide_shift_left(line.significand, zeros);
    line.exponent += NUMERATOR_BITS - (int)zeros;
    if (FAULT(supporting_line_off))
        line.significand.high += x->negative ? UINT64_MAX : 1;
    line.inexact = true; /* what follows lies beyond it, in either case */
    return line;
}

void supporting_line_narrow(const struct supporting_line *supporting_line, const struct real *x,
                            struct real *low) {
    struct real line = beside(supporting_line, x);
    if (x->negative ? real_is_smaller(&line, low) : real_is_smaller(low, &line))
        *low = line;
}

bool supporting_line_agrees(const struct supporting_line *supporting_line, const struct real *x,
                            const struct real *y, int precision) {
    struct real line = beside(supporting_line, x);
    if (y->kind != REAL_FINITE || y->negative != x->negative)
        return false;
    if (x->negative)
        return !real_is_smaller(&line, y);
    line.significand = wide_shift_right(line.significand, 128 - (unsigned)precision);
    line.significand = wide_shift_left(line.significand, 128 - (unsigned)precision);
    return real_is_smaller(&line, y) || (!real_is_smaller(y, &line) && y->inexact);
}
