/* Kinds of members that are words in documents: strings, names of a list, marks; and true or false. */
#include "record/kinds.h"

#include "record/parts.h"

#include <string.h>

static void write_text(cJSON *object, const struct record_member *member, const void *data,
                       const void *parent, const struct record_wire *wire) {
    (void)parent, (void)wire;
    record_put(object, member->name, cJSON_CreateString(record_at(member, data)));
}

static void read_text(struct json_reader *reader, const cJSON *object,
                      const struct record_member *member, void *data,
                      const struct record_wire *wire) {
    const struct record_text_of *of = member->of;
    const char *text = json_string(reader, object, member->name);
    (void)wire;
    if (strlen(text) < of->room)
        memcpy(record_in(member, data), text, strlen(text) + 1);
    else
        json_fail(reader, member->name, "is too long");
}

static cJSON *schema_of_text(const struct record_member *member) {
    cJSON *schema = cJSON_CreateObject();
    (void)member;
    cJSON_AddStringToObject(schema, "type", "string");
    return schema;
}

const struct record_kind record_text = {write_text, read_text, NULL, schema_of_text, NULL, NULL};

static void write_choice(cJSON *object, const struct record_member *member, const void *data,
                         const void *parent, const struct record_wire *wire) {
    const struct record_names_of *of = member->of;
    unsigned choice;
    (void)parent, (void)wire;
    memcpy(&choice, record_at(member, data), sizeof choice);
    record_put(object, member->name, cJSON_CreateString(of->names[choice]));
}

static void read_choice(struct json_reader *reader, const cJSON *object,
                        const struct record_member *member, void *data,
                        const struct record_wire *wire) {
    const struct record_names_of *of = member->of;
    const cJSON *item = json_get(object, member->name);
    unsigned choice = 0;
    while (choice < of->count &&
           !(cJSON_IsString(item) && strcmp(item->valuestring, of->names[choice]) == 0))
        choice++;
    if (choice == of->count && wire->strict)
        json_fail(reader, member->name, "is none that is known here");
    memcpy(record_in(member, data), &choice, sizeof choice);
}

static cJSON *schema_of_choice(const struct record_member *member) {
    const struct record_names_of *of = member->of;
    cJSON *schema = cJSON_CreateObject(), *names = cJSON_AddArrayToObject(schema, "enum");
    for (size_t i = 0; i < of->count; i++)
        cJSON_AddItemToArray(names, cJSON_CreateString(of->names[i]));
    return schema;
}

const struct record_kind record_choice = {write_choice,     read_choice, NULL,
                                          schema_of_choice, NULL,        NULL};

static void write_mark(cJSON *object, const struct record_member *member, const void *data,
                       const void *parent, const struct record_wire *wire) {
    (void)parent, (void)wire;
    if (record_flag(data, member->offset))
        record_put(object, member->name, cJSON_CreateString(member->of));
    else
        cJSON_DeleteItemFromObjectCaseSensitive(object, member->name);
}

static void read_mark(struct json_reader *reader, const cJSON *object,
                      const struct record_member *member, void *data,
                      const struct record_wire *wire) {
    const char *text =
        json_get(object, member->name) ? json_string(reader, object, member->name) : NULL;
    bool same = text && strcmp(text, member->of) == 0;
    if (text && !same && wire->strict)
        json_fail(reader, member->name, "is none that is known here");
    record_set_flag(data, member->offset, same);
}

static cJSON *schema_of_mark(const struct record_member *member) {
    cJSON *schema = cJSON_CreateObject();
    cJSON_AddStringToObject(schema, "const", member->of);
    return schema;
}

const struct record_kind record_mark = {write_mark, read_mark, NULL, schema_of_mark, NULL, NULL};

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
