/* How simple code reads a decimal number: it gathers the digits in one number, and multiplies or divides that by a power of
 * ten, each step rounded to nearest-even by a machine's arithmetic. */
#ifndef DETCHECK_EXPLAIN_SCALING_H
#define DETCHECK_EXPLAIN_SCALING_H

#include "op/decimal/decimal.h"

enum scaling_machine { MACHINE_FP64, MACHINE_X87 };

enum scaling_digits {
    DIGITS_ALL,  /* v = 10 v + digit for all of them */
    DIGITS_FIRST /* the first 19 significant ones, exactly, in an integer */
};

enum scaling_power {
    POWER_NEAREST,   /* by the number next to the power */
    POWER_SQUARES,   /* by a product of 10, 10^2, 10^4, ..., each the square of the one before */
    POWER_STEPS,     /* by 10, again and again */
    POWER_TENTHS,    /* the same, and times 0.1 instead of divided by 10 */
    POWER_RECIPROCAL /* times the number next to 10^-n instead of divided by 10^n */
};

struct scaling {
    enum scaling_machine machine;
    enum scaling_digits digits;
    enum scaling_power power;
};

/* What the machine gets for a decimal number. */
struct real scaling_value(const struct scaling *scaling, const struct decimal_literal *literal);

#endif
