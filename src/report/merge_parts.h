/* The parts of merging: implementations, differences; all of them change `into`. */
#ifndef DETCHECK_REPORT_MERGE_PARTS_H
#define DETCHECK_REPORT_MERGE_PARTS_H

#include "base/json.h"
#include "record/record.h"
#include "report/inputs_record.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Adds what an implementation did in a shard; the rounding decides how errors rank. Of an operation on
 * arrays `shapes` is the order of the shapes, here and below. */
bool merge_implementation(cJSON *into, const cJSON *shard, const char *rounding,
                          const struct shape_list *shapes, struct error *error);

/* Adds how the oracle decided in a shard; of invariance there is none. */
bool merge_oracle(cJSON *into, const cJSON *shard, struct error *error);

/* Adds the differences of a shard, pair by pair. */
bool merge_differences(cJSON *into, const cJSON *shard, const struct shape_list *shapes,
                       struct error *error);

#endif
