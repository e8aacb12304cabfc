/* What foreign text becomes in each place. */
#include "base/foreign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect(enum foreign_place place, const char *text, const char *want) {
    char found[256];
    assert_string_equal(foreign_text(place, text, found, sizeof found), want);
}

static void test_what_has_no_glyph_is_visible(void **state) {
    (void)state;
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"a\nb\x1b[2J\x7f", "a\\x0ab\\x1b[2J\\x7f"},
        {"\xc2\x9b"
         "2J",
         "\\u009b2J"}, /* C1's own "ESC [" */
        {"\xe2\x80\xae"
         "drow\xe2\x80\xac",
         "\\u202edrow\\u202c"},
        {"\xe2\x81\xa6\xef\xbb\xbf", "\\u2066\\ufeff"},
        {"\xef\xbf\xbe\xef\xbf\xbf\xf0\x9f\xbf\xbe", "\\ufffe\\uffff\\U0001fffe"},
        {"gr\xc3\xbc\xc3\x9f \xe2\x88\x9a \xf0\x9f\x90\x91",
         "gr\xc3\xbc\xc3\x9f \xe2\x88\x9a \xf0\x9f\x90\x91"},
        {"\xff\xc3", "\\xff\\xc3"},
        {"\xc0\xaf\xe0\x80\xaf", "\\xc0\\xaf\\xe0\\x80\\xaf"},                   /* overlong */
        {"\xed\xa0\x80\xf4\x90\x80\x80", "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80"}, /* no character */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (enum foreign_place place = FOREIGN_PLAIN; place <= FOREIGN_MARKUP; place++)
            expect(place, rows[i].text, rows[i].want);
}

static void test_each_place_has_its_own(void **state) {
    (void)state;
    expect(FOREIGN_TERMINAL, "::stop-commands::x", "\\x3a:stop-commands::x");
    expect(FOREIGN_TERMINAL, " \xc2\xa0\xe3\x80\x80::x", " \xc2\xa0\xe3\x80\x80\\x3a:x");
    expect(FOREIGN_TERMINAL, "a ::b", "a ::b");
    expect(FOREIGN_TERMINAL, "a##[set-env]##vso[x]", "a\\x23#[set-env]\\x23#vso[x]");
    expect(FOREIGN_PLAIN, "::x##[", "::x##[");
    expect(FOREIGN_MARKUP, "<a href='x' b=\"&\">",
           "&lt;a href=&#39;x&#39; b=&quot;&amp;&quot;&gt;");
    expect(FOREIGN_MARKDOWN, "a|b`c`<d>[e](f)", "a\\|b\\`c\\`\\<d\\>\\[e\\]\\(f\\)");
    expect(FOREIGN_JSON,
           "{\n\t\"a\": \"\\u001b \xc2\x9b \xe2\x80\xae \x7f \xf3\xa0\x80\x81 \xc3\xbc \xff\"\n}",
           "{\n\t\"a\": \"\\u001b \\u009b \\u202e \\u007f \\udb40\\udc01 \xc3\xbc \xff\"\n}");
    expect(FOREIGN_CI_TEXT, "50 %, a:b", "50 %25, a:b");
    expect(FOREIGN_CI_PROPERTY, "50 %, a:b", "50 %25%2C a%3Ab");
}

static void test_shell_words(void **state) {
    (void)state;
    expect(FOREIGN_SHELL, "libm", "libm");
    expect(FOREIGN_SHELL, "", "''");
    expect(FOREIGN_SHELL, "z;touch pwn;#", "'z;touch pwn;#'");
    expect(FOREIGN_SHELL, "it's", "'it'\\''s'");
    expect(FOREIGN_SHELL, "a`b|c", "$'a\\x60'$'b\\x7c'$'c'");
    expect(FOREIGN_SHELL, "a\n'z", "$'a\\x0a\\x27z'");
}

/* A text that does not fit is cut between characters. */
static void test_cuts_between_characters(void **state) {
    (void)state;
    char room[8], text[] = "abcde\xe2\x88\x9a";
    assert_string_equal(foreign_text(FOREIGN_PLAIN, text, room, sizeof room), "abcde");
    assert_string_equal(foreign_text(FOREIGN_MARKUP, "abcd&", room, sizeof room), "abcd");
    for (size_t length = 5; length <= 8; length++) {
        char cut[sizeof text];
        memcpy(cut, text, length);
        cut[length] = '\0';
        assert_string_equal(foreign_trim(cut), length == 8 ? text : "abcde");
    }
    assert_string_equal(foreign_trim((char[]){""}), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_has_no_glyph_is_visible),
        cmocka_unit_test(test_each_place_has_its_own),
        cmocka_unit_test(test_shell_words),
        cmocka_unit_test(test_cuts_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
