/* Their worst inputs, how the worst grew, and their efforts. */
#include "report/merge_searches.h"

#include "report/document_wire.h"
#include "report/merge_parts.h"
#include "report/read.h"
#include "report/text.h"
#include "sweep/search/record.h"

#include <stdio.h>
#include <stdlib.h>

/* Reads what both found, and puts what they found together in the place of the first. */
static bool merge_records(cJSON *into, const cJSON *shard, bool beside, struct search_record *mine,
                          struct search_record *theirs, struct error *error) {
    struct document_wire wire;
    struct json_reader reader = {.file = "search", .error = error};
    document_wire_open(&wire, NULL);
    record_read(&reader, into, &search_record, mine, NULL, &wire.wire);
    record_read(&reader, shard, &search_record, theirs, NULL, &wire.wire);
    if (reader.failed)
        return false;
    if (!search_same_purpose(mine, theirs))
        return error_set(error, "the searches are for different things");
    if (!search_same_names(mine, theirs))
        return error_set(error, "the searches are for different implementations");
    search_merge(mine, theirs, beside);
    record_write(into, &search_record, mine, NULL, &wire.wire);
    return true;
}

bool merge_found(cJSON *into, const cJSON *shard, bool beside, struct error *error) {
    struct search_record *both = calloc(2, sizeof *both);
    bool good = both ? merge_records(json_get(into, "search"), json_get(shard, "search"), beside,
                                     &both[0], &both[1], error)
                     : error_set(error, "out of memory");
    if (good)
        merge_add_count(into, shard);
    free(both);
    return good;
}

bool merge_searches(cJSON *into, const cJSON *shard, struct error *error) {
    const cJSON *mine = json_get(into, "search");
    if (!merge_found(into, shard, false, error))
        return false;
    cJSON_DeleteItemFromObjectCaseSensitive(into, "seed");
    char text[256], count[32], tried[32];
    snprintf(text, sizeof text, "%s inputs found by searches for %s among %s",
             text_grouped((uint64_t)json_number(into, "count"), count), report_string(mine, "for"),
             text_grouped((uint64_t)json_number(mine, "evaluations"), tried));
    record_put(into, "description", cJSON_CreateString(text));
    return true;
}
