/* The parts of merging: inputs, implementations, differences; all of them change `into`. */
#ifndef DETCHECK_REPORT_MERGE_PARTS_H
#define DETCHECK_REPORT_MERGE_PARTS_H

#include "base/json.h"
#include "record/record.h"
#include "report/merge_runs.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Adds how many inputs there are. */
static inline void merge_add_count(cJSON *inputs, const cJSON *more) {
    record_put(inputs, "count",
               cJSON_CreateNumber(json_number(inputs, "count") + json_number(more, "count")));
}

/* Adds the ranges and counts of a shard's "inputs" to another's, whose runs are `runs`: they are the caller's to
 * write. False with an error where they overlap, or are no ranges. */
bool merge_inputs(cJSON *into, const cJSON *shard, struct merge_runs *runs, const char *format,
                  struct error *error);

/* Adds what a search found, and its effort, to another's "inputs". `beside`: of two shards of one search; else the
 * second followed the first. False where they are for different things. */
bool merge_found(cJSON *into, const cJSON *shard, bool beside, struct error *error);

/* Adds what an implementation did in a shard; the rounding decides how errors rank. Of an operation on
 * arrays `shapes` is the order of the shapes (report/items.h), here and below. */
bool merge_implementation(cJSON *into, const cJSON *shard, const char *rounding,
                          const cJSON *shapes, struct error *error);

/* Adds how the oracle decided in a shard; of invariance there is none. */
bool merge_oracle(cJSON *into, const cJSON *shard, struct error *error);

/* Adds the differences of a shard, pair by pair. */
bool merge_differences(cJSON *into, const cJSON *shard, const cJSON *shapes, struct error *error);

#endif
