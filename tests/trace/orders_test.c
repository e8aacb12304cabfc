/* The orders of sums that traces are held against: no two of a length have the same words, so that two sides that add otherwise
 * are told apart. */
#include "trace/ways_orders.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_words_are_of_one_order(void **state) {
    static const size_t lengths[] = {2, 7, 16, 84, 100, 640, 1000, 3000};
    (void)state;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        struct trace_orders orders;
        assert_true(trace_orders_open(&orders, lengths[l]));
        assert_true(orders.count > (lengths[l] > 2 ? 3 : 0));
        for (size_t i = 0; i < orders.count; i++)
            for (size_t k = 0; k < i; k++)
                if (strcmp(orders.items[i].says, orders.items[k].says) == 0)
                    fail_msg("two orders of %zu terms are said to be one that %s", lengths[l],
                             orders.items[i].says);
        trace_orders_close(&orders);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words_are_of_one_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
