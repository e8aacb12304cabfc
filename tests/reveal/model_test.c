/* Models that compute otherwise are told apart: by the nodes of their additions, and by which terms these take. */
#include "reveal/models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Two additions of four terms: the first takes `within` of the children 0, 1, 2, 3, ~0 in this sequence. */
static struct model make(size_t within, unsigned first, unsigned last) {
    static const int32_t children[] = {0, 1, 2, 3, ~0};
    struct model model = {.sorting = {.sorts = false}};
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
    sorted.sorting.sorts = true;
    check(sorted, false);
}

/* Additions of two and of three terms from the left, of which each pair is kept and flushed in another way: 16 kinds, and
 * one more where the last addition is in another accumulator. */
static bool make_kinds(bool one_more, struct error *error) {
    enum { KINDS = ORDER_MOST_NODES + 1, TERMS = 3 * KINDS };
    struct subject subject = {.terms = TERMS};
    subject.request.operation = operation_find("sum", error);
    subject.request.format = &formats[FORMAT_FP32];
    subject.call.results[0].format = &formats[FORMAT_FP32];
    struct aimed found[KINDS];
    uint8_t rounded[TERMS] = {0};
    struct finding finding = {.subject = &subject};
    order_tree_open(&finding.grown.tree, TERMS);
    for (int32_t i = 0, term = 0; i < KINDS; i++) {
        const int32_t children[4] = {i ? ~(i - 1) : term, term + 1, term + 2, term + 3};
        const bool many = i / 8 % 2;
        order_tree_add(&finding.grown.tree, children, many ? 4 : 2, 0);
        term += many ? 3 : 1;
        found[i] = (struct aimed){(enum kept_class)(KEPT_BF16 + i / 2 % 4), i % 2};
    }
    if (one_more)
        found[KINDS - 1] = (struct aimed){KEPT_EXTENDED, false};
    finding.aim.rounds[KEPT_EXTENDED] = true;
    finding.aim.rounding[KEPT_EXTENDED] = ORDER_DOWN;
    finding.aim.found = found;
    finding.aim.rounded = rounded;
    const struct choice choice = {.at = {[AXIS_PAIR] = 1, [AXIS_SPILL] = 1}};
    struct model model;
    const bool made = model_make(&finding, &choice, &model, error);
    model_close(&model);
    order_tree_close(&finding.grown.tree);
    return made;
}

/* It once took node 0 in place of a node for which there was no room. */
static void test_more_kinds_of_additions_than_there_is_room_for(void **unused) {
    (void)unused;
    struct error error;
    assert_true(make_kinds(false, &error));
    assert_false(make_kinds(true, &error));
    assert_string_equal(error.text, "more than 16 kinds of additions");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models_are_told_apart),
        cmocka_unit_test(test_more_kinds_of_additions_than_there_is_room_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
