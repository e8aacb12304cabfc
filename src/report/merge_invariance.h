/* Merging what reports say of an implementation's invariance (detcheck-invariance(1)). */
#ifndef DETCHECK_REPORT_MERGE_INVARIANCE_H
#define DETCHECK_REPORT_MERGE_INVARIANCE_H

#include "base/error.h"

#include "report/inputs_record.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Adds what the same properties came to in another shard; `shapes` as in report/merge_parts.h. */
bool merge_invariance(cJSON *into, const cJSON *shard, const struct shape_list *shapes,
                      struct error *error);

/* Of the same inputs: adds the properties that `into` does not have, and sets *adds if there are
 * any. Those that both have must have the same figures. */
bool unite_invariance(cJSON *into, const cJSON *more, bool *adds, struct error *error);

#endif
