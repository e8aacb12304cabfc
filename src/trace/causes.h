/* What makes two sides' outputs differ: ways of computing them (trace/ways.h), held against each side. */
#ifndef DETCHECK_TRACE_CAUSES_H
#define DETCHECK_TRACE_CAUSES_H

#include "trace/call.h"
#include "trace/judge.h"

/* The first output of each side, as codes of one format. */
struct trace_outputs {
    const struct format *format;
    void *codes[2];
    uint64_t count, differ;
};

static inline uint64_t trace_output(const struct trace_outputs *outputs, int side, uint64_t at) {
    return code_load(outputs->codes[side], format_bytes(outputs->format), (size_t)at);
}

/* One NaN is as good as another. */
static inline bool trace_same_code(const struct format *format, uint64_t a, uint64_t b) {
    return a == b || (format_is_nan(format, a) && format_is_nan(format, b));
}

static inline bool trace_outputs_differ(const struct trace_outputs *outputs, uint64_t at) {
    return !trace_same_code(outputs->format, trace_output(outputs, 0, at),
                            trace_output(outputs, 1, at));
}

/* Sets the cause and what is said of it. `calls`: the recorded operation as a call of each side, or NULL where it is none. */
void trace_find_causes(const struct trace_question *request, const struct trace_call *calls,
                       const struct trace_outputs *outputs, double until,
                       struct trace_finding *finding);

/* Below: between the files of this folder. */

/* Whether both have the same attributes, as recorded. */
bool trace_same_attributes(const struct trace_operation *a, const struct trace_operation *b);

/* Causes that need no exact result: attributes, repetitions, and outputs that are the other's, changed. `is_enough`:
 * so many of these outputs are different ones that it is no chance. */
bool trace_find_swapped(const struct trace_question *request, const struct trace_call *calls,
                        char *says, size_t room);
bool trace_find_operations(const struct trace_question *request, const struct trace_call *calls,
                           char *says, size_t room);
/* `alike`: both sides ask for the same function of the same operands. */
bool trace_find_attributes(const struct trace_question *request, bool alike, char *says,
                           size_t room);
bool trace_find_repeats(const struct trace_question *request, char *says, size_t room);
bool trace_find_relation(const struct trace_outputs *outputs, bool *is_enough, char *says,
                         size_t room);

#endif
