/* Samples in runs: all of a run but the last operand is one, the last one's values follow each
 * other, and an input is the same however it is asked for. */
#include "sweep/domain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLES = 1 << 12, LENGTH = 64 };

static uint16_t firsts[SAMPLES], seconds[SAMPLES];

static void fill(const struct domain *domain, uint64_t first, size_t count) {
    void *arrays[] = {firsts + first, seconds + first};
    domain_fill(domain, first, count, arrays);
}

static void make(struct domain *domain, struct code_set *sets, size_t count, uint64_t seed) {
    struct error error;
    const struct format *fp16 = format_find("fp16", &error);
    const struct sampling sampling = {SAMPLES, seed, LENGTH, NULL};
    if (!domain_samples(domain, fp16, 2, sets, count, &sampling, &error))
        fail_msg("%s", error.text);
    assert_int_equal(domain->count, SAMPLES);
    fill(domain, 0, SAMPLES);
}

static void test_runs(void **state) {
    (void)state;
    struct error error;
    struct domain domain;
    struct code_set all = {0};
    assert_true(code_set_all(&all, format_find("fp16", &error), &error));
    make(&domain, &all, 1, 5);
    for (size_t i = 0; i < SAMPLES; i++) {
        uint64_t codes[MAX_OPERANDS];
        size_t start = i - i % LENGTH;
        assert_int_equal(firsts[i], firsts[start]);
        assert_int_equal(seconds[i], seconds[start] + (i - start));
        assert_int_equal(seconds[start] % LENGTH, 0);
        if (i == start && i > 0) /* ascending, so no run comes twice */
            assert_true(firsts[i] > firsts[i - 1] ||
                        (firsts[i] == firsts[i - 1] && seconds[i] > seconds[i - 1]));
        domain_codes_at(&domain, i, codes);
        assert_int_equal(codes[0], firsts[i]);
        assert_int_equal(codes[1], seconds[i]);
    }
    domain_free(&domain);
}

static void test_parts_and_seeds(void **state) {
    (void)state;
    static uint16_t whole[2][SAMPLES];
    static const size_t parts[] = {1, 63, 64, 65, 1000};
    struct error error;
    struct domain domain;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct code_set all = {0};
        assert_true(code_set_all(&all, format_find("fp16", &error), &error));
        make(&domain, &all, 1, seed);
        memcpy(whole[seed - 1], firsts, sizeof firsts);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            memset(firsts, 0, sizeof firsts);
            for (size_t at = 0; at < SAMPLES; at += parts[i])
                fill(&domain, at, SAMPLES - at < parts[i] ? SAMPLES - at : parts[i]);
            assert_memory_equal(firsts, whole[seed - 1], sizeof firsts);
        }
        domain_free(&domain);
    }
    assert_true(memcmp(whole[0], whole[1], sizeof firsts) != 0);
}

/* The last operand's values: 48, a gap, and 80 more, of which the first run takes 16. */
static void test_gap(void **state) {
    (void)state;
    struct error error;
    struct domain domain;
    struct code_set sets[2] = {{0}};
    assert_true(code_set_append(&sets[0], 0x3c00, 0x3fff, &error));
    assert_true(code_set_append(&sets[1], 0x1000, 0x102f, &error));
    assert_true(code_set_append(&sets[1], 0x2000, 0x204f, &error));
    make(&domain, sets, 2, 9);
    bool gap = false;
    for (size_t i = 0; i < SAMPLES; i++) {
        uint64_t index = (seconds[i - i % LENGTH] == 0x1000 ? 0 : LENGTH) + i % LENGTH;
        assert_int_equal(seconds[i], code_set_at(&domain.sets[1], index));
        gap = gap || index == 0x30;
    }
    assert_true(gap);
    domain_free(&domain);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs),
                                       cmocka_unit_test(test_parts_and_seeds),
                                       cmocka_unit_test(test_gap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
