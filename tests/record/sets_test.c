/* Sets of whole numbers as members of records, and what parts of one whole have in common. */
#include "record/kinds.h"
#include "record/number_set.h"
#include "sweep/tally_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A shard of something: sets of numbers, and what all shards of one whole have in common. */
struct shared {
    uint64_t of, own;
    struct number_set numbers;
    unsigned operands;
    struct number_set codes[2];
};
#define SHARED(MEMBER) offsetof(struct shared, MEMBER)
static const struct record_member shared_members[] = {
    {"of", &record_given, .offset = SHARED(of), .flags = RECORD_EQUAL},
    {"own", &record_given, .offset = SHARED(own)},
    {"numbers", &record_numbers, .offset = SHARED(numbers)},
    {"codes", &record_runs, SHARED(codes), OF(struct record_runs_of){SHARED(operands), 2},
     .flags = RECORD_EQUAL}};
static const struct record shared_record = {"shared", shared_members, ROWS(shared_members),
                                            sizeof(struct shared), RECORD_ALL};

static const struct record_wire wire = {.widths = {.input_digits = 2}};

/* Reads the text; the error, or what is written again. */
static const char *round_trip(const char *text, struct shared *shared) {
    static char written[1024];
    struct error error;
    struct json_reader reader = {.file = "document", .error = &error};
    cJSON *tree = cJSON_Parse(text), *object = cJSON_CreateObject();
    assert_non_null(tree);
    *shared = (struct shared){0};
    record_read(&reader, tree, &shared_record, shared, NULL, &wire);
    record_write(object, &shared_record, shared, NULL, &wire);
    char *again = cJSON_PrintUnformatted(object);
    snprintf(written, sizeof written, "%s", reader.failed ? error.text : again);
    cJSON_free(again);
    cJSON_Delete(object);
    cJSON_Delete(tree);
    return written;
}

static void test_sets_of_numbers(void **state) {
    static const char *const wrong[][2] = {
        {"[2,2],\"codes\":[[[\"0x00\",\"0x01\"]]]", "document: numbers has a number twice"},
        {"[-2],\"codes\":[[[\"0x00\",\"0x01\"]]]", "document: numbers[0] should be a whole number"},
        {"[1],\"codes\":[[[\"0x02\",\"0x01\"]]]", "document: codes should have runs"},
        {"[1],\"codes\":[[[\"0x05\",\"0x06\"],[\"0x00\",\"0x05\"]]]",
         "document: codes should have runs"},
        {"[1],\"codes\":[[]]", "document: codes should have runs"},
        {"[1],\"codes\":[[[\"0x00\",\"0x01\"]],[[\"0x00\",\"0x01\"]],[[\"0x00\",\"0x01\"]]]",
         "document: codes should have runs"}};
    static const char first[] = "{\"of\":9,\"own\":1,\"numbers\":[7,1,2],\"codes\":[[[\"0x00\","
                                "\"0x05\"],[\"0x80\",\"0xff\"]]]}";
    struct shared mine, theirs;
    uint64_t number = 0;
    (void)state;
    for (size_t i = 0; i < ROWS(wrong); i++) {
        char text[256];
        snprintf(text, sizeof text, "{\"of\":9,\"own\":1,\"numbers\":%s}", wrong[i][0]);
        assert_non_null(strstr(round_trip(text, &mine), wrong[i][1]));
        record_free(&shared_record, &mine);
    }
    assert_string_equal(round_trip(first, &mine),
                        "{\"of\":9,\"own\":1,\"numbers\":[1,2,7],"
                        "\"codes\":[[[\"0x00\",\"0x05\"],[\"0x80\",\"0xff\"]]]}");
    round_trip("{\"of\":9,\"own\":2,\"numbers\":[3,6,8],"
               "\"codes\":[[[\"0x00\",\"0x05\"],[\"0x80\",\"0xff\"]]]}",
               &theirs);
    assert_null(record_disagree(&shared_record, &mine, &theirs, &wire));
    assert_false(number_set_shares(&mine.numbers, &theirs.numbers, &number));
    assert_true(number_set_add(&mine.numbers, &theirs.numbers));
    assert_int_equal(mine.numbers.count, 2); /* 1 to 3, 6 to 8 */
    assert_int_equal(number_set_size(&mine.numbers), 6);
    assert_true(number_set_shares(&mine.numbers, &theirs.numbers, &number));
    assert_int_equal(number, 3);
    theirs.codes[0].runs[1].last = 0xfe;
    assert_string_equal(record_disagree(&shared_record, &mine, &theirs, &wire), "codes");
    theirs.of = 8;
    assert_string_equal(record_disagree(&shared_record, &mine, &theirs, &wire), "of");
    record_free(&shared_record, &mine);
    record_free(&shared_record, &theirs);
}

/* Sets of numbers below 64, drawn, against bits. */
static void test_unions_of_sets(void **state) {
    uint64_t drawn = 1, number;
    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct number_set sets[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
        uint64_t bits[2] = {0, 0};
        for (int i = 0; i < 2; i++)
            for (uint64_t n = 0; n < 64; n++) {
                drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                if (drawn >> 61 == 0 && !(round % 2 && bits[0] >> n & 1)) {
                    bits[i] |= UINT64_C(1) << n;
                    assert_true(number_set_append(&sets[i], n, n));
                }
            }
        bool shares = number_set_shares(&sets[0], &sets[1], &number);
        assert_int_equal(shares, (bits[0] & bits[1]) != 0);
        if (shares)
            assert_true((bits[0] & bits[1]) >> number & 1);
        else {
            assert_true(number_set_add(&sets[0], &sets[1]));
            uint64_t both = 0;
            for (size_t k = 0; k < sets[0].count; k++) {
                assert_true(!k || sets[0].runs[k].first > sets[0].runs[k - 1].last + 1);
                for (uint64_t n = sets[0].runs[k].first; n <= sets[0].runs[k].last; n++)
                    both |= UINT64_C(1) << n;
            }
            assert_true(both == (bits[0] | bits[1]));
        }
        number_set_free(&sets[0]);
        number_set_free(&sets[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sets_of_numbers),
                                       cmocka_unit_test(test_unions_of_sets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
