/* "invariance" of an implementation in a report, checked. */
#include "report/invariance_read.h"

#include <string.h>

void invariance_read(struct json_reader *reader, const cJSON *json,
                     struct read_implementation *one) {
    const struct record_wire wire = {0};
    struct invariance_record found = {.tested = json_count(reader, json, "tested")};
    record_read(reader, json, &invariance_properties, &found, NULL, &wire);
    one->kind = READ_INVARIANCE;
    one->tally.tested = found.tested;
    one->properties = found.properties;
    one->property_count = found.property_count;
    const cJSON *row = json_has(json, "invariance") ? json_get(json, "invariance")->child : NULL;
    for (size_t i = 0; row && i < one->property_count; i++, row = row->next) {
        struct property_record *property = &one->properties[i];
        property->json = row;
        if (property->unanswered > one->tally.unanswered)
            one->tally.unanswered = property->unanswered;
        if (property->not_called > one->tally.not_called)
            one->tally.not_called = property->not_called;
    }
}

void invariance_read_free(struct read_implementation *one) {
    struct invariance_record found = {.properties = one->properties,
                                      .property_count = (unsigned)one->property_count};
    record_free(&invariance_properties, &found);
}

uint64_t read_most_changed(const struct read_implementation *one) {
    uint64_t most = 0;
    for (size_t i = 0; i < one->property_count; i++)
        if (one->properties[i].changed > most)
            most = one->properties[i].changed;
    return most;
}

const struct property_record *read_property_find(const struct read_implementation *one,
                                                 const char *name) {
    for (size_t i = 0; i < one->property_count; i++)
        if (strcmp(one->properties[i].name, name) == 0)
            return &one->properties[i];
    return NULL;
}
