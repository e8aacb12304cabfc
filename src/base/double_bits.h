/* Doubles and their bits: no library is asked. */
#ifndef DETCHECK_BASE_DOUBLE_BITS_H
#define DETCHECK_BASE_DOUBLE_BITS_H

#include "base/vector.h"

#include <stdint.h>
#include <string.h>

INLINED uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

INLINED double from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* 2^exponent, -1022 <= exponent <= 1023. */
INLINED double power_of_two(int exponent) {
    return from_bits((uint64_t)(exponent + 1023) << 52);
}

#endif
