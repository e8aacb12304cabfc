/* Rules found again from trees alone: of each planted order, and of det's; lengths that break a rule. */
#include "order/order.h"
#include "planted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Trees of the lengths from 1 to `most`, and then of some as far as `far`. */
static size_t make_trees(const struct order_rules *rules, size_t most, size_t far,
                         struct order_tree *trees) {
    size_t count = 0;
    struct error error;
    for (size_t n = 1; n <= far; n += n < most ? 1 : n / 7)
        assert_true(order_rules_tree(rules, n, &trees[count++], &error));
    return count;
}

static void close_trees(struct order_tree *trees, size_t count) {
    for (size_t i = 0; i < count; i++)
        order_tree_close(&trees[i]);
}

enum { MOST_TREES = 400 };

static void test_planted(void **context) {
    static struct order_tree trees[MOST_TREES];
    bool breaks[MOST_TREES];
    (void)context;
    for (int k = 0; k < PLANTED; k++) {
        struct order_rules found;
        bool far = strstr("det torch", planted[k].name);
        size_t count = make_trees(&planted[k].rules, far ? 70 : 300, far ? 5000 : 300, trees);
        size_t broken = order_fold(trees, count, &found, breaks);
        assert_int_equal(broken, 0);
        assert_true(found.count <= planted[k].rules.count);
        for (size_t i = 0; i < count; i++) {
            struct order_tree tree;
            struct error error;
            assert_true(order_rules_tree(&found, trees[i].terms, &tree, &error));
            assert_true(order_tree_hash(&tree) == order_tree_hash(&trees[i]) && !breaks[i]);
            order_tree_close(&tree);
        }
        close_trees(trees, count);
    }
}

/* Three lengths of a family are summed otherwise. */
static void test_broken(void **context) {
    static struct order_tree trees[MOST_TREES];
    bool breaks[MOST_TREES];
    (void)context;
    const struct order_rules lanes = RULES(LANES(8, .outer = 1, .tail = ORDER_TAIL_AFTER), PAIRS),
                             right = RULES(RIGHT);
    struct order_rules found;
    struct error error;
    size_t count = make_trees(&lanes, 200, 200, trees);
    for (size_t at = 50; at < 200; at += 50) {
        order_tree_close(&trees[at]);
        assert_true(order_rules_tree(&right, at + 1, &trees[at], &error));
    }
    assert_int_equal(order_fold(trees, count, &found, breaks), 3);
    assert_true(order_rules_same(&found, &lanes));
    for (size_t i = 0; i < count; i++)
        assert_int_equal(breaks[i], i == 50 || i == 100 || i == 150);
    close_trees(trees, count);
}

/* The longest one, whose rest has an addition of its own, hides the rule of the others no more. */
static void test_odd_longest(void **context) {
    static struct order_tree trees[MOST_TREES];
    bool breaks[MOST_TREES];
    (void)context;
    const struct order_rules blocks =
        RULES({.kind = ORDER_BLOCKS, .size = 32, .inner = 1}, LANES(2), LEFT);
    struct order_rules found;
    struct error error;
    size_t count = 0;
    for (size_t terms = 75; terms < 512; terms += 37)
        assert_true(order_rules_tree(&blocks, terms, &trees[count++], &error));
    struct order_tree *last = &trees[count - 1];
    for (size_t v = 0; v < last->count; v++) /* 480 and 481 meet, and join the sum of the others */
        last->additions[v].node = v + 2 >= last->count;
    assert_int_equal(order_fold(trees, count, &found, breaks), 1);
    assert_true(order_rules_same(&found, &blocks));
    for (size_t i = 0; i < count; i++)
        assert_int_equal(breaks[i], i + 1 == count);
    close_trees(trees, count);
}

/* Two rules, the longer lengths by the second one. */
static void test_by_length(void **context) {
    static struct order_tree trees[MOST_TREES];
    bool breaks[MOST_TREES];
    (void)context;
    const struct order_rules rules =
        RULES({.kind = ORDER_SHORTER, .size = 24, .inner = 1, .outer = 2}, RIGHT,
              LANES(4, .outer = 3, .tail = ORDER_TAIL_BEFORE), FOLDED);
    struct order_rules found;
    size_t count = make_trees(&rules, 150, 150, trees);
    assert_int_equal(order_fold(trees, count, &found, breaks), 0);
    assert_true(found.count <= rules.count && found.rows[0].kind == ORDER_SHORTER &&
                found.rows[0].size == 24);
    close_trees(trees, count);
}

/* Where halves begin is seen, though few of the lengths are halved. */
static void test_few_halves(void **context) {
    static struct order_tree trees[MOST_TREES];
    bool breaks[MOST_TREES];
    (void)context;
    const struct order_rules rules = RULES(HALVES(128, .multiple = 8, .inner = 1),
                                           LANES(8, .outer = 2, .tail = ORDER_TAIL_AFTER), PAIRS);
    for (size_t most = 131; most < 190; most += 19) {
        struct order_rules found;
        size_t count = make_trees(&rules, most, most, trees);
        assert_int_equal(order_fold(trees, count, &found, breaks), 0);
        /* Other multiples than 8 give the same halves of so few lengths. */
        assert_true(found.count == 3 && found.rows[0].kind == ORDER_HALVES &&
                    found.rows[0].size == 128);
        close_trees(trees, count);
    }
}

/* Trees without a rule. */
static void test_none(void **context) {
    struct order_tree trees[20];
    bool breaks[20];
    struct order_rules found;
    unsigned state = 1;
    (void)context;
    for (size_t t = 0; t < 20; t++) {
        size_t left = 10 + t;
        int32_t items[32];
        order_tree_open(&trees[t], left);
        for (size_t i = 0; i < left; i++)
            items[i] = (int32_t)i;
        for (; left > 1; left--) {
            size_t a = (state = state * 1664525u + 1013904223u) / 65536 % left, b = 0;
            int32_t both[2] = {items[a], 0};
            items[a] = items[left - 1];
            b = (state = state * 1664525u + 1013904223u) / 65536 % (left - 1);
            both[1] = items[b];
            items[b] = order_tree_add(&trees[t], both, 2, 0);
        }
    }
    assert_true(order_fold(trees, 20, &found, breaks) == SIZE_MAX);
    close_trees(trees, 20);
}

static struct order_rule shorter(uint64_t size, uint8_t inner, uint8_t outer) {
    return (struct order_rule){.kind = ORDER_SHORTER, .size = size, .inner = inner, .outer = outer};
}

static struct order_rule blocks(uint64_t multiple) {
    return (struct order_rule){.kind = ORDER_BLOCKS, .size = 384, .multiple = multiple, .inner = 1};
}

/* Rules by length within rules by length are one row of cases; what is up to a multiple is in brackets where it has commas
 * of its own. */
static void test_words(void **context) {
    const struct order_rule pairs = {.kind = ORDER_PAIRS}, fold = {.kind = ORDER_FOLD};
    const struct order_rule dealt = {.kind = ORDER_DEALT, .size = 64, .multiple = 8, .inner = 1};
    const struct order_rule lanes = {.kind = ORDER_LANES, .size = 8, .outer = 5};
    const struct order_rule whole = {
        .kind = ORDER_MAIN, .size = 16, .tail = ORDER_TAIL_BEFORE, .inner = 4};
    const struct order_rule rest = {.kind = ORDER_LANES,
                                    .node = 1,
                                    .size = 8,
                                    .tail = ORDER_TAIL_AFTER,
                                    .inner = 1,
                                    .outer = 2};
    const struct {
        struct order_rules rules;
        const char *words;
    } rows[] = {
        {{3, {shorter(8, 0, 1), pairs, fold}}, "n < 8 from the left; else in pairs of neighbours"},
        {{4, {shorter(149, 1, 3), shorter(112, 0, 2), pairs, fold}},
         "n < 112 from the left; else n < 149 in pairs of neighbours; else folded in halves"},
        {{4, {shorter(8, 0, 1), shorter(64, 2, 3), pairs, fold}},
         "n < 8 from the left; else n < 64 in pairs of neighbours; else folded in halves"},
        {{4, {shorter(8, 1, 3), shorter(64, 2, 3), pairs, fold}},
         "n < 8 in pairs of neighbours; else folded in halves"},
        {{4, {shorter(64, 2, 1), shorter(8, 0, 3), pairs, fold}},
         "n < 64 in pairs of neighbours; else folded in halves"},
        {{6, {shorter(112, 2, 1), pairs, whole, fold, lanes, fold}},
         "n < 112 up to the last multiple of 16 (8 lanes, l, l + 8 …, folded 4, 2, 1), the rest "
         "and then that total "
         "from the left; else in pairs of neighbours"},
        {{3, {rest, pairs, pairs}},
         "8 lanes, l, l + 8 …, each (in pairs of neighbours), lanes added in pairs of neighbours, "
         "the rest from the "
         "left by addition 1"},
        {{2, {dealt, fold}}, "each block of 64 with its odd groups of 8 first, folded in halves"},
        {{2, {blocks(1), pairs}},
         "blocks of 384 (the last two of equal length), each (in pairs of neighbours), blocks "
         "added from the left"},
        {{2, {blocks(4), pairs}},
         "blocks of 384 (the last two of equal length, rounded up to a multiple of 4), each (in "
         "pairs of neighbours), blocks added from the left"},
    };
    (void)context;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[512];
        order_rules_words(&rows[i].rules, words, sizeof words);
        assert_string_equal(words, rows[i].words);
    }
}

/* Which subnormal numbers an addition flushes: none, each kind alone, and several, joined. */
static void test_flushed_words(void **context) {
    const struct {
        bool operands, c, products, results;
        const char *words;
    } rows[] = {
        {false, false, false, false, "fp32, nearest-even"},
        {true, false, false, false, "fp32, nearest-even, subnormal operands flushed"},
        {false, true, false, false, "fp32, nearest-even, subnormal c flushed"},
        {false, false, true, false, "fp32, nearest-even, subnormal products flushed"},
        {false, false, false, true, "fp32, nearest-even, subnormal results flushed"},
        {true, false, false, true, "fp32, nearest-even, subnormal operands and results flushed"},
        {true, true, true, true,
         "fp32, nearest-even, subnormal operands, c, products and results flushed"},
    };
    (void)context;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct order_node node = order_node_plain(&formats[FORMAT_FP32], ROUND_NEAREST_EVEN);
        char words[256];
        node.flush_operands = rows[i].operands;
        node.flush_c = rows[i].c;
        node.flush_products = rows[i].products;
        node.flush_results = rows[i].results;
        order_node_words(&node, words, sizeof words);
        assert_string_equal(words, rows[i].words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),     cmocka_unit_test(test_broken),
        cmocka_unit_test(test_odd_longest), cmocka_unit_test(test_by_length),
        cmocka_unit_test(test_few_halves),  cmocka_unit_test(test_none),
        cmocka_unit_test(test_words),       cmocka_unit_test(test_flushed_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
