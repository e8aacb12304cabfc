/* Two traces before a gate: a comparison (trace/compare.h) as a report, each name of operations a case of READ_TRACE. */
#ifndef DETCHECK_GATE_TRACE_H
#define DETCHECK_GATE_TRACE_H

#include "gate/judging.h"

/* Whether a document is one, and reading it; it is taken over. */
bool gate_is_of_trace(const cJSON *document);
bool gate_read_trace(struct read_report *report, const char *path, cJSON *document,
                     struct error *error);

/* What a rule may limit: members of a kind of operations in the document, and the verdicts that they are of. */
enum { TRACE_LIMITS = 7 };
extern const struct trace_limit {
    const char *name, *what, *verdicts[2]; /* the second may be NULL */
    bool is_undecided;                     /* such operations may have parted */
} trace_limits[TRACE_LIMITS];

/* The limits of a rule's "trace", whose names are known, as they stand there. */
const cJSON *gate_trace_limits(struct json_reader *reader, const cJSON *rule);

/* Holds a case of READ_TRACE against those of all policies. */
bool judging_apply_trace(struct judging *judging, size_t at);

#endif
