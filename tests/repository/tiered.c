// Two tests of cmocka that print their names, for run_test.py.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void test_one(void **state) {
    (void)state;
    puts("one");
}

static void test_other(void **state) {
    (void)state;
    puts("other");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one), cmocka_unit_test(test_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
