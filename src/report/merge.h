/* Merging reports of one platform: runs of other operations, formats or implementations side by
 * side, and parts of a sweep into one: shards (sweep/shard.h), of which the whole's report is made,
 * fingerprint included, or sweeps of ranges that do not overlap.
 *
 * The tally of parts is that of a sweep of all their inputs, number for number. The fingerprint of
 * ranges cannot be had from those of the parts, and is null. */
#ifndef DETCHECK_REPORT_MERGE_H
#define DETCHECK_REPORT_MERGE_H

#include "report/merge_index.h"
#include "report/read.h"

/* A merged document in the making. One report after the other is added and can be freed then, so
 * that any number of shards takes the memory of two. */
struct merge {
    cJSON *document, *results;
    struct merge_index index; /* of the results */
    char *first;              /* the path of the first report */
    double seconds, inputs;
    uint64_t threads;
};

/* Adds a report, which must be whole (report_require_part), and takes the digests of shards out of it. An error says which entry does not go
 * with those before. *adds is false where the reports before have all of it. */
bool merge_report(struct merge *merge, const struct read_report *report, bool *adds,
                  struct error *error);

/* The document, the caller's to delete. NULL with an error where shards are missing, unless
 * `partial` says that this is meant. */
cJSON *merge_finish(struct merge *merge, bool partial, struct error *error);

/* Safe on a zeroed one. */
void merge_free(struct merge *merge);

#endif
