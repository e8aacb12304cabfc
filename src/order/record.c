/* Rows and kinds of members of orders' documents. */
#include "order/record.h"

#include <inttypes.h>
#include <string.h>

#define ROWS(MEMBERS) MEMBERS, sizeof MEMBERS / sizeof *MEMBERS

static int64_t whole_at(const struct record_member *member, const void *at) {
    const struct order_whole_of *of = member->of;
    uint16_t two;
    int32_t four;
    int64_t eight;
    memcpy(&two, at, sizeof two);
    if (of->bytes == sizeof two)
        return two;
    memcpy(&four, at, sizeof four);
    if (of->bytes == sizeof four)
        return four;
    memcpy(&eight, at, sizeof eight);
    return eight;
}

static void write_whole(const struct record_out *out) {
    const struct order_whole_of *of = out->member->of;
    int64_t whole = whole_at(out->member, record_from(out));
    if (whole != of->usual)
        record_add(out, cJSON_CreateNumber((double)whole));
}

static void read_whole(const struct record_in *in) {
    const struct order_whole_of *of = in->member->of;
    const cJSON *item = record_item(in);
    double number = item ? item->valuedouble : (double)of->usual;
    bool fits = !item ||
                (cJSON_IsNumber(item) && number >= (double)of->least && number <= (double)of->most);
    int64_t whole = fits ? (int64_t)number : 0;
    if (!fits || (double)whole < number || (double)whole > number) {
        char says[96];
        snprintf(says, sizeof says, "should be a whole number from %" PRId64 " to %" PRId64,
                 of->least, of->most);
        record_fail(in, says);
        whole = of->usual;
    }
    const uint16_t two = (uint16_t)whole;
    const int32_t four = (int32_t)whole;
    if (of->bytes == sizeof two)
        memcpy(record_into(in), &two, sizeof two);
    else if (of->bytes == sizeof four)
        memcpy(record_into(in), &four, sizeof four);
    else
        memcpy(record_into(in), &whole, sizeof whole);
}

static cJSON *schema_of_whole(const struct record_member *member) {
    const struct order_whole_of *of = member->of;
    cJSON *schema = cJSON_CreateObject();
    cJSON_AddStringToObject(schema, "type", "integer");
    cJSON_AddNumberToObject(schema, "minimum", (double)of->least);
    cJSON_AddNumberToObject(schema, "maximum", (double)of->most);
    return schema;
}

const struct record_kind order_whole = {write_whole, read_whole, .make_schema = schema_of_whole};

static void write_format(const struct record_out *out) {
    const struct format *format;
    memcpy(&format, record_from(out), sizeof format);
    if (format)
        record_add(out, cJSON_CreateString(format->name));
}

static void read_format(const struct record_in *in) {
    const struct format *format = NULL;
    struct error error;
    if (record_item(in) || !(in->member->flags & RECORD_ABSENT)) {
        const char *name = json_string(in->reader, in->object, in->member->name);
        if (!in->reader->failed && !(format = format_find(name, &error))) {
            char says[sizeof error.text];
            snprintf(says, sizeof says, "is none: %.600s", error.text);
            record_fail(in, says);
        }
    }
    memcpy(record_into(in), &format, sizeof format);
}

static cJSON *schema_of_format(const struct record_member *member) {
    cJSON *schema = cJSON_CreateObject(), *names = cJSON_AddArrayToObject(schema, "enum");
    (void)member;
    for (size_t i = 0; i < format_count; i++)
        cJSON_AddItemToArray(names, cJSON_CreateString(formats[i].name));
    return schema;
}

const struct record_kind order_format = {write_format, read_format,
                                         .make_schema = schema_of_format};

static void write_choice(const struct record_out *out) {
    unsigned choice;
    memcpy(&choice, record_from(out), sizeof choice);
    if (choice)
        record_choice.write(out);
}

static void read_choice(const struct record_in *in) {
    const unsigned first = 0;
    memcpy(record_into(in), &first, sizeof first);
    if (record_item(in))
        record_choice.read(in);
}

static cJSON *schema_of_choice(const struct record_member *member) {
    return record_choice.make_schema(member);
}

const struct record_kind order_choice = {write_choice, read_choice,
                                         .make_schema = schema_of_choice};

static void write_truth(const struct record_out *out) {
    if (*(const bool *)record_from(out))
        record_truth.write(out);
}

static void read_truth(const struct record_in *in) {
    *(bool *)record_into(in) = false;
    if (record_item(in))
        record_truth.read(in);
}

const struct record_kind order_truth = {write_truth, read_truth,
                                        .schema = "{\"type\":\"boolean\"}"};

/* ---- Nodes ---- */

static const struct record_names_of kinds = {order_node_kind_names, ORDER_NODE_KINDS};
static const struct record_names_of roundings = {order_rounding_names, ORDER_ROUNDINGS};
static const struct record_names_of places = {order_c_names, ORDER_C_PLACES};
#define WHOLE(NAME, TYPE, USUAL, LEAST, MOST)                                                      \
    static const struct order_whole_of NAME = {sizeof(TYPE), USUAL, LEAST, MOST}
static const struct record_names_of bin_ends = {order_bin_ends_names, ORDER_BIN_ENDS};
static const struct record_names_of totals = {order_totals_names, ORDER_TOTALS};
WHOLE(any_bins, unsigned, 0, 0, ORDER_MOST_BINS);
WHOLE(any_width, unsigned, 0, 0, 1024);
WHOLE(any_terms, unsigned, 2, 1, 1 << 20);
WHOLE(any_precision, unsigned, 0, 0, 53);
WHOLE(any_aligned, int, ORDER_ALL_BITS, ORDER_ALL_BITS, 100);
WHOLE(any_bits, int, 0, 0, 100);
WHOLE(any_floor, int, ORDER_NO_FLOOR, -4096, 4096);
WHOLE(any_groups, unsigned, 0, 0, 8);
WHOLE(any_reach, int, 0, 0, 4096);
WHOLE(any_exponent, int, 0, -4096, 4096);

#define NODE(NAME, KIND, OF, SAYS)                                                                 \
    { #NAME, &KIND, offsetof(struct order_node, NAME), OF, .flags = RECORD_ABSENT, .says = SAYS }
static const struct record_member node_members[] = {
    NODE(kind, order_choice, &kinds, "How the terms of one chain meet; sum where it is not there."),
    NODE(terms, order_whole, &any_terms,
         "How many terms are added at once, besides c; 2 where it is not there."),
    {"result", &order_format, offsetof(struct order_node, result),
     .says = "The format that the sum is rounded to."},
    NODE(rounding, order_choice, &roundings, "How; to nearest-even where it is not there."),
    NODE(result_precision, order_whole, &any_precision,
         "Bits of precision, where they are fewer than the format's."),
    NODE(overflow_is_infinite, order_truth, NULL,
         "In the roundings that stop at the largest number, too."),
    NODE(aligned_bits, order_whole, &any_aligned,
         "Bits behind the point that a term keeps, counted from the largest exponent of all; "
         "without it the sum is exact."),
    NODE(alignment, order_choice, &roundings, "How what lies below is cut."),
    NODE(sticky, order_truth, NULL, "One bit more is kept, set where anything is cut."),
    NODE(alignment_floor, order_whole, &any_floor, "The least exponent that terms are aligned to."),
    NODE(zeros_align, order_truth, NULL,
         "A product with a zero counts with the exponents of its factors."),
    NODE(product, order_format, NULL,
         "The format that products are rounded to; without it they are exact."),
    NODE(products_normalised, order_truth, NULL,
         "A product of 2 or more has the exponent that it has."),
    NODE(products_overflow, order_truth, NULL,
         "A product beyond the range of the result is infinite."),
    NODE(groups, order_whole, &any_groups, "Terms are cut and added in so many groups first."),
    NODE(c, order_choice, &places,
         "The place at which the accumulator is added; with-terms if it is missing."),
    NODE(joined_bits, order_whole, &any_bits,
         "Bits that the sum of the terms keeps when c is added after it."),
    NODE(c_bits, order_whole, &any_bits, "Bits that c keeps then."),
    NODE(c_reach, order_whole, &any_reach,
         "How far below the sum c may lie and still count; 0: however far."),
    NODE(joining, order_choice, &roundings, "How the rest is cut then."),
    NODE(flush_operands, order_truth, NULL, "Subnormal operands are zeros."),
    NODE(flush_c, order_truth, NULL, "A subnormal accumulator is a zero."),
    NODE(flush_products, order_truth, NULL, "Products below the smallest normal number are zeros."),
    NODE(flush_results, order_truth, NULL, "Subnormal results are zeros."),
    {"nan", &record_code, offsetof(struct order_node, nan),
     .says = "The code of every NaN that comes out."},
    NODE(zero_positive, order_truth, NULL, "Every zero that comes out is +0."),
    NODE(fixed_exponent, order_whole, &any_exponent,
         "For fixed-point: terms are multiples of 2 to this power."),
    NODE(bins, order_whole, &any_bins, "For bins and slices: how many are kept."),
    NODE(bin_width, order_whole, &any_width, "How many bits each has."),
    NODE(bin_ends, order_choice, &bin_ends,
         "The upper end of the highest bin: the least power of two above all terms whose exponent "
         "is "
         "bin_base and a multiple of bin_width; or bin_base bits above the least one above them."),
    NODE(bin_base, order_whole, &any_exponent, "See bin_ends; 0 where it is not there."),
    NODE(totals, order_choice, &totals,
         "How the totals of bins are added: their sum is rounded once, or each is, and they are "
         "added from the highest bin on, or from the lowest; by-rows keeps the totals of each two "
         "slices apart."),
    NODE(bin_bare, order_truth, NULL,
         "For bins: a negative term is cut one bit later, as beside a bare power of two."),
    NODE(all_products, order_truth, NULL,
         "For slices: all products of two slices count, also those below that of the first and "
         "the last one."),
    NODE(operands, order_format, NULL,
         "The format that terms, or the factors of products, are rounded to first."),
    NODE(operand_rounding, order_choice, &roundings,
         "How; to nearest-even where it is not there.")};
const struct record order_node_record = {"node", ROWS(node_members), sizeof(struct order_node),
                                         RECORD_ALL};

/* The bytes of a member of a node. */
static size_t member_bytes(const struct record_member *member) {
    if (member->kind == &order_whole)
        return ((const struct order_whole_of *)member->of)->bytes;
    return member->kind == &order_truth    ? sizeof(bool)
           : member->kind == &order_choice ? sizeof(unsigned)
           : member->kind == &order_format ? sizeof(const struct format *)
                                           : sizeof(uint64_t);
}

bool order_node_same(const struct order_node *a, const struct order_node *b) {
    bool same = true;
    for (size_t i = 0; same && i < order_node_record.count; i++) {
        const struct record_member *member = &node_members[i];
        same = memcmp((const char *)a + member->offset, (const char *)b + member->offset,
                      member_bytes(member)) == 0;
    }
    return same;
}

/* ---- Rules ---- */

static const struct record_names_of rule_kinds = {order_rule_names, ORDER_RULE_KINDS};
static const struct record_names_of tails = {order_tail_names, ORDER_TAILS};
static const struct record_names_of starts = {order_start_names, ORDER_STARTS};
WHOLE(any_node, uint16_t, 0, 0, ORDER_MOST_NODES - 1);
WHOLE(any_size, uint64_t, 0, 0, ORDER_MOST_TERMS);
#define RULE(NAME, KIND, OF, SAYS)                                                                 \
    { #NAME, &KIND, offsetof(struct order_rule, NAME), OF, .flags = RECORD_ABSENT, .says = SAYS }
static const struct record_member rule_members[] = {
    {"kind", &record_choice, offsetof(struct order_rule, kind), &rule_kinds,
     .says = "How the items are added."},
    RULE(node, order_whole, &any_node,
         "By which node the additions of this part itself are; the first where it is not there."),
    RULE(spill, order_whole, &any_node, "By which node a running sum is rounded in between."),
    RULE(size, order_whole, &any_size,
         "For sequential: how many items are added at once, 0 for all; else how many lanes, "
         "parts, or items of a block."),
    RULE(multiple, order_whole, &any_size,
         "To a multiple of what halves, parts and whole rows of lanes are rounded; levels of a "
         "cascade."),
    RULE(tail, order_choice, &tails,
         "How the items beyond the last multiple of the size are added."),
    RULE(start, order_choice, &starts, "The first number of a sum from the left.")};
const struct record order_rule_record = {"rule", ROWS(rule_members), sizeof(struct order_rule),
                                         RECORD_ALL};

/* Codes of NaN take 16 digits at most, and no leading zeros are asked for. */
const struct record_wire order_wire = {.strict = true, .widths = {1, 1, 1}};
