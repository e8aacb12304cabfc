/* Member by member. */
#include "report/merge_promise.h"

#include "report/read.h"

static cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

bool merge_same_promise(const cJSON *into, const cJSON *shard, struct error *error) {
    static const char *const same[] = {"policy", "rule", "allowed", "accept", "max_violations"};
    const cJSON *mine = get(into, "promise"), *other = get(shard, "promise");
    if (!mine && !other)
        return true;
    bool alike = mine && other;
    for (size_t i = 0; alike && i < sizeof same / sizeof *same; i++)
        alike = cJSON_Compare(get(mine, same[i]), get(other, same[i]), true);
    return alike || error_set(error, "%.100s was held against different promises (--policy)",
                              report_string(into, "name"));
}
