/* What a sweep found of a promise, in words. */
#ifndef DETCHECK_REPORT_PROMISE_H
#define DETCHECK_REPORT_PROMISE_H

#include "sweep/promise/promise.h"
#include "sweep/sweep.h"

#include <stdio.h>

/* What an implementation's result was held against; NULL where that is nothing. */
const struct promise *request_promise(const struct sweep_request *request, size_t implementation,
                                      int result);

/* In words: below an implementation, or below its row of a table, where a line is all. */
void promise_print(FILE *stream, const struct sweep_request *request, size_t implementation,
                   int result, const struct format *format, const struct tally *tally, bool colour);
void promise_print_count(FILE *stream, const struct sweep_request *request, size_t implementation,
                         int result, const struct tally *tally, bool colour);

#endif
