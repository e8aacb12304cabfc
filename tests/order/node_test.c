/* Nodes where their arithmetic is rare: hand-made sums and the codes that they have by definition. */
#include "order/chain.h"
#include "order/order.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define FP32 (&formats[FORMAT_FP32])

static uint64_t code_of(const struct format *format, double number) {
    struct real real = real_from_double(number);
    return format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

/* The sum of numbers by a node; the first one comes in as c where `c` says so. */
static uint64_t sum_of(const struct order_node *node, bool c, const double *numbers, size_t count) {
    struct order_term terms[16] = {{0}};
    uint64_t codes[16] = {0};
    assert_true(count <= 16);
    for (size_t i = 0; i < count; i++) {
        codes[i] = code_of(node->result, numbers[i]);
        terms[i] = order_term_of(node, node->result, codes[i]);
    }
    return order_chain_add(node, terms + c, count - c, c ? codes : NULL);
}
#define SUM(NODE, C, ...)                                                                          \
    sum_of(NODE, C, (const double[]){__VA_ARGS__},                                                 \
           sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

/* To odd, with few bits, without subnormal numbers: as the sums of other kinds. */
static void test_fixed_point(void **context) {
    (void)context;
    struct order_node node = order_node_plain(FP32, ROUND_NEAREST_EVEN);
    node.kind = ORDER_FIXED_POINT;
    node.fixed_exponent = -140;
    assert_int_equal(SUM(&node, false, 1, 3, 0x1p-30), 0x40800000);
    node.rounding = ORDER_TO_ODD;
    assert_int_equal(SUM(&node, false, 1, 3, 0x1p-30), 0x40800001);
    assert_int_equal(SUM(&node, false, -1, -3, -0x1p-30), 0xc0800001);
    assert_int_equal(SUM(&node, false, 1, 3, 0.5), 0x40900000);
    node.rounding = ORDER_NEAREST_EVEN;
    node.result_precision = 14;
    assert_int_equal(SUM(&node, false, 1, 0x1.4p-13), 0x3f800400); /* 1 + 2^-13 */
    node.result_precision = 0;
    node.flush_results = true;
    assert_int_equal(SUM(&node, false, 0x1p-130, 0x1p-131), 0);
    assert_int_equal(SUM(&node, true, INFINITY, 1, 2), 0x7f800000);
    assert_int_equal(SUM(&node, true, -INFINITY, INFINITY), node.nan);
}

/* Nothing is lost where a sum is exactly zero. */
static void test_to_odd(void **context) {
    (void)context;
    struct order_node node = order_node_plain(FP32, ROUND_NEAREST_EVEN);
    node.rounding = ORDER_TO_ODD;
    assert_int_equal(SUM(&node, false, 1, -1), 0);
    assert_int_equal(SUM(&node, true, 1, -1), 0);
    assert_int_equal(SUM(&node, false, -0.0, -0.0), 0x80000000);
    assert_int_equal(SUM(&node, false, 1, 0x1p-30), 0x3f800001);
    assert_int_equal(SUM(&node, false, 0x1.fffffep127, 0x1.fffffep127), 0x7f7fffff);
}

/* Formats without -0, in which the sign bit alone is NaN: chains take 0 from sums and terms. */
static void test_chains_without_negative_zero(void **context) {
    static const char *const names[] = {"fp8_e4m3fnuz", "fp8_e5m2fnuz"};
    static const enum order_node_kind kinds[] = {ORDER_KAHAN, ORDER_NEUMAIER, ORDER_DOUBLE_DOUBLE};
    (void)context;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            struct error error;
            const struct format *format = format_find(names[i], &error);
            assert_non_null(format);
            struct order_node node = order_node_plain(format, ROUND_NEAREST_EVEN);
            node.kind = kinds[k];
            assert_int_equal(SUM(&node, false, 1, 3, 8), code_of(format, 12));
            assert_int_equal(SUM(&node, true, 0, 1, 3, 8), code_of(format, 12));
            assert_int_equal(SUM(&node, false, -1, 1), 0);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fixed_point),
                                       cmocka_unit_test(test_to_odd),
                                       cmocka_unit_test(test_chains_without_negative_zero)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
