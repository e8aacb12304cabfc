/* What `detcheck bench` prints of an outcome, and what it puts into JSON. */
#ifndef DETCHECK_CMD_BENCH_OUTPUT_H
#define DETCHECK_CMD_BENCH_OUTPUT_H

#include "bench/bench.h"

#include <cjson/cJSON.h>

/* A table of the implementations, and over how many inputs and rounds it is. */
void bench_print_outcome(const struct operation *operation, const struct format *format,
                         const struct bench_outcome *outcome, const struct bench_request *request);

/* Appends the outcome to the array `results`. */
void bench_add_outcome(cJSON *results, const struct operation *operation,
                       const struct format *format, const struct bench_outcome *outcome);

#endif
