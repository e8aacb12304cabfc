/* A run as a JSON document, detcheck-report(7).
 *
 * Everything outside "run" depends on the inputs, the implementations and the platform alone. */
#ifndef DETCHECK_REPORT_REPORT_H
#define DETCHECK_REPORT_REPORT_H

#include "base/error.h"
#include "platform/platform.h"
#include "sweep/sweep.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#define REPORT_SCHEMA "detcheck/report/1"

struct report {
    cJSON *document, *results; /* results belongs to document */
    bool complete;
    uint64_t inputs;
    double seconds;
    int threads;
};

/* Starts an empty document. Allocation failures anywhere surface in report_write. */
void report_begin(struct report *report, const struct platform *platform, int threads);

/* Appends an entry for result `result` of the operation, with what was asked and the inputs, of which
 * so many were reached. */
cJSON *report_begin_result(struct report *report, const struct sweep_request *request, int result,
                           uint64_t covered);

/* Adds the member "inputs" to a result: what was asked, of which so many inputs were reached. */
void report_add_inputs(cJSON *object, const struct sweep_request *request, uint64_t covered);

/* Appends an entry for each result of the operation. */
void report_add(struct report *report, const struct sweep_request *request,
                const struct sweep_outcome *outcome);

/* Marks the run as not having reached its end. */
void report_mark_incomplete(struct report *report);

/* Fills in "run", writes the document with a final newline and lets go of it. Whether it arrived is
 * for output_commit to say. */
bool report_write(struct report *report, FILE *stream, struct error *error);
void report_free(struct report *report);

/* Adds a member for each parameter that has a value, in the order of the table. */
void report_add_parameters(cJSON *object, const struct parameters *parameters);

#endif
