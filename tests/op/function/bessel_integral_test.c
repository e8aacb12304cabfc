/* Bessel functions by integrals: against Arb's series at orders where both serve, and at large orders
 * by the recurrence and the Wronskian, which tie three orders of both kinds together. */
#include "op/function/bessel_integral.h"

#include "op/function/interval.h"
#include "sweep/generator.h"

#include <arb_hypgeom.h>
#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { CASES = 15, PRECISION = 112, WIDE = 4000, BITS = 80 };

static double uniform(uint64_t turn, unsigned which) {
    return (double)(generator_bits(19, turn, which) >> 11) * 0x1p-53;
}

/* Far below n, around it, beside it, on it, above it. */
static double argument(uint64_t turn, double n) {
    double r = uniform(turn, 1);
    switch (turn % 5) {
    case 0:
        return n * pow(2, -12 * r);
    case 1:
        return n * (0.5 + r);
    case 2:
        return n + 8 * (r - 0.5) * cbrt(n);
    case 3:
        return n;
    default:
        return n * pow(2, 39 * r);
    }
}

static void test_small_orders(void **state) {
    (void)state;
    for (uint64_t turn = 0; turn < CASES; turn++) {
        ulong n = 100 + (ulong)(900 * uniform(turn, 0));
        arb_t x, order, y[2], wanted;
        arb_init(x);
        arb_init(order);
        arb_init(wanted);
        arb_init(y[0]);
        arb_init(y[1]);
        arb_set_d(x, fmin(argument(turn, (double)n), 100000));
        arb_set_ui(order, n);
        bessel_integral(y[0], y[1], n, x, PRECISION);
        for (int kind = 0; kind < 2; kind++) {
            (kind ? arb_hypgeom_bessel_y : arb_hypgeom_bessel_j)(wanted, order, x, WIDE);
            assert_true(arb_rel_accuracy_bits(wanted) > 2 * PRECISION);
            assert_true(arb_overlaps(y[kind], wanted));
            assert_true(arb_rel_accuracy_bits(y[kind]) > BITS);
        }
        arb_clear(x);
        arb_clear(order);
        arb_clear(wanted);
        arb_clear(y[0]);
        arb_clear(y[1]);
    }
}

static void assert_zero(const arb_t y, int bits) {
    assert_true(arb_contains_zero(y));
    assert_true(mag_cmp_2exp_si(arb_radref(y), -bits) < 0);
}

static void test_large_orders(void **state) {
    (void)state;
    for (uint64_t turn = 0; turn < CASES; turn++) {
        ulong n = (ulong)pow(2, 11 + 20 * uniform(turn, 0));
        arb_t x, sum, term, y[2][3];
        arb_init(x);
        arb_init(sum);
        arb_init(term);
        double close = turn % 5 < 2 ? (double)n - 10 * cbrt((double)n) * uniform(turn, 2)
                                    : argument(turn, (double)n);
        arb_set_d(x, close);
        assert_false(bessel_j_is_tiny(n, x));
        for (ulong i = 0; i < 3; i++) {
            arb_init(y[0][i]);
            arb_init(y[1][i]);
            bessel_integral(y[0][i], y[1][i], n - 1 + i, x, PRECISION);
            assert_true(arb_rel_accuracy_bits(y[0][i]) > BITS);
            assert_true(arb_rel_accuracy_bits(y[1][i]) > BITS);
        }
        for (int kind = 0; kind < 2; kind++) { /* y(n-1) + y(n+1) = 2n/x y(n) */
            arb_add(sum, y[kind][0], y[kind][2], WIDE);
            arb_div(sum, sum, y[kind][1], WIDE);
            arb_set_ui(term, 2 * n);
            arb_div(term, term, x, WIDE);
            arb_sub(sum, sum, term, WIDE);
            assert_zero(sum, BITS / 2);
        }
        arb_mul(sum, y[0][2], y[1][1], WIDE); /* J(n+1) Y(n) - J(n) Y(n+1) = 2/(pi x) */
        arb_submul(sum, y[0][1], y[1][2], WIDE);
        arb_mul(sum, sum, x, WIDE);
        arb_const_pi(term, WIDE);
        arb_mul(sum, sum, term, WIDE);
        arb_sub_ui(sum, sum, 2, WIDE);
        assert_zero(sum, BITS / 2);
        arb_clear(x);
        arb_clear(sum);
        arb_clear(term);
        for (int i = 0; i < 6; i++)
            arb_clear(y[i / 3][i % 3]);
    }
}

/* What is said to be tiny is, by Arb. */
static void test_tiny_ones(void **state) {
    (void)state;
    for (ulong n = 1; n < 5000; n = 2 * n + 1) {
        arb_t x, order, y;
        arb_init(x);
        arb_init(order);
        arb_init(y);
        arb_set_ui(order, n);
        arb_set_d(x, 0.75 * (double)n);
        while (!bessel_j_is_tiny(n, x))
            arb_mul_2exp_si(x, x, -1);
        arb_hypgeom_bessel_j(y, order, x, WIDE);
        assert_true(arb_is_positive(y));
        assert_true(arf_cmp_2exp_si(arb_midref(y), -INTERVAL_DECIDED_BY_SIZE - 32) < 0);
        arb_clear(x);
        arb_clear(order);
        arb_clear(y);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small_orders),
                                       cmocka_unit_test(test_large_orders),
                                       cmocka_unit_test(test_tiny_ones)};
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failures;
}
