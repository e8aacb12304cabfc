/* Name comparison, and the edit distance behind "did you mean" against a plain recursion. */
#include "base/names.h"

#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct match_case {
    const char *text, *name, *aliases;
    bool matches;
};

static const struct match_case match_cases[] = {
    {"exp", "exp", NULL, true},
    {"EXP", "exp", NULL, true},
    {"exp", "exp2", NULL, false},
    {"exp2", "exp", NULL, false},
    {"", "exp", NULL, false},
    {"", "exp", "", false},
    {"fp8-e4m3fn", "fp8_e4m3fn", NULL, true},
    {"fp8_e4m3fn", "fp8-e4m3fn", NULL, true},
    {"FLOAT8E4M3FN", "fp8_e4m3fn", "float8_e4m3fn float8e4m3fn e4m3fn", true},
    {"e4m3fn", "fp8_e4m3fn", "float8_e4m3fn float8e4m3fn e4m3fn", true},
    {"float8_e4m3fn", "fp8_e4m3fn", "float8_e4m3fn float8e4m3fn e4m3fn", true},
    {"float8_e4m3f", "fp8_e4m3fn", "float8_e4m3fn float8e4m3fn e4m3fn", false},
    {"e4m3fn e4m3fnuz", "x", "e4m3fn e4m3fnuz", false},
    {"b", "a", "b  c", true},
    {"", "a", "b  c", false},
    {"c", "a", "b  c", true},
};

static void test_matches(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof match_cases / sizeof *match_cases; i++) {
        const struct match_case *c = &match_cases[i];
        if (name_matches(c->text, c->name, c->aliases) != c->matches)
            fail_msg("'%s' against '%s' or '%s'", c->text, c->name, c->aliases ? c->aliases : "");
    }
}

/* Optimal string alignment straight from its definition, over the first m and n letters. */
static size_t plain_distance(const char *a, size_t m, const char *b, size_t n) {
    if (m == 0 || n == 0)
        return m + n;
    size_t best = plain_distance(a, m - 1, b, n) + 1;
    size_t other = plain_distance(a, m, b, n - 1) + 1;
    if (other < best)
        best = other;
    other = plain_distance(a, m - 1, b, n - 1) + (a[m - 1] != b[n - 1]);
    if (other < best)
        best = other;
    if (m > 1 && n > 1 && a[m - 1] == b[n - 2] && a[m - 2] == b[n - 1]) {
        other = plain_distance(a, m - 2, b, n - 2) + 1;
        if (other < best)
            best = other;
    }
    return best;
}

static void random_word(uint64_t *seed, char *word) {
    int length = random_between(seed, 0, 6);
    for (int i = 0; i < length; i++)
        word[i] = (char)('a' + random_between(seed, 0, 2));
    word[length] = '\0';
}

/* A single name is given back exactly when it is near: at most a third of the letters, rounded up,
 * differ. */
static void test_nearness_is_the_edit_distance(void **state) {
    (void)state;
    uint64_t seed = 2;
    int near = 0;
    for (int i = 0; i < 3000; i++) {
        char text[8], name[8];
        random_word(&seed, text);
        random_word(&seed, name);
        const char *names[] = {name};
        size_t allowed = (strlen(text) + 2) / 3;
        bool is_near = plain_distance(text, strlen(text), name, strlen(name)) <= allowed;
        near += is_near;
        if ((name_nearest(text, names, 1) != NULL) != is_near)
            fail_msg("'%s' and '%s'", text, name);
    }
    assert_in_range(near, 100, 2900);
}

static void test_nearest(void **state) {
    (void)state;
    static const char *const names[] = {"exp", "exp2", "expm1", "sin", "sincos", "softplus"};
    const size_t count = sizeof names / sizeof *names;
    assert_string_equal(name_nearest("sofplus", names, count), "softplus");
    assert_string_equal(name_nearest("SoftPuls", names, count), "softplus");
    assert_string_equal(name_nearest("exmp1", names, count), "expm1");
    assert_string_equal(name_nearest("sinn", names, count), "sin");
    assert_null(name_nearest("gamma", names, count));
    assert_null(name_nearest("", names, 0));
    char long_text[500];
    memset(long_text, 's', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    assert_null(name_nearest(long_text, names, count));
    const char *long_names[] = {long_text, "sin"};
    assert_string_equal(name_nearest("sn", long_names, 2), "sin");
}

static void test_beginnings(void **state) {
    (void)state;
    assert_true(name_begins("fp4", "fp4_e2m1fn", NULL));
    assert_true(name_begins("FP4-E", "fp4_e2m1fn", NULL));
    assert_true(name_begins("float4", "fp4_e2m1fn", "e2m1 float4e2m1 f4"));
    assert_true(name_begins("f4", "fp4_e2m1fn", "e2m1 float4e2m1 f4"));
    assert_false(name_begins("f4x", "fp4_e2m1fn", "e2m1 f4 x"));
    assert_false(name_begins("fp4_e2m1fnx", "fp4_e2m1fn", NULL));
    assert_false(name_begins("", "fp4_e2m1fn", "e2m1"));
    assert_false(name_begins("e2m1 f4", "fp4_e2m1fn", "e2m1 f4"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matches),
        cmocka_unit_test(test_nearness_is_the_edit_distance),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_beginnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
