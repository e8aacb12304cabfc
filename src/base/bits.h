/* Doubles, floats and their bits: no library is asked. */
#ifndef DETCHECK_BASE_BITS_H
#define DETCHECK_BASE_BITS_H

#include "base/vector.h"
#include "base/wide.h"

#include <float.h>
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

INLINED uint32_t bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

INLINED float float_from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* 2^exponent, -1022 <= exponent <= 1023. */
INLINED double power_of_two(int exponent) {
    return from_bits((uint64_t)(exponent + 1023) << 52);
}

/* significand * 2^exponent rounded to odd: truncated to 53 bits, the last of which is set when
 * anything is lost. Such a number compares rightly with every number of fewer bits, so a bucket's
 * edge or a limit is never crossed by rounding. */
static inline double wide_to_double(struct wide significand, int exponent) {
    if (wide_is_zero(significand))
        return 0;
    unsigned zeros =
        significand.high ? leading_zeros(significand.high) : 64 + leading_zeros(significand.low);
    struct wide normal = wide_shift_left(significand, zeros);
    int scale = exponent - (int)zeros + 127; /* of the first bit */
    if (scale >= DBL_MAX_EXP)
        return DBL_MAX;
    if (scale < DBL_MIN_EXP - 1)
        return DBL_MIN;
    bool lost = (normal.high & 0x7ff) || normal.low;
    /* Put together from its bits: the first one is implied. */
    uint64_t top = (normal.high >> 11 & ((UINT64_C(1) << 52) - 1)) | lost;
    return from_bits((uint64_t)(scale + 1023) << 52 | top);
}

#endif
