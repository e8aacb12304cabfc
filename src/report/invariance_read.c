/* "invariance" of an implementation in a report, checked. */
#include "report/invariance_read.h"

#include <stdlib.h>
#include <string.h>

static void read_sizes(struct json_reader *reader, const cJSON *row) {
    const cJSON *one;
    int at = 0;
    cJSON_ArrayForEach(one, json_array(reader, row, "sizes")) {
        size_t mark = json_enter(reader, "sizes", at++);
        json_count(reader, one, "size");
        json_count(reader, one, "calls");
        json_leave(reader, mark);
    }
}

static void read_property(struct json_reader *reader, const cJSON *row, uint64_t most,
                          struct read_property *property) {
    property->json = row;
    property->name = json_string(reader, row, "property");
    property->tested = json_bool(reader, row, "tested");
    property->why = property->command = "";
    if (!property->tested) {
        property->why = json_string(reader, row, "why");
        return;
    }
    property->inputs = json_count(reader, row, "inputs");
    property->unanswered = json_count(reader, row, "unanswered");
    property->changed = json_count(reader, row, "changed");
    if (json_has(row, "not_called")) /* of operations with integers alone */
        property->not_called = json_count(reader, row, "not_called");
    if (json_has(row, "sizes"))
        read_sizes(reader, row);
    if (property->inputs > most)
        json_fail(reader, "inputs", "is more than the implementation's tested");
    if (property->changed > property->inputs)
        json_fail(reader, "changed", "is more than inputs");
    if (!property->changed)
        return;
    property->first = json_object(reader, row, "first");
    size_t mark = json_enter(reader, "first", -1);
    json_string(reader, property->first, "reference");
    json_string(reader, property->first, "got");
    json_string(reader, property->first, "where");
    property->command = json_string(reader, property->first, "command");
    json_leave(reader, mark);
}

void invariance_read(struct json_reader *reader, const cJSON *json,
                     struct read_implementation *one) {
    const cJSON *row, *array = json_array(reader, json, "invariance");
    one->kind = READ_INVARIANCE;
    one->tally.tested = json_count(reader, json, "tested");
    one->properties = calloc((size_t)cJSON_GetArraySize(array) + 1, sizeof *one->properties);
    if (!one->properties) {
        json_fail(reader, "invariance", "is too much for the memory");
        return;
    }
    cJSON_ArrayForEach(row, array) {
        int at = (int)one->property_count++;
        size_t mark = json_enter(reader, "invariance", at);
        read_property(reader, row, one->tally.tested, &one->properties[at]);
        if (one->properties[at].unanswered > one->tally.unanswered)
            one->tally.unanswered = one->properties[at].unanswered;
        if (one->properties[at].not_called > one->tally.not_called)
            one->tally.not_called = one->properties[at].not_called;
        json_leave(reader, mark);
    }
}

uint64_t read_most_changed(const struct read_implementation *one) {
    uint64_t most = 0;
    for (size_t i = 0; i < one->property_count; i++)
        if (one->properties[i].changed > most)
            most = one->properties[i].changed;
    return most;
}

const struct read_property *read_property_find(const struct read_implementation *one,
                                               const char *name) {
    for (size_t i = 0; i < one->property_count; i++)
        if (strcmp(one->properties[i].name, name) == 0)
            return &one->properties[i];
    return NULL;
}
