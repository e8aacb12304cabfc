/* Nodes where their arithmetic is rare: hand-made sums and the codes that they have by definition. */
#include "order/chain.h"
#include "order/order.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* Slices of 8 bits, the ends at multiples of 8 over 3: 1 and 0x1p3 end at 2^3 and 2^11. */
static void test_bins(void **context) {
    (void)context;
    struct order_node node = order_node_plain(FP32, ROUND_NEAREST_EVEN);
    node.kind = ORDER_BINS;
    node.bins = 2;
    node.bin_width = 8;
    node.bin_base = 3;
    assert_int_equal(SUM(&node, false, 1, 0x1p-13),
                     0x3f800400); /* the last bit of the second bin */
    assert_int_equal(SUM(&node, false, 1, 0x1p-14), 0x3f800000); /* a tie */
    assert_int_equal(SUM(&node, false, 1, 0x1.8p-14), 0x3f800400);
    assert_int_equal(SUM(&node, false, 7, -7, 0x1p-13), 0x39000000);
    assert_int_equal(SUM(&node, false, 8, -8, 0x1p-13), 0); /* 8 is in the next bin */
    assert_int_equal(SUM(&node, false, 8, -8, 0x1p-5), 0x3d000000);
    node.alignment = ORDER_NEAREST_AWAY;
    assert_int_equal(SUM(&node, false, 1, -0x1p-14), 0x3f7ff800);
    node.alignment = ORDER_DOWN;
    assert_int_equal(SUM(&node, false, 1, -0x1p-40), 0x3f7ff800);
    assert_int_equal(SUM(&node, false, 1, 0x1.fp-14), 0x3f800000);
    node.bin_ends = ORDER_BINS_FROM_LARGEST; /* of 16 bits from 2^(1 + 3) on */
    assert_int_equal(SUM(&node, false, 1, 0x1p-12), 0x3f800800);
    assert_int_equal(SUM(&node, false, 1, 0x1.fp-13), 0x3f800000);
    assert_int_equal(SUM(&node, true, 1, INFINITY), 0x7f800000);
    assert_int_equal(SUM(&node, false, -0.0, -0.0), 0x80000000);
}

/* The sum of the totals is rounded once, or each total is, and then each sum of two. */
static void test_totals_of_bins(void **context) {
    (void)context;
    struct order_node node = order_node_plain(FP32, ROUND_NEAREST_EVEN);
    node.kind = ORDER_BINS;
    node.bins = 2;
    node.bin_width = 25;
    node.bin_ends = ORDER_BINS_FROM_LARGEST;
    node.alignment = ORDER_TOWARD_ZERO;
    assert_int_equal(SUM(&node, false, 0x1p24, 1, 0x1p-1), 0x4b800001); /* once: above a tie */
    node.totals = ORDER_TOTALS_FROM_LARGEST;                            /* a tie, and then a tie */
    assert_int_equal(SUM(&node, false, 0x1p24, 1, 0x1p-1), 0x4b800000);
    node.totals = ORDER_TOTALS_FROM_SMALLEST; /* of two it is the same */
    assert_int_equal(SUM(&node, false, 0x1p24, 1, 0x1p-1), 0x4b800000);
    node.bins = 4;
    node.bin_width = 12; /* 1 is lost beside 2^24, unless the last bin is added to it before */
    assert_int_equal(SUM(&node, false, 0x1p24, 1, 0x1p-23), 0x4b800001);
    node.totals = ORDER_TOTALS_FROM_LARGEST;
    assert_int_equal(SUM(&node, false, 0x1p24, 1, 0x1p-23), 0x4b800000);
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

/* So many terms of one number, and a last one. */
static uint64_t many(const struct order_node *node, size_t count, double number, double last,
                     const double *c) {
    uint64_t *codes = malloc(count * sizeof *codes), sum = 0;
    uint64_t incoming = c ? code_of(node->result, *c) : 0;
    assert_non_null(codes);
    for (size_t i = 0; i < count; i++)
        codes[i] = code_of(node->result, i + 1 < count ? number : last);
    assert_true(order_node_sum(node, node->result, codes, NULL, count, c ? &incoming : NULL, &sum));
    free(codes);
    return sum;
}

/* Exact sums that need all of 128 bits, and more. */
static void test_exact_sums_of_many(void **context) {
    (void)context;
    const struct order_node node = order_node_plain(FP32, ROUND_NEAREST_EVEN);
    const size_t count = (1 << 20) + (1 << 16) + 1;
    const double each = 0x1.fffffep100;
    assert_int_equal(many(&node, count, each, 0x1p-6, NULL),
                     code_of(FP32, (double)(count - 1) * each)); /* exact in 53 bits */
    assert_int_equal(many(&node, count, -each, -0x1p-6, NULL),
                     code_of(FP32, -(double)(count - 1) * each));
}

/* As many terms as aligned sums take, and one more. */
static void test_aligned_sums_of_many(void **context) {
    const double one = 1;
    (void)context;
    for (int kind = 0; kind < 3; kind++) {
        struct order_node node = order_node_plain(FP32, ROUND_NEAREST_EVEN);
        node.aligned_bits = 24;
        node.groups = kind == 1 ? 8 : 0;
        node.c = kind == 2 ? ORDER_C_AFTER_SUM : ORDER_C_WITH_TERMS;
        node.joined_bits = node.c_bits = 24;
        const size_t most = order_node_most_terms(&node);
        assert_true(most >= 1 << 13);
        assert_int_equal(many(&node, most, 1.75, 1.75, &one),
                         code_of(FP32, 1.75 * (double)most + 1));
        struct order order;
        struct error error = {{0}};
        order_open(&order, "sum", FP32, FP32);
        order.nodes[0] = node;
        order_rules_add(&order.rules, (struct order_rule){.kind = ORDER_SEQUENTIAL, .size = 0});
        struct order_plan *plan = order_plan_open(&order, most, &error);
        assert_non_null(plan);
        order_plan_close(plan);
        assert_null(order_plan_open(&order, most + 1, &error));
        assert_non_null(strstr(error.text, "at most"));
        order.nodes[0].terms = (unsigned)most + 1;
        assert_false(order_check(&order, &error));
        assert_non_null(strstr(error.text, "at most"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fixed_point),
                                       cmocka_unit_test(test_bins),
                                       cmocka_unit_test(test_totals_of_bins),
                                       cmocka_unit_test(test_to_odd),
                                       cmocka_unit_test(test_chains_without_negative_zero),
                                       cmocka_unit_test(test_exact_sums_of_many),
                                       cmocka_unit_test(test_aligned_sums_of_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
