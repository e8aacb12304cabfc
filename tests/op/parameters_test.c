/* Parameters of operations: every kind is read, written and settled; what cannot be read is refused
 * with a line that names the option. */
#include "op/parameters.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const fruits[] = {"apple", "blood-orange", "cherry", NULL};
static const struct parameter flag = {.name = "keep", .kind = PARAMETER_FLAG};
static const struct parameter integer = {
    .name = "axis", .kind = PARAMETER_INTEGER, .least = -8, .most = INT64_MAX};
static const struct parameter format = {.name = "dtype", .kind = PARAMETER_FORMAT};
static const struct parameter choice = {
    .name = "fruit", .kind = PARAMETER_CHOICE, .choices = fruits};
static const struct parameter shape = {.name = "shape", .kind = PARAMETER_SHAPE};
static const struct parameter text = {.name = "note", .kind = PARAMETER_TEXT};

static void reads(const struct parameter *row, const char *written, const char *canonical) {
    struct parameter_value value;
    struct error error;
    char again[PARAMETER_ROOM];
    if (!parameter_parse(row, written, &value, &error))
        fail_msg("--%s %s: %s", row->name, written, error.text);
    assert_true(value.present);
    assert_string_equal(parameter_text(row, &value, again), canonical);
    /* The canonical spelling is read as the same. */
    struct parameter_value second;
    assert_true(parameter_parse(row, canonical, &second, &error));
    assert_string_equal(parameter_text(row, &second, again), canonical);
}

static void refuses(const struct parameter *row, const char *written, const char *said) {
    struct parameter_value value;
    struct error error;
    char option[64];
    if (parameter_parse(row, written, &value, &error))
        fail_msg("--%s %s is accepted", row->name, written);
    snprintf(option, sizeof option, "--%s", row->name);
    assert_non_null(strstr(error.text, option));
    if (!strstr(error.text, said))
        fail_msg("'%s' does not say '%s'", error.text, said);
}

static void test_integers(void **state) {
    (void)state;
    reads(&integer, "0", "0");
    reads(&integer, "-8", "-8");
    reads(&integer, "0x10", "16");
    reads(&integer, "9223372036854775807", "9223372036854775807");
    refuses(&integer, "-9", "from -8 to");
    refuses(&integer, "9223372036854775808", "whole number");
    static const char *const bad[] = {"", "-", "1.5", "one", " 1", "1 ", "+1", "--1", "0x", "1e3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses(&integer, bad[i], "whole number");
}

static void test_formats_and_choices(void **state) {
    (void)state;
    reads(&format, "float16", "fp16");
    refuses(&format, "fp61", "did you mean fp16?");
    reads(&choice, "apple", "apple");
    reads(&choice, "BLOOD_ORANGE", "blood-orange");
    refuses(&choice, "cherri", "did you mean cherry?");
    refuses(&choice, "stone", "it takes: apple, blood-orange, cherry");
    refuses(&choice, "", "apple");
}

static void test_shapes(void **state) {
    (void)state;
    reads(&shape, "1", "1");
    reads(&shape, "4x128", "4x128");
    reads(&shape, "2,3,4", "2x3x4");
    reads(&shape, "1x2x3x4x5x6x7x8", "1x2x3x4x5x6x7x8");
    struct parameter_value value;
    struct error error;
    assert_true(parameter_parse(&shape, "4x128", &value, &error));
    assert_int_equal(value.shape.dimensions, 2);
    assert_int_equal(value.shape.extents[0], 4);
    assert_int_equal(value.shape.extents[1], 128);
    static const char *const bad[] = {"",
                                      "x",
                                      "4x",
                                      "x4",
                                      "0",
                                      "4x0",
                                      "-1",
                                      "4 x",
                                      "4y5",
                                      "4xx5",
                                      "1x2x3x4x5x6x7x8x9",
                                      "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses(&shape, bad[i], "4x128");
}

static void test_flags_and_texts(void **state) {
    (void)state;
    reads(&flag, "true", "true");
    reads(&text, "", "");
    reads(&text, "any, thing", "any, thing");
}

static void test_settling(void **state) {
    (void)state;
    struct parameters given = {0}, settled;
    struct error error;
    const struct parameter_default none[] = {{0}};
    const parameter_set to = PARAMETER_BIT(TO);
    const struct format *fp32 = format_find("fp32", &error), *fp16 = format_find("fp16", &error);
    /* Needed and not there; not needed; there. */
    assert_false(parameters_settle(&given, to, to, none, "thing", &settled, &error));
    assert_non_null(strstr(error.text, "thing needs --to FORMAT"));
    assert_true(parameters_settle(&given, to, 0, none, "thing", &settled, &error));
    assert_int_equal(parameters_present(&settled), 0);
    assert_ptr_equal(parameters_result_format(&settled, fp32), fp32);
    assert_true(parameter_parse(&parameter_rows[PARAMETER_TO], "fp16", &given.values[PARAMETER_TO],
                                &error));
    assert_true(parameters_settle(&given, to, to, none, "thing", &settled, &error));
    assert_int_equal(parameters_present(&settled), to);
    assert_ptr_equal(parameters_result_format(&settled, fp32), fp16);
    /* What an operation does not take does not reach it. */
    assert_true(parameters_settle(&given, 0, 0, none, "other", &settled, &error));
    assert_int_equal(parameters_present(&settled), 0);
}

/* Every default can be read, and every row is whole. */
static void test_table(void **state) {
    (void)state;
    assert_true(PARAMETER_COUNT <= 8 * (int)sizeof(parameter_set));
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *row = &parameter_rows[i];
        struct parameter_value value;
        struct error error;
        assert_non_null(row->name);
        assert_non_null(row->summary);
        assert_int_equal(row->value != NULL, row->kind != PARAMETER_FLAG);
        if (row->otherwise && !parameter_parse(row, row->otherwise, &value, &error))
            fail_msg("the default of --%s: %s", row->name, error.text);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(row->name, parameter_rows[j].name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers), cmocka_unit_test(test_formats_and_choices),
        cmocka_unit_test(test_shapes),   cmocka_unit_test(test_flags_and_texts),
        cmocka_unit_test(test_settling), cmocka_unit_test(test_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
