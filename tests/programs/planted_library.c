/* A library whose sqrt is worst at one input, PLANTED: 40 ulps off, and fewer the farther from it, by
 * a hill of 2^-6 of the binade. Elsewhere it is right. Its sin, exp and powf are the platform's, but 4
 * ulps off where the (second) operand lies in [WRONG_FROM, WRONG_TO), numbers of the environment. Its
 * pown squares repeatedly. Its log1p flushes subnormal results, and is 128 ulps off near -0.41; or its
 * error rises from -0.34 to -0.4142 as jax's does. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
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

static double from, to;

__attribute__((constructor)) static void read_environment(void) {
    const char *first = getenv("WRONG_FROM"), *end = getenv("WRONG_TO");
    from = first ? strtod(first, NULL) : 0;
    to = end ? strtod(end, NULL) : 0;
}

static double off_fp64(double x, double y) {
    uint64_t code;
    memcpy(&code, &y, sizeof code);
    code += x >= from && x < to ? 4 : 0;
    memcpy(&y, &code, sizeof y);
    return y;
}

double sin_with_fault(double x) {
    return off_fp64(x, sin(x));
}

double exp_with_fault(double x) {
    return off_fp64(x, exp(x));
}

/* 1024 ulps off, more than the platform's, left of -3 where the magnitude of the result lies there. */
double lgamma_with_fault(double x) {
    double y = lgamma(x);
    return x < -3 && fabs(y) >= from && fabs(y) < to ? y * (1 + 0x1p-42) : y;
}

float powf_with_fault(float x, float y) {
    float z = powf(x, y);
    uint32_t code;
    memcpy(&code, &z, sizeof code);
    code += y >= from && y < to ? 4 : 0;
    memcpy(&z, &code, sizeof z);
    return z;
}

double pown(double x, long long n) {
    unsigned long long left = n < 0 ? 0 - (unsigned long long)n : (unsigned long long)n;
    double y = 1;
    for (; left; left >>= 1, x *= x)
        if (left & 1)
            y *= x;
    return n < 0 ? 1 / y : y;
}

double log1p_with_fault(double x) {
    uint64_t code;
    double y = log1p(x);
    if (fabs(y) < 0x1p-1022)
        return 0;
    memcpy(&code, &y, sizeof code);
    code += x > -0.42 && x < -0.4 ? 128 : 0;
    memcpy(&y, &code, sizeof y);
    return y;
}

/* jax 0.10.2: up to 77 ulps at -0.4063, and 128 before 1 - sqrt(2), where its polynomial ends. */
double log1p_with_hill(double x) {
    uint64_t code;
    double y = log1p(x), share = (x + 0.34) / -0.0742;
    if (fabs(y) < 0x1p-1022)
        return 0;
    memcpy(&code, &y, sizeof code);
    code -= x > -0.4142 && x < -0.34 ? (uint64_t)(128 * share * share * share * share) : 0;
    memcpy(&y, &code, sizeof y);
    return y;
}
