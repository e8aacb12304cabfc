/* Properties, added or put side by side. Properties and events are found by the name of the property. */
#include "report/merge_invariance.h"

#include "invariance/property.h"
#include "invariance/record.h"
#include "report/document_wire.h"
#include "report/read.h"

#include <stdlib.h>
#include <string.h>

/* Whose they are, how inputs stand in the documents, and where it is noted that something is new. */
struct joined {
    const char *name;
    const struct record_wire *wire;
    bool *adds;
};

/* Of a property or of an event, which both begin with it. */
static const char *name_of(const void *row) {
    const char *name;
    memcpy(&name, row, sizeof name);
    return name;
}

/* NULL where there is none. */
static void *find_row(void *rows, unsigned count, size_t size, const char *name) {
    for (unsigned i = 0; i < count; i++)
        if (strcmp(name_of((char *)rows + i * size), name) == 0)
            return (char *)rows + i * size;
    return NULL;
}

static struct property_record *find_property(const struct invariance_record *record,
                                             const char *name) {
    return find_row(record->properties, record->property_count, sizeof *record->properties, name);
}

static struct property_event *find_event(const struct invariance_record *record, const char *name) {
    return find_row(record->events, record->event_count, sizeof *record->events, name);
}

/* The place of a property in the table; what a later version has stands behind. */
static size_t rank(const void *row) {
    size_t at = 0;
    while (at < property_row_count && strcmp(property_rows[at]->name, name_of(row)) != 0)
        at++;
    return at;
}

/* Puts a row before the first that stands behind it in the table; there is room. */
static void insert_row(void *rows, unsigned *count, size_t size, const void *row) {
    char *place = rows, *end = place + *count * size;
    while (place < end && rank(place) <= rank(row))
        place += size;
    memmove(place + size, place, (size_t)(end - place));
    memcpy(place, row, size);
    ++*count;
}

/* The same variants, in the same order, which are tested in both or in none. */
static bool same_variants(const struct property_record *a, const struct property_record *b) {
    bool same = a->variant_count == b->variant_count;
    for (unsigned i = 0; same && i < a->variant_count; i++)
        same = strcmp(a->variants[i].name, b->variants[i].name) == 0 &&
               a->variants[i].tested == b->variants[i].tested;
    return same;
}

/* The same sizes of batches; a shard without calls has none, and takes those of the other. */
static bool same_sizes(struct property_record *mine, struct property_record *other) {
    bool same = !other->size_count || !mine->size_count || mine->size_count == other->size_count;
    for (unsigned i = 0; same && i < mine->size_count && i < other->size_count; i++)
        same = mine->sizes[i].size == other->sizes[i].size;
    if (!mine->size_count) {
        struct property_record empty = *mine;
        mine->sizes = other->sizes;
        mine->size_count = other->size_count;
        other->sizes = empty.sizes;
        other->size_count = 0;
    }
    return same;
}

static bool add_property(struct property_record *mine, struct property_record *other,
                         struct error *error) {
    if (mine->tested != other->tested)
        return error_set(error, "%.60s is tested in one shard only", mine->name);
    if (!same_variants(mine, other))
        return error_set(error, "%.60s has other variants in another shard", mine->name);
    if (!same_sizes(mine, other))
        return error_set(error, "%.60s has other sizes in another shard", mine->name);
    record_merge(&property_record, mine, other);
    return true;
}

/* The first event of each property; and the most that were compared by one. */
static void add_rest(struct invariance_record *mine, const struct invariance_record *theirs) {
    for (unsigned i = 0; i < theirs->event_count; i++) {
        const struct property_event *event = &theirs->events[i];
        struct property_event *there = find_event(mine, event->name);
        if (!there)
            insert_row(mine->events, &mine->event_count, sizeof *event, event);
        else if (record_input_is_earlier(event->input, there->input))
            *there = *event;
    }
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        mine->event_counts[kind] += theirs->event_counts[kind];
    mine->tested = 0;
    for (unsigned i = 0; i < mine->property_count; i++)
        if (mine->properties[i].inputs > mine->tested)
            mine->tested = mine->properties[i].inputs;
}

typedef bool join_records(struct invariance_record *mine, struct invariance_record *theirs,
                          const struct joined *joined, struct error *error);

static bool add_shard(struct invariance_record *mine, struct invariance_record *theirs,
                      const struct joined *joined, struct error *error) {
    bool same = mine->property_count == theirs->property_count;
    (void)joined;
    for (unsigned i = 0; i < mine->property_count; i++)
        same = same && find_property(theirs, mine->properties[i].name);
    if (!same)
        return error_set(error, "shards must have the same properties");
    for (unsigned i = 0; i < mine->property_count; i++)
        if (!add_property(&mine->properties[i], find_property(theirs, mine->properties[i].name),
                          error))
            return false;
    return true;
}

static bool add_properties(struct invariance_record *mine, struct invariance_record *theirs,
                           const struct joined *joined, struct error *error) {
    for (unsigned i = 0; i < theirs->property_count; i++) {
        struct property_record *row = &theirs->properties[i];
        const struct property_record *there = find_property(mine, row->name);
        if (there && !record_same(&property_record, there, row, joined->wire))
            return error_set(error,
                             "both have %.60s of %.100s for the same inputs, but different figures",
                             row->name, joined->name);
        if (there && find_event(theirs, row->name))
            return error_set(error,
                             "both have %.60s of %.100s with events, which would count twice",
                             row->name, joined->name);
        if (there)
            continue;
        *joined->adds = true;
        insert_row(mine->properties, &mine->property_count, sizeof *row, row);
        row->sizes = NULL; /* they are the other's now */
        row->variants = NULL;
        row->size_count = row->variant_count = 0;
    }
    return true;
}

/* Room for the rows of both. */
static bool make_room(struct invariance_record *mine, const struct invariance_record *theirs,
                      struct error *error) {
    size_t properties = (size_t)mine->property_count + theirs->property_count,
           events = (size_t)mine->event_count + theirs->event_count;
    void *more = realloc(mine->properties, (properties + 1) * sizeof *mine->properties);
    mine->properties = more ? more : mine->properties;
    void *others = realloc(mine->events, (events + 1) * sizeof *mine->events);
    mine->events = others ? others : mine->events;
    return (more && others) || error_set(error, "out of memory");
}

/* Reads both, and puts what they are together in the place of the first. */
static bool join(cJSON *into, const cJSON *more, const struct shape_list *shapes, join_records *how,
                 bool *adds, struct error *error) {
    struct invariance_record mine = {0}, theirs = {0};
    struct document_wire wire;
    const char *name = report_string(into, "name");
    const struct joined joined = {name, &wire.wire, adds};
    struct json_reader reader = {.file = name, .error = error};
    document_wire_open(&wire, shapes);
    wire.collects = adds; /* of the same inputs */
    record_read(&reader, into, &invariance_record, &mine, NULL, &wire.wire);
    record_read(&reader, more, &invariance_record, &theirs, NULL, &wire.wire);
    bool good =
        !reader.failed && make_room(&mine, &theirs, error) && how(&mine, &theirs, &joined, error);
    if (good) {
        add_rest(&mine, &theirs);
        record_write(into, &invariance_record, &mine, NULL, &wire.wire);
    }
    document_wire_close(&wire);
    record_free(&invariance_record, &mine);
    record_free(&invariance_record, &theirs);
    return good;
}

bool merge_invariance(cJSON *into, const cJSON *shard, const struct shape_list *shapes,
                      struct error *error) {
    return join(into, shard, shapes, add_shard, NULL, error);
}

bool unite_invariance(cJSON *into, const cJSON *more, bool *adds, struct error *error) {
    return cJSON_Compare(into, more, true) || join(into, more, NULL, add_properties, adds, error);
}
