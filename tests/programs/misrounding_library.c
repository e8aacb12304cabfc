/* Operations that are rounded wrongly in rare places, each after a fault that was published: the table of
 * tests/cmd/wrong_roundings.py says where. The code is our own. Compiled without contraction. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* One step towards the error of a sum. */
static double pushed(double sum, double error) {
    return double_of(bits_of(sum) + ((error > 0) == (sum > 0) ? 1 : UINT64_MAX));
}

/* x + y is the first and *error, exactly (D. Knuth). */
static double two_sum(double x, double y, double *error) {
    double sum = x + y, back = sum - x;
    *error = (x - (sum - back)) + (y - back);
    return sum;
}

/* A sum in double that is a middle between two floats, or would be if it was exact. */
static int is_halfway(double sum) {
    return (bits_of(sum) & 0x1fffffff) == 0x10000000;
}

float fma_not_fused(float x, float y, float z) {
    return x * y + z;
}

float fma_rounded_twice(float x, float y, float z) {
    return (float)((double)x * y + z);
}

/* The middles between floats are mended, but only those between normal ones. */
float fma_subnormal_twice(float x, float y, float z) {
    double error, product = (double)x * y, sum = two_sum(product, z, &error);
    if (is_halfway(sum) && (error < 0 || error > 0))
        sum = pushed(sum, error);
    return (float)sum;
}

/* A sum counts as exact where taking away the product gives the addend, which says nothing where that is larger. */
float fma_exact_by_one_side(float x, float y, float z) {
    double error, product = (double)x * y, sum = two_sum(product, z, &error);
    if (is_halfway(sum) && !(sum - product <= z && sum - product >= z) && (error < 0 || error > 0))
        sum = pushed(sum, error);
    return (float)sum;
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
