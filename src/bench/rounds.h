/* Timing calls beside each other: in rounds, each call in every round, so that what else the machine
 * does falls on all of them. */
#ifndef DETCHECK_BENCH_ROUNDS_H
#define DETCHECK_BENCH_ROUNDS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { BENCH_MOST_ROUNDS = 101 };

struct timed {
    bool (*call)(void *context, struct error *error);
    void *context;
    size_t repeats;                    /* in one timing, as many as make it long enough */
    double seconds[BENCH_MOST_ROUNDS]; /* of one call, by round */
};

/* Warms each up, and times it so many rounds, or as many as begin before the processor has worked `most` seconds,
 * one at least; that number is in *rounds then. False with the error of a call. */
bool rounds_run(struct timed *timed, size_t count, int *rounds, double most, struct error *error);

double rounds_seconds(const struct timed *timed, int rounds); /* the median */
/* The median of the reference's time over that of this one in the same round. */
double rounds_speed(const struct timed *reference, const struct timed *timed, int rounds);

#endif
