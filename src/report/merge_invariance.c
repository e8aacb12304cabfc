/* Properties, added or put side by side. Rows of properties and of events are found by the name of
 * their property. */
#include "report/merge_invariance.h"

#include "base/json_tree.h"
#include "invariance/property.h"
#include "report/items.h"
#include "report/merge_rows.h"
#include "report/read.h"

#include <string.h>

static cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static const char *name_of(const cJSON *row) {
    return report_string(row, "property");
}

/* NULL where there is none. */
static cJSON *find_row(const cJSON *rows, const char *name) {
    cJSON *row = rows ? rows->child : NULL;
    while (row && strcmp(name_of(row), name) != 0)
        row = row->next;
    return row;
}

/* The place of a property in the table; what a later version has stands behind. */
static size_t rank(const cJSON *row) {
    size_t at = 0;
    while (at < property_row_count && strcmp(property_rows[at]->name, name_of(row)) != 0)
        at++;
    return at;
}

/* Puts a row where one run would have put it: those that belong behind it are appended anew, since
 * cJSON_InsertItemInArray of cJSON 1.7.15 loses items. */
static bool insert_row(cJSON *rows, const cJSON *row, struct error *error) {
    cJSON *copy = json_copy(row), *before = rows->child;
    int at = 0, behind;
    for (; before && rank(before) <= rank(row); before = before->next)
        at++;
    behind = cJSON_GetArraySize(rows) - at;
    if (!copy || !cJSON_AddItemToArray(rows, copy))
        return error_set(error, "out of memory");
    for (; behind > 0; behind--)
        cJSON_AddItemToArray(rows, cJSON_DetachItemFromArray(rows, at));
    return true;
}

/* Of two rows the one of the earlier input. */
static bool is_earlier(const cJSON *shapes, const cJSON *row, const cJSON *mine) {
    return cJSON_IsObject(row) &&
           (!cJSON_IsObject(mine) || report_compare_inputs(shapes, row, mine) < 0);
}

/* As one run writes the members, some of which not all shards have. */
static void put_in_order(cJSON *row) {
    static const char *const names[] = {"property",      "tested",       "inputs",    "unanswered",
                                        "not_called",    "unrepeatable", "not_asked", "at_once",
                                        "first_at_once", "sizes",        "changed",   "first",
                                        "variants"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(row, names[i]);
        if (item)
            cJSON_AddItemToObject(row, names[i], item);
    }
}

/* The same variants, in the same order, which are tested in both or in none. */
static bool add_variants(cJSON *mine, const cJSON *other) {
    bool same = cJSON_GetArraySize(mine) == cJSON_GetArraySize(other);
    cJSON *row = mine ? mine->child : NULL;
    for (const cJSON *more = other ? other->child : NULL; same && row && more;
         row = row->next, more = more->next) {
        same = strcmp(report_string(row, "variant"), report_string(more, "variant")) == 0 &&
               cJSON_IsTrue(get(row, "tested")) == cJSON_IsTrue(get(more, "tested"));
        if (same && get(more, "changed"))
            merge_add(row, "changed", get(more, "changed")->valuedouble);
    }
    return same;
}

/* The same sizes of batches; a shard without calls has none. */
static bool add_sizes(cJSON *into, const cJSON *other) {
    cJSON *mine = get(into, "sizes"), *row = mine ? mine->child : NULL;
    if (other && !mine) {
        record_put(into, "sizes", json_copy(other));
        return true;
    }
    bool same = !other || cJSON_GetArraySize(mine) == cJSON_GetArraySize(other);
    for (const cJSON *more = other ? other->child : NULL; same && row && more;
         row = row->next, more = more->next) {
        same = cJSON_Compare(get(row, "size"), get(more, "size"), true);
        if (same)
            merge_add(row, "calls", get(more, "calls")->valuedouble);
    }
    return same;
}

static bool add_property(cJSON *mine, const cJSON *other, const cJSON *shapes,
                         struct error *error) {
    static const char *const counts[] = {"inputs", "unanswered", "changed"};
    /* Those that not all rows have. */
    static const char *const sums[] = {"not_called", "unrepeatable", "not_asked", "at_once",
                                       "first_at_once"};
    if (cJSON_IsTrue(get(mine, "tested")) != cJSON_IsTrue(get(other, "tested")))
        return error_set(error, "%.60s is tested in one shard only", name_of(mine));
    for (size_t i = 0; cJSON_IsTrue(get(mine, "tested")) && i < sizeof counts / sizeof *counts; i++)
        merge_add(mine, counts[i], get(other, counts[i])->valuedouble);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (get(other, sums[i]))
            merge_add(mine, sums[i], get(other, sums[i])->valuedouble);
    if (!add_variants(get(mine, "variants"), get(other, "variants")))
        return error_set(error, "%.60s has other variants in another shard", name_of(mine));
    if (!add_sizes(mine, get(other, "sizes")))
        return error_set(error, "%.60s has other sizes in another shard", name_of(mine));
    if (is_earlier(shapes, get(other, "first"), get(mine, "first")))
        record_put(mine, "first", json_copy(get(other, "first")));
    if (cJSON_IsTrue(get(mine, "tested")))
        put_in_order(mine);
    return true;
}

/* The first event of each property. */
static bool add_events(cJSON *into, const cJSON *shard, const cJSON *shapes, struct error *error) {
    cJSON *mine = get(into, "events");
    const cJSON *event;
    cJSON_ArrayForEach(event, get(shard, "events")) {
        cJSON *there = find_row(mine, name_of(event));
        if (there && is_earlier(shapes, event, there))
            cJSON_Delete(cJSON_DetachItemViaPointer(mine, there));
        else if (there)
            continue;
        if (!insert_row(mine, event, error))
            return false;
    }
    merge_counts(get(into, "event_counts"), get(shard, "event_counts"));
    return true;
}

/* The most that were compared by one property. */
static void set_tested(cJSON *into) {
    const cJSON *row;
    double most = 0;
    cJSON_ArrayForEach(row, get(into, "invariance")) {
        const cJSON *inputs = get(row, "inputs");
        most = inputs && inputs->valuedouble > most ? inputs->valuedouble : most;
    }
    cJSON_SetNumberValue(get(into, "tested"), most);
}

bool merge_invariance(cJSON *into, const cJSON *shard, const cJSON *shapes, struct error *error) {
    const cJSON *others = get(shard, "invariance");
    cJSON *mine = get(into, "invariance"), *row;
    bool same = cJSON_GetArraySize(mine) == cJSON_GetArraySize(others);
    cJSON_ArrayForEach(row, mine) same = same && find_row(others, name_of(row));
    if (!same)
        return error_set(error, "shards must have the same properties");
    cJSON_ArrayForEach(row, mine) if (!add_property(row, find_row(others, name_of(row)), shapes,
                                                    error)) return false;
    set_tested(into);
    return add_events(into, shard, shapes, error);
}

bool unite_invariance(cJSON *into, const cJSON *more, bool *adds, struct error *error) {
    const char *name = report_string(into, "name");
    const cJSON *row;
    if (cJSON_Compare(into, more, true))
        return true;
    cJSON_ArrayForEach(row, get(more, "invariance")) {
        const cJSON *there = find_row(get(into, "invariance"), name_of(row));
        if (there && !cJSON_Compare(there, row, true))
            return error_set(error,
                             "both have %.60s of %.100s for the same inputs, with other "
                             "figures",
                             name_of(row), name);
        if (there && find_row(get(more, "events"), name_of(row)))
            return error_set(error, "both have %.60s of %.100s with events, and would count twice",
                             name_of(row), name);
        *adds = *adds || !there;
        if (!there && !insert_row(get(into, "invariance"), row, error))
            return false;
    }
    set_tested(into);
    return add_events(into, more, NULL, error);
}
