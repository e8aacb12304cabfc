/* What follows from a row: a member that one row adds is written, read, checked, merged, kept in a checkpoint, in
 * the schema and in the manual. First of a record that is made up, then of every count of the tally; and the
 * schema of reports is the one that the rows make.
 *
 * `record_rows --schema FILE` prints that schema: FILE with what the rows say in its place. */
#include "base/json.h"
#include "base/json_tree.h"
#include "invariance/record.h"
#include "report/digests_record.h"
#include "report/inputs_record.h"
#include "report/run_record.h"
#include "sweep/effects_record.h"
#include "sweep/search/record.h"
#include "sweep/tally_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Made up: what is known of a run, and one more member. */
struct part {
    double error;
    uint64_t index;
};
struct known {
    unsigned tells, first_count;
    uint64_t tested, added;
    struct error_sum sum;
    bool has_max;
    struct part max, first[2];
};
#define AT(MEMBER)   offsetof(struct known, MEMBER)
#define PART(MEMBER) offsetof(struct part, MEMBER)

static bool is_larger(const void *data, const void *a, const void *b) {
    const struct part *x = a, *y = b;
    (void)data;
    return x->error > y->error;
}

static const struct record_member part_members[] = {
    {"error", &record_error, .offset = PART(error), .says = "The error."},
    {"index", &record_number64, .offset = PART(index), .flags = RECORD_IN_CHECKPOINT}};
static const struct record part_record = {"part", part_members, ROWS(part_members),
                                          sizeof(struct part), RECORD_ALL};

enum { TELLS_ADDED = 1 };
/* The last row is the one that is added. */
static const struct record_member members[] = {
    {"tested", &record_count, .offset = AT(tested), .says = "How many."},
    {"sum", &record_sum, .offset = AT(sum), .says = "Their sum."},
    {"max", &record_largest, AT(max),
     OF(struct record_largest_of){&part_record, AT(has_max), is_larger}, .flags = RECORD_NULL,
     .says = "The largest."},
    {"first", &record_list, AT(first),
     OF(struct record_list_of){&part_record, AT(first_count), 2, is_larger}, .says = "The first."},
    {"added", &record_count, .offset = AT(added), .when = TELLS_ADDED,
     .part_of = {"tested", AT(tested), false}, .says = "What was added."}};
static const struct record before = {"known", members, ROWS(members) - 1, sizeof(struct known),
                                     AT(tells)};
static const struct record after = {"known", members, ROWS(members), sizeof(struct known),
                                    AT(tells)};

static const struct record_wire report = {0}, checkpoint = {.is_checkpoint = true, .strict = true};

static struct known make(uint64_t tested, uint64_t added, double error) {
    struct known one = {.tells = TELLS_ADDED,
                        .tested = tested,
                        .added = added,
                        .has_max = true,
                        .max = {error, 7},
                        .first_count = 1,
                        .first = {{error, 7}}};
    error_sum_add(&one.sum, error, tested);
    return one;
}

/* Writes it, and reads it into another one: false with the error where that is refused. */
static bool pass(const struct record *record, const struct known *from, struct known *into,
                 const struct record_wire *wire, char **text, struct error *error) {
    cJSON *object = cJSON_CreateObject();
    struct json_reader reader = {.file = "document", .error = error};
    record_write(object, record, from, NULL, wire);
    *text = cJSON_PrintUnformatted(object);
    cJSON *tree = json_parse(strdup(*text), strlen(*text), "document", "document", error);
    assert_non_null(tree);
    *into = (struct known){.tells = wire->is_checkpoint ? TELLS_ADDED : 0};
    record_read(&reader, tree, record, into, NULL, wire);
    json_tree_free(tree);
    cJSON_Delete(object);
    return !reader.failed;
}

static void test_one_row_adds_a_member(void **state) {
    const struct known one = make(10, 3, 0.5);
    struct known read;
    struct error error = {{0}};
    char *text;
    (void)state;
    assert_true(pass(&before, &one, &read, &report, &text, &error));
    assert_null(strstr(text, "added"));
    assert_int_equal(read.added, 0);
    cJSON_free(text);
    assert_true(pass(&after, &one, &read, &report, &text, &error));
    assert_non_null(strstr(text, "\"added\":3"));
    assert_null(strstr(text, "index")); /* in checkpoints only */
    assert_int_equal(read.added, 3);
    assert_int_equal(read.tells, TELLS_ADDED);
    cJSON_free(text);
    assert_true(pass(&after, &one, &read, &checkpoint, &text, &error));
    assert_non_null(strstr(text, "\"index\":\"0x7\""));
    assert_int_equal(read.added, 3);
    assert_int_equal(read.max.index, 7);
    cJSON_free(text);
    const struct known torn = make(2, 3, 0.5);
    assert_false(pass(&after, &torn, &read, &report, &text, &error));
    assert_string_equal(error.text, "document: added is more than tested");
    cJSON_free(text);
}

static void test_merging(void **state) {
    struct known mine = make(10, 3, 0.5);
    struct known theirs = make(5, 4, 0.75);
    char sum[ERROR_SUM_TEXT];
    (void)state;
    record_merge(&after, &mine, &theirs);
    assert_int_equal(mine.tested, 15);
    assert_int_equal(mine.added, 7);
    assert_true(mine.max.error >= 0.75 && mine.first[1].error <= 0.5);
    assert_int_equal(mine.first_count, 2);
    assert_string_equal(error_sum_text(&mine.sum, sum), "0x8c000000000000000");
    theirs.tells = 0; /* of a version before it: the whole does not tell of it either */
    record_merge(&after, &mine, &theirs);
    assert_int_equal(mine.tells, 0);
}

struct found {
    const char *path;
    bool is;
};

static void look_for(void *context, const char *path, const struct record_member *member) {
    struct found *found = context;
    found->is = found->is || (strcmp(path, found->path) == 0 && member->says);
}

static void test_schema_and_manual(void **state) {
    cJSON *schema = record_schema(&after);
    const cJSON *properties = cJSON_GetObjectItemCaseSensitive(schema, "properties");
    const cJSON *added = cJSON_GetObjectItemCaseSensitive(properties, "added");
    struct found found[] = {{"added", false}, {"max.error", false}, {"first[].error", false}};
    (void)state;
    assert_string_equal(
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(added, "description")),
        "What was added.");
    cJSON_Delete(schema);
    for (size_t i = 0; i < ROWS(found); i++) {
        record_walk(&after, look_for, &found[i]);
        assert_true(found[i].is);
    }
}

/* Each count of the tally, by its row alone. */
static void test_counts_of_the_tally(void **state) {
    size_t counts = 0;
    (void)state;
    for (size_t i = 0; i < tally_record.count; i++) {
        const struct record_member *member = &tally_record.members[i];
        const struct record alone = {"tally", member, 1, sizeof(struct tally), tally_record.tells};
        struct tally mine = {.tells = ~0u}, theirs = {.tells = ~0u}, read = {0};
        struct error error;
        struct json_reader reader = {.file = "tally", .error = &error};
        const uint64_t five = 5;
        uint64_t number;
        if (member->kind != &record_count)
            continue;
        memcpy((char *)&mine + member->offset, &five, sizeof five);
        memcpy((char *)&theirs + member->offset, &five, sizeof five);
        tally_merge(&mine, &theirs);
        cJSON *object = cJSON_CreateObject();
        record_write(object, &alone, &mine, NULL, &report);
        assert_int_equal(cJSON_GetObjectItemCaseSensitive(object, member->name)->valueint, 10);
        struct record_member bare = *member; /* what must hold against others is not tried here */
        bare.check = NULL;
        bare.part_of.name = NULL;
        const struct record unchecked = {"tally", &bare, 1, sizeof(struct tally),
                                         tally_record.tells};
        record_read(&reader, object, &unchecked, &read, NULL, &report);
        memcpy(&number, (const char *)&read + member->offset, sizeof number);
        assert_false(reader.failed);
        assert_int_equal(number, 10);
        cJSON_Delete(object);
        counts++;
    }
    assert_true(counts >= 15);
}

static cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* Puts the members of a record into the schema of the object that it is a part of. */
static void put_rows(cJSON *schema, const struct record *record) {
    cJSON *made = record_schema(record), *properties = get(made, "properties");
    assert_non_null(get(schema, "properties"));
    while (properties->child) {
        cJSON *one = cJSON_DetachItemFromArray(properties, 0);
        char name[64];
        snprintf(name, sizeof name, "%s", one->string);
        record_put(get(schema, "properties"), name, one);
    }
    cJSON_Delete(made);
}

/* A value on one line, with a space behind each comma and each colon. */
static char *one_line(const cJSON *item) {
    char *text = cJSON_PrintUnformatted(item), *spaced = calloc(2, strlen(text) + 1), *to = spaced;
    bool quoted = false;
    assert_non_null(spaced);
    for (const char *at = text; *at; at++) {
        quoted = quoted != (*at == '"' && (at == text || at[-1] != '\\'));
        *to++ = *at;
        if (!quoted && (*at == ',' || *at == ':'))
            *to++ = ' ';
    }
    cJSON_free(text);
    return spaced;
}

/* As one line where that fits behind `used` columns, else a line for each of its values. */
enum { COLUMNS = 100, INDENT = 2 };
static void put_lines(FILE *stream, const cJSON *item, int indent, size_t used) {
    char *line = one_line(item);
    bool fits = !item->child || used + strlen(line) < COLUMNS;
    if (fits)
        fputs(line, stream);
    else
        fputs(cJSON_IsArray(item) ? "[" : "{", stream);
    for (const cJSON *child = item->child; !fits && child; child = child->next) {
        int column = fprintf(stream, "\n%*s", indent + INDENT, "") - 1;
        if (cJSON_IsObject(item))
            column += fprintf(stream, "\"%s\": ", child->string);
        put_lines(stream, child, indent + INDENT, (size_t)column + (child->next != NULL));
        if (child->next)
            fputc(',', stream);
    }
    if (!fits)
        fprintf(stream, "\n%*s%s", indent, "", cJSON_IsArray(item) ? "]" : "}");
    free(line);
}

static char *schema_of(const char *path) {
    struct error error;
    size_t length;
    char *text = file_read(path, (size_t)1 << 20, "schema", &length, &error);
    cJSON *schema = cJSON_Parse(text);
    free(text);
    assert_non_null(schema);
    cJSON *definitions = get(schema, "definitions");
    cJSON *result = get(get(definitions, "result"), "properties");
    const struct record *const heads[] = {&run_record, &tool_record, &platform_record};
    for (size_t i = 0; i < ROWS(heads); i++)
        put_rows(get(get(schema, "properties"), heads[i]->name), heads[i]);
    put_rows(get(definitions, "provided"), &tally_record);
    put_rows(get(definitions, "provided"), &digests_record);
    put_rows(get(get(result, "differences"), "items"), &difference_record);
    put_rows(get(definitions, "invariant"), &invariance_record);
    record_put(definitions, "search", record_schema(&search_record));
    record_put(result, "inputs", record_schema(&inputs_record));
    put_rows(get(result, "oracle"), &oracle_record);
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    put_lines(stream, schema, 0, 0);
    assert_int_equal(fclose(stream), 0);
    cJSON_Delete(schema);
    return text;
}

static void test_the_schema_is_that_of_the_rows(void **state) {
    struct error error;
    size_t length;
    char *text = file_read(REPORT_SCHEMA_FILE, (size_t)1 << 20, "schema", &length, &error);
    char *made = schema_of(REPORT_SCHEMA_FILE);
    (void)state;
    assert_non_null(text);
    text[strlen(text) - 1] = '\0';
    assert_string_equal(text, made); /* else: record_rows --schema FILE */
    free(text);
    free(made);
}

int main(int count, char **words) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_row_adds_a_member), cmocka_unit_test(test_merging),
        cmocka_unit_test(test_schema_and_manual), cmocka_unit_test(test_counts_of_the_tally),
        cmocka_unit_test(test_the_schema_is_that_of_the_rows)};
    if (count == 3 && strcmp(words[1], "--schema") == 0) {
        char *text = schema_of(words[2]);
        printf("%s\n", text);
        free(text);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
