/* Arrays of records, of any length, which whoever reads them frees. */
#include "record/kinds.h"
#include "record/parts.h"

#include <stdlib.h>
#include <string.h>

struct array {
    char *rows;
    unsigned count;
};

static struct array array_at(const struct record_member *member, const void *data) {
    const struct record_array_of *of = member->of;
    struct array array;
    memcpy(&array.rows, record_at(member, data), sizeof array.rows);
    memcpy(&array.count, (const char *)data + of->count, sizeof array.count);
    return array;
}

static void set_array(const struct record_member *member, void *data, struct array array) {
    const struct record_array_of *of = member->of;
    memcpy(record_room(member, data), &array.rows, sizeof array.rows);
    memcpy((char *)data + of->count, &array.count, sizeof array.count);
}

static void write_array(const struct record_out *out) {
    const struct record_array_of *of = out->member->of;
    const struct array array = array_at(out->member, out->data);
    if (!array.count && out->member->flags & RECORD_ABSENT)
        return;
    cJSON *rows = cJSON_CreateArray();
    for (unsigned i = 0; i < array.count; i++) {
        cJSON *row = json_append(rows);
        record_write(row, of->record, array.rows + i * of->record->size, out->data, out->wire);
    }
    record_add(out, rows);
}

/* Room for one row more, all zeros; it grows as rows turn out good. */
static bool make_room(struct array *array, unsigned *room, size_t row_size) {
    if (array->count < *room)
        return true;
    unsigned wider = *room ? 2 * *room : 1;
    char *rows = realloc(array->rows, wider * row_size);
    if (!rows)
        return false;
    memset(rows + *room * row_size, 0, (wider - *room) * row_size);
    array->rows = rows;
    *room = wider;
    return true;
}

static void read_array(const struct record_in *in) {
    const struct record_array_of *of = in->member->of;
    bool absent = in->member->flags & RECORD_ABSENT && !json_has(in->object, in->member->name);
    const cJSON *row, *rows = absent ? NULL : json_array(in->reader, in->object, in->member->name);
    struct array array = {NULL, 0};
    unsigned room = 0;
    cJSON_ArrayForEach(row, rows) {
        if (in->reader->failed)
            break;
        if (!make_room(&array, &room, of->record->size)) {
            record_fail(in, "is too large for the memory");
            break;
        }
        size_t mark = json_enter(in->reader, in->member->name, (int)array.count);
        record_read(in->reader, row, of->record, array.rows + array.count++ * of->record->size,
                    in->data, in->wire);
        json_leave(in->reader, mark);
    }
    set_array(in->member, in->data, array);
}

/* Row by row: whose they are is the same in both, which the caller has seen to. */
static void merge_array(const struct record_member *member, void *mine, const void *theirs) {
    const struct record_array_of *of = member->of;
    const struct array into = array_at(member, mine), from = array_at(member, theirs);
    for (unsigned i = 0; i < into.count && i < from.count; i++)
        record_merge(of->record, into.rows + i * of->record->size,
                     from.rows + i * of->record->size);
}

static cJSON *schema_of_array(const struct record_member *member) {
    const struct record_array_of *of = member->of;
    return record_schema_of_array(record_schema(of->record));
}

static void free_array(const struct record_member *member, void *data) {
    const struct record_array_of *of = member->of;
    const struct array array = array_at(member, data);
    for (unsigned i = 0; array.rows && i < array.count; i++)
        record_free(of->record, array.rows + i * of->record->size);
    free(array.rows);
    set_array(member, data, (struct array){NULL, 0});
}

const struct record_kind record_array = {
    write_array,   read_array, merge_array, free_array, .make_schema = schema_of_array,
    .joint = "[]."};

static void write_pointed(const struct record_out *out) {
    const void *one;
    memcpy(&one, record_from(out), sizeof one);
    if (one)
        record_write(record_object_in(out->object, out->member->name), out->member->of, one,
                     out->data, out->wire);
}

static void read_pointed(const struct record_in *in) {
    const struct record *record = in->member->of;
    const char *name = in->member->name;
    const cJSON *inner;
    const bool there = json_has(in->object, name);
    void *one = there ? calloc(1, record->size) : NULL;
    if (there && !one)
        record_fail(in, "is too large for the memory");
    memcpy(record_into(in), &one, sizeof one);
    if (!one)
        return;
    inner = json_object(in->reader, in->object, name);
    size_t mark = json_enter(in->reader, name, -1);
    record_read(in->reader, inner, record, one, in->data, in->wire);
    json_leave(in->reader, mark);
}

static void free_pointed(const struct record_member *member, void *data) {
    void *one;
    memcpy(&one, record_at(member, data), sizeof one);
    if (one)
        record_free(member->of, one);
    free(one);
    memset(record_room(member, data), 0, sizeof one);
}

static cJSON *schema_of_pointed(const struct record_member *member) {
    const struct record *record = member->of;
    return record_refer(record->name);
}

const struct record_kind record_pointed = {write_pointed, read_pointed, NULL, free_pointed,
                                           .make_schema = schema_of_pointed};
