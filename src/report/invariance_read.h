/* Reading what a report says of an implementation's invariance. */
#ifndef DETCHECK_REPORT_INVARIANCE_READ_H
#define DETCHECK_REPORT_INVARIANCE_READ_H

#include "base/json.h"
#include "report/read.h"

/* Reads "invariance" and "tested" of an implementation; what is wrong with it fails the reader. Unanswered
 * are the inputs of the property that has the most of them. */
void invariance_read(struct json_reader *reader, const cJSON *json,
                     struct read_implementation *one);

void invariance_read_free(struct read_implementation *one);

/* The most inputs whose bits change by one property. */
uint64_t read_most_changed(const struct read_implementation *one);

/* NULL where the report has none of that name. */
const struct property_record *read_property_find(const struct read_implementation *one,
                                                 const char *name);

#endif
