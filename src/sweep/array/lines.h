/* What calls on lines of text do besides giving a result: errno and exception flags, as those of calls on numbers are judged, and the
 * length that each tells: how many bytes it has read or written. */
#ifndef DETCHECK_SWEEP_ARRAY_LINES_H
#define DETCHECK_SWEEP_ARRAY_LINES_H

#include "sweep/worker.h"

/* A call that an implementation has answered. */
struct line_call {
    struct worker *worker;
    size_t implementation;
    const struct array_call *call; /* with the outputs as the first result */
    const struct line_effects *lines;
    const struct real *y;   /* the exact values of that result */
    uint64_t number, first; /* of the call, and of its first element among those of all calls */
};

/* Counts what is wrong, in the tally of the first result and in that of flags. False without memory. */
bool lines_judge(const struct line_call *judged);

#endif
