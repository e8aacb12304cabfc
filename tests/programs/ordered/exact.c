/* Compensated and exact sums. */
#include "arithmetic.h"

float sum_kahan(const float *x, size_t n) {
    float sum = x[0], lost = 0;
    for (size_t i = 1; i < n; i++) {
        float term = x[i] - lost, next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    return sum;
}

float sum_neumaier(const float *x, size_t n) {
    float sum = x[0], lost = 0;
    for (size_t i = 1; i < n; i++) {
        float next = sum + x[i];
        lost += fabsf(sum) >= fabsf(x[i]) ? (sum - next) + x[i] : (x[i] - next) + sum;
        sum = next;
    }
    return sum + lost;
}

float sum_double_double(const float *x, size_t n) {
    float high = x[0], low = 0;
    for (size_t i = 1; i < n; i++) {
        float sum = high + x[i], part = sum - high, error = (high - (sum - part)) + (x[i] - part);
        error += low;
        high = sum + error;
        low = error - (high - sum);
    }
    return high + low;
}

/* 2^-149 is bit 0 of ten limbs of 32 bits, carried in the end. */
enum { LIMBS = 12 };

static void add_to_limbs(int64_t *limbs, float x) {
    int exponent;
    int64_t significand = (int64_t)ldexpf(frexpf(x, &exponent), 24);
    int shift = exponent - 24 + 149;
    if (shift < 0) {
        significand /= (int64_t)1 << -shift;
        shift = 0;
    }
    wide scaled = (wide)significand * ((wide)1 << shift % 32);
    int negative = scaled < 0;
    if (negative)
        scaled = -scaled;
    for (int i = shift / 32; scaled; i++, scaled >>= 32)
        limbs[i] += (negative ? -1 : 1) * (int64_t)(scaled & 0xffffffff);
}

/* Each limb within 32 bits; what is left over, negative where the number is. */
static int64_t carry_limbs(int64_t *limbs) {
    int64_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        int64_t all = limbs[i] + carry;
        carry = all >> 32;
        limbs[i] = all & 0xffffffff;
    }
    return carry;
}

float sum_exact(const float *x, size_t n) {
    int64_t limbs[LIMBS] = {0};
    int first = LIMBS - 1, below = 0;
    for (size_t i = 0; i < n; i++)
        add_to_limbs(limbs, x[i]);
    int negative = carry_limbs(limbs) < 0;
    for (int i = 0; i < LIMBS && negative; i++)
        limbs[i] = -limbs[i];
    carry_limbs(limbs);
    while (first > 0 && !limbs[first])
        first--;
    for (int i = 0; i < first - 1; i++)
        below |= limbs[i] != 0;
    double next = first > 0 ? ldexp((double)limbs[first - 1], 32 * (first - 1) - 149) : 0;
    double sum = add_odd(ldexp((double)limbs[first], 32 * first - 149), next);
    uint64_t code;
    memcpy(&code, &sum, sizeof code);
    code |= (uint64_t)below;
    memcpy(&sum, &code, sizeof sum);
    return (float)(negative ? -sum : sum);
}

/* A fixed point of 2^-20, each term rounded to it. */
float sum_fixed(const float *x, size_t n) {
    wide sum = 0;
    for (size_t i = 0; i < n; i++) {
        float term = fabsf(x[i]) < 0x1p80f ? x[i] : copysignf(0x1p80f, x[i]);
        sum += (wide)nearbyint(ldexp((double)term, 20));
    }
    return ldexpf((float)sum, -20);
}
