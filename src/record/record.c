/* Passing over the rows. */
#include "record/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_settled(const struct record *record) {
    return record->tells != RECORD_ALL && record->tells & RECORD_SETTLED_BIT;
}

static unsigned tells_of(const struct record *record, const void *data) {
    unsigned tells = 0;
    if (record->tells != RECORD_ALL)
        memcpy(&tells,
               (const char *)data + (record->tells & ~(RECORD_SETTLED_BIT | RECORD_OUTSIDE_BIT)),
               sizeof tells);
    return tells;
}

static void set_tells(const struct record *record, void *data, unsigned tells) {
    if (record->tells != RECORD_ALL && !is_settled(record))
        memcpy((char *)data + record->tells, &tells, sizeof tells);
}

/* Whether the record tells of the member. */
static bool has(const struct record *record, const struct record_member *member, const void *data,
                const void *parent) {
    return record->tells == RECORD_ALL || !member->when ||
           tells_of(record, record->tells & RECORD_OUTSIDE_BIT ? parent : data) & member->when;
}

void record_put(cJSON *object, const char *name, cJSON *item) {
    if (json_get(object, name))
        cJSON_ReplaceItemInObjectCaseSensitive(object, name, item);
    else
        cJSON_AddItemToObject(object, name, item);
}

cJSON *record_code_item(uint64_t code, int digits) {
    char text[32];
    snprintf(text, sizeof text, "0x%0*" PRIx64, digits, code);
    return cJSON_CreateString(text);
}

bool record_code_of(const cJSON *item, uint64_t *code, int *digits) {
    const char *text = cJSON_IsString(item) ? item->valuestring : "";
    if (strncmp(text, "0x", 2) != 0)
        return false;
    size_t count = strspn(text + 2, "0123456789abcdef");
    *digits = (int)count;
    *code = strtoull(text, NULL, 16);
    return count && count <= 16 && !text[2 + count];
}

const char *record_number_text(double number, char text[32]) {
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, number);
        double read = strtod(text, NULL);
        if (!(read < number) && !(read > number))
            break;
    }
    return text;
}

void record_keep_digits(cJSON *item, const char *but) {
    cJSON *child = item ? item->child : NULL;
    while (child) {
        cJSON *next = child->next;
        double value = child->valuedouble;
        const bool left = but && child->string && strcmp(child->string, but) == 0;
        if (child->child && !left)
            record_keep_digits(child, but);
        else if (cJSON_IsNumber(child) && isfinite(value) &&
                 (floor(value) < value || fabs(value) > 0x1p53)) {
            char text[32];
            cJSON *raw = cJSON_CreateRaw(record_number_text(value, text));
            if (raw && child->string) {
                raw->string = child->string;
                raw->type |= child->type & cJSON_StringIsConst;
                child->string = NULL;
            }
            if (raw)
                cJSON_ReplaceItemViaPointer(item, child, raw);
        }
        child = next;
    }
}

void record_write(cJSON *object, const struct record *record, const void *data, const void *parent,
                  const struct record_wire *wire) {
    for (size_t i = 0; i < record->count; i++) {
        const struct record_member *member = &record->members[i];
        if (!has(record, member, data, parent))
            cJSON_DeleteItemFromObjectCaseSensitive(object, member->name);
        else if (wire->is_checkpoint || !(member->flags & RECORD_IN_CHECKPOINT))
            member->kind->write(&(struct record_out){object, member, data, parent, wire});
    }
}

/* That a count is no more than what it is a part of. */
static void check_part(const struct record_in *in) {
    const struct record_whole *whole = &in->member->part_of;
    uint64_t part, all;
    char says[96];
    if (!whole->name || (whole->of_parent && !in->parent))
        return;
    memcpy(&part, record_into(in), sizeof part);
    memcpy(&all, (const char *)(whole->of_parent ? in->parent : in->data) + whole->offset,
           sizeof all);
    snprintf(says, sizeof says, "is more than %s", whole->name);
    if (part > all)
        record_fail(in, says);
}

void record_read(struct json_reader *reader, const cJSON *object, const struct record *record,
                 void *data, const void *parent, const struct record_wire *wire) {
    unsigned there = 0, absent = 0;
    for (size_t i = 0; i < record->count; i++) {
        const struct record_member *member = &record->members[i];
        bool stands = json_has(object, member->name);
        bool lacks = member->flags & RECORD_LENIENT && !wire->strict && !stands;
        if (lacks || (member->flags & RECORD_IN_CHECKPOINT && !wire->is_checkpoint))
            continue;
        if (member->when && (wire->is_checkpoint || is_settled(record))) {
            if (!has(record, member, data, parent))
                continue;
        } else if (member->when && !(there & member->when)) {
            absent |= stands ? 0 : member->when;
            if (absent & member->when)
                continue;
            there |= member->when;
        }
        const struct record_in in = {reader, object, member, data, parent, wire};
        member->kind->read(&in);
        check_part(&in);
        if (member->check)
            member->check(&in);
    }
    if (!wire->is_checkpoint)
        set_tells(record, data, there);
}

void record_merge(const struct record *record, void *mine, const void *theirs) {
    for (size_t i = 0; i < record->count; i++) {
        const struct record_member *member = &record->members[i];
        if (member->kind->merge && has(record, member, theirs, NULL))
            member->kind->merge(member, mine, theirs);
    }
    set_tells(record, mine, tells_of(record, mine) & tells_of(record, theirs));
}

void record_free(const struct record *record, void *data) {
    for (size_t i = 0; i < record->count; i++)
        if (record->members[i].kind->free)
            record->members[i].kind->free(&record->members[i], data);
}

bool record_same(const struct record *record, const void *a, const void *b,
                 const struct record_wire *wire) {
    cJSON *of_a = cJSON_CreateObject(), *of_b = cJSON_CreateObject();
    record_write(of_a, record, a, NULL, wire);
    record_write(of_b, record, b, NULL, wire);
    bool same = cJSON_Compare(of_a, of_b, true);
    cJSON_Delete(of_a);
    cJSON_Delete(of_b);
    return same;
}

static bool same_member(const struct record *record, const struct record_member *member,
                        const void *a, const void *b, const struct record_wire *wire) {
    const struct record one = {record->name, member, 1, record->size, record->tells};
    return record_same(&one, a, b, wire);
}

const char *record_disagree(const struct record *record, const void *a, const void *b,
                            const struct record_wire *wire) {
    const char *name = NULL;
    for (size_t i = 0; i < record->count && !name; i++) {
        const struct record_member *member = &record->members[i];
        const bool both = has(record, member, a, NULL) && has(record, member, b, NULL);
        if (!(member->flags & RECORD_EQUAL))
            continue;
        if (both && member->kind->is_record)
            name = record_disagree(member->of, record_at(member, a), record_at(member, b), wire);
        else if (!same_member(record, member, a, b, wire))
            name = member->name;
    }
    return name;
}

bool record_flag(const void *data, size_t offset) {
    bool flag;
    memcpy(&flag, (const char *)data + offset, sizeof flag);
    return flag;
}

void record_set_flag(void *data, size_t offset, bool flag) {
    memcpy((char *)data + offset, &flag, sizeof flag);
}

cJSON *record_object_in(cJSON *object, const char *name) {
    cJSON *found = json_get(object, name);
    if (cJSON_IsObject(found))
        return found;
    found = cJSON_CreateObject();
    record_put(object, name, found);
    return found;
}

cJSON *record_refer(const char *definition) {
    char text[64];
    cJSON *schema = cJSON_CreateObject();
    snprintf(text, sizeof text, "#/definitions/%s", definition);
    cJSON_AddStringToObject(schema, "$ref", text);
    return schema;
}

cJSON *record_schema_of_array(cJSON *items) {
    cJSON *schema = cJSON_CreateObject();
    cJSON_AddStringToObject(schema, "type", "array");
    cJSON_AddItemToObject(schema, "items", items);
    return schema;
}

enum { MOST_PATH = 128 };

static const struct record *inside_of(const struct record_member *member) {
    return !member->kind->joint      ? NULL
           : member->kind->is_record ? member->of
                                     : *(const struct record *const *)member->of;
}

static void walk(const struct record *record, const char *before, record_visit *visit,
                 void *context) {
    for (size_t i = 0; i < record->count; i++) {
        const struct record_member *member = &record->members[i];
        const struct record *inside = inside_of(member);
        char path[MOST_PATH];
        if (member->flags & RECORD_IN_CHECKPOINT)
            continue;
        snprintf(path, sizeof path, "%s%s", before, member->name);
        visit(context, path, member);
        snprintf(path, sizeof path, "%s%s%s", before, member->name,
                 inside ? member->kind->joint : "");
        if (inside)
            walk(inside, path, visit, context);
    }
}

void record_walk(const struct record *record, record_visit *visit, void *context) {
    walk(record, "", visit, context);
}

cJSON *record_schema_of(const struct record_member *member) {
    const struct record_kind *kind = member->kind;
    return kind->make_schema
               ? kind->make_schema(member)
               : cJSON_Parse(kind->may_be_given && member->of ? member->of : kind->schema);
}

static bool has_schema(const struct record_kind *kind) {
    return kind->schema || kind->make_schema;
}

cJSON *record_schema(const struct record *record) {
    cJSON *schema = cJSON_CreateObject();
    cJSON_AddStringToObject(schema, "type", "object");
    cJSON *required = cJSON_AddArrayToObject(schema, "required");
    cJSON_AddBoolToObject(schema, "additionalProperties", false);
    cJSON *properties = cJSON_AddObjectToObject(schema, "properties");
    for (size_t i = 0; i < record->count; i++) {
        const struct record_member *member = &record->members[i];
        if (member->flags & RECORD_IN_CHECKPOINT || !has_schema(member->kind))
            continue;
        if (!member->when && !(member->flags & RECORD_ABSENT))
            cJSON_AddItemToArray(required, cJSON_CreateString(member->name));
        cJSON *own = record_schema_of(member);
        if (member->says)
            cJSON_AddStringToObject(own, "description", member->says);
        cJSON_AddItemToObject(properties, member->name, own);
    }
    return schema;
}
