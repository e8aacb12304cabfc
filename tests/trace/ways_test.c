/* The ways of computing that traces are held against: no two of an operation have the same words, so that a cause says in what both
 * sides differ. */
#include "trace/ways.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 384 };

/* Of an operation on lines of so many terms, or on numbers. */
static void hold_words(const char *name, enum format_number format, uint64_t terms, int operands) {
    static const struct trace_name row = {.how = TRACE_NORM};
    const struct format *own = &formats[format];
    struct trace_call call = {.row = &row,
                              .operation = operation_row(name),
                              .format = own,
                              .result = own,
                              .shape = {3, {1, terms, 1}},
                              .calls = 1,
                              .results = 1,
                              .operands = operands,
                              .lines = {.count = 1, .length = terms, .stride = 1}};
    struct trace_ways ways;
    char(*words)[WORDS];
    trace_ways_open(&ways, &call, NULL);
    assert_false(ways.out_of_memory);
    assert_true(ways.count > 1);
    words = calloc(ways.count, sizeof *words);
    assert_non_null(words);
    for (size_t i = 0; i < ways.count; i++) {
        trace_way_words(&ways.items[i], &call, words[i], WORDS);
        for (size_t k = 0; k < i; k++)
            if (strcmp(words[i], words[k]) == 0)
                fail_msg("two ways of %s in %s are said to be one that %s", name, own->name,
                         words[i]);
    }
    free(words);
    trace_ways_close(&ways);
}

static void test_words_are_of_one_way(void **state) {
    static const struct {
        const char *name;
        uint64_t terms;
        int operands;
    } rows[] = {{"sum", 84, 1},      {"mean", 3000, 1},     {"dot", 300, 2},
                {"matmul", 84, 3},   {"softmax", 50, 1},    {"log_softmax", 50, 1},
                {"rms_norm", 64, 2}, {"layer_norm", 64, 3}, {"attention", 64, 4},
                {"silu_mul", 1, 2},  {"exp", 1, 1},         {"tanh", 1, 1},
                {"gelu", 1, 1},      {"sigmoid", 1, 1},     {"silu", 1, 1},
                {"sqrt", 1, 1},      {"pow", 1, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hold_words(rows[i].name, FORMAT_FP32, rows[i].terms, rows[i].operands);
        hold_words(rows[i].name, FORMAT_BF16, rows[i].terms, rows[i].operands);
    }
}

/* Changes come on top of ways, and their words behind. */
static void test_words_are_of_one_change(void **state) {
    static const char *const names[] = {"rms_norm", "exp", "dot"};
    static const struct trace_name row = {.how = TRACE_NORM};
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const struct trace_call call = {.row = &row,
                                        .operation = operation_row(names[n]),
                                        .format = &formats[FORMAT_FP32],
                                        .result = &formats[FORMAT_FP32],
                                        .shape = {3, {1, 8, 1}},
                                        .calls = 1,
                                        .results = 1,
                                        .operands = 2};
        int one, other;
        assert_int_not_equal(trace_change_at(&call, 0), 0);
        for (size_t i = 0; (one = trace_change_at(&call, i)) != 0; i++)
            for (size_t k = 0; k < i; k++) {
                other = trace_change_at(&call, k);
                assert_string_not_equal(trace_change_says(one), trace_change_says(other));
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words_are_of_one_way),
                                       cmocka_unit_test(test_words_are_of_one_change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
