/* Where two implementations differ: counted, and a row a member. */
#include "sweep/tally_record.h"

#include <string.h>

#define PAIR(MEMBER) offsetof(struct difference_witness, MEMBER)
static void check_difference(const struct record_in *in) {
    const struct difference_witness *one = in->data;
    check_place(in->reader, in->wire, one->index, one->input);
}

static const struct record_member pair_members[] = {
    WITNESS_PLACE(PAIR(index)),
    {"input", &record_input, PAIR(input), .check = check_difference, .says = "The input."},
    {"a", &record_code, PAIR(a), .says = "The output of the first implementation."},
    {"b", &record_code, PAIR(b), .says = "The output of the second implementation."}};
static const struct record pair_record = {"difference", pair_members, ROWS(pair_members),
                                          sizeof(struct difference_witness), RECORD_ALL};

static bool difference_is_earlier(const void *data, const void *a, const void *b) {
    const struct difference_witness *x = a, *y = b;
    (void)data;
    return place_is_earlier(x->index, x->input, y->index, y->input);
}

static const struct record_member exponent_members[] = {
    {"count", &record_count, 0, .says = "How many inputs of the binade differ."}};
static const struct record exponent_record = {"binade", exponent_members, 1, sizeof(uint64_t),
                                              RECORD_ALL};

static const struct record_list_of first_differences = {
    &pair_record, offsetof(struct difference_tally, first_count), TALLY_FIRST,
    difference_is_earlier};
static const struct record_member difference_members[] = {
    {"count", &record_count, offsetof(struct difference_tally, count),
     .says = "How many inputs have different outputs."},
    {"by_binade", &record_series, offsetof(struct difference_tally, binades),
     OF(struct record_series_of){&exponent_record, "exponent", 0, RECORD_ALL, 0, DIFFERENCE_LOWEST,
                                 DIFFERENCE_BINADES},
     .says = "The binades of the first operand in which there are such, from the lowest."},
    {"first", &record_list, offsetof(struct difference_tally, first), &first_differences,
     .says = "The first of them."}};
const struct record difference_record = {"differences", difference_members,
                                         ROWS(difference_members), sizeof(struct difference_tally),
                                         RECORD_ALL};

void difference_merge(struct difference_tally *tally, const struct difference_tally *other) {
    record_merge(&difference_record, tally, other);
}

void difference_add(struct difference_tally *tally, uint64_t index, const uint64_t *input,
                    int exponent, uint64_t a, uint64_t b) {
    struct difference_witness one = {.index = index, .a = a, .b = b};
    memcpy(one.input, input, sizeof one.input);
    tally->count++;
    if (exponent >= DIFFERENCE_LOWEST && exponent < DIFFERENCE_LOWEST + DIFFERENCE_BINADES)
        tally->binades[exponent - DIFFERENCE_LOWEST]++;
    record_keep(tally->first, sizeof one, &tally->first_count, TALLY_FIRST, &one,
                difference_is_earlier, tally);
}
