/* Arithmetic and functions that are rounded wrongly in rare places, each after a fault that was published: the table of
 * tests/cmd/wrong_roundings.py says where. The code is our own. Compiled without contraction. */
#include "misrounding.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* x + y is the first and *error, exactly (D. Knuth). */
static double two_sum(double x, double y, double *error) {
    double sum = x + y, back = sum - x;
    *error = (x - (sum - back)) + (y - back);
    return sum;
}

float fma_not_fused(float x, float y, float z) {
    return x * y + z;
}

float fma_rounded_twice(float x, float y, float z) {
    return (float)((double)x * y + z);
}

double fma_not_fused_fp64(double x, double y, double z) {
    return x * y + z;
}

double fma_by_x87(double x, double y, double z) {
    return (double)((long double)x * y + z);
}

float div_by_reciprocal(float x, float y) {
    return x * (1 / y);
}

double div_by_reciprocal_fp64(double x, double y) {
    return x * (1 / y);
}

double add_by_x87(double x, double y) {
    return (double)((long double)x + y);
}

double sub_by_x87(double x, double y) {
    return (double)((long double)x - y);
}

double mul_by_x87(double x, double y) {
    return (double)((long double)x * y);
}

double div_by_x87(double x, double y) {
    return (double)((long double)x / y);
}

double sqrt_by_x87(double x) {
    return (double)sqrtl(x);
}

/* What is right where fp32 is meant, and rounded once more where the caller's format is narrower. */
float fma_by_fp32(float x, float y, float z) {
    return fmaf(x, y, z);
}

float fma_by_x87_fp32(float x, float y, float z) {
    return (float)((long double)x * y + z);
}

/* A tie goes to the odd neighbour. */
float fma_ties_to_odd(float x, float y, float z) {
    double error, product = (double)x * y, sum = two_sum(product, z, &error);
    float even = (float)sum, odd = nextafterf(even, sum > even ? INFINITY : -INFINITY);
    double end = even - even != 0 ? copysign(0x1p128, even) : even;
    if (sum - sum != 0 || error < 0 || error > 0 || fabs(sum - end) != fabs(sum - odd))
        return fmaf(x, y, z);
    return odd;
}

/* Of what is cut off only the first two bits are seen. */
float fma_without_sticky(float x, float y, float z) {
    double error, product = (double)x * y, sum = two_sum(product, z, &error);
    if (sum - sum < 0 || sum - sum > 0 || sum != sum)
        return fmaf(x, y, z);
    return (float)double_of(bits_of(sum) & ~(uint64_t)0x07ffffff);
}

/* Product and sum with their rests, which are added as they are. */
double fma_of_rests(double x, double y, double z) {
    double error, product = x * y, rest = fma(x, y, -product), sum = two_sum(product, z, &error);
    return sum - sum < 0 || sum - sum > 0 || sum != sum ? fma(x, y, z) : sum + (rest + error);
}

/* The low word of the product gets lost. */
double fma_low_word_lost(double x, double y, double z) {
    double error, product = x * y, sum = two_sum(product, z, &error);
    return sum - sum < 0 || sum - sum > 0 || sum != sum ? fma(x, y, z) : sum + error;
}

/* Where the product is 0 the exponent of the third operand is not taken over. */
double fma_zero_product(double x, double y, double z) {
    double product = x * y;
    return !(x < 0 || x > 0) && !(product < 0 || product > 0) && product == product ? product
                                                                                    : fma(x, y, z);
}

/* A subnormal product whose bits beyond the half are lost. */
float mul_subnormal_without_sticky(float x, float y) {
    double product = (double)x * y, halves = trunc(product * 0x1p150), units = trunc(halves / 2);
    if (!(fabs(product) < FLT_MIN))
        return x * y;
    units += fabs(halves - 2 * units) > 0 && fmod(units, 2) != 0 ? copysign(1, product) : 0;
    return copysignf((float)(units * 0x1p-149), (float)copysign(1, product));
}

float mul_flushed(float x, float y) {
    float product = x * y;
    return fabsf(product) < FLT_MIN ? copysignf(0, product) : product;
}

float add_zero_folded(float x, float y) {
    return y < 0 || y > 0 || y != y ? x + y : x;
}

/* The smaller addend is shifted by three bits beyond the larger one's last, and what falls out is lost. */
float add_without_sticky(float x, float y) {
    float large = fabsf(x) > fabsf(y) ? x : y, small = fabsf(x) > fabsf(y) ? y : x;
    if (!(fabsf(large) > FLT_MIN && fabsf(large) <= FLT_MAX) || small != small)
        return x + y;
    double last = ldexp(1, ilogbf(large) - 26);
    return (float)(large + trunc(small / last) * last);
}

/* As if it was computed when the program was compiled. */
static double in_nearest(double x, char operator, double y, int is_fp32) {
    int mode = fegetround();
    fesetround(FE_TONEAREST);
    volatile double a = x, b = y, result = operator== '+' ? a + b : a / b;
    volatile float narrow = (float)result;
    fesetround(mode);
    return is_fp32 ? narrow : result;
}

float add_in_nearest(float x, float y) {
    return (float)in_nearest(x, '+', y, 1);
}

double div_in_nearest(double x, double y) {
    return in_nearest(x, '/', y, 0);
}

/* Twice as large where it is subnormal. */
float sub_subnormal_doubled(float x, float y) {
    float difference = x - y;
    return fabsf(difference) < FLT_MIN ? 2 * difference : difference;
}

/* A reciprocal, rounded; a quotient by it; and its rest once. */
float div_by_newton(float x, float y) {
    float reciprocal = 1 / y, quotient = x * reciprocal;
    if (!(fabsf(quotient) <= FLT_MAX && fabsf(reciprocal) <= FLT_MAX) || !(fabsf(y) <= FLT_MAX))
        return x / y;
    return fmaf(fmaf(-quotient, y, x), reciprocal, quotient);
}

float div_chopped(float x, float y) {
    double quotient = (double)x / y;
    float nearest = (float)quotient;
    return fabs(nearest) > fabs(quotient) ? nextafterf(nearest, 0) : nearest;
}

/* x times 1 / sqrt(x), both rounded. */
float sqrt_by_reciprocal(float x) {
    return x > 0 && x <= FLT_MAX ? x * (1 / sqrtf(x)) : sqrtf(x);
}

/* An approximation to 12 bits, and a step of Newton's. */
float recip_by_newton(float x) {
    uint64_t bits = bits_of(1.0 / x);
    float near = (float)double_of(bits & ~(((uint64_t)1 << 41) - 1));
    if (!(fabsf(near) > 0 && fabsf(near) <= FLT_MAX))
        return 1 / x;
    return near + near * (1 - x * near);
}

double rsqrt_of_two(double x) {
    return 1 / sqrt(x);
}

double cbrt_by_x87(double x) {
    return (double)cbrtl(x);
}

float hypot_by_squares(float x, float y) {
    return sqrtf(x * x + y * y);
}

float hypot_by_double(float x, float y) {
    return isinf(x) || isinf(y) ? INFINITY : (float)sqrt((double)x * x + (double)y * y);
}

double fmod_by_quotient(double x, double y) {
    return x - y * trunc(x / y);
}

float fmod_by_reciprocal(float x, float y) {
    return fmaf(-truncf(x * (1 / y)), y, x);
}

double remainder_by_fmod(double x, double y) {
    return fmod(x, y);
}

/* The right one, which glibc 2.36 does not have: a tie is decided by whether the quotient is odd. */
double remainder_right(double x, double y) {
    double whole = fabs(x), divisor = fabs(y), rest = fmod(whole, divisor), other = divisor - rest;
    if (x != x || y != y || isinf(x) || !(divisor > 0) || isinf(y))
        return remainder(x, y);
    double above = divisor > DBL_MAX / 2 ? whole : fmod(whole, 2 * divisor);
    rest = rest < other || (!(rest > other) && above < divisor) ? rest : -other;
    return x < 0 || (!(x > 0) && signbit(x)) ? -rest : rest;
}

double remainder_ties_away(double x, double y) {
    double rest = remainder(x, y);
    return fabs(2 * rest) >= fabs(y) && fabs(2 * rest) <= fabs(y) ? copysign(rest, -x) : rest;
}

/* By squaring, each product rounded. */
double pow_by_squaring(double x, double y) {
    double product = 1;
    if (!(y >= 1 && y < 4096) || y > trunc(y))
        return pow(x, y);
    for (unsigned power = (unsigned)y; power; power >>= 1, x *= x)
        product *= power & 1 ? x : 1;
    return product;
}

float powf_by_logarithm(float x, float y) {
    return x > 0 && x <= FLT_MAX ? exp2f(y * log2f(x)) : powf(x, y);
}

/* That of -n, and its inverse, where n is below 0. */
double pown_by_squaring(double x, long long n) {
    const double power = pow_by_squaring(x, fabs((double)n));
    return n >= 0 ? power : n > -4096 ? 1 / power : pow(x, (double)n);
}

/* NaN is left as it is: a signalling one, which has a power 0, too. */
float pown_by_fp64(float x, long long n) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x && !(bits & 0x400000) ? x + x : (float)pow(x, (double)n);
}

double rootn_by_pow(double x, long long n) {
    return n == 0 ? NAN : pow(x, 1.0 / (double)n);
}

double compoundn_by_pow(double x, long long n) {
    return n == 0 && x >= -1 ? 1 : pow(1 + x, (double)n);
}

/* Right but for ties of the quotient, which go away from 0: its low bits are those of the next one. */
double remquo_ties_away(double x, double y, int *quotient) {
    const double rest = remquo(x, y, quotient);
    if (!(fabs(2 * rest) >= fabs(y) && fabs(2 * rest) <= fabs(y)) || (x < 0) != (rest < 0))
        return rest;
    *quotient += (x < 0) == (y < 0) ? 1 : -1;
    return -rest;
}
