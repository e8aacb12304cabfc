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

/* Seconds that the processor has worked for this thread: other threads and programs do not count. Where
 * that is not to be had, as above. */
static inline double clock_thread_seconds(void) {
#if defined(CLOCK_THREAD_CPUTIME_ID)
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
        return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
#endif
    return clock_seconds();
}

/* Likewise for all threads of the process together. */
static inline double clock_process_seconds(void) {
#if defined(CLOCK_PROCESS_CPUTIME_ID)
    struct timespec time;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0)
        return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
#endif
    return clock_seconds();
}

#endif
