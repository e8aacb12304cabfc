/* Medians, for the benchmarks beside this file. */
#ifndef DETCHECK_TESTS_BENCH_MEDIAN_H
#define DETCHECK_TESTS_BENCH_MEDIAN_H

#include <stdlib.h>

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values. */
static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, ascending);
    return values[count / 2];
}

#endif
