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
    bool is_result; /* it says something of an operation itself, and not of what came before it */
    const char *apart_from; /* a member that is counted in it and is none of it; or NULL */
} trace_limits[TRACE_LIMITS];
enum { TRACE_LIMIT_PARTED = 0, TRACE_LIMIT_LARGEST = TRACE_LIMITS - 1 }; /* rows */

/* What a kind of operations has of a row; 0 where there is no kind. */
double gate_trace_found(const cJSON *kind, int row);

/* The command that shows both sides of the comparison that a case is of; to be freed. NULL without memory. */
char *gate_trace_command(const struct gate_case *gate_case);

/* The line of the program, of that operation, unless the case has one already. */
void gate_trace_name_source(struct gate_case *gate_case, int row);

/* The limits of a rule's "trace", whose names are known, as they stand there. */
const cJSON *gate_trace_limits(struct json_reader *reader, const cJSON *rule);

/* Holds a case of READ_TRACE against those of all policies. */
bool judging_apply_trace(struct judging *judging, size_t at);

/* Whether all reports are comparisons of traces where the baseline is one, and none is elsewhere. */
bool gate_baseline_is_alike(const struct read_report *reports, size_t count,
                            const struct read_report *baseline, struct error *error);

/* Holds all cases, which are of traces, against a comparison of before: no kind of operations may part more often, or farther,
 * or be left undecided more often. */
bool judging_compare_traces(struct judging *judging, const struct read_report *baseline);

#endif
