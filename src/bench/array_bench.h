/* How long operations on arrays and casts take: the library's forms beside plain loops, a copy of the
 * operands, or a BLAS, all of them in one run. One thread. */
#ifndef DETCHECK_BENCH_ARRAY_BENCH_H
#define DETCHECK_BENCH_ARRAY_BENCH_H

#include "bench/bench.h"
#include "bench/work.h"

struct array_bench_request {
    struct work_request work;
    int rounds;
    double seconds;           /* as of bench_request */
    const char *const *names; /* of implementations, "blas" and "blas:PATH" among them; none: all */
    size_t name_count;
};

/* Whether there are rows for that operation. */
bool array_bench_has(const struct operation *operation);

/* An outcome without errors in ulps. Where a BLAS is left out because it is missing, *left_out says
 * so; it is empty otherwise. False with an error when nothing is there to be timed. */
bool array_bench_run(const struct array_bench_request *request, struct bench_outcome *outcome,
                     struct error *left_out, struct error *error);

#endif
