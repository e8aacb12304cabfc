/* Which units a search for causes begins with: of causal attention the queries that see the most keys, as every way gives those of
 * one key alike. */
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

static void hold_order(const struct trace_call *call, const uint64_t expected[COUNT]) {
    struct trace_outputs outputs;
    struct trace_ways ways = {0};
    struct trace_trial trial;
    float here[COUNT], there[COUNT];
    open_outputs(&outputs, here, there);
    assert_true(trial_open(&trial, call, &outputs, &ways, 0));
    assert_int_equal(trial.count, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(trial.order[i], expected[i]);
    trial_close(&trial);
}

static void test_queries_of_the_most_keys_come_first(void **state) {
    static const struct trace_name row = {.how = TRACE_ATTENTION};
    static const uint64_t by_place[COUNT] = {0, 3, 1, 9, 2, 4, 5, 6, 7, 8, 10, 11},
                          by_keys[COUNT] = {5, 3, 11, 9, 4, 10, 2, 8, 1, 7, 0, 6},
                          by_mask[COUNT] = {0, 3, 6, 9, 1, 7, 2, 8, 4, 10, 5, 11};
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
    hold_order(&call, by_place);
    call.parameters.values[PARAMETER_CAUSAL] =
        (struct parameter_value){.present = true, .integer = 1};
    hold_order(&call, by_keys);
    call.parameters.values[PARAMETER_CAUSAL].present = false;
    for (int i = 0; i < QUERIES * QUERIES; i++) /* query q sees those from q on */
        mask[i] = i % QUERIES < i / QUERIES ? -(float)INFINITY : 0;
    call.operands = 4;
    call.operand[3] = (struct trace_codes){&formats[FORMAT_FP32], mask, QUERIES * QUERIES, false};
    hold_order(&call, by_mask);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_queries_of_the_most_keys_come_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
