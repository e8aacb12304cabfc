/* Counts add up, and the worst of both is the worst. */
#include "report/merge_promise.h"

#include "base/json_tree.h"
#include "report/items.h"
#include "report/merge_rows.h"
#include "report/read.h"
#include "sweep/promise/promise.h"

#include <math.h>

static cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* As a sweep ranks them: null is a NaN or a zero of the wrong sign, or no end of a limit. */
static double excess_of(const cJSON *worst) {
    const cJSON *error = get(worst, "error"), *limit = get(worst, "limit");
    return cJSON_IsNumber(error) && cJSON_IsNumber(limit)
               ? promise_excess(error->valuedouble, limit->valuedouble)
               : INFINITY;
}

static bool is_worse(const cJSON *a, const cJSON *b) {
    double x = excess_of(a), y = excess_of(b);
    return x > y || (!(x < y) && report_compare_inputs(NULL, a, b) < 0);
}

bool merge_promise(cJSON *into, const cJSON *shard, struct error *error) {
    static const char *const same[] = {"policy", "rule", "allowed", "accept", "max_violations"};
    static const char *const counts[] = {"kept", "accepted", "left_out", "violations"};
    cJSON *mine = get(into, "promise");
    const cJSON *other = get(shard, "promise");
    if (!mine && !other)
        return true;
    bool alike = mine && other;
    for (size_t i = 0; alike && i < sizeof same / sizeof *same; i++)
        alike = cJSON_Compare(get(mine, same[i]), get(other, same[i]), true);
    if (!alike)
        return error_set(error, "%.100s was held against different promises (--policy)",
                         report_string(into, "name"));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        cJSON_SetNumberValue(get(mine, counts[i]), get(mine, counts[i])->valuedouble +
                                                       get(other, counts[i])->valuedouble);
    const cJSON *worst = get(other, "worst");
    if (cJSON_IsObject(worst) &&
        (!cJSON_IsObject(get(mine, "worst")) || is_worse(worst, get(mine, "worst"))))
        cJSON_ReplaceItemInObjectCaseSensitive(mine, "worst", json_copy(worst));
    return true;
}
