/* Outputs that tell one cause from another: how many of them are independent. */
#ifndef DETCHECK_TRACE_EVIDENCE_H
#define DETCHECK_TRACE_EVIDENCE_H

#include "trace/causes.h"

/* As many of them as a cause takes. Outputs that come of one sum, such as those of a line of softmax, are evidence once; so
 * are those that repeat what others have: rows that are the same, zeros. */
enum { TRACE_FEWEST = 16 };
struct trace_evidence {
    uint64_t count, marks[TRACE_FEWEST];
};

/* Goes on with the mark of outputs that belong together, which begins as 0, by one of them. */
uint64_t trace_evidence_mark(uint64_t mark, const struct trace_outputs *outputs, uint64_t at);

/* Adds outputs that belong together by their mark, unless there are enough, or others have the same codes on both sides. */
void trace_evidence_add(struct trace_evidence *evidence, uint64_t mark);

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
