/* What shards were held against. */
#ifndef DETCHECK_REPORT_MERGE_PROMISE_H
#define DETCHECK_REPORT_MERGE_PROMISE_H

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* An error where the same implementation was held against different promises in two shards, or in one of them
 * against none. */
bool merge_same_promise(const cJSON *into, const cJSON *shard, struct error *error);

#endif
