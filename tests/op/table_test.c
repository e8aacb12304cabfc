/* The table of operations: that every row is complete and no two share a name. */
#include "base/names.h"
#include "format/text.h"
#include "op/block/layout.h"
#include "op/operation.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_NAMES = 500, NAME_LENGTH = 64 };

/* Every name and alias of the table, one after the other, with the row that it belongs to. */
struct spelling {
    char text[NAME_LENGTH];
    const struct operation *operation;
};

static size_t all_spellings(struct spelling *spellings) {
    size_t count = 0;
    for (size_t i = 0; operation_at(i); i++) {
        const char *rest = operation_at(i)->name;
        while (rest && *rest) {
            size_t length = strcspn(rest, " ");
            assert_in_range(length, 1, NAME_LENGTH - 1);
            assert_true(count < MOST_NAMES);
            memcpy(spellings[count].text, rest, length);
            spellings[count].text[length] = '\0';
            spellings[count++].operation = operation_at(i);
            rest += length;
            if (*rest == ' ')
                rest++;
            else
                rest = rest == operation_at(i)->name + length ? operation_at(i)->aliases : NULL;
        }
    }
    return count;
}

static void test_names_are_unique(void **state) {
    (void)state;
    static struct spelling spellings[MOST_NAMES];
    size_t count = all_spellings(spellings);
    assert_non_null(operation_at(count / 2)); /* most have no alias */
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++)
            if (name_matches(spellings[i].text, spellings[j].text, NULL))
                fail_msg("'%s' and '%s'", spellings[i].text, spellings[j].text);
        for (int j = 0; j < OPERATION_GROUPS; j++)
            if (name_matches(spellings[i].text, operation_groups[j], NULL))
                fail_msg("'%s' is a group", spellings[i].text);
        struct error error;
        assert_ptr_equal(operation_find(spellings[i].text, &error), spellings[i].operation);
    }
}

/* A name is a word that a shell, a file name and a man page can carry. */
static void test_names_are_plain(void **state) {
    (void)state;
    for (size_t i = 0; operation_at(i); i++)
        for (const char *c = operation_at(i)->name; *c; c++)
            assert_true(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '_' ||
                        *c == '.');
}

static void test_one_rule_per_result(void **state) {
    (void)state;
    for (size_t i = 0; operation_at(i); i++) {
        const struct operation *row = operation_at(i);
        assert_in_range(row->operands, 1, row->array ? MAX_ARRAY_OPERANDS : MAX_OPERANDS);
        assert_in_range(row->results, 1, MAX_RESULTS);
        for (int j = 0; j < MAX_RESULTS; j++) {
            const struct result_rule *rule = &row->result[j];
            int functions =
                !!rule->mpfr1 + !!rule->mpfr2 + !!rule->mpfr3 + !!rule->bracket + !!rule->exact;
            if (functions != (j < row->results && !row->array))
                fail_msg("%s has %d functions for result %d", row->name, functions, j);
            if ((rule->mpfr1 && row->operands != 1) || (rule->mpfr2 && row->operands != 2) ||
                (rule->mpfr3 && row->operands != 3))
                fail_msg("%s: wrong number of operands", row->name);
            if ((rule->name != NULL) != (j < row->results && row->results > 1))
                fail_msg("%s: name of result %d", row->name, j);
        }
    }
}

/* The enclosures assume that the special values are taken away before. */
static void test_brackets_have_special_values(void **state) {
    (void)state;
    for (size_t i = 0; operation_at(i); i++)
        for (int j = 0; j < operation_at(i)->results; j++)
            if (operation_at(i)->result[j].bracket && !operation_at(i)->result[j].special)
                fail_msg("%s has no special values", operation_at(i)->name);
}

/* What stands in for the functions of numbers. */
static void test_array_rules(void **state) {
    (void)state;
    size_t found = 0;
    for (size_t i = 0; operation_at(i); i++) {
        const struct array_rule *rule = operation_at(i)->array;
        if (!rule)
            continue;
        found++;
        assert_true(operation_at(i)->group || operation_at(i)->stands_alone);
        assert_true(rule->operand_shapes && rule->result_shapes && rule->exact);
        for (int j = 0; j < operation_at(i)->operands; j++)
            assert_non_null(rule->operand_names[j]);
        /* or what the oracle finds, where the library has no kernel */
        assert_true(array_algorithm_find(rule, "det") || array_algorithm_find(rule, "cr"));
        assert_true(rule->families[0].name && rule->shapes[0].dimensions);
        for (const struct array_algorithm *row = rule->algorithms; row->implementation; row++)
            assert_true(row->detail && row->run);
        for (const struct array_family *row = rule->families; row->name; row++)
            assert_true(row->summary && row->draw);
    }
    assert_true(found >= 9);
}

static void test_formulas(void **state) {
    (void)state;
    for (size_t i = 0; operation_at(i); i++) {
        if (!operation_at(i)->formula || !*operation_at(i)->formula)
            fail_msg("%s has no formula", operation_at(i)->name);
        const struct array_rule *rule = operation_at(i)->array;
        const char *first = rule ? rule->operand_names[0] : "x";
        if (!strstr(operation_at(i)->formula, first))
            fail_msg("the formula of %s has no %s", operation_at(i)->name, first);
        bool second = operation_at(i)->operands > 1 && !rule;
        for (int j = 1; rule && j < operation_at(i)->operands; j++)
            second = second || strcmp(rule->operand_names[j], "y") == 0;
        if (second)
            assert_non_null(strpbrk(operation_at(i)->formula, "y"));
    }
}

static void test_platform_calls(void **state) {
    (void)state;
    for (size_t i = 0; operation_at(i); i++) {
        const struct platform_calls *calls = &operation_at(i)->platform;
        assert_int_equal(calls->operator_fp32 != NULL, calls->operator_fp64 != NULL);
        assert_false(calls->symbol && calls->operator_fp32);
    }
}

static void test_landmarks_parse(void **state) {
    (void)state;
    struct error error;
    const struct format *fp64 = format_find("fp64", &error);
    for (size_t i = 0; operation_at(i); i++) {
        const char *rest = operation_at(i)->landmarks;
        while (rest && *rest) {
            char text[NUMBER_TEXT];
            size_t length = strcspn(rest, " ");
            struct parsed_value value;
            assert_in_range(length, 1, sizeof text - 1);
            memcpy(text, rest, length);
            text[length] = '\0';
            if (!format_parse(fp64, text, &value, &error))
                fail_msg("%s: %s", operation_at(i)->name, error.text);
            if (value.from_bits || format_is_nan(fp64, value.code))
                fail_msg("%s: '%s' is not a number", operation_at(i)->name, text);
            rest += length + strspn(rest + length, " ");
        }
    }
}

/* --layout is a place among the names, and a layout is the row in that place. */
static void test_layouts_have_the_names_of_their_option(void **state) {
    (void)state;
    size_t count = 0;
    for (; block_layouts[count].name; count++)
        assert_string_equal(block_layout_names[count], block_layouts[count].name);
    assert_in_range(count, 29, 1000);
    assert_null(block_layout_names[count]);
}

static void test_groups(void **state) {
    (void)state;
    static const char *const names[OPERATION_GROUPS] = {
        "all",    "unary", "binary",  "ternary", "arrays", "dyadic", "scaled",
        "blocks", "onnx",  "kernels", "decimal", "packed", "p3109"};
    for (int i = 0; i < OPERATION_GROUPS; i++)
        assert_string_equal(operation_groups[i], names[i]);
    for (size_t i = 0; operation_at(i); i++) {
        const struct operation *row = operation_at(i);
        if (row->group) {
            for (int j = 0; j < OPERATION_GROUPS; j++)
                assert_int_equal(operation_in_group(row, names[j]),
                                 !strcmp(row->group, names[j]) ||
                                     (row->second_group && !strcmp(row->second_group, names[j])));
            continue;
        }
        if (row->stands_alone) {
            for (int j = 0; j < OPERATION_GROUPS; j++)
                assert_false(operation_in_group(row, names[j]));
            continue;
        }
        assert_true(operation_in_group(row, "all"));
        assert_int_equal(operation_in_group(row, "unary"), row->operands == 1);
        assert_int_equal(operation_in_group(row, "binary"), row->operands == 2);
        assert_int_equal(operation_in_group(row, "ternary"), row->operands == 3);
        assert_false(operation_in_group(row, row->name));
        assert_false(operation_in_group(row, ""));
    }
}

/* Rows whose shape others rely on. */
static void test_known_rows(void **state) {
    (void)state;
    static const struct {
        const char *text, *name;
        int operands, results;
    } rows[] = {
        {"exp", "exp", 1, 1},
        {"SWISH", "silu", 1, 1},
        {"expit", "sigmoid", 1, 1},
        {"logistic", "sigmoid", 1, 1},
        {"logp1", "log1p", 1, 1},
        {"gelu-tanh", "gelu_tanh", 1, 1},
        {"reciprocal", "recip", 1, 1},
        {"sincos", "sincos", 1, 2},
        {"pow", "pow", 2, 1},
        {"atan2", "atan2", 2, 1},
        {"logaddexp", "logaddexp", 2, 1},
        {"fma", "fma", 3, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error = {""};
        const struct operation *row = operation_find(rows[i].text, &error);
        assert_non_null(row);
        assert_string_equal(row->name, rows[i].name);
        assert_int_equal(row->operands, rows[i].operands);
        assert_int_equal(row->results, rows[i].results);
    }
    /* An exact zero may be a cancelled sum in these and in no other. */
    for (size_t i = 0; operation_at(i); i++) {
        const char *name = operation_at(i)->name;
        bool sums = !strcmp(name, "add") || !strcmp(name, "sub") || !strcmp(name, "fma");
        assert_int_equal(operation_at(i)->sums, sums);
    }
}

static void test_unknown_names(void **state) {
    (void)state;
    struct error error = {""};
    assert_null(operation_find("sofplus", &error));
    assert_non_null(strstr(error.text, "'sofplus'"));
    assert_non_null(strstr(error.text, "did you mean softplus?"));
    assert_null(operation_find("", &error));
    assert_null(operation_find("something else", &error));
    assert_non_null(strstr(error.text, "list operations"));
}

static void test_result_names(void **state) {
    (void)state;
    char text[64];
    struct error error;
    const struct operation *sincos = operation_find("sincos", &error);
    assert_string_equal(operation_result_name(sincos, 0, text), "sincos.sin");
    assert_string_equal(operation_result_name(sincos, 1, text), "sincos.cos");
    assert_string_equal(operation_result_name(operation_find("exp", &error), 0, text), "exp");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_names_are_plain),
        cmocka_unit_test(test_one_rule_per_result),
        cmocka_unit_test(test_brackets_have_special_values),
        cmocka_unit_test(test_array_rules),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_platform_calls),
        cmocka_unit_test(test_landmarks_parse),
        cmocka_unit_test(test_layouts_have_the_names_of_their_option),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_known_rows),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_result_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
