/* What both sides give for the calls of arrays of a domain, kept so that it can be held against one way of adding after the
 * other. */
#ifndef DETCHECK_EXPLAIN_SUM_RESULTS_H
#define DETCHECK_EXPLAIN_SUM_RESULTS_H

#include "explain/explain.h"

struct sum_results {
    const struct explain_request *request;
    const struct format *format; /* of the result that is asked about */
    uint64_t calls;
    uint8_t *answered;  /* by call: by both sides */
    size_t *first;      /* and where its results begin, element by element */
    uint64_t *codes[2]; /* of each side */
    size_t count, room;
};

/* Asks both sides for each call. What is counted goes into the outcome. False with an error; close in any case. */
bool sum_results_open(struct sum_results *results, const struct explain_request *request,
                      struct explain_outcome *outcome, struct error *error);
void sum_results_close(struct sum_results *results);

static inline bool sum_results_differ(const struct sum_results *results, size_t at) {
    return !hypothesis_same(results->format, results->codes[0][at], results->codes[1][at]);
}

static inline size_t sum_elements_of(const struct sum_results *results, uint64_t call) {
    const size_t end = call + 1 < results->calls ? results->first[call + 1] : results->count;
    return end - results->first[call];
}

/* Calls `visit` with each call that was answered, its operands drawn. */
typedef bool sum_visitor(void *context, const struct array_call *call, uint64_t number,
                         struct error *error);
bool sum_results_visit(const struct sum_results *results, sum_visitor *visit, void *context,
                       struct error *error);

/* Where the two differ first, and what they are there. Text is empty where they do not. */
void sum_results_first(const struct sum_results *results, char *text, size_t room);

/* How many terms an element of the result has. */
size_t sum_line_length(const struct array_call *call);
/* The codes of the terms of an element, one operand each, in `format` or, where that is NULL, as they are. */
void sum_line_load(const struct array_call *call, const struct format *format, uint64_t element,
                   uint64_t *const codes[2]);

#endif
