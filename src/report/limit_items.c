/* "limits" of an implementation: what a policy allows, and what was found. */
#include "report/limits.h"

#include "report/invariance_read.h"
#include "report/items.h"
#include "report/read_implementation.h"

#include <stdlib.h>
#include <string.h>

static const struct limit_row *find_row(const char *name) {
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (strcmp(limit_rows[i].name, name) == 0)
            return &limit_rows[i];
    return NULL;
}

static void put(cJSON *object, const char *name, cJSON *value) {
    cJSON_DeleteItemFromObjectCaseSensitive(object, name);
    cJSON_AddItemToObject(object, name, value);
}

/* What "invariance." and the name of a property limit; NULL for others, and where it was not tested. */
#define OF_PROPERTY "invariance."
static const struct property_record *property_of(const char *name,
                                                 const struct read_implementation *one) {
    if (strncmp(name, OF_PROPERTY, sizeof OF_PROPERTY - 1) != 0)
        return NULL;
    const struct property_record *property = read_property_find(one, name + sizeof OF_PROPERTY - 1);
    return property && property->tested ? property : NULL;
}

static void settle(cJSON *object, const struct limit_entry *entry,
                   const struct read_implementation *one, bool part) {
    const struct limit_row *row = find_row(entry->name);
    const struct property_record *property = property_of(entry->name, one);
    cJSON *found = NULL, *kept = NULL;
    if (row && limit_is_reported(row, one)) {
        double figure = row->found(one);
        found = cJSON_CreateNumber(figure);
        if (limit_is_measured(row, one) && (!part || !limit_wants_all(row)))
            kept = cJSON_CreateBool(figure <= entry->allowed);
    } else if (property) {
        found = cJSON_CreateNumber((double)property->changed);
        kept = cJSON_CreateBool((double)property->changed <= entry->allowed);
    } else if (entry->fingerprint && one->fingerprint) {
        found = cJSON_CreateString(one->fingerprint);
        kept = cJSON_CreateBool(strcmp(one->fingerprint, entry->fingerprint) == 0);
    }
    put(object, "found", found ? found : cJSON_CreateNull());
    put(object, "kept", kept ? kept : cJSON_CreateNull());
}

void limits_add(cJSON *object, const struct limit_entry *entry,
                const struct read_implementation *implementation, bool part) {
    cJSON *limits = json_get(object, "limits"), *one = cJSON_CreateObject();
    if (!limits)
        limits = cJSON_AddArrayToObject(object, "limits");
    cJSON_AddItemToArray(limits, one);
    cJSON_AddStringToObject(one, "name", entry->name);
    cJSON_AddStringToObject(one, "policy", entry->policy);
    cJSON_AddNumberToObject(one, "rule", entry->rule);
    if (entry->fingerprint)
        cJSON_AddStringToObject(one, "allowed", entry->fingerprint);
    else
        cJSON_AddNumberToObject(one, "allowed", entry->allowed);
    settle(one, entry, implementation, part);
}

static bool settle_all(cJSON *json, bool part, struct error *error) {
    struct read_implementation implementation = {0};
    struct json_reader reader = {.file = "what is merged", .error = error};
    cJSON *one;
    read_implementation(&reader, json, &implementation);
    cJSON_ArrayForEach(one, json_get(json, "limits")) {
        const cJSON *allowed = json_get(one, "allowed");
        const struct limit_entry entry = {
            .name = report_string(one, "name"),
            .allowed = cJSON_IsNumber(allowed) ? allowed->valuedouble : 0,
            .fingerprint = cJSON_IsString(allowed) ? allowed->valuestring : NULL};
        settle(one, &entry, &implementation, part);
    }
    read_implementation_free(&implementation);
    return !reader.failed;
}

bool limits_settle(cJSON *result, struct error *error) {
    bool part = json_get(json_get(result, "inputs"), "shard");
    cJSON *json;
    cJSON_ArrayForEach(json, json_get(result, "implementations")) {
        if (json_get(json, "limits") && !settle_all(json, part, error))
            return false;
    }
    return true;
}
