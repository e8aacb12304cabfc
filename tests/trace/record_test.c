/* The document of a comparison: what is written is what is read, and its schema is the one that the rows make.
 *
 * `trace_record --schema` prints that schema. */
#include "base/json.h"
#include "trace/compare.h"
#include "trace/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *schema(void) {
    cJSON *whole = record_schema(&trace_comparison_record), *definitions = cJSON_CreateObject();
    cJSON_AddItemToObject(definitions, "count",
                          cJSON_Parse("{\"type\":\"integer\",\"minimum\":0}"));
    cJSON_AddItemToObject(definitions, "judgement", record_schema(&trace_judgement_record));
    cJSON_AddItemToObject(cJSON_GetObjectItem(whole, "properties"), "schema",
                          cJSON_Parse("{\"const\":\"detcheck/trace-comparison/1\"}"));
    cJSON_AddItemToObject(whole, "definitions", definitions);
    cJSON_AddStringToObject(whole, "$schema", "http://json-schema.org/draft-07/schema#");
    cJSON_AddStringToObject(whole, "title", "Two traces beside one another: detcheck-trace(1)");
    char *text = cJSON_Print(whole);
    cJSON_Delete(whole);
    return text;
}

static void test_schema(void **context) {
    size_t length;
    struct error error;
    char *made = schema(), *kept = file_read(TRACE_SCHEMA_FILE, 1 << 20, "schema", &length, &error);
    (void)context;
    assert_non_null(kept);
    kept[strlen(kept) - 1] = '\0';
    assert_string_equal(
        kept, made); /* else: trace_record --schema > vectors/trace-comparison.schema.json */
    cJSON_free(made);
    free(kept);
}

static char *text_of(const struct trace_comparison *comparison, bool all) {
    cJSON *document = trace_comparison_document(comparison, all);
    assert_non_null(document);
    char *text = cJSON_Print(document);
    cJSON_Delete(document);
    return text;
}

static void test_what_is_written_is_read(void **context) {
    struct trace_ulps ulps = {"3 to 4", 2};
    struct trace_judgement judgement = {.operation = "matmul",
                                        .outputs = 8,
                                        .wrong_here = 1,
                                        .error_there = 1 - 0x1p-53,
                                        .cause_here = "one sum"};
    struct trace_row rows[2] = {{.verdict = TRACE_EQUAL,
                                 .name = "add",
                                 .path = "",
                                 .source = "",
                                 .name_there = "",
                                 .here_count = 1,
                                 .there_count = 1},
                                {.verdict = TRACE_PARTED,
                                 .name = "mm",
                                 .path = "layers.0",
                                 .source = "m.py:1",
                                 .name_there = "dot",
                                 .here = 1,
                                 .there = 1,
                                 .here_count = 1,
                                 .there_count = 2,
                                 .shapes = "2x2 fp32",
                                 .elements = 8,
                                 .differ = 2,
                                 .largest = 4,
                                 .middle = 4,
                                 .ulps = &ulps,
                                 .ulps_count = 1,
                                 .judgement = &judgement}};
    const struct trace_comparison comparison = {.here = {"a", "torch", "1", 2, 0, true},
                                                .there = {"b", "torch", "", 3, 1, false},
                                                .rows = rows,
                                                .row_count = 2,
                                                .pairs = 2,
                                                .counts = {1, 1},
                                                .all = true};
    struct trace_comparison read;
    struct error error;
    char *text = text_of(&comparison, true);
    (void)context;
    assert_true(trace_comparison_is(text));
    char *copy = strdup(text);
    assert_true(trace_comparison_read(&read, "x.json", copy, strlen(copy), &error));
    assert_int_equal(read.row_count, 2);
    assert_true(read.rows[1].judgement && !(read.rows[1].judgement->error_there < 1 - 0x1p-53));
    char *again = text_of(&read, true);
    assert_string_equal(text, again);
    free(again);
    again = text_of(&read, false);
    trace_comparison_free(&read);
    assert_true(trace_comparison_read(&read, "x.json", again, strlen(again), &error));
    assert_int_equal(read.row_count, 1);
    assert_false(read.all);
    trace_comparison_free(&read);
    cJSON_free(text);
}

/* Each value of the document replaced by each of some others: read, or one line that says where. */
static void test_hostile(void **context) {
    static const char *const values[] = {"-1", "null",  "\"x\"", "[]",
                                         "{}", "1e300", "[[]]",  "true"};
    struct trace_kind kind = {.name = "add", .calls = 1};
    struct trace_row row = {.name = "add",
                            .path = "",
                            .source = "",
                            .name_there = "",
                            .here_count = 1,
                            .there_count = 1};
    const struct trace_comparison comparison = {.here = {"a", "torch", "1", 1, 0, true},
                                                .there = {"b", "torch", "1", 1, 0, true},
                                                .rows = &row,
                                                .row_count = 1,
                                                .kinds = &kind,
                                                .kind_count = 1,
                                                .pairs = 1,
                                                .counts = {1},
                                                .all = true};
    char *text = text_of(&comparison, true);
    int refused = 0;
    (void)context;
    for (const char *at = strchr(text, ':'); at; at = strchr(at + 1, ':'))
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            const size_t before = (size_t)(at + 1 - text), old = strcspn(at + 1, ",}\n");
            char *changed = malloc(strlen(text) + 32);
            struct trace_comparison read;
            struct error error = {""};
            assert_non_null(changed);
            snprintf(changed, strlen(text) + 32, "%.*s %s%s", (int)before, text, values[i],
                     at + 1 + old);
            if (!trace_comparison_read(&read, "x.json", changed, strlen(changed), &error)) {
                assert_true(strlen(error.text) > 0);
                refused++;
            }
            trace_comparison_free(&read);
        }
    assert_true(refused > 200);
    cJSON_free(text);
}

int main(int count, char **words) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_is_written_is_read),
                                       cmocka_unit_test(test_hostile),
                                       cmocka_unit_test(test_schema)};
    if (count == 2 && strcmp(words[1], "--schema") == 0)
        return puts(schema()) < 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
