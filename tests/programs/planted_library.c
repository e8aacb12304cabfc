/* A library whose sqrt is worst at one input, PLANTED: 40 ulps off, and fewer the farther from it, by
 * a hill of 2^-6 of the binade. Elsewhere it is right. */
#include <stdint.h>
#include <string.h>

#define PLANTED UINT64_C(0x3ffb504f333f9de6)

double sqrt(double x) {
    uint64_t code, result;
    double y = __builtin_sqrt(x);
    memcpy(&code, &x, sizeof code);
    memcpy(&result, &y, sizeof result);
    uint64_t apart = code > PLANTED ? code - PLANTED : PLANTED - code;
    if (apart < (uint64_t)1 << 46)
        result += 40 - (40 * (apart >> 14) >> 32);
    memcpy(&y, &result, sizeof y);
    return y;
}
