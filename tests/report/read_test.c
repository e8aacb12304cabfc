/* The reader of reports: what it takes, and that each kind of damage is refused with its place. */
#include "report/read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char whole[] =
    "{\"schema\":\"detcheck/report/1\",\"run\":{\"date\":\"d\",\"host\":\"h\"},"
    "\"tool\":{\"name\":\"detcheck\"},\"platform\":{\"os\":\"o\"},\"complete\":true,\"results\":["
    "{\"operation\":\"exp\",\"format\":\"fp16\",\"rounding\":\"up\","
    "\"parameters\":{\"strict_nan\":false},"
    "\"inputs\":{\"kind\":\"all\",\"description\":\"all 4 inputs\",\"count\":4},"
    "\"implementations\":[{\"name\":\"libm\",\"detail\":\"glibc\",\"provided\":true,\"tested\":4,"
    "\"correctly_rounded\":2,\"incorrectly_rounded\":1,\"faithful\":3,\"judged_in_ulps\":3,"
    "\"over_1_ulp\":1,\"nan_mismatches\":1,\"nan_bits_differ\":0,\"sign_mismatches\":0,"
    "\"max_ulp\":{\"error\":1.5,\"input\":\"0x0001\",\"got\":\"0x0002\",\"want\":\"0x0003\"},"
    "\"mean_ulp\":0.5,\"histogram\":[{\"up_to_ulp\":1,\"count\":2},{\"up_to_ulp\":null,\"count\":1}"
    "],"
    "\"by_binade\":[{\"exponent\":-3,\"max_ulp\":1.5,\"incorrect\":1}],\"worst\":[],"
    "\"first_mismatches\":[],\"events\":[],\"event_counts\":{\"crash\":2},"
    "\"fingerprint\":\"xxh3-128:00000000000000000000000000000000\"},"
    "{\"name\":\"det\",\"detail\":\"\",\"provided\":false,\"reason\":\"has none\"}],"
    "\"differences\":[]}]}";

static char path[] = "/tmp/detcheck-read-XXXXXX";

static int make_path(void **state) {
    (void)state;
    int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

static bool read_text(struct read_report *report, const char *text, size_t length,
                      struct error *error) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
    return report_read(report, path, error);
}

/* The whole report with its first `from` replaced. */
static char *altered(const char *from, const char *to) {
    static char text[2 * sizeof whole];
    const char *at = strstr(whole, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
    return text;
}

static void test_whole(void **state) {
    (void)state;
    struct read_report report;
    struct error error;
    assert_true(read_text(&report, whole, strlen(whole), &error));
    assert_true(report_require_whole(&report, &error));
    assert_int_equal(report.result_count, 1);
    const struct read_result *result = &report.results[0];
    assert_string_equal(result->operation, "exp");
    assert_string_equal(result->rounding, "up");
    assert_string_equal(result->parameters, "{\"strict_nan\":false}");
    assert_int_equal(result->implementation_count, 2);
    const struct read_implementation *libm = &result->implementations[0];
    assert_true(libm->provided);
    assert_int_equal(libm->tally.incorrect, 1);
    assert_int_equal(libm->events, 2);
    assert_int_equal(read_mismatches(libm), 1);
    assert_true(libm->max_ulp >= 1.5 && libm->max_ulp <= 1.5);
    assert_string_equal(libm->fingerprint, "xxh3-128:00000000000000000000000000000000");
    assert_false(result->implementations[1].provided);
    assert_string_equal(result->implementations[1].reason, "has none");
    assert_int_equal(report.tested, 4);
    report_read_free(&report);
}

static void test_damage(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } rows[] = {
        {"detcheck/report/1", "detcheck/report/2", "schema is \"detcheck/report/2\""},
        {"\"schema\":", "\"scheme\":", "schema is missing"},
        {"\"complete\":true", "\"complete\":1", "complete should be true or false"},
        {"\"tested\":4", "\"tested\":5", "results[0].implementations[0].tested is not the sum"},
        {"\"tested\":4", "\"tested\":-4", "should be a whole number"},
        {"\"tested\":4", "\"tested\":4.5", "should be a whole number"},
        {"\"tested\":4", "\"tested\":1e300", "should be a whole number"},
        {"\"tested\":4,", "", "results[0].implementations[0].tested is missing"},
        {"\"count\":4}", "\"count\":4,\"run_length\":-5}",
         "inputs.run_length should be a whole number"},
        {"\"count\":4}", "\"count\":4,\"run_length\":\"5\"}",
         "inputs.run_length should be a count"},
        {"\"error\":1.5", "\"error\":1e999",
         "column 538: \"error\" is a number beyond those of fp64"},
        {"\"error\":1.5", "\"error\":-1.5", "max_ulp.error should be a number, 0 or more"},
        {"\"error\":1.5", "\"error\":\"1.5\"", "max_ulp.error should be a number"},
        {"\"count\":2", "\"count\":3", "histogram does not add up"},
        /* Counts that do not go together. */
        {"\"faithful\":3", "\"faithful\":5", "faithful is more than tested"},
        {"\"over_1_ulp\":1", "\"over_1_ulp\":4", "over_1_ulp is more than judged_in_ulps"},
        {"\"error\":1.5", "\"error\":1", "over_1_ulp is not 0"},
        {"\"mean_ulp\":0.5", "\"mean_ulp\":1.75", "mean_ulp is more than the error of max_ulp"},
        {"\"judged_in_ulps\":3", "\"judged_in_ulps\":0", "over_1_ulp is more than judged_in_ulps"},
        {"\"judged_in_ulps\":3,\"over_1_ulp\":1", "\"judged_in_ulps\":0,\"over_1_ulp\":0",
         "max_ulp is there, though judged_in_ulps is 0"},
        {"\"sign_mismatches\":0", "\"sign_mismatches\":2", "sign_mismatches is more than"},
        {"\"nan_bits_differ\":0", "\"nan_bits_differ\":5", "nan_bits_differ is more than tested"},
        {"\"max_ulp\":1.5,", "\"max_ulp\":1.75,", "by_binade[0].max_ulp is more than"},
        {"\"incorrect\":1}", "\"incorrect\":5}", "by_binade[0].incorrect is more than tested"},
        {"\"events\":[]", "\"events\":[{\"kind\":\"hang\",\"input\":\"0x0001\"}]",
         "event_counts.hang is less than their number in events"},
        {"\"event_counts\":{\"crash\":2}", "\"event_count\":{}", "event_counts is missing"},
        {"\"crash\":2", "\"crash\":-2", "event_counts.crash should be a whole number"},
        {"\"format\":\"fp16\"", "\"format\":16", "results[0].format should be a string"},
        {"\"exponent\":-3", "\"exponent\":null", "by_binade[0].exponent"},
        {"\"input\":\"0x0001\"", "\"input\":1", "max_ulp.input should be"},
        {"\"host\":\"h\"", "\"host\":1", "run.host should be a string"},
        {"\"host\":\"h\"", "\"threads\":-1", "run.threads should be a whole number"},
        {"\"os\":\"o\"", "\"fma\":1", "platform.fma should be true or false"},
        {"\"host\":\"h\"", "\"host\":\"h\",\"host\":\"i\"", "the name \"host\" appears twice"},
        {"\"h\"", "\"\xff\"", "line 1, column 57: not UTF-8"},
        {"\"h\"", "\"\xed\xa0\x80\"", "not UTF-8"},
        {"\"h\"", "h", "not JSON"},
        {"\"differences\":[]}]}", "\"differences\":[]}]", "the file ends here"},
        {"\"differences\":[]}]}", "\"differences\":[]}]}]", "not JSON"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct read_report report;
        struct error error = {{0}};
        const char *text = altered(rows[i].from, rows[i].to);
        assert_false(read_text(&report, text, strlen(text), &error));
        if (!strstr(error.text, rows[i].says) || !strstr(error.text, path))
            fail_msg("'%s' should say '%s'", error.text, rows[i].says);
        assert_null(report.document);
    }
}

/* Each beginning of a report is refused; none is read past its end (for the sanitizers). */
static void test_beginnings(void **state) {
    (void)state;
    for (size_t length = 0; length < strlen(whole); length++) {
        struct read_report report;
        struct error error = {{0}};
        assert_false(read_text(&report, whole, length, &error));
        assert_non_null(strstr(error.text, path));
    }
}

static void test_nul_nesting_and_absence(void **state) {
    (void)state;
    struct read_report report;
    struct error error = {{0}};
    assert_false(read_text(&report, "{}\0", 3, &error));
    assert_non_null(strstr(error.text, "column 3: a NUL byte"));
    static char nested[1 << 20];
    memset(nested, '[', sizeof nested);
    assert_false(read_text(&report, nested, sizeof nested, &error));
    assert_non_null(strstr(error.text, "nested deeper than 1000"));
    assert_false(report_read(&report, "/nonexistent/report", &error));
    assert_non_null(strstr(error.text, "cannot read /nonexistent/report"));
    assert_false(report_read(&report, "/", &error));
    assert_non_null(strstr(error.text, "cannot read /"));
}

static void test_what_nobody_may_judge_by(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } rows[] = {{"\"complete\":true", "\"complete\":false", "is incomplete"},
                {"\"count\":4", "\"count\":9", "tested 4 of 9 inputs"},
                {"\"implementations\":[", "\"implementations\":[],\"others\":[", "tested nothing"},
                {"{\"name\":\"det\"",
                 "{\"name\":\"cr\",\"detail\":\"\",\"provided\":true,"
                 "\"tested\":0,\"correctly_rounded\":0,\"incorrectly_rounded\":0,\"faithful\":0,"
                 "\"judged_in_ulps\":0,\"over_1_ulp\":0,\"nan_mismatches\":0,"
                 "\"nan_bits_differ\":0,\"sign_mismatches\":0,\"histogram\":[],\"by_binade\":[],"
                 "\"worst\":[],\"first_mismatches\":[],\"events\":[],\"event_counts\":{}},"
                 "{\"name\":\"det\"",
                 "was not tested for cr"},
                {"\"results\":[",
                 "\"results\":[{\"operation\":\"exp\",\"format\":\"bf16\","
                 "\"rounding\":\"up\",\"parameters\":{},\"inputs\":{\"kind\":\"all\","
                 "\"description\":\"none\",\"count\":0},\"implementations\":[],"
                 "\"differences\":[]},",
                 "exp in bf16 has no implementations"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct read_report report;
        struct error error = {{0}};
        const char *text = altered(rows[i].from, rows[i].to);
        assert_true(read_text(&report, text, strlen(text), &error));
        assert_false(report_require_whole(&report, &error));
        assert_non_null(strstr(error.text, rows[i].says));
        report_read_free(&report);
    }
    struct read_report nothing;
    struct error said = {{0}};
    assert_false(read_text(&nothing, "{}", 2, &said));
    assert_non_null(strstr(said.text, "schema is missing"));
    static const char empty[] = "{\"schema\":\"detcheck/report/1\",\"run\":{},\"tool\":{},"
                                "\"platform\":{},\"complete\":true,\"results\":[]}";
    struct read_report report;
    struct error error = {{0}};
    assert_true(read_text(&report, empty, strlen(empty), &error));
    assert_false(report_require_whole(&report, &error));
    assert_non_null(strstr(error.text, "tested nothing"));
    report_read_free(&report);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_beginnings),
                                       cmocka_unit_test(test_nul_nesting_and_absence),
                                       cmocka_unit_test(test_what_nobody_may_judge_by)};
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
