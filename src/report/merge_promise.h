/* Merging what shards found of a promise. */
#ifndef DETCHECK_REPORT_MERGE_PROMISE_H
#define DETCHECK_REPORT_MERGE_PROMISE_H

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Adds "promise" of the same implementation in another shard. An error where the two were held against
 * different promises, or one of them against none. */
bool merge_promise(cJSON *into, const cJSON *shard, struct error *error);

#endif
