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
            record_fail(in, "is too much for the memory");
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

const struct record_kind record_array = {write_array, read_array, merge_array,
                                         .make_schema = schema_of_array, .joint = "[]."};

void record_free(const struct record *record, void *data) {
    for (size_t i = 0; i < record->count; i++) {
        const struct record_member *member = &record->members[i];
        const struct record_array_of *of = member->of;
        if (member->kind != &record_array)
            continue;
        struct array array = array_at(member, data);
        for (unsigned k = 0; array.rows && k < array.count; k++)
            record_free(of->record, array.rows + k * of->record->size);
        free(array.rows);
        set_array(member, data, (struct array){NULL, 0});
    }
}
