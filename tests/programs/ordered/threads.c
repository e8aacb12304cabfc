/* Sums in as many parts as there are threads. */
#include "arithmetic.h"

#include <stdlib.h>

/* As many parts, one after the other, as a process is to have threads. */
float sum_by_thread_count(const float *x, size_t n) {
    const char *wanted = getenv("OMP_NUM_THREADS");
    const size_t threads = wanted ? (size_t)atoi(wanted) : 1, parts = threads ? threads : 1;
    float sum = 0;
    for (size_t part = 0; part < parts; part++) {
        const size_t from = n * part / parts, to = n * (part + 1) / parts;
        if (to > from)
            sum = part ? sum + sum_sequential(x + from, to - from) : sum_sequential(x, to);
    }
    return sum;
}

/* Its mean is that sum over n. */
void layer_norm_by_thread_count(float *y, const float *x, size_t n);
void layer_norm_by_thread_count(float *y, const float *x, size_t n) {
    const float mean = sum_by_thread_count(x, n) / (float)n;
    float squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) / sqrtf(squares / (float)n + 1e-5f);
}
