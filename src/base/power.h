/* Powers of two as doubles, put together from their bits: no library is asked. */
#ifndef DETCHECK_BASE_POWER_H
#define DETCHECK_BASE_POWER_H

#include <stdint.h>
#include <string.h>

/* 2^exponent, -1022 <= exponent <= 1023. */
static inline double power_of_two(int exponent) {
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
