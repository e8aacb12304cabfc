/* Merging reports of one platform: runs of other operations, formats or implementations side by
 * side, and shards, which are sweeps of ranges that do not overlap, into one.
 *
 * The tally of shards is that of a sweep of all their inputs, number for number; only the
 * fingerprint cannot be had from those of the parts, and is null. */
#ifndef DETCHECK_REPORT_MERGE_H
#define DETCHECK_REPORT_MERGE_H

#include "report/read.h"

/* The merged document, the caller's to delete; NULL with an error that says which two entries do
 * not go together. The reports must be whole (report_require_whole). `idle` is set to the first
 * report that the ones before hold already, whole, or to NULL. */
cJSON *report_merge(const struct read_report *reports, size_t count,
                    const struct read_report **idle, struct error *error);

#endif
