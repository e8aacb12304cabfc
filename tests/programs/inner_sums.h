/* Sums of at most MOST terms, whose orders and arithmetic are known. */
#ifndef INNER_SUMS_H
#define INNER_SUMS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MOST = 4096 };

typedef float sum_function(const float *x, size_t n);

static inline float from_left(const float *x, size_t n) {
    float sum = x[0];
    for (size_t i = 1; i < n; i++)
        sum += x[i];
    return sum;
}

static inline float from_right(const float *x, size_t n) {
    float sum = x[n - 1];
    for (size_t i = n - 1; i-- > 0;)
        sum += x[i];
    return sum;
}

static inline float in_lanes(const float *x, size_t n) {
    float lanes[8];
    size_t whole = n - n % 8;
    if (n < 8)
        return from_left(x, n);
    memcpy(lanes, x, sizeof lanes);
    for (size_t i = 8; i < whole; i++)
        lanes[i % 8] += x[i];
    for (size_t half = 4; half; half /= 2)
        for (size_t l = 0; l < half; l++)
            lanes[l] += lanes[l + half];
    for (size_t i = whole; i < n; i++)
        lanes[0] += x[i];
    return lanes[0];
}

static inline float in_halves(const float *x, size_t n) {
    return n == 1 ? x[0] : in_halves(x, n / 2) + in_halves(x + n / 2, n - n / 2);
}

static inline float in_blocks_of(const float *x, size_t n, size_t size) {
    float sum = from_left(x, n < size ? n : size);
    for (size_t at = size; at < n; at += size)
        sum += from_left(x + at, n - at < size ? n - at : size);
    return sum;
}
static inline float in_blocks(const float *x, size_t n) {
    return in_blocks_of(x, n, 16);
}
static inline float in_blocks_of_32(const float *x, size_t n) {
    return in_blocks_of(x, n, 32);
}
static inline float in_blocks_of_64(const float *x, size_t n) {
    return in_blocks_of(x, n, 64);
}
static inline float in_blocks_of_256(const float *x, size_t n) {
    return in_blocks_of(x, n, 256);
}

/* Two of what is left are added, drawn by a generator that starts from n. */
static inline float at_random(const float *x, size_t n) {
    float left[MOST];
    uint64_t state = n;
    memcpy(left, x, n * sizeof *left);
    for (size_t count = n; count > 1; count--) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t a = (size_t)(state >> 33) % count, b = (size_t)(state >> 13 & 0xfffff) % (count - 1);
        b += b >= a;
        left[a] = left[a] + left[b];
        left[b] = left[count - 1];
    }
    return left[0];
}

static inline float by_kahan(const float *x, size_t n) {
    float sum = x[0], lost = 0;
    for (size_t i = 1; i < n; i++) {
        float term = x[i] - lost, next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    return sum;
}

static inline float in_fp64(const float *x, size_t n) {
    double sum = x[0];
    for (size_t i = 1; i < n; i++)
        sum += (double)x[i];
    return (float)sum;
}

/* The sum of two numbers of at most 24 bits is exact in double where they are not far apart; where they are, it is near no
 * tie of bf16. */
static inline float to_bf16(double x) {
    int exponent;
    frexp(x, &exponent);
    return (float)ldexp(nearbyint(ldexp(x, 8 - exponent)), exponent - 8);
}

static inline float in_bf16(const float *x, size_t n) {
    float sum = to_bf16((double)x[0]);
    for (size_t i = 1; i < n; i++)
        sum = to_bf16((double)sum + (double)x[i]);
    return sum;
}

/* From the left, but one in eight sums is off by its last bit. */
static inline float odd(const float *x, size_t n) {
    float sum = from_left(x, n);
    uint32_t code, first;
    memcpy(&code, &sum, sizeof code);
    memcpy(&first, &x[n / 3], sizeof first);
    code ^= first % 8 == 5;
    memcpy(&sum, &code, sizeof sum);
    return sum;
}

#endif
