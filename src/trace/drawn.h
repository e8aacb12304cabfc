/* Which of the outputs that differ the exact oracle judges, where all would take too long: what that takes is estimated
 * beforehand, so that the same traces have the same figures on every machine. */
#ifndef DETCHECK_TRACE_DRAWN_H
#define DETCHECK_TRACE_DRAWN_H

#include "trace/causes.h"
#include "trace/part.h"

/* As `terms`: as many as it takes. */
#define TRACE_ALL_TERMS UINT64_MAX

struct trace_drawn {
    bool *wanted;   /* one for each output, from malloc; NULL: all that differ */
    uint64_t terms; /* that they are estimated to take */
};

/* Draws as many as take about so many terms of sums: the first that differs, the one that is farthest apart, and others at
 * random, with some of their neighbours where these come cheaper. These two are drawn in any case. False without memory. */
bool trace_draw(const struct trace_call *call, const struct trace_outputs *outputs, uint64_t terms,
                struct trace_drawn *drawn);

static inline bool trace_is_drawn(const struct trace_drawn *drawn,
                                  const struct trace_outputs *outputs, uint64_t output) {
    return drawn->wanted ? drawn->wanted[output] : trace_outputs_differ(outputs, output);
}

#endif
