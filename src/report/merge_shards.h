/* Merging shards (sweep/shard.h): a whole sweep's report from all of them, fingerprints and all. */
#ifndef DETCHECK_REPORT_MERGE_SHARDS_H
#define DETCHECK_REPORT_MERGE_SHARDS_H

#include "report/merge_inputs.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Adds the numbers and counts of shards to those of others. An error where both have one, or where
 * they are not of the same sweep. */
bool merge_shard_inputs(struct merge_inputs *inputs, const struct inputs_facts *theirs,
                        struct error *error);

/* An error where another build of an implementation has computed. */
bool merge_same_build(const cJSON *into, const cJSON *shard, struct error *error);

/* Of a result that has all shards: makes it the whole sweep's. Where some are missing, `partial`
 * says that this is meant; else it is an error that names them. Results that are no shards stay. */
bool merge_finish_shards(cJSON *result, struct merge_inputs *inputs, bool partial,
                         struct error *error);

#endif
