/* Doubles in loops: their bits, and codes of narrower formats as doubles. Nothing here branches, so
 * that loops over these become vector code. */
#ifndef DETCHECK_ORACLE_FAST_DOUBLES_H
#define DETCHECK_ORACLE_FAST_DOUBLES_H

#include "base/bits.h"
#include "base/vector.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SIGN_BIT      ((uint64_t)1 << 63)
#define EXPONENT_BITS ((uint64_t)0x7ff << 52)

INLINED double size_of_double(double value) {
    return from_bits(bits_of(value) & ~SIGN_BIT);
}

/* fp64 codes as doubles, times a power of two. */
INLINED void widen_8(const void *got, size_t count, int shift, double *value) {
    double scale = power_of_two(shift);
    memcpy(value, got, count * sizeof *value);
    for (size_t i = 0; i < count && shift; i++)
        value[i] *= scale;
}

/* fp32 codes as doubles. */
INLINED void widen_4(const uint32_t *got, size_t count, double *value) {
    for (size_t i = 0; i < count; i++) {
        float narrow;
        memcpy(&narrow, &got[i], sizeof narrow);
        value[i] = (double)narrow;
    }
}

/* fp16 or bf16 codes as doubles. `precision` is the format's, `least_exponent` its emin, biased as
 * in a double. */
INLINED void widen_2(int precision, int least_exponent, const uint16_t *got, size_t count,
                     double *value) {
    int places = precision - 1;
    uint32_t hidden = (uint32_t)1 << places, infinity = 0x7fffu >> places << places;
    uint64_t rebias = (uint64_t)(least_exponent - 1) << 52;
    double last_place = power_of_two(least_exponent - 1023 - places);
    for (size_t i = 0; i < count; i++) {
        uint32_t magnitude = got[i] & 0x7fffu;
        uint64_t normal = ((uint64_t)magnitude << (52 - places)) + rebias;
        uint64_t subnormal = bits_of((double)(int32_t)magnitude * last_place);
        uint64_t bits = magnitude < hidden ? subnormal : normal;
        bits = magnitude < infinity ? bits : bits | EXPONENT_BITS;
        value[i] = from_bits(bits | (uint64_t)(got[i] >> 15) << 63);
    }
}

#endif
