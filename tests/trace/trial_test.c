/* Which units a search for causes begins with: some of all that differ, and of causal attention the queries that see the most keys, as
 * every way gives those of one key alike. */
#include "trace/trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { HEADS = 2, QUERIES = 6, WIDTH = 1, COUNT = HEADS * QUERIES };

/* All differ, but each query number 3. */
static void open_outputs(struct trace_outputs *outputs, float here[COUNT], float there[COUNT]) {
    for (int i = 0; i < COUNT; i++) {
        here[i] = (float)i;
        there[i] = i % QUERIES == 3 ? here[i] : -1;
    }
    *outputs = (struct trace_outputs){&formats[FORMAT_FP32], {here, there}, COUNT, COUNT - HEADS};
}

static int length_of(uint64_t count) {
    int bits = 0;
    for (; count; count >>= 1)
        bits++;
    return bits;
}

/* Each unit once; those that differ and those that do not by turns, as far as there are both; of each kind those of more keys first. */
static void hold_order(const struct trace_call *call, const uint64_t keys[QUERIES]) {
    struct trace_outputs outputs;
    struct trace_ways ways = {0};
    struct trace_trial trial;
    float here[COUNT], there[COUNT];
    unsigned seen[COUNT] = {0};
    int least[2] = {64, 64};
    open_outputs(&outputs, here, there);
    assert_true(trial_open(&trial, call, &outputs, &ways, 0));
    assert_int_equal(trial.count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        const uint64_t unit = trial.order[i];
        const bool differs = unit % QUERIES != 3;
        const int bits = length_of(keys[unit % QUERIES]);
        assert_in_range(unit, 0, COUNT - 1);
        assert_int_equal(seen[unit]++, 0);
        assert_int_equal(differs, i >= 2 * HEADS || i % 2 == 0);
        assert_true(bits <= least[differs]);
        least[differs] = bits;
    }
    trial_close(&trial);
}

static void test_queries_of_the_most_keys_come_first(void **state) {
    static const struct trace_name row = {.how = TRACE_ATTENTION};
    static const uint64_t all[QUERIES] = {6, 6, 6, 6, 6, 6}, causal[QUERIES] = {1, 2, 3, 4, 5, 6},
                          masked[QUERIES] = {6, 5, 4, 3, 2, 1};
    float mask[QUERIES * QUERIES];
    struct trace_call call = {.row = &row,
                              .operation = operation_row("attention"),
                              .format = &formats[FORMAT_FP32],
                              .result = &formats[FORMAT_FP32],
                              .shape = {5, {1, HEADS, QUERIES, QUERIES, WIDTH}},
                              .calls = 1,
                              .results = COUNT,
                              .operands = 3};
    (void)state;
    hold_order(&call, all);
    call.parameters.values[PARAMETER_CAUSAL] =
        (struct parameter_value){.present = true, .integer = 1};
    hold_order(&call, causal);
    call.parameters.values[PARAMETER_CAUSAL].present = false;
    for (int i = 0; i < QUERIES * QUERIES; i++) /* query q sees those from q on */
        mask[i] = i % QUERIES < i / QUERIES ? -(float)INFINITY : 0;
    call.operands = 4;
    call.operand[3] = (struct trace_codes){&formats[FORMAT_FP32], mask, QUERIES * QUERIES, false};
    hold_order(&call, masked);
}

/* Of 5,000 that differ in one half of 10,000 the first 32 lie in each tenth of that half, the same ones each time. */
static void test_units_are_drawn_from_all_that_differ(void **state) {
    enum { ALL = 10000, LOOKED = 32, TENTHS = 10 };
    static const struct trace_name row = {.how = TRACE_ALIKE};
    static float here[ALL], there[ALL];
    const struct trace_call call = {.row = &row,
                                    .operation = operation_row("exp"),
                                    .format = &formats[FORMAT_FP32],
                                    .result = &formats[FORMAT_FP32],
                                    .calls = 1,
                                    .results = ALL,
                                    .operands = 1};
    struct trace_outputs outputs = {&formats[FORMAT_FP32], {here, there}, ALL, ALL / 2};
    struct trace_ways ways = {0};
    struct trace_trial trials[2];
    unsigned in_tenth[TENTHS] = {0};
    (void)state;
    for (int i = 0; i < ALL; i++)
        there[i] = here[i] + (float)(i < ALL / 2);
    for (int k = 0; k < 2; k++)
        assert_true(trial_open(&trials[k], &call, &outputs, &ways, 0));
    assert_memory_equal(trials[0].order, trials[1].order, ALL * sizeof *trials[0].order);
    for (int i = 0; i < 2 * LOOKED; i += 2) {
        assert_in_range(trials[0].order[i], 0, ALL / 2 - 1);
        in_tenth[trials[0].order[i] / (ALL / 2 / TENTHS)]++;
    }
    for (int tenth = 0; tenth < TENTHS; tenth++)
        assert_in_range(in_tenth[tenth], 1, LOOKED);
    for (int k = 0; k < 2; k++)
        trial_close(&trials[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_queries_of_the_most_keys_come_first),
                                       cmocka_unit_test(test_units_are_drawn_from_all_that_differ)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
