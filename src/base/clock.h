/* Time that has passed. */
#ifndef DETCHECK_BASE_CLOCK_H
#define DETCHECK_BASE_CLOCK_H

#include <time.h>

/* Seconds since some moment, on a clock that nobody sets. */
static inline double clock_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
