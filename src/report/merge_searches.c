/* Their worst inputs, how the worst grew, and their efforts. */
#include "report/merge_searches.h"

#include "base/json_tree.h"
#include "report/items.h"
#include "report/merge_rows.h"
#include "report/read.h"
#include "report/text.h"
#include "sweep/search/search.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* Of the rows of searches: the member that was sought, the worst of which comes first. */
static int compare_found(const void *value, const cJSON *a, const cJSON *b) {
    double x = merge_number(a, value), y = merge_number(b, value);
    if (x < y || x > y)
        return (x > y) == (strcmp(value, "distance") != 0) ? -1 : 1;
    return report_compare_inputs(NULL, a, b);
}

/* The second search as if it had followed the first. */
static void merge_growth(cJSON *into, const cJSON *shard, const char *value, double before) {
    const cJSON *row;
    cJSON_ArrayForEach(row, shard) {
        const cJSON *last = cJSON_GetArrayItem(into, cJSON_GetArraySize(into) - 1);
        double x = merge_number(row, value), y = merge_number(last, value);
        bool better = strcmp(value, "distance") == 0 ? x < y : x > y;
        if ((last && !better) || cJSON_GetArraySize(into) >= SEARCH_GROWTH)
            continue;
        cJSON *copy = json_copy(row);
        merge_add(copy, "evaluations", before);
        if (!cJSON_AddItemToArray(into, copy))
            cJSON_Delete(copy);
    }
}

/* Of rows of growth: the earlier one, and of two at once the better. */
static int compare_growth(const void *value, const cJSON *a, const cJSON *b) {
    double x = merge_number(a, "evaluations"), y = merge_number(b, "evaluations");
    return x < y ? -1 : x > y ? 1 : compare_found(value, a, b);
}

/* Two shards as if they ran beside each other: the best of both after as many evaluations of each. So
 * the order in which shards are merged does not matter. */
static void merge_growth_beside(cJSON *into, const cJSON *shard, const char *value) {
    merge_sorted(into, shard, compare_growth, value, merge_same, INT_MAX);
    for (int at = 1; at < cJSON_GetArraySize(into);) {
        double x = merge_number(cJSON_GetArrayItem(into, at - 1), value);
        double y = merge_number(cJSON_GetArrayItem(into, at), value);
        bool better = strcmp(value, "distance") == 0 ? y < x : y > x;
        if (better && at < SEARCH_GROWTH)
            at++;
        else
            cJSON_DeleteItemFromArray(into, at);
    }
}

static bool merge_part(cJSON *into, const cJSON *shard, const char *value, bool beside,
                       struct error *error) {
    if (!cJSON_Compare(get(into, "implementations"), get(shard, "implementations"), true))
        return error_set(error, "the searches are for different implementations");
    if (beside)
        merge_growth_beside(get(into, "growth"), get(shard, "growth"), value);
    else
        merge_growth(get(into, "growth"), get(shard, "growth"), value,
                     merge_number(into, "evaluations"));
    merge_sorted(get(into, "best"), get(shard, "best"), compare_found, value, merge_same,
                 SEARCH_BEST);
    merge_add(into, "evaluations", merge_number(shard, "evaluations"));
    return true;
}

bool merge_found(cJSON *into, const cJSON *shard, bool beside, struct error *error) {
    cJSON *mine = get(into, "search");
    const cJSON *other = get(shard, "search"), *parts = get(other, "parts");
    const char *sought = report_string(mine, "for");
    const char *value = strcmp(sought, "boundary") == 0 ? "distance" : sought;
    if (strcmp(sought, report_string(other, "for")) != 0 ||
        cJSON_GetArraySize(get(mine, "parts")) != cJSON_GetArraySize(parts))
        return error_set(error, "the searches are for different things");
    for (int i = 0; i < cJSON_GetArraySize(parts); i++)
        if (!merge_part(cJSON_GetArrayItem(get(mine, "parts"), i), cJSON_GetArrayItem(parts, i),
                        value, beside, error))
            return false;
    merge_add(mine, "evaluations", merge_number(other, "evaluations"));
    merge_add(into, "count", merge_number(shard, "count"));
    return true;
}

bool merge_searches(cJSON *into, const cJSON *shard, struct error *error) {
    const cJSON *mine = get(into, "search");
    const char *sought = report_string(mine, "for");
    if (!merge_found(into, shard, false, error))
        return false;
    cJSON_DeleteItemFromObjectCaseSensitive(into, "seed");
    char text[256], count[32], tried[32];
    snprintf(text, sizeof text, "%s inputs found by searches for %s among %s",
             text_grouped((uint64_t)merge_number(into, "count"), count), sought,
             text_grouped((uint64_t)merge_number(mine, "evaluations"), tried));
    record_put(into, "description", cJSON_CreateString(text));
    return true;
}
