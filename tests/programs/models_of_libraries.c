/* Sums and dot products as libraries have them, each with what `detcheck reveal` once got wrong of the library itself.
 * tests/cmd/reveal_libraries_test.py has the truth of each. */
#include "../order/naive_libraries.h"

#include <math.h>
#include <stddef.h>

/* Subnormal numbers are zeros of their sign, as a processor with FTZ and DAZ has them. */
static float flushed(float x) {
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static float add_flushed(float x, float y) {
    return flushed(flushed(x) + flushed(y));
}

/* PyTorch: 4 lanes from +0, which are there where no whole row is, and the rest onto the first. */
float sum_lanes_from_zero(const float *x, size_t n) {
    float lane[4] = {0};
    size_t whole = n - n % 4;
    for (size_t i = 0; i < whole; i++)
        lane[i % 4] += x[i];
    for (size_t i = whole; i < n; i++)
        lane[0] += x[i];
    return lane[0] + lane[1] + lane[2] + lane[3];
}

/* numpy: a sum of no lanes is +0, too, and the rest comes behind. */
float sum_rest_onto_zero(const float *x, size_t n) {
    float lane[4] = {0};
    size_t whole = n - n % 4;
    for (size_t i = 0; i < whole; i++)
        lane[i % 4] += x[i];
    float sum = (lane[0] + lane[1]) + (lane[2] + lane[3]);
    for (size_t i = whole; i < n; i++)
        sum += x[i];
    return sum;
}

/* numpy.einsum: rounded products in 4 lanes; of fewer than 8 none is added to a sum of others. */
float dot_lanes_rounded(const float *x, const float *y, size_t n) {
    float lane[4] = {0};
    for (size_t i = 0; i < n; i++)
        lane[i % 4] += x[i] * y[i];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

/* XLA: windows of 8, padded at both ends, each from +0, and their sum from +0 as well, which shows only where a window is
 * flushed to -0. */
float sum_windows_flushed(const float *x, size_t n) {
    enum { WINDOW = 8 };
    size_t windows = (n + WINDOW - 1) / WINDOW, low = (windows * WINDOW - n) / 2;
    float sum = 0;
    for (size_t w = 0, i = 0; w < windows; w++) {
        float part = 0;
        for (size_t end = (w + 1) * WINDOW - low; i < n && i < end; i++)
            part = add_flushed(part, x[i]);
        sum = windows > 1 ? add_flushed(sum, part) : part;
    }
    return sum;
}

/* The same of products that are rounded, and flushed as well. */
float dot_flushed(const float *x, const float *y, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = add_flushed(sum, flushed(flushed(x[i]) * flushed(y[i])));
    return sum;
}

/* Those of tests/order, whose orders have names. */
#define SUM_AS(NAME)                                                                               \
    float sum_##NAME(const float *x, size_t n) {                                                   \
        return naive_##NAME(x, n);                                                                 \
    }
#define DOT_AS(NAME)                                                                               \
    float dot_##NAME(const float *x, const float *y, size_t n) {                                   \
        return naive_##NAME(x, y, n);                                                              \
    }
SUM_AS(numpy)
SUM_AS(torch)
SUM_AS(eigen)
SUM_AS(einsum)
DOT_AS(openblas_sdot)
DOT_AS(openblas_sdot_wide)
