/* Ranges that lie beside each other, described as a sweep of both would be; or searches. */
#include "report/merge_parts.h"

#include "base/json_tree.h"
#include "format/format.h"
#include "report/document_wire.h"
#include "report/items.h"
#include "report/read.h"
#include "report/text.h"
#include "sweep/search/record.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_run(const cJSON *run) {
    uint64_t first, last;
    int digits = 0;
    return cJSON_GetArraySize(run) == 2 && record_code_of(run->child, &first, &digits) &&
           record_code_of(run->child->next, &last, &digits) && first <= last;
}

/* Whether each operand has runs of codes from a first to a last. */
static bool are_ranges(const cJSON *ranges) {
    const cJSON *runs, *run;
    cJSON_ArrayForEach(runs, ranges) {
        bool good = cJSON_GetArraySize(runs) > 0;
        cJSON_ArrayForEach(run, runs) good = good && is_run(run);
        if (!good)
            return false;
    }
    return true;
}

/* "A:B", or "A:B and C:D", as they stand on a command line that gives them as bits; one range where
 * all operands have it. False where an operand has several runs. */
static bool ranges_text(const cJSON *ranges, char *text, size_t room) {
    const cJSON *runs, *first = cJSON_GetArrayItem(ranges, 0);
    bool equal = true;
    size_t at = 0;
    *text = '\0';
    cJSON_ArrayForEach(runs, ranges) equal = equal && cJSON_Compare(runs, first, true);
    cJSON_ArrayForEach(runs, ranges) {
        const cJSON *run = cJSON_GetArrayItem(runs, 0);
        const cJSON *low = cJSON_GetArrayItem(run, 0), *high = cJSON_GetArrayItem(run, 1);
        if (cJSON_GetArraySize(runs) != 1 || !cJSON_IsString(low) || !cJSON_IsString(high))
            return false;
        at += (size_t)snprintf(text + at, room - at, "%s%.20s:%.20s", at ? " and " : "",
                               low->valuestring, high->valuestring);
        if (equal)
            return true;
    }
    return true;
}

/* As a sweep of the same inputs would call them, where they are all there are or one range of each
 * operand. */
static void describe(cJSON *into, const struct format *format, const struct merge_runs *first) {
    static const char *const nouns[] = {"inputs", "pairs", "triples"};
    const cJSON *ranges = json_get(into, "ranges"), *runs = cJSON_GetArrayItem(ranges, 0);
    int operands = cJSON_GetArraySize(ranges);
    bool whole = first->count == 1 && first->runs[0].first == 0 &&
                 first->runs[0].last == format_mask(format);
    for (int i = 1; i < operands; i++)
        whole = whole && cJSON_Compare(cJSON_GetArrayItem(ranges, i), runs, true);
    char text[256], number_text[32], from[160];
    text_grouped((uint64_t)json_number(into, "count"), number_text);
    const char *noun = nouns[operands - 1];
    if (whole)
        snprintf(text, sizeof text, "all %s %s", number_text, noun);
    else if (first->count == 1 && ranges_text(ranges, from, sizeof from))
        snprintf(text, sizeof text, "%s %s from %s", number_text, noun, from);
    else
        snprintf(text, sizeof text, "%s %s in ranges", number_text, noun);
    record_put(into, "kind", cJSON_CreateString(whole ? "all" : "range"));
    record_put(into, "description", cJSON_CreateString(text));
}

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

/* Two searches, one after the other: their inputs together, and a text that says so. */
static bool merge_searches(cJSON *into, const cJSON *shard, struct error *error) {
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

bool merge_inputs(cJSON *into, const cJSON *shard, struct merge_runs *runs, const char *format_name,
                  struct error *error) {
    cJSON *mine = json_get(into, "ranges");
    const cJSON *other = json_get(shard, "ranges");
    int operands = cJSON_GetArraySize(mine);
    if (json_get(into, "identity") && json_get(shard, "identity") &&
        strcmp(report_string(into, "description"), report_string(shard, "description")) == 0)
        return error_set(error, "both have %.100s, and not the same ones: %.60s and %.60s",
                         report_string(into, "description"), report_string(into, "identity"),
                         report_string(shard, "identity"));
    if (json_get(into, "search") && json_get(shard, "search"))
        return merge_searches(into, shard, error);
    if (!cJSON_IsArray(mine) || !cJSON_IsArray(other) || !operands || operands > 3 ||
        operands != cJSON_GetArraySize(other))
        return error_set(error, "only sweeps of ranges, and searches, are shards, not sweeps of "
                                "samples, special inputs or files");
    if ((!runs->count && !are_ranges(mine)) || !are_ranges(other))
        return error_set(error, "inputs.ranges should have runs of codes for each operand, as "
                                "[\"0x00\", \"0x7f\"]");
    for (int i = 1; i < operands; i++)
        if (!cJSON_Compare(cJSON_GetArrayItem(mine, i), cJSON_GetArrayItem(other, i), true))
            return error_set(error, "shards may differ in the range of the first operand only");
    const struct format *format = format_find(format_name, error);
    if (!format || (!runs->count && !merge_runs_add(runs, cJSON_GetArrayItem(mine, 0), error)) ||
        !merge_runs_add(runs, cJSON_GetArrayItem(other, 0), error))
        return false;
    if (runs->count == 1 && !merge_runs_write(runs, into, format))
        return error_set(error, "out of memory");
    merge_add_count(into, shard);
    describe(into, format, runs);
    return true;
}
