/* The bits of a double, for the functions that round wrongly. */
#ifndef MISROUNDING_H
#define MISROUNDING_H

#include <float.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Whether a sum in double is the middle between two normal floats, or would be if it was exact: by the bits that a double has
 * beyond a float. */
enum { BEYOND_FLOAT = DBL_MANT_DIG - FLT_MANT_DIG };
static inline int is_halfway(double sum) {
    const uint64_t beyond = ((uint64_t)1 << BEYOND_FLOAT) - 1;
    return (bits_of(sum) & beyond) == (uint64_t)1 << (BEYOND_FLOAT - 1);
}

#endif
