/* Adding tallies that are JSON. */
#include "report/merge_parts.h"

#include "base/json_tree.h"
#include "report/effects.h"
#include "report/items.h"
#include "report/merge_promise.h"
#include "report/merge_rows.h"
#include "report/read.h"
#include "sweep/tally.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* Of which of two rows comes first in a list. */
struct order {
    bool by_error;
    double fine_from;    /* of error_rank */
    const cJSON *shapes; /* of report_compare_inputs */
};

static int compare_rows(const struct order *order, const cJSON *a, const cJSON *b) {
    double x = order->by_error ? error_rank(merge_number(a, "error"), order->fine_from) : 0;
    double y = order->by_error ? error_rank(merge_number(b, "error"), order->fine_from) : 0;
    return x > y ? -1 : x < y ? 1 : report_compare_inputs(order->shapes, a, b);
}

static int compare_by_order(const void *order, const cJSON *a, const cJSON *b) {
    return compare_rows(order, a, b);
}

static void merge_list(cJSON *into, const cJSON *shard, const char *name, const struct order *order,
                       int most) {
    merge_sorted(get(into, name), get(shard, name), compare_by_order, order, merge_same, most);
}

static void merge_histogram(cJSON *into, const cJSON *shard) {
    const cJSON *bucket, *histogram = get(into, "histogram");
    cJSON *mine = histogram ? histogram->child : NULL;
    cJSON_ArrayForEach(bucket, get(shard, "histogram")) {
        if (!mine)
            return;
        merge_add(mine, "count", merge_number(bucket, "count"));
        mine = mine->next;
    }
}

static int compare_exponents(const void *unused, const cJSON *a, const cJSON *b) {
    (void)unused;
    double x = merge_number(a, "exponent"), y = merge_number(b, "exponent");
    return (x > y) - (x < y);
}

/* Counts add up, errors have a largest. */
static void join_binades(cJSON *mine, const cJSON *other) {
    const cJSON *one;
    cJSON_ArrayForEach(one, other) {
        if (strcmp(one->string, "max_ulp") == 0 && one->valuedouble > merge_number(mine, "max_ulp"))
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
    double mean = error_sum_mean(&sum, (uint64_t)merge_number(into, "judged_in_ulps"));
    /* What report_read would refuse: a sum that is not the one of its report's mean. */
    if (mean > merge_number(get(into, "max_ulp"), "error") + 0x1p-20)
        return error_set(error, "the errors of error_sum have a mean above the largest, max_ulp");
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
    uint64_t tested = (uint64_t)merge_number(into, "tested");
    if (!mine)
        return true;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        merge_add(mine, counts[i], merge_number(other, counts[i]));
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
    static const char *const counts[] = {"tested",
                                         "unanswered",
                                         "correctly_rounded",
                                         "incorrectly_rounded",
                                         "faithful",
                                         "judged_in_ulps",
                                         "over_1_ulp",
                                         "nan_mismatches",
                                         "nan_bits_differ",
                                         "sign_mismatches",
                                         "saturated",
                                         "vanished",
                                         "signalling_nans",
                                         "not_called",
                                         "flushed"};
    bool nearest = strncmp(rounding, "nearest", 7) == 0;
    const struct order by_error = {true, error_fine_from(nearest ? ROUND_NEAREST_EVEN : ROUND_UP),
                                   shapes};
    const struct order by_input = {false, 0, shapes};
    if (cJSON_IsTrue(get(into, "provided")) != cJSON_IsTrue(get(shard, "provided")))
        return error_set(error, "%.100s is provided in one shard only",
                         report_string(into, "name"));
    if (!cJSON_IsTrue(get(into, "provided")))
        return true;
    if (!get(shard, "signalling_nans")) /* an older report: then the whole does not tell either */
        cJSON_DeleteItemFromObjectCaseSensitive(into, "signalling_nans");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (get(into, counts[i])) /* the last three: of operations that count them */
            merge_add(into, counts[i], merge_number(shard, counts[i]));
    merge_max(into, shard, "max_ulp", &by_error);
    merge_max(into, shard, "max_ulp_else", &by_error);
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
        merge_add(mine, "count", merge_number(other, "count"));
        merge_binades(mine, other);
        merge_list(mine, other, "first", &by_input, TALLY_FIRST);
    }
}
