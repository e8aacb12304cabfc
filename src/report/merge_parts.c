/* Adding tallies that are JSON. */
#include "report/merge_parts.h"

#include "base/json_tree.h"
#include "format/format.h"
#include "report/effects.h"
#include "report/items.h"
#include "report/merge_promise.h"
#include "report/read.h"
#include "report/text.h"
#include "sweep/search/search.h"
#include "sweep/tally.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

void merge_put(cJSON *object, const char *name, cJSON *item) {
    if (get(object, name))
        cJSON_ReplaceItemInObjectCaseSensitive(object, name, item);
    else
        cJSON_AddItemToObject(object, name, item);
}

static double number(const cJSON *object, const char *name) {
    const cJSON *found = get(object, name);
    return cJSON_IsNumber(found) ? found->valuedouble : 0;
}

void merge_add(cJSON *object, const char *name, double more) {
    cJSON *found = get(object, name);
    if (cJSON_IsNumber(found))
        cJSON_SetNumberValue(found, found->valuedouble + more);
    else
        cJSON_AddNumberToObject(object, name, more);
}

void merge_counts(cJSON *into, const cJSON *shard) {
    const cJSON *one;
    cJSON_ArrayForEach(one, shard) if (cJSON_IsNumber(one))
        merge_add(into, one->string, one->valuedouble);
}

/* Of which of two rows comes first in a list. */
struct order {
    bool by_error;
    double fine_from;    /* of error_rank */
    const cJSON *shapes; /* of report_compare_inputs */
};

static int compare_rows(const struct order *order, const cJSON *a, const cJSON *b) {
    double x = order->by_error ? error_rank(number(a, "error"), order->fine_from) : 0;
    double y = order->by_error ? error_rank(number(b, "error"), order->fine_from) : 0;
    return x > y ? -1 : x < y ? 1 : report_compare_inputs(order->shapes, a, b);
}

typedef int row_compare(const void *context, const cJSON *a, const cJSON *b);
typedef void row_join(cJSON *mine, const cJSON *other);

static int compare_by_order(const void *order, const cJSON *a, const cJSON *b) {
    return compare_rows(order, a, b);
}

/* Merges two sorted lists. Rows that compare as equal are joined; `join` NULL keeps both. A list is
 * built anew, since cJSON_InsertItemInArray of cJSON 1.7.15 loses items. */
static void merge_sorted(cJSON *list, const cJSON *shard, row_compare *compare, const void *context,
                         row_join *join, int most) {
    cJSON merged = {.type = cJSON_Array};
    const cJSON *row = shard ? shard->child : NULL;
    for (int count = 0; count < most && (list->child || row); count++) {
        int order = !row ? -1 : !list->child ? 1 : compare(context, list->child, row);
        if (order == 0 && join)
            join(list->child, row);
        bool from_list = order <= 0;
        cJSON *next = from_list ? cJSON_DetachItemFromArray(list, 0) : json_copy(row);
        if (!from_list || (order == 0 && join))
            row = row->next;
        cJSON_AddItemToArray(&merged, next);
    }
    while (list->child)
        cJSON_DeleteItemFromArray(list, 0);
    list->child = merged.child;
}

/* What two searches found stands there once. */
static void join_same(cJSON *mine, const cJSON *other) {
    (void)mine;
    (void)other;
}

static void merge_list(cJSON *into, const cJSON *shard, const char *name, const struct order *order,
                       int most) {
    merge_sorted(get(into, name), get(shard, name), compare_by_order, order, join_same, most);
}

static void merge_histogram(cJSON *into, const cJSON *shard) {
    const cJSON *bucket, *histogram = get(into, "histogram");
    cJSON *mine = histogram ? histogram->child : NULL;
    cJSON_ArrayForEach(bucket, get(shard, "histogram")) {
        if (!mine)
            return;
        merge_add(mine, "count", number(bucket, "count"));
        mine = mine->next;
    }
}

static int compare_exponents(const void *unused, const cJSON *a, const cJSON *b) {
    (void)unused;
    double x = number(a, "exponent"), y = number(b, "exponent");
    return (x > y) - (x < y);
}

/* Counts add up, errors have a largest. */
static void join_binades(cJSON *mine, const cJSON *other) {
    const cJSON *one;
    cJSON_ArrayForEach(one, other) {
        if (strcmp(one->string, "max_ulp") == 0 && one->valuedouble > number(mine, "max_ulp"))
            cJSON_SetNumberValue(get(mine, "max_ulp"), one->valuedouble);
        else if (strcmp(one->string, "max_ulp") != 0 && strcmp(one->string, "exponent") != 0)
            merge_add(mine, one->string, one->valuedouble);
    }
}

static void merge_binades(cJSON *into, const cJSON *shard) {
    merge_sorted(get(into, "by_binade"), get(shard, "by_binade"), compare_exponents, NULL,
                 join_binades, INT_MAX);
}

static void merge_max(cJSON *into, const cJSON *shard, const char *name,
                      const struct order *order) {
    const cJSON *other = get(shard, name), *mine = get(into, name);
    if (cJSON_IsObject(other) && (!cJSON_IsObject(mine) || compare_rows(order, other, mine) < 0))
        merge_put(into, name, json_copy(other));
}

static bool read_sum(const cJSON *object, const char *name, struct error_sum *sum,
                     struct error *error) {
    const cJSON *text = get(object, name);
    if (cJSON_IsString(text) && error_sum_parse(sum, text->valuestring))
        return true;
    return error_set(error,
                     "an implementation has no %s, a string of hexadecimal digits; "
                     "reports of versions before it cannot be merged by shards",
                     name);
}

/* The sum of both is left in `sum` and in the document. */
static bool merge_sum(cJSON *into, const cJSON *shard, const char *name, struct error_sum *sum,
                      struct error *error) {
    struct error_sum other;
    char text[ERROR_SUM_TEXT];
    if (!read_sum(into, name, sum, error) || !read_sum(shard, name, &other, error))
        return false;
    error_sum_merge(sum, &other);
    merge_put(into, name, cJSON_CreateString(error_sum_text(sum, text)));
    return true;
}

static bool merge_mean(cJSON *into, const cJSON *shard, struct error *error) {
    struct error_sum sum;
    if (!merge_sum(into, shard, "error_sum", &sum, error))
        return false;
    double mean = error_sum_mean(&sum, (uint64_t)number(into, "judged_in_ulps"));
    cJSON_SetNumberValue(get(into, "mean_ulp"), mean);
    return true;
}

/* "value" of an operation on arrays (report/value.h), where it has one. */
static bool merge_value(cJSON *into, const cJSON *shard, const cJSON *shapes, struct error *error) {
    static const char *const counts[] = {"exact", "clipped", "overflowed", "lost_bits"};
    cJSON *mine = get(into, "value");
    const cJSON *other = get(shard, "value");
    const struct order order = {true, VALUE_FINE_FROM, shapes};
    struct error_sum above, below;
    uint64_t tested = (uint64_t)number(into, "tested");
    if (!mine)
        return true;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        merge_add(mine, counts[i], number(other, counts[i]));
    merge_max(mine, other, "max", &order);
    if (!merge_sum(mine, other, "sum_above", &above, error) ||
        !merge_sum(mine, other, "sum_below", &below, error))
        return false;
    merge_put(mine, "mean", cJSON_CreateNumber(error_sums_mean(&above, &below, tested)));
    merge_put(mine, "bias", cJSON_CreateNumber(error_sums_bias(&above, &below, tested)));
    return true;
}

bool merge_implementation(cJSON *into, const cJSON *shard, const char *rounding,
                          const cJSON *shapes, struct error *error) {
    static const char *const counts[] = {
        "tested",          "unanswered",      "correctly_rounded", "incorrectly_rounded",
        "faithful",        "judged_in_ulps",  "over_1_ulp",        "nan_mismatches",
        "nan_bits_differ", "sign_mismatches", "saturated",         "vanished"};
    bool nearest = strncmp(rounding, "nearest", 7) == 0;
    const struct order by_error = {true, error_fine_from(nearest ? ROUND_NEAREST_EVEN : ROUND_UP),
                                   shapes};
    const struct order by_input = {false, 0, shapes};
    if (cJSON_IsTrue(get(into, "provided")) != cJSON_IsTrue(get(shard, "provided")))
        return error_set(error, "%.100s is provided in one shard only",
                         report_string(into, "name"));
    if (!cJSON_IsTrue(get(into, "provided")))
        return true;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (get(into, counts[i])) /* the last two: of operations that count them */
            merge_add(into, counts[i], number(shard, counts[i]));
    merge_max(into, shard, "max_ulp", &by_error);
    merge_histogram(into, shard);
    merge_binades(into, shard);
    merge_list(into, shard, "worst", &by_error, TALLY_WORST);
    merge_list(into, shard, "first_mismatches", &by_input, TALLY_FIRST);
    merge_list(into, shard, "events", &by_input, TALLY_EVENTS);
    merge_counts(get(into, "event_counts"), get(shard, "event_counts"));
    merge_effects(into, shard);
    if (!merge_promise(into, shard, error))
        return false;
    merge_put(into, "fingerprint", cJSON_CreateNull());
    return merge_mean(into, shard, error) && merge_value(into, shard, shapes, error);
}

void merge_differences(cJSON *into, const cJSON *shard, const cJSON *shapes) {
    const struct order by_input = {false, 0, shapes};
    cJSON *mine;
    int at = 0;
    cJSON_ArrayForEach(mine, into) {
        const cJSON *other = cJSON_GetArrayItem(shard, at++);
        merge_add(mine, "count", number(other, "count"));
        merge_binades(mine, other);
        merge_list(mine, other, "first", &by_input, TALLY_FIRST);
    }
}

/* The first and the last code of a run. */
static uint64_t run_end(const cJSON *run, int which) {
    return report_code_of(cJSON_GetArrayItem(run, which));
}

static int compare_runs(const void *unused, const cJSON *a, const cJSON *b) {
    (void)unused;
    return (run_end(a, 0) > run_end(b, 0)) - (run_end(a, 0) < run_end(b, 0));
}

/* Runs of codes of one operand, each an array of the first and the last; neighbours become one. */
static bool insert_runs(cJSON *into, const cJSON *shard, struct error *error) {
    merge_sorted(into, shard, compare_runs, NULL, NULL, INT_MAX);
    for (int at = 1; at < cJSON_GetArraySize(into);) {
        cJSON *before = cJSON_GetArrayItem(into, at - 1), *here = cJSON_GetArrayItem(into, at);
        if (run_end(before, 1) >= run_end(here, 0))
            return error_set(error, "both have the input 0x%" PRIx64, run_end(here, 0));
        if (run_end(before, 1) + 1 < run_end(here, 0)) {
            at++;
            continue;
        }
        cJSON_ReplaceItemInArray(before, 1, cJSON_DetachItemFromArray(here, 1));
        cJSON_DeleteItemFromArray(into, at);
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
static void describe(cJSON *into, const char *format_name) {
    static const char *const nouns[] = {"inputs", "pairs", "triples"};
    struct error unused;
    const struct format *format = format_find(format_name, &unused);
    const cJSON *ranges = get(into, "ranges"), *runs = cJSON_GetArrayItem(ranges, 0);
    int operands = cJSON_GetArraySize(ranges), count = cJSON_GetArraySize(runs);
    const cJSON *run = cJSON_GetArrayItem(runs, 0);
    bool whole = format && count == 1 && report_code_of(cJSON_GetArrayItem(run, 0)) == 0 &&
                 report_code_of(cJSON_GetArrayItem(run, 1)) == format_mask(format);
    for (int i = 1; i < operands; i++)
        whole = whole && cJSON_Compare(cJSON_GetArrayItem(ranges, i), runs, true);
    char text[256], number_text[32], from[160];
    text_grouped((uint64_t)number(into, "count"), number_text);
    const char *noun = nouns[operands - 1];
    if (whole)
        snprintf(text, sizeof text, "all %s %s", number_text, noun);
    else if (ranges_text(ranges, from, sizeof from))
        snprintf(text, sizeof text, "%s %s from %s", number_text, noun, from);
    else
        snprintf(text, sizeof text, "%s %s in ranges", number_text, noun);
    merge_put(into, "kind", cJSON_CreateString(whole ? "all" : "range"));
    merge_put(into, "description", cJSON_CreateString(text));
}

/* Of the rows of searches: the member that was sought, the worst of which comes first. */
static int compare_found(const void *value, const cJSON *a, const cJSON *b) {
    double x = number(a, value), y = number(b, value);
    if (x < y || x > y)
        return (x > y) == (strcmp(value, "distance") != 0) ? -1 : 1;
    return report_compare_inputs(NULL, a, b);
}

/* The second search as if it had followed the first. */
static void merge_growth(cJSON *into, const cJSON *shard, const char *value, double before) {
    const cJSON *row;
    cJSON_ArrayForEach(row, shard) {
        const cJSON *last = cJSON_GetArrayItem(into, cJSON_GetArraySize(into) - 1);
        double x = number(row, value), y = number(last, value);
        bool better = strcmp(value, "distance") == 0 ? x < y : x > y;
        if ((last && !better) || cJSON_GetArraySize(into) >= SEARCH_GROWTH)
            continue;
        cJSON *copy = json_copy(row);
        merge_add(copy, "evaluations", before);
        cJSON_AddItemToArray(into, copy);
    }
}

/* Of rows of growth: the earlier one, and of two at once the better. */
static int compare_growth(const void *value, const cJSON *a, const cJSON *b) {
    double x = number(a, "evaluations"), y = number(b, "evaluations");
    return x < y ? -1 : x > y ? 1 : compare_found(value, a, b);
}

/* Two shards as if they ran beside each other: the best of both after as many evaluations of each. So
 * the order in which shards are merged does not matter. */
static void merge_growth_beside(cJSON *into, const cJSON *shard, const char *value) {
    merge_sorted(into, shard, compare_growth, value, join_same, INT_MAX);
    for (int at = 1; at < cJSON_GetArraySize(into);) {
        double x = number(cJSON_GetArrayItem(into, at - 1), value);
        double y = number(cJSON_GetArrayItem(into, at), value);
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
        merge_growth(get(into, "growth"), get(shard, "growth"), value, number(into, "evaluations"));
    merge_sorted(get(into, "best"), get(shard, "best"), compare_found, value, join_same,
                 SEARCH_BEST);
    merge_add(into, "evaluations", number(shard, "evaluations"));
    return true;
}

bool merge_found(cJSON *into, const cJSON *shard, bool beside, struct error *error) {
    cJSON *mine = get(into, "search"), *part;
    const cJSON *other = get(shard, "search"), *parts = get(other, "parts");
    const char *sought = report_string(mine, "for");
    const char *value = strcmp(sought, "boundary") == 0 ? "distance" : sought;
    int at = 0;
    if (strcmp(sought, report_string(other, "for")) != 0 ||
        cJSON_GetArraySize(get(mine, "parts")) != cJSON_GetArraySize(parts))
        return error_set(error, "the searches are for different things");
    cJSON_ArrayForEach(part,
                       get(mine, "parts")) if (!merge_part(part, cJSON_GetArrayItem(parts, at++),
                                                           value, beside, error)) return false;
    merge_add(mine, "evaluations", number(other, "evaluations"));
    merge_add(into, "count", number(shard, "count"));
    return true;
}

/* Two searches for the same: their inputs together. */
static bool merge_searches(cJSON *into, const cJSON *shard, struct error *error) {
    const cJSON *mine = get(into, "search");
    const char *sought = report_string(mine, "for");
    if (!merge_found(into, shard, false, error))
        return false;
    cJSON_DeleteItemFromObjectCaseSensitive(into, "seed");
    char text[256], count[32], tried[32];
    snprintf(text, sizeof text, "%s inputs found by searches for %s among %s",
             text_grouped((uint64_t)number(into, "count"), count), sought,
             text_grouped((uint64_t)number(mine, "evaluations"), tried));
    merge_put(into, "description", cJSON_CreateString(text));
    return true;
}

bool merge_inputs(cJSON *into, const cJSON *shard, const char *format, struct error *error) {
    cJSON *mine = get(into, "ranges");
    const cJSON *other = get(shard, "ranges");
    int operands = cJSON_GetArraySize(mine);
    if (get(into, "search") && get(shard, "search"))
        return merge_searches(into, shard, error);
    if (!cJSON_IsArray(mine) || !cJSON_IsArray(other) || !operands || operands > 3 ||
        operands != cJSON_GetArraySize(other))
        return error_set(error, "only sweeps of ranges, and searches, are shards, not sweeps of "
                                "samples, special inputs or files");
    for (int i = 1; i < operands; i++)
        if (!cJSON_Compare(cJSON_GetArrayItem(mine, i), cJSON_GetArrayItem(other, i), true))
            return error_set(error, "shards may differ in the range of the first operand only");
    if (!insert_runs(cJSON_GetArrayItem(mine, 0), cJSON_GetArrayItem(other, 0), error))
        return false;
    merge_add(into, "count", number(shard, "count"));
    describe(into, format);
    return true;
}
