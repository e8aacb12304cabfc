/* Models that compute otherwise are told apart: by the nodes of their additions, and by which terms these take. */
#include "reveal/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Two additions of four terms: the first takes `within` of the children 0, 1, 2, 3, ~0 in this sequence. */
static struct model make(size_t within, unsigned first, unsigned last) {
    static const int32_t children[] = {0, 1, 2, 3, ~0};
    struct model model = {.sorted = false};
    order_open(&model.order, "sum", &formats[FORMAT_FP32], &formats[FORMAT_FP32]);
    order_tree_open(&model.tree, 4);
    order_tree_add(&model.tree, children, within, first);
    order_tree_add(&model.tree, children + within, 5 - within, last);
    return model;
}

static void check(struct model other, bool same) {
    struct model model = make(2, 0, 1);
    assert_int_equal(model_is_same(&model, &other), same);
    assert_int_equal(model_is_same(&other, &model), same);
    order_tree_close(&model.tree);
    order_tree_close(&other.tree);
}

static void test_models_are_told_apart(void **unused) {
    (void)unused;
    check(make(2, 0, 1), true);
    check(make(2, 1, 0), false); /* the nodes change places */
    check(make(2, 0, 0), false);
    check(make(3, 0, 1), false); /* (0 + 1 + 2) + 3 has the children of (0 + 1) + 2 + 3 */
    struct model extended = make(2, 0, 1), sorted = make(2, 0, 1);
    extended.extended = true;
    check(extended, false);
    sorted.sorted = true;
    check(sorted, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_models_are_told_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
