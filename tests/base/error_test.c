/* The one-line error: formatting, shortening, control characters. */
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_formats_and_returns_false(void **state) {
    (void)state;
    struct error error;
    assert_false(error_set(&error, "%s has %d of %u", "a", -1, 3u));
    assert_string_equal(error.text, "a has -1 of 3");
}

static void test_control_characters_become_visible(void **state) {
    (void)state;
    struct error error;
    error_set(&error, "%s", "a\nb\x1b[31mc\x7f\t\r");
    assert_string_equal(error.text, "a\\x0ab\\x1b[31mc\\x7f\\x09\\x0d");
    /* UTF-8 is text, not control. */
    error_set(&error, "%s", "gr\xc3\xbc\xc3\x9f");
    assert_string_equal(error.text, "gr\xc3\xbc\xc3\x9f");
}

/* The longest text that fits stays as it is; one more letter and the end is "...". */
static void test_long_text_is_marked_as_shortened(void **state) {
    (void)state;
    struct error error;
    char text[sizeof error.text + 100];
    const size_t fits = sizeof error.text - 1;
    for (size_t length = fits - 2; length < sizeof text; length++) {
        for (size_t i = 0; i < length; i++)
            text[i] = i % 50 == 7 ? ' ' : 'x';
        text[length] = '\0';
        error_set(&error, "%s", text);
        if (length <= fits) {
            assert_string_equal(error.text, text);
        } else {
            assert_int_equal(strlen(error.text), fits);
            assert_string_equal(error.text + fits - 3, "...");
            assert_memory_equal(error.text, text, fits - 3);
        }
    }
}

/* What stands behind an input of ten thousand letters is read, in UTF-8 too. */
static void test_long_words_lose_their_middle(void **state) {
    (void)state;
    struct error error;
    static char digits[10001], letters[2 * 5000 + 2];
    memset(digits, '7', sizeof digits - 1);
    error_set(&error, "'%s' is not a number of %s", digits, "fp32");
    assert_int_equal(strlen(error.text), 160 + 3 + 100 + strlen(" is not a number of fp32"));
    assert_memory_equal(error.text, "'777", 4);
    assert_memory_equal(error.text + 159, "7...7", 5);
    assert_string_equal(error.text + 160 + 3 + 98, "7' is not a number of fp32");
    for (size_t shift = 0; shift < 2; shift++) {
        memset(letters, 'a', shift);
        for (size_t i = 0; i < 5000; i++)
            memcpy(letters + shift + 2 * i, "\xc3\xbc", 2);
        error_set(&error, "no file %s here", letters);
        assert_null(strstr(error.text, "\\x"));
        assert_non_null(strstr(error.text, "\xbc...\xc3\xbc"));
        assert_non_null(strstr(error.text, "\xbc here"));
    }
    digits[300] = '\0';
    error_set(&error, "%s", digits);
    assert_string_equal(error.text, digits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats_and_returns_false),
        cmocka_unit_test(test_control_characters_become_visible),
        cmocka_unit_test(test_long_text_is_marked_as_shortened),
        cmocka_unit_test(test_long_words_lose_their_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
