/* Timing in rounds. */
#include "bench/rounds.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_SECONDS 0.0002 /* of one timing */
#define MOST_REPEATS  ((size_t)1 << 24)

static bool time_once(struct timed *timed, int round, struct error *error) {
    double start = clock_thread_seconds();
    for (size_t i = 0; i < timed->repeats; i++)
        if (!timed->call(timed->context, error))
            return false;
    timed->seconds[round] = (clock_thread_seconds() - start) / (double)timed->repeats;
    return true;
}

/* As often as makes a timing long enough; the first calls also warm everything up. */
static bool choose_repeats(struct timed *timed, struct error *error) {
    for (timed->repeats = 1;; timed->repeats *= 2) {
        if (!time_once(timed, 0, error))
            return false;
        if (timed->seconds[0] * (double)timed->repeats >= LEAST_SECONDS ||
            timed->repeats >= MOST_REPEATS)
            return true;
    }
}

bool rounds_run(struct timed *timed, size_t count, int *rounds, double most, struct error *error) {
    double start = clock_thread_seconds();
    for (size_t i = 0; i < count; i++)
        if (!choose_repeats(&timed[i], error))
            return false;
    for (int round = 0; round < *rounds; round++) {
        if (round && clock_thread_seconds() - start > most)
            *rounds = round;
        for (size_t i = 0; round < *rounds && i < count; i++)
            if (!time_once(&timed[i], round, error))
                return false;
    }
    return true;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, int count) {
    double sorted[BENCH_MOST_ROUNDS];
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

double rounds_seconds(const struct timed *timed, int rounds) {
    return median(timed->seconds, rounds);
}

double rounds_speed(const struct timed *reference, const struct timed *timed, int rounds) {
    double ratios[BENCH_MOST_ROUNDS];
    for (int round = 0; round < rounds; round++)
        ratios[round] = reference->seconds[round] / timed->seconds[round];
    return median(ratios, rounds);
}
