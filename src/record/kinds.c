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

static void write_count(const struct record_out *out) {
    record_add(out, cJSON_CreateNumber((double)number_at(out->member, out->data)));
}

static void read_count(const struct record_in *in) {
    set_number(in->member, in->data, json_count(in->reader, in->object, in->member->name));
}

static void merge_count(const struct record_member *member, void *mine, const void *theirs) {
    set_number(member, mine, number_at(member, mine) + number_at(member, theirs));
}

const struct record_kind record_count = {write_count, read_count, merge_count,
                                         .schema = "{\"$ref\":\"#/definitions/count\"}",
                                         .may_be_given = true};

const struct record_kind record_given = {
    write_count, read_count, .schema = "{\"$ref\":\"#/definitions/count\"}", .may_be_given = true};

static void write_some(const struct record_out *out) {
    uint64_t count;
    memcpy(&count, (const char *)out->data + *(const size_t *)out->member->of, sizeof count);
    if (count)
        write_count(out);
}

static void read_some(const struct record_in *in) {
    if (json_has(in->object, in->member->name))
        read_count(in);
}

const struct record_kind record_some = {write_some, read_some, merge_count,
                                        .schema = "{\"$ref\":\"#/definitions/count\"}"};

static uint64_t read_hex_member(struct json_reader *reader, const cJSON *object, const char *name,
                                int *digits) {
    uint64_t number = 0;
    json_string(reader, object, name);
    if (record_code_of(json_get(object, name), &number, digits))
        return number;
    json_fail(reader, name, "should be 0x and up to 16 hexadecimal digits");
    return 0;
}

static void write_number64(const struct record_out *out) {
    record_add(out, record_code_item(number_at(out->member, out->data), 1));
}

static void read_number64(const struct record_in *in) {
    int digits;
    set_number(in->member, in->data,
               read_hex_member(in->reader, in->object, in->member->name, &digits));
}

const struct record_kind record_number64 = {write_number64, read_number64,
                                            .schema = "{\"$ref\":\"#/definitions/bits\"}"};

static void write_code(const struct record_out *out) {
    record_add(out, record_code_item(number_at(out->member, out->data), out->wire->widths.digits));
}

static void read_code(const struct record_in *in) {
    int digits = 0;
    uint64_t code = read_hex_member(in->reader, in->object, in->member->name, &digits);
    if (in->wire->found)
        in->wire->found->digits = digits;
    if (in->wire->is_code && !in->wire->is_code(in->wire, code))
        record_fail(in, "is not a code of the format");
    set_number(in->member, in->data, code);
}

const struct record_kind record_code = {write_code, read_code,
                                        .schema = "{\"$ref\":\"#/definitions/bits\"}"};

static void write_error(const struct record_out *out) {
    double error;
    memcpy(&error, record_from(out), sizeof error);
    record_add(out, cJSON_CreateNumber(error));
}

static void read_error(const struct record_in *in) {
    double error = json_size(in->reader, in->object, in->member->name);
    memcpy(record_into(in), &error, sizeof error);
}

static void merge_error(const struct record_member *member, void *mine, const void *theirs) {
    double x, y;
    memcpy(&x, record_at(member, mine), sizeof x);
    memcpy(&y, record_at(member, theirs), sizeof y);
    if (y > x)
        memcpy((char *)mine + member->offset, &y, sizeof y);
}

const struct record_kind record_error = {write_error, read_error, merge_error,
                                         .schema = "{\"type\":\"number\",\"minimum\":0}"};

static void write_bound(const struct record_out *out) {
    double bound;
    memcpy(&bound, record_from(out), sizeof bound);
    if (isfinite(bound))
        write_error(out);
    else
        record_add(out, cJSON_CreateNull());
}

static void read_bound(const struct record_in *in) {
    const double none = INFINITY;
    if (json_has(in->object, in->member->name))
        read_error(in);
    else
        memcpy(record_into(in), &none, sizeof none);
}

const struct record_kind record_bound = {
    write_bound, read_bound, .schema = "{\"type\": [\"number\", \"null\"], \"minimum\": 0}"};

static void write_maybe(const struct record_out *out) {
    const struct record_maybe_of *of = out->member->of;
    if (record_flag(out->data, of->has))
        of->kind->write(out);
    else if (out->member->flags & RECORD_NULL)
        record_add(out, cJSON_CreateNull());
    else
        cJSON_DeleteItemFromObjectCaseSensitive(out->object, out->member->name);
}

static void read_maybe(const struct record_in *in) {
    const struct record_maybe_of *of = in->member->of;
    bool has = json_has(in->object, in->member->name);
    record_set_flag(in->data, of->has, has);
    if (has)
        of->kind->read(in);
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
    const struct record_member one = {.kind = of->kind};
    return member->flags & RECORD_NULL ? cJSON_Parse(record_bound.schema) : record_schema_of(&one);
}

const struct record_kind record_maybe = {write_maybe, read_maybe, merge_maybe,
                                         .make_schema = schema_of_maybe};

static void write_input(const struct record_out *out) {
    out->wire->write_input(out->object, out->wire, record_from(out));
}

/* A string, or an array of what an operand is; or an object that says which array. */
static void see_input(struct json_reader *reader, const cJSON *object, const char *name) {
    const cJSON *input = json_get(object, name);
    if (!cJSON_IsString(input) && !cJSON_IsArray(input) && !cJSON_IsObject(input))
        json_fail(reader, name,
                  "should be a string of hexadecimal digits, an array of them, or an object");
}

static void read_input(const struct record_in *in) {
    see_input(in->reader, in->object, in->member->name);
    if (in->wire->read_input)
        in->wire->read_input(in->reader, in->object, in->wire, record_into(in));
}

const struct record_kind record_input = {write_input, read_input,
                                         .schema = "{\"$ref\":\"#/definitions/input\"}"};

static void write_sum(const struct record_out *out) {
    char text[ERROR_SUM_TEXT];
    record_add(out, cJSON_CreateString(error_sum_text(record_from(out), text)));
}

static void read_sum(const struct record_in *in) {
    const char *text = json_string(in->reader, in->object, in->member->name);
    if (!error_sum_parse(record_into(in), text))
        record_fail(in, "should be 0x and a string of hexadecimal digits");
}

static void merge_sum(const struct record_member *member, void *mine, const void *theirs) {
    error_sum_merge(record_room(member, mine), record_at(member, theirs));
}

const struct record_kind record_sum = {
    write_sum, read_sum, merge_sum,
    .schema = "{\"type\":\"string\",\"pattern\":\"^0x(0|[1-9a-f][0-9a-f]*)$\"}"};

static void write_figure(const struct record_out *out) {
    const struct record_figure_of *of = out->member->of;
    record_add(out, cJSON_CreateNumber(of->figure(out->data, out->parent)));
}

static void read_figure(const struct record_in *in) {
    const struct record_figure_of *of = in->member->of;
    const cJSON *item = record_item(in);
    if (!item && !in->wire->strict) /* it follows from others, which is all that is wanted */
        return;
    if (!of->is_signed)
        json_size(in->reader, in->object, in->member->name);
    else if (!cJSON_IsNumber(item))
        record_fail(in, "should be a number");
    if (of->check && cJSON_IsNumber(item))
        of->check(in->reader, in->data, item->valuedouble);
}

static cJSON *schema_of_figure(const struct record_member *member) {
    const struct record_figure_of *of = member->of;
    return cJSON_Parse(of->is_signed ? "{\"type\":\"number\"}" : record_error.schema);
}

const struct record_kind record_figure = {write_figure, read_figure,
                                          .make_schema = schema_of_figure};

static void write_said(const struct record_out *out) {
    const struct record_said_of *of = out->member->of;
    if (out->wire->say && !out->wire->is_checkpoint && !of->elsewhere)
        out->wire->say(out->object, out->member, out->wire);
}

static void read_said(const struct record_in *in) {
    (void)in;
}

static cJSON *schema_of_said(const struct record_member *member) {
    const struct record_said_of *of = member->of;
    return cJSON_Parse(of->schema);
}

const struct record_kind record_said = {write_said, read_said, .make_schema = schema_of_said};
