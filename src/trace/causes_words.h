/* What was found of ways of computing, in words. */
#ifndef DETCHECK_TRACE_CAUSES_WORDS_H
#define DETCHECK_TRACE_CAUSES_WORDS_H

#include "trace/alike.h"

enum {
    TRACE_MOST_COVER = 3, /* ways that outputs of one side are shared out to */
    TRACE_LISTED = 3      /* ways of a side that are named where several give it */
};

/* Ways that give all outputs of a side together, each some that those before it do not; of none `count` is 0. */
struct trace_cover {
    size_t count, ways[TRACE_MOST_COVER], others; /* others: that give what the last one does */
    uint64_t outputs[TRACE_MOST_COVER];
};

/* Sets the cause and what is said of it. */
void trace_tell_causes(const struct trace_trial *trial, const struct trace_alike *alike,
                       const struct trace_cover covers[2], struct trace_finding *finding);

#endif
