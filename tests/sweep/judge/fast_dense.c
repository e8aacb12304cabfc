/* The fast oracle against the exact one where inputs are hard: dense around landmarks. */
#include "both_oracles.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Codes around every landmark and every power of two, in one rounding. */
static void compare_densely(const struct operation *operation) {
    enum { AROUND = 1 << 16 };
    const struct format *fp32 = format_find("fp32", &(struct error){{0}});
    struct code_set special = {0}, set = {0};
    struct domain domain;
    struct error error;
    uint64_t next = 0;
    assert_true(code_set_special(&special, fp32, operation, &error));
    for (uint64_t i = 0; i < special.count; i++) {
        uint64_t centre = code_set_at(&special, i);
        uint64_t first = centre > AROUND ? centre - AROUND : 0, last = centre + AROUND - 1;
        first = first > next ? first : next;
        last = last < UINT32_MAX ? last : UINT32_MAX;
        if (first <= last)
            assert_true(code_set_append(&set, first, last, &error));
        next = last + 1;
    }
    code_set_free(&special);
    assert_true(set.count >= (uint64_t)1 << 26);
    assert_true(domain_product(&domain, DOMAIN_RANGE, fp32, 1, &set, 1, &error));
    snprintf(domain.text, sizeof domain.text, "around landmarks");
    uint64_t count = domain.count,
             decided = compare_oracles(operation, ROUND_NEAREST_EVEN, &domain);
    printf("%s: %llu inputs agree, %llu decided by the fast oracle\n", operation->name,
           (unsigned long long)count, (unsigned long long)decided);
    fflush(stdout);
}

static char **dense_names;
static int dense_count;

static void test_dense(void **state) {
    (void)state;
    for (size_t i = 0; operation_at(i); i++) {
        bool wanted = dense_count == 0 && operation_in_group(operation_at(i), "unary");
        for (int j = 0; j < dense_count; j++)
            wanted = wanted || strcmp(dense_names[j], operation_at(i)->name) == 0;
        if (wanted)
            compare_densely(operation_at(i));
    }
}

int run_dense(int count, char **names) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dense)};
    prefer_libm = true;
    dense_count = count;
    dense_names = names;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
