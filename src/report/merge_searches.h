/* What searches for the same found, as one. */
#ifndef DETCHECK_REPORT_MERGE_SEARCHES_H
#define DETCHECK_REPORT_MERGE_SEARCHES_H

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Adds what a search found, and its effort, to another's "inputs". `beside`: of two shards of one
 * search; else the second followed the first. False where they are for different things. */
bool merge_found(cJSON *into, const cJSON *shard, bool beside, struct error *error);

/* Two searches, one after the other: their inputs together, and a text that says so. */
bool merge_searches(cJSON *into, const cJSON *shard, struct error *error);

#endif
