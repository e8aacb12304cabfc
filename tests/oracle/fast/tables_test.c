/* The tables of logarithms of the fast oracle against Arb's, every entry, within what their headers
 * claim. */
#include "oracle/fast/logarithms.h"
#include "oracle/fast/poles.h"
#include "oracle/fast/reflection.h"

#include <arb.h>
#include <math.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { PRECISION = 96 };

/* Whether the double, or that number of units, lies within 2^exponent of the ball. */
static void assert_near(const arb_t truth, arb_t entry, slong exponent) {
    mag_t distance;
    mag_init(distance);
    arb_sub(entry, entry, truth, PRECISION);
    arb_get_mag(distance, entry);
    assert_true(mag_cmp_2exp_si(distance, exponent) <= 0);
    mag_clear(distance);
}

static void test_logarithms(void **state) {
    (void)state;
    enum { COUNT = 1 << 18 };
    uint64_t *units = malloc(COUNT * sizeof *units);
    double *poles = pole_table(WIDE_POLE_LOG2);
    arb_t truth, entry;
    arb_init(truth);
    arb_init(entry);
    assert_non_null(units);
    assert_non_null(poles);
    make_logarithms(units, COUNT);
    assert_true(poles[0] >= INFINITY);
    for (ulong k = 1; k < COUNT; k++) {
        arb_log_ui(truth, k, PRECISION);
        arb_set_ui(entry, units[k]);
        arb_mul_2exp_si(entry, entry, -60);
        assert_near(truth, entry, -53);
        if (k > (ulong)1 << WIDE_POLE_LOG2)
            continue;
        arb_neg(truth, truth);
        arb_set_d(entry, poles[k]);
        assert_near(truth, entry, -49);
    }
    arb_clear(truth);
    arb_clear(entry);
    free(units);
    free(poles);
}

/* All entries of small tables, and some of the largest. */
static void test_reflections(void **state) {
    (void)state;
    arb_t truth, entry, pi;
    arb_init(truth);
    arb_init(entry);
    arb_init(pi);
    arb_const_pi(pi, PRECISION);
    for (int bits = 1; bits <= 17; bits++) {
        double *table = reflection_table(bits);
        assert_non_null(table);
        assert_true(table[0] >= INFINITY);
        uint32_t count = (uint32_t)1 << bits;
        for (uint32_t r = 1; r<count; r += bits> 12 && r > 64 ? 37 : 1) {
            arb_set_ui(truth, r);
            arb_mul_2exp_si(truth, truth, -bits);
            arb_sin_pi(truth, truth, PRECISION);
            arb_div(truth, pi, truth, PRECISION);
            arb_log(truth, truth, PRECISION);
            arb_set_d(entry, table[r]);
            assert_near(truth, entry, -49);
            assert_true(table[r] <= TABLE_MOST);
        }
        free(table);
    }
    arb_clear(truth);
    arb_clear(entry);
    arb_clear(pi);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_logarithms),
                                       cmocka_unit_test(test_reflections)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
