/* How the inputs of a search were found, as JSON and in words. */
#ifndef DETCHECK_REPORT_SEARCH_H
#define DETCHECK_REPORT_SEARCH_H

#include "sweep/search/search.h"

#include "base/json.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* Adds the member "search" to the inputs of a result. */
void report_add_search(cJSON *inputs, const struct sweep_request *request,
                       const struct search_record *record);

/* "search" of a result's inputs, checked, to be freed: names are the document's. NULL where the memory is
 * short, or with what is wrong in the reader. */
struct search_record *report_read_search(struct json_reader *reader, const cJSON *inputs);

/* What was sought and is no error of an implementation: differences, and distances from a boundary. And errors
 * of answers that did not come again when the finds were judged, which the outcome is of. */
void search_print(FILE *stream, const struct sweep_request *request,
                  const struct search_record *record, const struct sweep_outcome *outcome);

/* Which shard of a search it is. */
void report_add_search_shard(cJSON *inputs, const struct search_record *record);

#endif
