/* How many bytes calls on texts say that they have read or written: a row a member. */
#include "sweep/tally_record.h"

/* A number of bytes, or null where the call told none. */
static void write_length(const struct record_out *out) {
    const uint64_t *length = record_from(out);
    record_add(out,
               *length == UINT64_MAX ? cJSON_CreateNull() : cJSON_CreateNumber((double)*length));
}

static void read_length(const struct record_in *in) {
    uint64_t *length = record_into(in);
    *length = cJSON_IsNull(record_item(in)) ? UINT64_MAX
                                            : json_count(in->reader, in->object, in->member->name);
}

static const struct record_kind length_kind = {
    write_length, read_length,
    .schema = "{\"anyOf\": [{\"$ref\": \"#/definitions/count\"}, {\"type\": \"null\"}]}"};

#define LENGTH(MEMBER) offsetof(struct length_witness, MEMBER)
static void check_line(const struct record_in *in) {
    const struct length_witness *line = in->data;
    check_place(in->reader, in->wire, line->index, line->input);
}

static const struct record_member line_members[] = {
    WITNESS_PLACE(LENGTH(index)),
    {"input", &record_input, LENGTH(input), .check = check_line, .says = "The input."},
    {"got", &length_kind, LENGTH(got),
     .says = "The number of bytes that the call returned; null if it returned a negative number, "
             "or a pointer beyond the text."},
    {"want", &length_kind, LENGTH(want), .says = "The right number of bytes."}};
static const struct record line_record = {"line", line_members, ROWS(line_members),
                                          sizeof(struct length_witness), RECORD_ALL};

static bool line_is_earlier(const void *data, const void *a, const void *b) {
    const struct length_witness *x = a, *y = b;
    (void)data;
    return place_is_earlier(x->index, x->input, y->index, y->input);
}

static void check_first(const struct record_in *in) {
    const struct length_tally *tally = in->data;
    if (tally->has_first != (tally->wrong > 0))
        json_fail(in->reader, "first", "should be an object where wrong is not 0, and else null");
}

#define LENGTHS(MEMBER) offsetof(struct length_tally, MEMBER)
static const struct record_member lengths_members[] = {
    {"lines", &record_count, LENGTHS(lines),
     .says = "The number of calls that returned a number of bytes; 0 if the implementation returns "
             "none."},
    {"wrong", &record_count, LENGTHS(wrong), .part_of = {"lines", LENGTHS(lines), false},
     .says = "The number of calls that returned a wrong number of bytes."},
    {"first", &record_largest, LENGTHS(first),
     OF(struct record_largest_of){&line_record, LENGTHS(has_first), line_is_earlier},
     .flags = RECORD_NULL, .check = check_first,
     .says = "The first call with a wrong number of bytes, or null."}};
const struct record lengths_record = {"lengths", lengths_members, ROWS(lengths_members),
                                      sizeof(struct length_tally), RECORD_ALL};
