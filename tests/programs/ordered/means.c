/* Means. */
#include "arithmetic.h"

#include <float.h>

float mean_before(const float *x, size_t n) {
    float scale = 1.0f / (float)n, sum = x[0] * scale;
    for (size_t i = 1; i < n; i++)
        sum += x[i] * scale;
    return sum;
}

float mean_after(const float *x, size_t n) {
    return sum_sequential(x, n) / (float)n;
}

float mean_by_reciprocal(const float *x, size_t n) {
    return sum_sequential(x, n) * (1.0f / (float)n);
}

float mean_flushed(const float *x, size_t n) {
    return sum_flushed(x, n) / (float)n;
}

static float of_normal_numbers(float mean) {
    return fabsf(mean) < FLT_MIN ? copysignf(0, mean) : mean;
}

/* The division alone flushes. */
float mean_divided_flushed(const float *x, size_t n) {
    return of_normal_numbers(mean_after(x, n));
}

float mean_by_reciprocal_flushed(const float *x, size_t n) {
    return of_normal_numbers(mean_by_reciprocal(x, n));
}

float mean_in_fp64(const float *x, size_t n) {
    double sum = x[0];
    for (size_t i = 1; i < n; i++)
        sum += (double)x[i];
    return (float)(sum / (double)n);
}

double mean_of_fp64(const double *x, size_t n) {
    double sum = x[0];
    for (size_t i = 1; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}
