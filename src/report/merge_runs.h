/* The codes of the first operand of merged ranges, in runs. They are kept beside the document, where one more
 * is found by bisection; of ten thousand ranges each would else be looked at ten thousand times. */
#ifndef DETCHECK_REPORT_MERGE_RUNS_H
#define DETCHECK_REPORT_MERGE_RUNS_H

#include "base/error.h"
#include "format/format.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct merge_run {
    uint64_t first, last;
};

/* In order, none next to another one. All zero: not read yet. */
struct merge_runs {
    struct merge_run *runs;
    size_t count, room;
    bool unwritten; /* the document has fewer */
};

/* Adds the runs of a list of reports ("ranges", one operand's); false with an error where there is such a code
 * already. */
bool merge_runs_add(struct merge_runs *runs, const cJSON *list, struct error *error);

/* Puts them into the "ranges" of inputs, which are of that format, if they are not there. False without memory. */
bool merge_runs_write(struct merge_runs *runs, cJSON *inputs, const struct format *format);

void merge_runs_free(struct merge_runs *runs);

#endif
