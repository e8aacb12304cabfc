/* Numbers, texts of numbers, sums, and what follows from them. */
#include "record/kinds.h"

#include "record/parts.h"
#include "record/sum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t number_at(const struct record_member *member, const void *data) {
    uint64_t number;
    memcpy(&number, record_at(member, data), sizeof number);
    return number;
}

static void set_number(const struct record_member *member, void *data, uint64_t number) {
    memcpy((char *)data + member->offset, &number, sizeof number);
}

static void write_count(cJSON *object, const struct record_member *member, const void *data,
                        const void *parent, const struct record_wire *wire) {
    (void)parent, (void)wire;
    record_put(object, member->name, cJSON_CreateNumber((double)number_at(member, data)));
}

static void read_count(struct json_reader *reader, const cJSON *object,
                       const struct record_member *member, void *data,
                       const struct record_wire *wire) {
    (void)wire;
    set_number(member, data, json_count(reader, object, member->name));
}

static void merge_count(const struct record_member *member, void *mine, const void *theirs) {
    set_number(member, mine, number_at(member, mine) + number_at(member, theirs));
}

static cJSON *schema_of_count(const struct record_member *member) {
    return member->of ? cJSON_Parse(member->of) : record_refer("count");
}

const struct record_kind record_count = {write_count,     read_count, merge_count,
                                         schema_of_count, NULL,       NULL};

const struct record_kind record_given = {write_count,     read_count, NULL,
                                         schema_of_count, NULL,       NULL};

static void write_some(cJSON *object, const struct record_member *member, const void *data,
                       const void *parent, const struct record_wire *wire) {
    uint64_t count;
    memcpy(&count, (const char *)data + *(const size_t *)member->of, sizeof count);
    if (count)
        write_count(object, member, data, parent, wire);
}

static void read_some(struct json_reader *reader, const cJSON *object,
                      const struct record_member *member, void *data,
                      const struct record_wire *wire) {
    if (json_has(object, member->name))
        read_count(reader, object, member, data, wire);
}

static cJSON *schema_of_some(const struct record_member *member) {
    (void)member;
    return record_refer("count");
}

const struct record_kind record_some = {write_some,     read_some, merge_count,
                                        schema_of_some, NULL,      NULL};

static uint64_t read_hex_member(struct json_reader *reader, const cJSON *object, const char *name,
                                int *digits) {
    uint64_t number = 0;
    json_string(reader, object, name);
    if (record_code_of(json_get(object, name), &number, digits))
        return number;
    json_fail(reader, name, "should be 0x and up to 16 hexadecimal digits");
    return 0;
}

static void write_number64(cJSON *object, const struct record_member *member, const void *data,
                           const void *parent, const struct record_wire *wire) {
    (void)parent, (void)wire;
    record_put(object, member->name, record_code_item(number_at(member, data), 1));
}

static void read_number64(struct json_reader *reader, const cJSON *object,
                          const struct record_member *member, void *data,
                          const struct record_wire *wire) {
    int digits;
    (void)wire;
    set_number(member, data, read_hex_member(reader, object, member->name, &digits));
}

static cJSON *schema_of_bits(const struct record_member *member) {
    (void)member;
    return record_refer("bits");
}

const struct record_kind record_number64 = {write_number64, read_number64, NULL,
                                            schema_of_bits, NULL,          NULL};

static void write_code(cJSON *object, const struct record_member *member, const void *data,
                       const void *parent, const struct record_wire *wire) {
    (void)parent;
    record_put(object, member->name,
               record_code_item(number_at(member, data), wire->widths.digits));
}

static void read_code(struct json_reader *reader, const cJSON *object,
                      const struct record_member *member, void *data,
                      const struct record_wire *wire) {
    int digits = 0;
    uint64_t code = read_hex_member(reader, object, member->name, &digits);
    if (wire->found)
        wire->found->digits = digits;
    if (wire->is_code && !wire->is_code(wire, code))
        json_fail(reader, member->name, "is no code of the format");
    set_number(member, data, code);
}

const struct record_kind record_code = {write_code, read_code, NULL, schema_of_bits, NULL, NULL};

static void write_error(cJSON *object, const struct record_member *member, const void *data,
                        const void *parent, const struct record_wire *wire) {
    double error;
    (void)parent, (void)wire;
    memcpy(&error, record_at(member, data), sizeof error);
    record_put(object, member->name, cJSON_CreateNumber(error));
}

static void read_error(struct json_reader *reader, const cJSON *object,
                       const struct record_member *member, void *data,
                       const struct record_wire *wire) {
    double error = json_size(reader, object, member->name);
    (void)wire;
    memcpy((char *)data + member->offset, &error, sizeof error);
}

static cJSON *schema_of_number(bool is_signed) {
    cJSON *schema = cJSON_CreateObject();
    cJSON_AddStringToObject(schema, "type", "number");
    if (!is_signed)
        cJSON_AddNumberToObject(schema, "minimum", 0);
    return schema;
}

static cJSON *schema_of_error(const struct record_member *member) {
    (void)member;
    return schema_of_number(false);
}

static void merge_error(const struct record_member *member, void *mine, const void *theirs) {
    double x, y;
    memcpy(&x, record_at(member, mine), sizeof x);
    memcpy(&y, record_at(member, theirs), sizeof y);
    if (y > x)
        memcpy((char *)mine + member->offset, &y, sizeof y);
}

const struct record_kind record_error = {write_error,     read_error, merge_error,
                                         schema_of_error, NULL,       NULL};

static void write_bound(cJSON *object, const struct record_member *member, const void *data,
                        const void *parent, const struct record_wire *wire) {
    double bound;
    memcpy(&bound, record_at(member, data), sizeof bound);
    if (isfinite(bound))
        write_error(object, member, data, parent, wire);
    else
        record_put(object, member->name, cJSON_CreateNull());
}

static void read_bound(struct json_reader *reader, const cJSON *object,
                       const struct record_member *member, void *data,
                       const struct record_wire *wire) {
    const double none = INFINITY;
    if (json_has(object, member->name))
        read_error(reader, object, member, data, wire);
    else
        memcpy(record_in(member, data), &none, sizeof none);
}

static cJSON *schema_of_bound(const struct record_member *member) {
    (void)member;
    return cJSON_Parse("{\"type\": [\"number\", \"null\"], \"minimum\": 0}");
}

const struct record_kind record_bound = {write_bound,     read_bound, NULL,
                                         schema_of_bound, NULL,       NULL};

static void write_maybe(cJSON *object, const struct record_member *member, const void *data,
                        const void *parent, const struct record_wire *wire) {
    const struct record_maybe_of *of = member->of;
    if (record_flag(data, of->has))
        of->kind->write(object, member, data, parent, wire);
    else if (member->flags & RECORD_NULL)
        record_put(object, member->name, cJSON_CreateNull());
    else
        cJSON_DeleteItemFromObjectCaseSensitive(object, member->name);
}

static void read_maybe(struct json_reader *reader, const cJSON *object,
                       const struct record_member *member, void *data,
                       const struct record_wire *wire) {
    const struct record_maybe_of *of = member->of;
    bool has = json_has(object, member->name);
    record_set_flag(data, of->has, has);
    if (has)
        of->kind->read(reader, object, member, data, wire);
}

static void merge_maybe(const struct record_member *member, void *mine, const void *theirs) {
    const struct record_maybe_of *of = member->of;
    if (!record_flag(theirs, of->has) || !of->kind->merge)
        return;
    of->kind->merge(member, mine, theirs);
    record_set_flag(mine, of->has, true);
}

static cJSON *schema_of_maybe(const struct record_member *member) {
    const struct record_maybe_of *of = member->of;
    struct record_member one = *member;
    one.of = NULL; /* which is what this kind needs to know, and not that one */
    return member->flags & RECORD_NULL ? schema_of_bound(member) : of->kind->schema(&one);
}

const struct record_kind record_maybe = {write_maybe,     read_maybe, merge_maybe,
                                         schema_of_maybe, NULL,       NULL};

static void write_input(cJSON *object, const struct record_member *member, const void *data,
                        const void *parent, const struct record_wire *wire) {
    (void)parent;
    wire->write_input(object, wire, record_at(member, data));
}

/* A string, or an array of what an operand is; or an object that says which array. */
static void see_input(struct json_reader *reader, const cJSON *object, const char *name) {
    const cJSON *input = json_get(object, name);
    if (!cJSON_IsString(input) && !cJSON_IsArray(input) && !cJSON_IsObject(input))
        json_fail(reader, name,
                  "should be a string of hexadecimal digits, an array of them, or an object");
}

static void read_input(struct json_reader *reader, const cJSON *object,
                       const struct record_member *member, void *data,
                       const struct record_wire *wire) {
    see_input(reader, object, member->name);
    if (wire->read_input)
        wire->read_input(reader, object, wire, record_in(member, data));
}

static cJSON *schema_of_input(const struct record_member *member) {
    (void)member;
    return record_refer("input");
}

const struct record_kind record_input = {write_input,     read_input, NULL,
                                         schema_of_input, NULL,       NULL};

static void write_sum(cJSON *object, const struct record_member *member, const void *data,
                      const void *parent, const struct record_wire *wire) {
    char text[ERROR_SUM_TEXT];
    (void)parent, (void)wire;
    record_put(object, member->name,
               cJSON_CreateString(error_sum_text(record_at(member, data), text)));
}

static void read_sum(struct json_reader *reader, const cJSON *object,
                     const struct record_member *member, void *data,
                     const struct record_wire *wire) {
    const char *text = json_string(reader, object, member->name);
    (void)wire;
    if (!error_sum_parse(record_in(member, data), text))
        json_fail(reader, member->name, "should be 0x and a string of hexadecimal digits");
}

static void merge_sum(const struct record_member *member, void *mine, const void *theirs) {
    error_sum_merge(record_in(member, mine), record_at(member, theirs));
}

static cJSON *schema_of_sum(const struct record_member *member) {
    cJSON *schema = cJSON_CreateObject();
    (void)member;
    cJSON_AddStringToObject(schema, "type", "string");
    cJSON_AddStringToObject(schema, "pattern", "^0x(0|[1-9a-f][0-9a-f]*)$");
    return schema;
}

const struct record_kind record_sum = {write_sum, read_sum, merge_sum, schema_of_sum, NULL, NULL};

static void write_figure(cJSON *object, const struct record_member *member, const void *data,
                         const void *parent, const struct record_wire *wire) {
    const struct record_figure_of *of = member->of;
    (void)wire;
    record_put(object, member->name, cJSON_CreateNumber(of->figure(data, parent)));
}

static void read_figure(struct json_reader *reader, const cJSON *object,
                        const struct record_member *member, void *data,
                        const struct record_wire *wire) {
    const struct record_figure_of *of = member->of;
    const cJSON *item = json_get(object, member->name);
    if (!item && !wire->strict) /* it follows from others, which is all that is wanted */
        return;
    if (!of->is_signed)
        json_size(reader, object, member->name);
    else if (!cJSON_IsNumber(item))
        json_fail(reader, member->name, "should be a number");
    if (of->check && cJSON_IsNumber(item))
        of->check(reader, data, item->valuedouble);
}

static cJSON *schema_of_figure(const struct record_member *member) {
    const struct record_figure_of *of = member->of;
    return schema_of_number(of->is_signed);
}

const struct record_kind record_figure = {write_figure,     read_figure, NULL,
                                          schema_of_figure, NULL,        NULL};

static void write_said(cJSON *object, const struct record_member *member, const void *data,
                       const void *parent, const struct record_wire *wire) {
    const struct record_said_of *of = member->of;
    (void)data, (void)parent;
    if (wire->say && !wire->kept && !of->elsewhere)
        wire->say(object, member, wire);
}

static void read_said(struct json_reader *reader, const cJSON *object,
                      const struct record_member *member, void *data,
                      const struct record_wire *wire) {
    (void)reader, (void)object, (void)member, (void)data, (void)wire;
}

static cJSON *schema_of_said(const struct record_member *member) {
    const struct record_said_of *of = member->of;
    return cJSON_Parse(of->schema);
}

const struct record_kind record_said = {write_said, read_said, NULL, schema_of_said, NULL, NULL};
