/* Operands that are integers in C, and numbers of the format here: op/operation.h, enum
 * c_signature. */
#ifndef DETCHECK_OP_FUNCTION_INTEGER_H
#define DETCHECK_OP_FUNCTION_INTEGER_H

#include "format/real.h"

#include <stdint.h>

/* The operand as an integer; false where it is none between the two. */
static inline bool integer_operand(const struct real *x, long long least, long long most,
                                   long long *n) {
    *n = 0;
    if (x->kind == REAL_ZERO)
        return true;
    if (x->kind != REAL_FINITE || x->exponent < 0 || x->exponent > 63 ||
        (x->exponent < 63 && x->significand.high << (x->exponent + 1)))
        return false;
    uint64_t magnitude = x->significand.high >> (63 - x->exponent);
    if (magnitude >> 63) { /* -2^63 is the one of that size */
        *n = least;
        return x->negative && magnitude << 1 == 0 && least < -INT64_MAX;
    }
    *n = x->negative ? -(long long)magnitude : (long long)magnitude;
    return *n >= least && *n <= most;
}

#endif
