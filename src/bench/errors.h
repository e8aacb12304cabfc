/* The largest errors that stand beside the times of functions of numbers: a sweep over inputs that lie
 * all over the format, of which there are fewer where they take too long. */
#ifndef DETCHECK_BENCH_ERRORS_H
#define DETCHECK_BENCH_ERRORS_H

#include "bench/bench.h"
#include "sweep/sweep.h"

struct bench_errors {
    struct {
        double largest;        /* in ulps */
        uint64_t inputs;       /* that were judged for it; 0: not even a few are in that time */
    } of[MAX_IMPLEMENTATIONS]; /* of each implementation that provides the operation */
    uint64_t too_many; /* inputs, of which there are fewer for that reason; 0: there are not */
};

bool bench_errors_find(const struct bench_request *request, struct bench_errors *errors,
                       struct error *error);

#endif
