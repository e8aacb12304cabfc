/* The fast oracle against the exact one where inputs are hard: dense around landmarks. */
#include "both_oracles.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Codes around every landmark and every power of two, in one rounding: 2^26 and more of fp32, 2^24
 * and more of fp64. */
static uint64_t compare_densely(const struct operation *operation, const struct format *format) {
    bool wide = format->width == 64;
    const uint64_t around = wide ? 1 << 11 : 1 << 16, largest = format_mask(format);
    struct code_set special = {0}, set = {0};
    struct domain domain;
    struct error error;
    uint64_t next = 0;
    assert_true(code_set_special(&special, format, operation, &error));
    for (uint64_t i = 0; i < special.count; i++) {
        uint64_t centre = code_set_at(&special, i);
        uint64_t first = centre > around ? centre - around : 0;
        uint64_t last = largest - centre < around ? largest : centre + around - 1;
        first = first > next ? first : next;
        if (first <= last)
            assert_true(code_set_append(&set, first, last, &error));
        next = last + 1;
    }
    code_set_free(&special);
    assert_true(set.count >= (uint64_t)1 << (wide ? 24 : 26));
    assert_true(domain_product(&domain, DOMAIN_RANGE, format, 1, &set, 1, &error));
    snprintf(domain.text, sizeof domain.text, "around landmarks");
    return compare_oracles(operation, ROUND_NEAREST_EVEN, &domain);
}

/* 2^20 of fp64 in runs, in every rounding: right outputs, and some wrong ones among them. */
static uint64_t compare_samples(const struct operation *operation, const struct format *format) {
    uint64_t decided = 0;
    prefer_libm = false;
    for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++) {
        const struct sampling sampling = {1 << 20, (uint64_t)rounding + 1, 256};
        struct code_set all = {0};
        struct domain domain;
        struct error error;
        assert_true(code_set_all(&all, format, &error));
        assert_true(domain_samples(&domain, format, 1, &all, 1, &sampling, &error));
        snprintf(domain.text, sizeof domain.text, "samples");
        decided += compare_oracles(operation, (enum rounding)rounding, &domain);
    }
    prefer_libm = true;
    return decided;
}

static void compare(const struct operation *operation, bool wide) {
    const struct format *format = format_find(wide ? "fp64" : "fp32", &(struct error){{0}});
    uint64_t decided = compare_densely(operation, format);
    printf("%s: around landmarks both agree, %llu inputs decided by the fast oracle\n",
           operation->name, (unsigned long long)decided);
    fflush(stdout);
    if (!wide)
        return;
    decided = compare_samples(operation, format);
    printf("%s: in five roundings both agree, %llu of 5 * 2^20 inputs decided by the fast oracle\n",
           operation->name, (unsigned long long)decided);
    fflush(stdout);
}

static bool dense_wide;
static char **dense_names;
static int dense_count;

static void test_dense(void **state) {
    (void)state;
    for (size_t i = 0; operation_at(i); i++) {
        bool wanted = dense_count == 0 && operation_in_group(operation_at(i), "unary");
        for (int j = 0; j < dense_count; j++)
            wanted = wanted || strcmp(dense_names[j], operation_at(i)->name) == 0;
        if (wanted)
            compare(operation_at(i), dense_wide);
    }
}

int run_dense(bool wide, int count, char **names) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dense)};
    prefer_libm = true;
    dense_wide = wide;
    dense_count = count;
    dense_names = names;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
