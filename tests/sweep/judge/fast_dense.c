/* The fast oracle against the exact one where inputs are hard: dense around landmarks. */
#include "both_oracles.h"

#include <stdio.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int compare_codes(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Ascending and each once; how many are left. */
static size_t sort_codes(uint64_t *codes, size_t count) {
    size_t kept = 0;
    qsort(codes, count, sizeof *codes, compare_codes);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || codes[i] != codes[i - 1])
            codes[kept++] = codes[i];
    return kept;
}

/* Landmarks with their neighbours, and powers of two; MOST_CENTRES at most. */
enum { MOST_CENTRES = 1 << 15 };
static size_t find_centres(const struct operation *operation, const struct format *format,
                           uint64_t *centres) {
    unsigned places = (unsigned)format->precision - 1;
    struct code_set special = {0};
    struct error error;
    size_t count = 0;
    assert_true(code_set_special(&special, format, operation, &error));
    for (uint64_t i = 0; i < special.count; i++)
        centres[count++] = code_set_at(&special, i);
    code_set_free(&special);
    for (uint64_t i = 1; i <= format->max_finite >> places; i++) {
        centres[count++] = i << places;
        centres[count++] = i << places | format->sign_bit;
    }
    assert_true(count <= MOST_CENTRES);
    return sort_codes(centres, count);
}

/* Codes around them: 2^24 and more of fp32, 2^24 and more of fp64; for functions of two operands, which
 * have them beside each of some first ones, a fraction. */
static void append_dense(struct code_set *set, const struct operation *operation,
                         const struct format *format) {
    bool wide = format->width == 64;
    int bits = (wide ? 11 : 14) - (operation->operands == 2 ? 8 : 0);
    const uint64_t around = (uint64_t)1 << bits, largest = format_mask(format);
    static uint64_t centres[MOST_CENTRES];
    size_t count = find_centres(operation, format, centres);
    struct error error;
    uint64_t next = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t first = centres[i] > around ? centres[i] - around : 0;
        uint64_t last = largest - centres[i] < around ? largest : centres[i] + around - 1;
        first = first > next ? first : next;
        if (first <= last)
            assert_true(code_set_append(set, first, last, &error));
        next = last + 1;
    }
    assert_true(set->count >= (uint64_t)1
                                  << (bits + (wide ? 13 : 10) - (operation->operands == 2)));
}

/* First operands: numbers at distances of 1 and -1 that grow fourfold, and some of the others. */
static void append_firsts(struct code_set *set, const struct operation *operation,
                          const struct format *format) {
    enum { STEPS = 12, OTHERS = 16 };
    struct real real = real_from_double(1);
    uint64_t one = format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    uint64_t codes[4 * STEPS + OTHERS];
    static uint64_t centres[MOST_CENTRES];
    size_t count = 0, all = find_centres(operation, format, centres);
    struct error error;
    for (unsigned k = 0; k < STEPS; k++)
        for (unsigned way = 0; way < 4; way++) {
            uint64_t distance = ((uint64_t)1 << 2 * k) + k;
            codes[count++] =
                (way & 1 ? one + distance : one - distance) | (way & 2 ? format->sign_bit : 0);
        }
    for (size_t k = 0; k < OTHERS; k++)
        codes[count++] = centres[all / OTHERS * k + k];
    count = sort_codes(codes, count);
    for (size_t i = 0; i < count; i++)
        assert_true(code_set_append(set, codes[i], codes[i], &error));
}

static uint64_t compare_around(const struct operation *operation, const struct format *format,
                               enum rounding rounding) {
    struct code_set sets[2] = {{0}};
    struct domain domain;
    struct error error;
    if (operation->operands == 2)
        append_firsts(&sets[0], operation, format);
    append_dense(&sets[operation->operands - 1], operation, format);
    assert_true(domain_product(&domain, DOMAIN_RANGE, format, operation->operands, sets,
                               (size_t)operation->operands, &error));
    snprintf(domain.text, sizeof domain.text, "around landmarks");
    return compare_oracles(operation, rounding, &domain);
}

/* In one rounding; functions of two operands in every one. */
static uint64_t compare_densely(const struct operation *operation, const struct format *format) {
    uint64_t decided = 0;
    for (int rounding = 0; rounding < (operation->operands == 2 ? ROUNDING_COUNT : 1); rounding++)
        decided += compare_around(operation, format, (enum rounding)rounding);
    return decided;
}

/* 2^20 of fp64 in runs, in every rounding: right outputs, and some wrong ones among them. */
static uint64_t compare_samples(const struct operation *operation, const struct format *format) {
    uint64_t decided = 0;
    prefer_libm = false;
    for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++) {
        const struct sampling sampling = {1 << 20, (uint64_t)rounding + 1, 256, NULL};
        struct code_set all[2] = {{0}};
        struct domain domain;
        struct error error;
        for (int i = 0; i < operation->operands; i++)
            assert_true(code_set_all(&all[i], format, &error));
        assert_true(domain_samples(&domain, format, operation->operands, all,
                                   (size_t)operation->operands, &sampling, &error));
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

static void test_dense(void **state) {
    (void)state;
    for (size_t i = 0; operation_at(i); i++) {
        bool unary = operation_in_group(operation_at(i), "unary");
        if ((unary || wanted_count > 0) && is_wanted(operation_at(i)))
            compare(operation_at(i), dense_wide);
    }
}

int run_dense(bool wide) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dense)};
    prefer_libm = true;
    dense_wide = wide;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
