/* Outputs that tell one cause from another. */
#ifndef DETCHECK_TRACE_EVIDENCE_H
#define DETCHECK_TRACE_EVIDENCE_H

#include "trace/causes.h"

/* As many of them as a cause takes. Those that repeat what others have tell nothing new: rows that are the same, zeros. */
enum { TRACE_FEWEST = 16 };
struct trace_evidence {
    uint64_t count, codes[TRACE_FEWEST][2]; /* of each: here, there */
};

/* Adds an output, unless there are enough, or both sides' codes are those of one before. */
void trace_evidence_add(struct trace_evidence *evidence, const struct trace_outputs *outputs,
                        uint64_t at);

static inline bool trace_is_enough(const struct trace_evidence *evidence) {
    return evidence->count == TRACE_FEWEST;
}

/* The results of the first of several ways, and where another one has others. */
struct trace_apart {
    const struct format *format;
    void *first;
    bool *differ; /* of each result */
    size_t count;
    bool has_first;
};

/* False without memory; trace_apart_close in any case. */
bool trace_apart_open(struct trace_apart *apart, const struct format *format, size_t count);
void trace_apart_close(struct trace_apart *apart);
void trace_apart_note(struct trace_apart *apart, const void *results);

#endif
