/* Arrays of counts, and of records by a number. */
#include "record/kinds.h"
#include "record/parts.h"

#include <string.h>

enum { FAR_EXPONENT = 20000 };

static void add_counts(uint64_t *mine, const uint64_t *theirs, size_t count) {
    for (size_t i = 0; i < count; i++)
        mine[i] += theirs[i];
}

static void write_names(const struct record_out *out) {
    const struct record_names_of *of = out->member->of;
    const uint64_t *counts = record_from(out);
    cJSON *own = record_object_in(out->object, out->member->name);
    for (size_t i = 0; i < of->count; i++)
        if (counts[i])
            record_put(own, of->names[i], cJSON_CreateNumber((double)counts[i]));
}

static void read_names(const struct record_in *in) {
    const struct record_names_of *of = in->member->of;
    uint64_t *counts = record_into(in);
    const cJSON *one, *own = json_object(in->reader, in->object, in->member->name);
    size_t mark = json_enter(in->reader, in->member->name, -1);
    cJSON_ArrayForEach(one, own) {
        uint64_t count = json_item_count(in->reader, one);
        size_t place = 0;
        while (place < of->count && strcmp(of->names[place], one->string) != 0)
            place++;
        if (place < of->count)
            counts[place] = count;
        else if (in->wire->strict)
            json_fail(in->reader, one->string, "is not known here");
    }
    json_leave(in->reader, mark);
}

static void merge_names(const struct record_member *member, void *mine, const void *theirs) {
    const struct record_names_of *of = member->of;
    add_counts(record_room(member, mine), record_at(member, theirs), of->count);
}

static cJSON *schema_of_names(const struct record_member *member) {
    const struct record_names_of *of = member->of;
    cJSON *schema = cJSON_CreateObject();
    cJSON_AddStringToObject(schema, "type", "object");
    cJSON_AddBoolToObject(schema, "additionalProperties", false);
    cJSON *properties = cJSON_AddObjectToObject(schema, "properties");
    for (size_t i = 0; i < of->count; i++)
        cJSON_AddItemToObject(properties, of->names[i], record_refer("count"));
    return schema;
}

const struct record_kind record_names = {write_names, read_names, merge_names,
                                         .make_schema = schema_of_names};

static void write_buckets(const struct record_out *out) {
    const struct record_buckets_of *of = out->member->of;
    const uint64_t *counts = record_from(out);
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i <= of->count; i++) {
        cJSON *bucket = json_append(array);
        cJSON_AddItemToObject(bucket, of->edge,
                              i < of->count ? cJSON_CreateNumber(of->edges[i])
                                            : cJSON_CreateNull());
        cJSON_AddNumberToObject(bucket, "count", (double)counts[i]);
    }
    record_add(out, array);
}

/* The bucket that holds errors up to an end. Other versions have other ends: theirs go where their largest errors do. */
static size_t bucket_up_to(const struct record_buckets_of *of, const cJSON *end) {
    size_t at = 0;
    while (at < of->count && !(cJSON_IsNumber(end) && end->valuedouble <= of->edges[at]))
        at++;
    return at;
}

static void read_buckets(const struct record_in *in) {
    const struct record_buckets_of *of = in->member->of;
    const cJSON *bucket, *array = json_array(in->reader, in->object, in->member->name);
    uint64_t *counts = record_into(in);
    size_t number = 0;
    cJSON_ArrayForEach(bucket, array) {
        size_t mark = json_enter(in->reader, in->member->name, (int)number);
        if (json_has(bucket, of->edge))
            json_size(in->reader, bucket, of->edge);
        counts[bucket_up_to(of, json_get(bucket, of->edge))] +=
            json_count(in->reader, bucket, "count");
        json_leave(in->reader, mark);
        number++;
    }
    if (in->wire->is_checkpoint && number != of->count + 1)
        record_fail(in, "should have a count for each bucket");
}

static void merge_buckets(const struct record_member *member, void *mine, const void *theirs) {
    const struct record_buckets_of *of = member->of;
    add_counts(record_room(member, mine), record_at(member, theirs), of->count + 1);
}

static cJSON *schema_of_buckets(const struct record_member *member) {
    const struct record_buckets_of *of = member->of;
    cJSON *bucket = cJSON_Parse("{\"type\":\"object\",\"additionalProperties\":false}");
    cJSON *required = cJSON_AddArrayToObject(bucket, "required");
    cJSON_AddItemToArray(required, cJSON_CreateString(of->edge));
    cJSON_AddItemToArray(required, cJSON_CreateString("count"));
    cJSON *properties = cJSON_AddObjectToObject(bucket, "properties");
    cJSON_AddItemToObject(properties, of->edge,
                          cJSON_Parse("{\"type\":[\"number\",\"null\"],\"minimum\":0}"));
    cJSON_AddItemToObject(properties, "count", record_refer("count"));
    return record_schema_of_array(bucket);
}

const struct record_kind record_buckets = {write_buckets, read_buckets, merge_buckets,
                                           .make_schema = schema_of_buckets};

/* Where a series lies: what its first row stands for, how many rows, and the rows, or NULL. */
struct series {
    int lowest, count;
    char *rows;
};

static struct series series_at(const struct record_member *member, const void *data) {
    const struct record_series_of *of = member->of;
    struct series series = {of->from, of->length, (char *)(uintptr_t)record_at(member, data)};
    if (of->lowest != RECORD_ALL) {
        memcpy(&series.lowest, (const char *)data + of->lowest, sizeof series.lowest);
        memcpy(&series.count, (const char *)data + of->count, sizeof series.count);
        memcpy(&series.rows, record_at(member, data), sizeof series.rows);
    }
    return series;
}

static bool is_counted(const struct record_series_of *of, const char *row) {
    uint64_t count;
    memcpy(&count, row + of->counted, sizeof count);
    return count;
}

static void write_series(const struct record_out *out) {
    const struct record_series_of *of = out->member->of;
    const struct series series = series_at(out->member, out->data);
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < series.count && series.rows; i++) {
        const char *row = series.rows + (size_t)i * of->record->size;
        if (!is_counted(of, row))
            continue;
        cJSON *item = json_append(array);
        cJSON_AddNumberToObject(item, of->key, series.lowest + i);
        record_write(item, of->record, row, out->data, out->wire);
    }
    record_add(out, array);
}

/* The exponent of a row, or 0 with an error. */
static int read_key(struct json_reader *reader, const cJSON *row, const char *key) {
    const cJSON *found = json_get(row, key);
    double number = cJSON_IsNumber(found) ? found->valuedouble : FAR_EXPONENT + 1;
    if (number >= -FAR_EXPONENT && number <= FAR_EXPONENT)
        return (int)number;
    json_fail(reader, key, "should be a number from -20000 to 20000");
    return 0;
}

static void read_row(struct json_reader *reader, const cJSON *row,
                     const struct record_series_of *of, const struct series *series, void *data,
                     const struct record_wire *wire) {
    _Alignas(max_align_t) char scratch[MOST_SCRATCH] = {0};
    int place = read_key(reader, row, of->key) - series->lowest;
    bool room = series->rows && place >= 0 && place < series->count;
    char *into = room ? series->rows + (size_t)place * of->record->size : scratch;
    if (series->rows && (!room || is_counted(of, into)))
        json_fail(reader, of->key, "does not exist in the format, or is given twice");
    record_read(reader, row, of->record, into, data, wire);
    if (!room || is_counted(of, into))
        return;
    if (wire->is_checkpoint)
        json_fail(reader, NULL, "counts nothing");
    const uint64_t some = 1; /* of a report it is only known that there was something */
    memcpy(into + of->counted, &some, sizeof some);
}

static void read_series(const struct record_in *in) {
    const struct series series = series_at(in->member, in->data);
    const cJSON *row, *array = json_array(in->reader, in->object, in->member->name);
    int number = 0;
    cJSON_ArrayForEach(row, array) {
        size_t mark = json_enter(in->reader, in->member->name, number++);
        read_row(in->reader, row, in->member->of, &series, in->data, in->wire);
        json_leave(in->reader, mark);
    }
}

static void merge_series(const struct record_member *member, void *mine, const void *theirs) {
    const struct record_series_of *of = member->of;
    const struct series into = series_at(member, mine), from = series_at(member, theirs);
    for (int i = 0; i < into.count && into.rows && from.rows; i++)
        record_merge(of->record, into.rows + (size_t)i * of->record->size,
                     from.rows + (size_t)i * of->record->size);
}

static cJSON *schema_of_series(const struct record_member *member) {
    const struct record_series_of *of = member->of;
    cJSON *row = record_schema(of->record);
    cJSON_AddItemToArray(json_get(row, "required"), cJSON_CreateString(of->key));
    cJSON_AddItemToObject(json_get(row, "properties"), of->key,
                          cJSON_Parse("{\"type\":\"integer\"}"));
    return record_schema_of_array(row);
}

const struct record_kind record_series = {write_series, read_series, merge_series,
                                          .make_schema = schema_of_series, .joint = "[]."};
