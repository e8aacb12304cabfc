/* What is measured beside ulps: a row a member. */
#include "sweep/tally_record.h"

static double mean_of_size(const void *data, const void *parent) {
    const struct size_tally *size = data;
    const struct tally *tally = parent;
    return size == &tally->absolute ? tally_mean_absolute(tally) : tally_mean_relative(tally);
}

static void check_largest(const struct record_in *in) {
    const struct witness *witness = in->data;
    check_place(in->reader, in->wire, witness->index, witness->input);
}

static const struct record_member largest_members[] = {
    {"error", &record_error, offsetof(struct witness, error),
     .says = "The error: a number for absolute errors, a share of the exact result for relative "
             "errors."},
    WITNESS_PLACE(offsetof(struct witness, index)),
    WITNESS_OUTPUT(0, check_largest)};
static const struct record largest_record = {"largest", largest_members, ROWS(largest_members),
                                             sizeof(struct witness), RECORD_ALL};

static void check_has_max(const struct record_in *in) {
    const struct size_tally *size = in->data;
    if (size->has_max != (size->outputs > 0))
        json_fail(in->reader, "max", "should be an object where outputs is not 0, and else null");
}

#define SIZE(MEMBER) offsetof(struct size_tally, MEMBER)
static const struct record_member size_members[] = {
    {"outputs", &record_count, SIZE(outputs),
     .part_of = {"judged_in_ulps", offsetof(struct tally, in_ulps), true},
     .says = "The number of outputs that have such an error."},
    {"infinite", &record_count, SIZE(infinite), .flags = RECORD_LENIENT,
     .part_of = {"outputs", SIZE(outputs), false},
     .says = "The number of errors that are too large for a double; the mean leaves them out."},
    {"max", &record_largest, SIZE(max),
     OF(struct record_largest_of){&largest_record, SIZE(has_max), tally_is_larger},
     .flags = RECORD_NULL, .check = check_has_max,
     .says = "An output with the largest error. If several have it, that of the first input. Null "
             "if no output has an error."},
    {"mean", &record_figure, .of = OF(struct record_figure_of){.figure = mean_of_size},
     .says = "The mean of the errors that are not too large for a double; 0 if there are none."},
    {"sum", &record_sum, SIZE(sum),
     .says = "The sum of these errors, as hexadecimal digits after 0x: absolute errors in units of "
             "2^-1152, relative errors in units of 2^-128."}};
const struct record size_record = {"size", size_members, ROWS(size_members),
                                   sizeof(struct size_tally), RECORD_ALL};

#define PAIR(MEMBER) offsetof(struct pair_witness, MEMBER)
static const struct record_member other_members[] = {
    {"input", &record_input, 0, .says = "The other input."}, /* of the whole pair */
    {"got", &record_code, PAIR(other_got) - PAIR(other),
     .says = "The output for the other input."}};
static const struct record other_record = {"other", other_members, ROWS(other_members),
                                           sizeof(struct pair_witness) - PAIR(other), RECORD_ALL};

static void check_pair(const struct record_in *in) {
    const struct pair_witness *pair = in->data;
    check_place(in->reader, in->wire, pair->index, pair->input);
}

static const struct record_member pair_members[] = {
    WITNESS_PLACE(PAIR(index)),
    {"input", &record_input, PAIR(input), .check = check_pair, .says = "The input."},
    {"got", &record_code, PAIR(got), .says = "The output."},
    {"other", &record_nested, PAIR(other), &other_record,
     .says = "The input that it was compared with: the next one, or the one with the other sign."}};
static const struct record pair_record = {"pair", pair_members, ROWS(pair_members),
                                          sizeof(struct pair_witness), RECORD_ALL};

static bool pair_is_earlier(const void *data, const void *a, const void *b) {
    const struct pair_witness *x = a, *y = b;
    (void)data;
    return place_is_earlier(x->index, x->input, y->index, y->input);
}

static void check_first(const struct record_in *in) {
    const struct pair_tally *tally = in->data;
    if (tally->has_first != (tally->wrong > 0))
        json_fail(in->reader, "first", "should be an object where wrong is not 0, and else null");
}

#define PAIRS(MEMBER) offsetof(struct pair_tally, MEMBER)
#define PART_OF_PAIRS                                                                              \
    { "pairs", PAIRS(pairs), false }
static const struct record_member pairs_members[] = {
    {"pairs", &record_count, PAIRS(pairs),
     .says = "The number of pairs of inputs that were compared."},
    {"wrong", &record_count, PAIRS(wrong), .part_of = PART_OF_PAIRS,
     .says = "The number of wrong pairs."},
    {"undecided", &record_count, PAIRS(undecided), .part_of = PART_OF_PAIRS,
     .says = "The number of pairs that could not be decided; above 0 only if exact results agree "
             "in 120 bits."},
    {"first", &record_largest, PAIRS(first),
     OF(struct record_largest_of){&pair_record, PAIRS(has_first), pair_is_earlier},
     .flags = RECORD_NULL, .check = check_first, .says = "The first wrong pair, or null."}};
const struct record pairs_record = {"pairs", pairs_members, ROWS(pairs_members),
                                    sizeof(struct pair_tally), RECORD_ALL};

static void write_percentiles(const struct record_out *out) {
    const struct tally *tally = out->data;
    cJSON *rows = cJSON_CreateArray();
    for (int i = 0; i < PERCENTILES && tally->in_ulps; i++) {
        struct percentile found = tally_percentile(tally, percentiles[i]);
        cJSON *row = cJSON_CreateObject();
        cJSON_AddNumberToObject(row, "percent", percentiles[i] / 10.0);
        cJSON_AddNumberToObject(row, "above_ulp", found.above);
        cJSON_AddNumberToObject(row, "up_to_ulp", found.up_to);
        cJSON_AddItemToArray(rows, row);
    }
    record_add(out, rows);
}

/* They follow from the histogram. */
static void read_percentiles(const struct record_in *in) {
    if (record_item(in) && !cJSON_IsArray(record_item(in)))
        record_fail(in, "should be an array");
}

const struct record_kind percentiles_kind = {
    .write = write_percentiles,
    .read = read_percentiles,
    .schema = "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"percent\","
              "\"above_ulp\",\"up_to_ulp\"],\"properties\":{\"percent\":{\"type\":\"number\"},"
              "\"above_ulp\":{\"type\":\"number\",\"minimum\":0},\"up_to_ulp\":{\"type\":"
              "\"number\",\"minimum\":0}},\"additionalProperties\":false}}"};
