/* Strings and what is true or false. */
#include "record/kinds.h"

#include "record/parts.h"

#include <string.h>

static void write_string(cJSON *object, const struct record_member *member, const void *data,
                         const void *parent, const struct record_wire *wire) {
    const char *text;
    (void)parent, (void)wire;
    memcpy(&text, record_at(member, data), sizeof text);
    if (text && (*text || !(member->flags & RECORD_ABSENT)))
        record_put(object, member->name, cJSON_CreateString(text));
}

static void read_string(struct json_reader *reader, const cJSON *object,
                        const struct record_member *member, void *data,
                        const struct record_wire *wire) {
    bool absent = member->flags & RECORD_ABSENT && !json_has(object, member->name);
    const char *text = absent ? "" : json_string(reader, object, member->name);
    (void)wire;
    memcpy(record_in(member, data), &text, sizeof text);
}

static cJSON *schema_of_string(const struct record_member *member) {
    return cJSON_Parse(member->of ? member->of : "{\"type\":\"string\",\"minLength\":1}");
}

const struct record_kind record_string = {write_string,     read_string, NULL,
                                          schema_of_string, NULL,        NULL};

static void write_truth(cJSON *object, const struct record_member *member, const void *data,
                        const void *parent, const struct record_wire *wire) {
    (void)parent, (void)wire;
    record_put(object, member->name, cJSON_CreateBool(record_flag(data, member->offset)));
}

static void read_truth(struct json_reader *reader, const cJSON *object,
                       const struct record_member *member, void *data,
                       const struct record_wire *wire) {
    (void)wire;
    record_set_flag(data, member->offset, json_bool(reader, object, member->name));
}

static cJSON *schema_of_truth(const struct record_member *member) {
    (void)member;
    return cJSON_Parse("{\"type\":\"boolean\"}");
}

const struct record_kind record_truth = {write_truth,     read_truth, NULL,
                                         schema_of_truth, NULL,       NULL};
