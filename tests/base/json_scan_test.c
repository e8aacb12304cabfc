/* Tokens of JSON: what is refused and where, what strings mean, and streams of any length. */
#include "base/json_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool scan_all(struct json_scan *scan, struct error *error) {
    enum json_token token;
    while ((token = json_next(scan)) != JSON_BAD)
        if (token == JSON_OVER)
            return true;
    return json_scan_fail(scan, "F", NULL, error);
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *text, *says; /* NULL: it is JSON */
    } rows[] = {{"{}", NULL},
                {" [ ] \r\n\t", NULL},
                {"\xef\xbb\xbf[-0.5e+3, 0, 1E9, true, false, null]", NULL},
                {"{\"\":{\"a\":[{}]}}", NULL},
                {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00 \xf4\x8f\xbf\xbf\"", NULL},
                {"", "F, line 1, column 1: the file ends here"},
                {"[1,\n 2", "F, line 2, column 3: the file ends here"},
                {"[1,]", "F, line 1, column 4: not JSON: a value"},
                {"{\"a\":1,}", "F, line 1, column 8: not JSON: a name"},
                {"{a:1}", "F, line 1, column 2: not JSON: a name"},
                {"{\"a\" 1}", "F, line 1, column 6: not JSON: a colon"},
                {"[1 2]", "F, line 1, column 4: not JSON: a comma or ]"},
                {"{\"a\":1]", "F, line 1, column 7: not JSON: a comma or }"},
                {"[1}", "F, line 1, column 3: not JSON: a comma or ]"},
                {"1\n1", "F, line 2, column 1: not JSON: more"},
                {"01", "F, line 1, column 2: not JSON: more"},
                {"+1", "F, line 1, column 1: not JSON: a value"},
                {"[-]", "F, line 1, column 3: not JSON: a number"},
                {"[1.]", "F, line 1, column 4: not JSON: a number"},
                {"[1e]", "F, line 1, column 4: not JSON: a number"},
                {"[nul]", "F, line 1, column 5: not JSON: a value"},
                {"NaN", "F, line 1, column 1: not JSON: a value"},
                {"\"a\tb\"", "F, line 1, column 3: not JSON: a control character"},
                {"\"\\x\"", "F, line 1, column 3: not JSON: no escape"},
                {"\"\\u12g4\"", "F, line 1, column 6: not JSON: no escape"},
                {"\"\\u0000\"", "F, line 1, column 8: not JSON: no escape"},
                {"\"\\ud800\"", "F, line 1, column 8: not JSON: no escape"},
                {"\"\\ud800\\u0041\"", "F, line 1, column 14: not JSON: no escape"},
                {"\"\\udc00\"", "F, line 1, column 8: not JSON: no escape"},
                {"\"\xff\"", "F, line 1, column 2: not UTF-8"},
                {"\"\xc0\x80\"", "F, line 1, column 2: not UTF-8"},
                {"\"\xe0\x9f\xbf\"", "not UTF-8"},
                {"\"\xed\xa0\x80\"", "not UTF-8"},
                {"\"\xf4\x90\x80\x80\"", "not UTF-8"},
                {"\"\xe2\x82", "the file ends here"},
                {"[\x01]", "F, line 1, column 2: not JSON: a value"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct json_scan scan;
        struct error error = {{0}};
        char *text = strdup(rows[i].text);
        json_scan_text(&scan, text, strlen(text));
        bool good = scan_all(&scan, &error);
        if (good != !rows[i].says || (rows[i].says && !strstr(error.text, rows[i].says)))
            fail_msg("%s: '%s' should say '%s'", rows[i].text, error.text, rows[i].says);
        free(text);
    }
}

static void test_depth_and_nul(void **state) {
    (void)state;
    char deep[2 * JSON_DEPTH + 2];
    for (size_t depth = JSON_DEPTH; depth <= JSON_DEPTH + 1; depth++) {
        struct json_scan scan;
        struct error error = {{0}};
        memset(deep, '[', depth);
        memset(deep + depth, ']', depth);
        json_scan_text(&scan, deep, 2 * depth);
        assert_int_equal(scan_all(&scan, &error), depth == JSON_DEPTH);
        assert_true(depth == JSON_DEPTH ||
                    strstr(error.text, "column 1001: nested deeper than 1000"));
    }
    struct json_scan scan;
    struct error error;
    char nul[] = "[\0]";
    json_scan_text(&scan, nul, 3);
    assert_false(scan_all(&scan, &error));
    assert_non_null(strstr(error.text, "column 2: a NUL byte"));
}

static void test_strings_are_decoded(void **state) {
    (void)state;
    char text[] = "{\"a\\u0062\": \"\\u00e9\\ud83d\\ude00\\n\\/x\"}";
    struct json_scan scan;
    json_scan_text(&scan, text, strlen(text));
    assert_int_equal(json_next(&scan), JSON_OBJECT);
    assert_int_equal(json_next(&scan), JSON_NAME);
    assert_string_equal(scan.token, "ab");
    assert_int_equal(json_next(&scan), JSON_STRING);
    assert_string_equal(scan.token, "\xc3\xa9\xf0\x9f\x98\x80\n/x");
    assert_int_equal(scan.length, strlen(scan.token));
    assert_int_equal(json_next(&scan), JSON_END);
    assert_int_equal(json_next(&scan), JSON_OVER);
}

/* A stream of several pieces has the tokens that the text has, wherever the pieces part. */
static void test_streams(void **state) {
    (void)state;
    enum { ROOM = 1 << 18 };
    char *text = malloc(ROOM);
    size_t length = (size_t)sprintf(text, "[");
    for (int i = 0; length < ROOM - 80; i++)
        length +=
            (size_t)sprintf(text + length, "%s{\"n%d\": [-%d.5e-3, \"\\u00e9%d\xe2\x82\xac\"]}",
                            i ? ",\n" : "", i, i, i);
    length += (size_t)sprintf(text + length, "]");
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, length, stream), length);
    rewind(stream);
    struct json_scan whole, pieces;
    json_scan_text(&whole, text, length);
    assert_true(json_scan_stream(&pieces, stream));
    enum json_token token;
    do {
        token = json_next(&whole);
        assert_int_equal(json_next(&pieces), token);
        assert_int_equal(pieces.length, whole.length);
        assert_memory_equal(pieces.token, whole.token, whole.length);
        assert_int_equal(pieces.line, whole.line);
        assert_int_not_equal(token, JSON_BAD);
    } while (token != JSON_OVER);
    json_scan_free(&pieces);
    fclose(stream);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_depth_and_nul),
        cmocka_unit_test(test_strings_are_decoded), cmocka_unit_test(test_streams)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
