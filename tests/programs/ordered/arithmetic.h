/* Sums, means and dot products whose orders and arithmetic are known: what `detcheck reveal` has to find.
 * tests/cmd/reveal_test.py has the truth of each. Arithmetic that the processor lacks is done here by rounding exact
 * results once, never by detcheck's own code. */
#ifndef ORDERED_ARITHMETIC_H
#define ORDERED_ARITHMETIC_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* A double with `bits` of significand, no exponent below `least` for its last bit: to nearest-even, or toward zero. */
static inline double narrow(double x, int bits, int least, int toward_zero) {
    int exponent;
    if (x == 0 || !isfinite(x))
        return x;
    frexp(x, &exponent);
    int last = exponent - bits < least ? least : exponent - bits;
    double scaled = ldexp(x, -last);
    return ldexp(toward_zero ? trunc(scaled) : nearbyint(scaled), last);
}

static inline float to_fp16(double x) {
    double y = narrow(x, 11, -24, 0);
    return fabs(y) > 65504 ? copysignf(INFINITY, (float)x) : (float)y;
}

static inline float to_bf16(double x) {
    return (float)narrow(x, 8, -133, 0);
}

/* The sum of two floats is exact to within a sticky bit in double: rounded to odd it is safe to round again. */
static inline double add_odd(double x, double y) {
    double sum = x + y, back = sum - x, error = (x - (sum - back)) + (y - back);
    uint64_t code;
    if (error == 0 || !isfinite(sum))
        return sum;
    memcpy(&code, &sum, sizeof code);
    if (!(code & 1))
        code += (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
    memcpy(&sum, &code, sizeof sum);
    return sum;
}

/* To odd, where anything is cut. */
static inline double odd(double scaled) {
    double whole = trunc(scaled);
    return whole != scaled && fmod(whole, 2) == 0 ? whole + copysign(1, scaled) : whole;
}

/* The sum in 24 bits, the rest by what makes integers. */
static inline float add_by(double (*integer)(double), float x, float y) {
    int exponent;
    double sum = add_odd(x, y);
    if (sum == 0 || !isfinite(sum))
        return (float)sum;
    frexp(sum, &exponent);
    int last = exponent - 24 < -149 ? -149 : exponent - 24;
    return (float)ldexp(integer(ldexp(sum, -last)), last);
}

static inline float add_toward_zero(float x, float y) {
    return (float)narrow(add_odd(x, y), 24, -149, 1);
}

static inline float flush(float x) {
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

/* Whether an array that begins with it is one of the one in four that are summed in another way. */
static inline int is_chosen(float x) {
    uint32_t code;
    memcpy(&code, &x, sizeof code);
    return (code >> 2 & 3) == 3;
}

/* Sums that others are made of. */
float sum_sequential(const float *x, size_t n);
float sum_reverse(const float *x, size_t n);
float sum_fp64(const float *x, size_t n);
float sum_flushed(const float *x, size_t n);
float sum_lanes_4(const float *x, size_t n);
float sum_nodes_8_25(const float *x, size_t n);

#endif
