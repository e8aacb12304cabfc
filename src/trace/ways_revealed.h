/* Orders of implementations that are at hand, revealed for the shape of a call: ways that are held against what was recorded. */
#ifndef DETCHECK_TRACE_WAYS_REVEALED_H
#define DETCHECK_TRACE_WAYS_REVEALED_H

#include "trace/ways.h"

/* An implementation's order for calls of one shape; or why it is not known. Reveals take seconds, so they are kept. */
struct trace_reveals;

/* Of implementations that outlive it. NULL without memory. */
struct trace_reveals *trace_reveals_open(const struct implementation *implementations, size_t count,
                                         const volatile sig_atomic_t *stop);
void trace_reveals_close(struct trace_reveals *reveals);

/* Adds a way for each implementation whose order for the call is revealed. */
void trace_ways_add_revealed(struct trace_ways *ways, const struct trace_call *call,
                             struct trace_reveals *reveals);

/* The same in words, each implementation's: "py:torch's order of 128 terms was not revealed: ..."; empty where all were. */
void trace_reveals_words(const struct trace_reveals *reveals, const struct trace_call *call,
                         char *text, size_t room);

#endif
