/* Kinds of members that are words in documents: strings, names of a list, marks; and true or false. */
#include "record/kinds.h"

#include "record/parts.h"

#include <string.h>

static void write_text(const struct record_out *out) {
    record_add(out, cJSON_CreateString(record_from(out)));
}

static void read_text(const struct record_in *in) {
    const struct record_text_of *of = in->member->of;
    const char *text = json_string(in->reader, in->object, in->member->name);
    if (strlen(text) < of->room)
        memcpy(record_into(in), text, strlen(text) + 1);
    else
        record_fail(in, "is too long");
}

const struct record_kind record_text = {write_text, read_text, .schema = "{\"type\":\"string\"}"};

static void write_choice(const struct record_out *out) {
    const struct record_names_of *of = out->member->of;
    unsigned choice;
    memcpy(&choice, record_from(out), sizeof choice);
    record_add(out, cJSON_CreateString(of->names[choice]));
}

static void read_choice(const struct record_in *in) {
    const struct record_names_of *of = in->member->of;
    const cJSON *item = record_item(in);
    unsigned choice = 0;
    while (choice < of->count &&
           !(cJSON_IsString(item) && strcmp(item->valuestring, of->names[choice]) == 0))
        choice++;
    if (choice == of->count && in->wire->strict)
        record_fail(in, "is not known to this version of detcheck");
    memcpy(record_into(in), &choice, sizeof choice);
}

static cJSON *schema_of_choice(const struct record_member *member) {
    const struct record_names_of *of = member->of;
    cJSON *schema = cJSON_CreateObject(), *names = cJSON_AddArrayToObject(schema, "enum");
    for (size_t i = 0; i < of->count; i++)
        cJSON_AddItemToArray(names, cJSON_CreateString(of->names[i]));
    return schema;
}

const struct record_kind record_choice = {write_choice, read_choice,
                                          .make_schema = schema_of_choice};

static void write_mark(const struct record_out *out) {
    if (record_flag(out->data, out->member->offset))
        record_add(out, cJSON_CreateString(out->member->of));
    else
        cJSON_DeleteItemFromObjectCaseSensitive(out->object, out->member->name);
}

static void read_mark(const struct record_in *in) {
    const char *text =
        record_item(in) ? json_string(in->reader, in->object, in->member->name) : NULL;
    bool same = text && strcmp(text, in->member->of) == 0;
    if (text && !same && in->wire->strict)
        record_fail(in, "is not known to this version of detcheck");
    record_set_flag(in->data, in->member->offset, same);
}

static cJSON *schema_of_mark(const struct record_member *member) {
    cJSON *schema = cJSON_CreateObject();
    cJSON_AddStringToObject(schema, "const", member->of);
    return schema;
}

const struct record_kind record_mark = {write_mark, read_mark, .make_schema = schema_of_mark};

static void write_string(const struct record_out *out) {
    const char *text;
    memcpy(&text, record_from(out), sizeof text);
    if (text && (*text || !(out->member->flags & RECORD_ABSENT)))
        record_add(out, cJSON_CreateString(text));
}

static void read_string(const struct record_in *in) {
    bool absent = in->member->flags & RECORD_ABSENT && !json_has(in->object, in->member->name);
    const char *text = absent ? "" : json_string(in->reader, in->object, in->member->name);
    memcpy(record_into(in), &text, sizeof text);
}

const struct record_kind record_string = {write_string, read_string,
                                          .schema = "{\"type\":\"string\",\"minLength\":1}",
                                          .may_be_given = true};

static void write_truth(const struct record_out *out) {
    record_add(out, cJSON_CreateBool(record_flag(out->data, out->member->offset)));
}

static void read_truth(const struct record_in *in) {
    record_set_flag(in->data, in->member->offset,
                    json_bool(in->reader, in->object, in->member->name));
}

const struct record_kind record_truth = {write_truth, read_truth,
                                         .schema = "{\"type\":\"boolean\"}"};
