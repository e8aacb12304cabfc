/* Documents that nobody has written: of what searches found and of invariance each value in turn is of another
 * type, negative or missing, and counts contradict each other. Each is refused with one line. And what two
 * searches found together. */
#include "base/json.h"
#include "invariance/record.h"
#include "sweep/search/record.h"
#include "sweep/tally_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* One operand of 16 bits. */
static void write_input(cJSON *object, const struct record_wire *wire, const uint64_t *input) {
    (void)wire;
    cJSON_AddItemToObject(object, "input", record_code_item(input[0], 4));
}

static void read_input(struct json_reader *reader, const cJSON *object,
                       const struct record_wire *wire, uint64_t *input) {
    int digits;
    (void)wire;
    if (!record_code_of(cJSON_GetObjectItemCaseSensitive(object, "input"), input, &digits))
        json_fail(reader, "input", "should be a code");
}

static const struct record_wire strict = {
    .strict = true, .widths = {4, 4, 1}, .write_input = write_input, .read_input = read_input};

/* A search and a run of invariance that have every member. */
static struct search_record searched(void) {
    struct search_record search = {.evaluations = 9, .accepts_flushed = true, .part_count = 1};
    search.parts[0] = (struct search_part){.implementation_count = 1,
                                           .names = {"libm"},
                                           .tells = 1u << SEARCH_ERROR,
                                           .evaluations = 9,
                                           .best_count = 2,
                                           .best = {{{7}, 0.75}, {{8}, 0.5}},
                                           .growth_count = 2,
                                           .growth = {{3, 0.5}, {9, 0.75}}};
    return search;
}

static struct size_record sizes[] = {{2, 3}};
static struct variant_record variants[] = {{"A=1", "", true, PROPERTY_TESTED, 2},
                                           {"B=2", "it is none", false, PROPERTY_NOT_TESTED, 0}};
static struct property_record properties[] = {
    {.name = "position",
     .tested = true,
     .tells = PROPERTY_TESTED,
     .inputs = 6,
     .unanswered = 1,
     .has_not_called = true,
     .not_called = 2,
     .unrepeatable = 1,
     .not_asked = 1,
     .at_once = 4,
     .first_at_once = 1,
     .size_count = 1,
     .sizes = sizes,
     .changed = 3,
     .has_first = true,
     .first = {.input = {7}, .reference = 1, .got = 2, .where = "there", .command = "again"},
     .variant_count = 2,
     .variants = variants},
    {.name = "length", .tells = PROPERTY_NOT_TESTED, .why = "it has none"}};
static struct property_event events[] = {
    {.name = "position", .input = {7}, .where = "there", .command = "again"}};
static const struct invariance_record varied = {.tested = 6,
                                                .property_count = 2,
                                                .properties = properties,
                                                .event_count = 1,
                                                .events = events,
                                                .event_counts = {1}};

/* The value at a place of the tree, in order, and what it lies in. */
static cJSON *value_at(cJSON *in, int *place, cJSON **outside) {
    cJSON *found = NULL;
    for (cJSON *child = in->child; child && !found; child = child->next) {
        *outside = in;
        found = (*place)-- == 0 ? child : value_at(child, place, outside);
    }
    return found;
}

/* Reads a copy of the document in which the value at a place is another one, or is missing (NULL). False at
 * the end; *name is that of the member. */
static bool read_changed(const struct record *record, const cJSON *document, int place,
                         const char *other, char name[64], struct error *error, bool *failed) {
    _Alignas(max_align_t) static char data[sizeof(struct search_record)];
    cJSON *copy = cJSON_Duplicate(document, true), *outside = NULL;
    cJSON *value = value_at(copy, &place, &outside);
    struct json_reader reader = {.file = "document", .error = error};
    assert_true(record->size <= sizeof data);
    memset(data, 0, sizeof data);
    if (value) {
        const char *element = cJSON_IsString(value) ? "[text]" : "[]";
        snprintf(name, 64, "%s", value->string ? value->string : element);
        if (!other)
            cJSON_Delete(cJSON_DetachItemViaPointer(outside, value));
        else if (value->string)
            cJSON_ReplaceItemInObjectCaseSensitive(outside, name, cJSON_Parse(other));
        else
            cJSON_ReplaceItemViaPointer(outside, value, cJSON_Parse(other));
        record_read(&reader, copy, record, data, NULL, &strict);
        record_free(record, data);
    }
    *failed = reader.failed;
    cJSON_Delete(copy);
    return value;
}

/* Values of other types and negative ones are refused in each place, but for strings where any may stand; and what is
 * missing, but for what may be. */
static void check_hostile(const struct record *record, const void *data,
                          const char *may_be_any_text, const char *may_be_missing) {
    static const char *const others[] = {"{\"x\":1}", "[[]]", "-1", "\"x\"", "null", NULL};
    cJSON *document = cJSON_CreateObject();
    struct error error;
    char name[64], word[80];
    bool failed;
    record_write(document, record, data, NULL, &strict);
    for (size_t i = 0; i < ROWS(others); i++)
        for (int place = 0; read_changed(record, document, place, others[i], name, &error, &failed);
             place++) {
            snprintf(word, sizeof word, " %s ", name);
            bool may = strstr(i == 3 ? may_be_any_text : may_be_missing, word);
            if (failed)
                assert_true(*error.text && !strchr(error.text, '\n'));
            else if (i < 3 || (i == 3 && !may)) /* such a value stands nowhere else */
                fail_msg("%s is accepted as %s", name, others[i]);
            else if (i >= 4 && !may)
                fail_msg("%s may be missing", name);
        }
    cJSON_Delete(document);
}

static void test_hostile_documents(void **state) {
    const struct search_record search = searched();
    (void)state;
    check_hostile(&search_record, &search, " [text] ", " accept [] [text] ");
    check_hostile(&invariance_record, &varied, " property variant where command why ",
                  " not_called unrepeatable not_asked at_once first_at_once sizes variants [] "
                  "where command crash ");
}

static void test_counts_that_contradict(void **state) {
    static const struct {
        const char *name, *says;
        size_t offset;
    } rows[] = {{"inputs", "is more than the implementation's tested",
                 offsetof(struct property_record, inputs)},
                {"changed", "is more than inputs", offsetof(struct property_record, changed)}};
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        const uint64_t many = 7;
        struct property_record torn = properties[0];
        struct invariance_record all = varied;
        struct error error;
        char name[64];
        bool failed;
        memcpy((char *)&torn + rows[i].offset, &many, sizeof many);
        all.properties = &torn;
        all.property_count = 1;
        cJSON *document = cJSON_CreateObject();
        record_write(document, &invariance_record, &all, NULL, &strict);
        assert_true(read_changed(&invariance_record, document, 0, "6", name, &error, &failed) &&
                    failed);
        assert_non_null(strstr(error.text, rows[i].says));
        cJSON_Delete(document);
    }
    struct search_record search = searched();
    search.parts[0].evaluations = 10;
    cJSON *document = cJSON_CreateObject();
    struct error error;
    struct json_reader reader = {.file = "document", .error = &error};
    record_write(document, &search_record, &search, NULL, &strict);
    record_read(&reader, document, &search_record, &search, NULL, &strict);
    assert_true(reader.failed);
    assert_string_equal(error.text, "document: parts[0].evaluations is more than evaluations");
    cJSON_Delete(document);
}

/* Shards beside each other come to the same in any order; and growth after another's is after its evaluations. */
static void test_searches_merge(void **state) {
    struct search_record mine = searched(), theirs = searched(), turned = searched();
    (void)state;
    theirs.parts[0].best[0] = (struct found_input){{9}, 1};
    theirs.parts[0].growth[1] = (struct search_growth){5, 1};
    turned = theirs;
    const struct search_record own = mine;
    search_merge(&mine, &theirs, true);
    search_merge(&turned, &own, true);
    assert_true(record_same(&search_record, &mine, &turned, &strict));
    assert_int_equal(mine.evaluations, 18);
    assert_int_equal(mine.parts[0].best_count, 3); /* {8}, 0.5 once */
    assert_int_equal(mine.parts[0].best[0].input[0], 9);
    assert_int_equal(mine.parts[0].growth_count, 2);
    mine = own;
    search_merge(&mine, &theirs, false);
    assert_false(record_same(&search_record, &mine, &turned, &strict));
    assert_int_equal(mine.parts[0].growth_count, 3);
    assert_int_equal(mine.parts[0].growth[2].evaluations, 9 + 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hostile_documents),
                                       cmocka_unit_test(test_counts_that_contradict),
                                       cmocka_unit_test(test_searches_merge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
