/* Records in records, and sorted lists of them. */
#include "record/kinds.h"
#include "record/parts.h"

#include <string.h>

static void write_nested(const struct record_out *out) {
    record_write(record_object_in(out->object, out->member->name), out->member->of,
                 record_from(out), out->data, out->wire);
}

static void read_inside(const struct record_in *in, const struct record *record) {
    const char *name = in->member->name;
    const cJSON *inner = json_object(in->reader, in->object, name);
    size_t mark = json_enter(in->reader, name, -1);
    record_read(in->reader, inner, record, record_into(in), in->data, in->wire);
    json_leave(in->reader, mark);
}

static void read_nested(const struct record_in *in) {
    read_inside(in, in->member->of);
}

static void merge_nested(const struct record_member *member, void *mine, const void *theirs) {
    record_merge(member->of, record_room(member, mine), record_at(member, theirs));
}

static void free_nested(const struct record_member *member, void *data) {
    record_free(member->of, record_room(member, data));
}

static cJSON *schema_of_nested(const struct record_member *member) {
    return record_schema(member->of);
}

const struct record_kind record_nested = {
    write_nested, read_nested,      merge_nested, free_nested, .make_schema = schema_of_nested,
    .joint = ".", .is_record = true};

static void write_largest(const struct record_out *out) {
    const struct record_largest_of *of = out->member->of;
    cJSON *item = cJSON_CreateObject();
    if (record_flag(out->data, of->has)) {
        record_write(item, of->record, record_from(out), out->data, out->wire);
        record_add(out, item);
        return;
    }
    cJSON_Delete(item);
    if (out->member->flags & RECORD_NULL)
        record_add(out, cJSON_CreateNull());
    else
        cJSON_DeleteItemFromObjectCaseSensitive(out->object, out->member->name);
}

static void read_largest(const struct record_in *in) {
    const struct record_largest_of *of = in->member->of;
    bool has = json_has(in->object, in->member->name);
    record_set_flag(in->data, of->has, has);
    if (has)
        read_inside(in, of->record);
}

static void merge_largest(const struct record_member *member, void *mine, const void *theirs) {
    const struct record_largest_of *of = member->of;
    if (!record_flag(theirs, of->has) ||
        (record_flag(mine, of->has) &&
         !of->before(mine, record_at(member, theirs), record_at(member, mine))))
        return;
    memcpy(record_room(member, mine), record_at(member, theirs), of->record->size);
    record_set_flag(mine, of->has, true);
}

static cJSON *schema_of_largest(const struct record_member *member) {
    const struct record_largest_of *of = member->of;
    cJSON *schema = record_schema(of->record), *either, *none;
    if (!(member->flags & RECORD_NULL))
        return schema;
    either = cJSON_CreateObject();
    cJSON *both = cJSON_AddArrayToObject(either, "anyOf");
    none = cJSON_CreateObject();
    cJSON_AddStringToObject(none, "type", "null");
    cJSON_AddItemToArray(both, none);
    cJSON_AddItemToArray(both, schema);
    return either;
}

const struct record_kind record_largest = {write_largest, read_largest, merge_largest,
                                           .make_schema = schema_of_largest, .joint = "."};

void record_keep(void *list, size_t size, unsigned *count, unsigned most, const void *one,
                 record_before *before, const void *data) {
    char *rows = list;
    if (*count == most && !before(data, one, rows + (most - 1) * size))
        return;
    unsigned place = *count < most ? (*count)++ : most - 1;
    while (place > 0 && before(data, one, rows + (place - 1) * size)) {
        memcpy(rows + place * size, rows + (place - 1) * size, size);
        place--;
    }
    memcpy(rows + place * size, one, size);
}

static unsigned length_at(const void *data, size_t offset) {
    unsigned count;
    memcpy(&count, (const char *)data + offset, sizeof count);
    return count;
}

static void write_list(const struct record_out *out) {
    const struct record_list_of *of = out->member->of;
    cJSON *array = cJSON_CreateArray();
    for (unsigned i = 0; i < length_at(out->data, of->count); i++) {
        cJSON *row = json_append(array);
        record_write(row, of->record, (const char *)record_from(out) + i * of->record->size,
                     out->data, out->wire);
    }
    record_add(out, array);
}

/* More rows than there is room for are checked and forgotten, but not in a checkpoint, nor where they are
 * large. */
static void read_list(const struct record_in *in) {
    const struct record_list_of *of = in->member->of;
    const cJSON *row, *array = json_array(in->reader, in->object, in->member->name);
    char scratch[MOST_SCRATCH];
    unsigned count = 0;
    int number = 0;
    cJSON_ArrayForEach(row, array) {
        size_t mark = json_enter(in->reader, in->member->name, number++);
        char *place = (char *)record_into(in) + count * of->record->size;
        bool room = count < of->most;
        if (!room && of->record->size > sizeof scratch) {
            json_fail(in->reader, NULL, "is one too many");
            return;
        }
        if (!room)
            memset(scratch, 0, sizeof scratch);
        record_read(in->reader, row, of->record, room ? place : scratch, in->data, in->wire);
        if (in->wire->is_checkpoint &&
            (!room ||
             (count && of->before && of->before(in->data, place, place - of->record->size))))
            json_fail(in->reader, NULL, "is one too many, or out of order");
        json_leave(in->reader, mark);
        count += room;
    }
    memcpy((char *)in->data + of->count, &count, sizeof count);
}

/* Whether a list has a row that comes neither before that one nor after it. */
static bool stands_there(const struct record_list_of *of, const void *data, const char *rows,
                         unsigned count, const char *one) {
    for (unsigned i = 0; i < count; i++) {
        const char *row = rows + i * of->record->size;
        if (!of->before(data, row, one) && !of->before(data, one, row))
            return true;
    }
    return false;
}

static void merge_list(const struct record_member *member, void *mine, const void *theirs) {
    const struct record_list_of *of = member->of;
    unsigned count = length_at(mine, of->count);
    for (unsigned i = 0; of->before && i < length_at(theirs, of->count); i++) {
        const char *one = (const char *)record_at(member, theirs) + i * of->record->size;
        if (!(member->flags & RECORD_SET) ||
            !stands_there(of, mine, record_at(member, mine), count, one))
            record_keep(record_room(member, mine), of->record->size, &count, of->most, one,
                        of->before, mine);
    }
    memcpy((char *)mine + of->count, &count, sizeof count);
}

static cJSON *schema_of_list(const struct record_member *member) {
    const struct record_list_of *of = member->of;
    cJSON *schema = record_schema_of_array(record_schema(of->record));
    cJSON_AddNumberToObject(schema, "maxItems", of->most);
    return schema;
}

const struct record_kind record_list = {write_list, read_list, merge_list,
                                        .make_schema = schema_of_list, .joint = "[]."};
