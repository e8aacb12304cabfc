/* Slices that take long are told of while they run, and others are not. */
#include "sweep/slow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

/* What the watcher said; read after it has ended. */
struct reported {
    unsigned times;
    uint64_t first;
    double seconds;
};

static void tell(void *context, uint64_t first, double seconds) {
    struct reported *reported = context;
    *reported = (struct reported){reported->times + 1, first, seconds};
}

static void wait(long milliseconds) {
    nanosleep(&(const struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

static void test_a_long_slice_is_reported(void **state) {
    (void)state;
    struct reported reported = {0};
    const struct sweep_request request = {
        .slow = tell, .slow_context = &reported, .patience = 0.05};
    struct slow_watch *watch = slow_watch_begin(&request, 2);
    assert_non_null(watch);
    slow_watch_enter(watch, 0, 77);
    wait(900);
    slow_watch_leave(watch, 0);
    slow_watch_end(watch);
    /* At 0.05, 0.1, 0.2, 0.4 and 0.8 seconds, or fewer where the machine is busy. */
    assert_in_range(reported.times, 1, 5);
    assert_int_equal(reported.first, 77);
    assert_true(reported.seconds >= 0.05);
}

static void test_the_longest_is_named(void **state) {
    (void)state;
    struct reported reported = {0};
    const struct sweep_request request = {.slow = tell, .slow_context = &reported, .patience = 0.2};
    struct slow_watch *watch = slow_watch_begin(&request, 2);
    slow_watch_enter(watch, 1, 5);
    wait(20);
    slow_watch_enter(watch, 0, 6);
    wait(600);
    slow_watch_end(watch);
    assert_int_equal(reported.first, 5);
}

static void test_nothing_is_reported_of_others(void **state) {
    (void)state;
    struct reported reported = {0};
    struct sweep_request request = {.slow = tell, .slow_context = &reported, .patience = 30};
    struct slow_watch *watch = slow_watch_begin(&request, 1);
    slow_watch_enter(watch, 0, 1);
    wait(50);
    slow_watch_leave(watch, 0);
    slow_watch_end(watch);
    assert_int_equal(reported.times, 0);
    request.slow = NULL;
    assert_null(slow_watch_begin(&request, 1));
    slow_watch_enter(NULL, 0, 1);
    slow_watch_leave(NULL, 0);
    slow_watch_end(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_long_slice_is_reported),
                                       cmocka_unit_test(test_the_longest_is_named),
                                       cmocka_unit_test(test_nothing_is_reported_of_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
