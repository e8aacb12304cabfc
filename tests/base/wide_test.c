/* 128-bit arithmetic against GMP. */
#include "base/wide.h"

#include "random.h"

#include <gmp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { RANDOM_PAIRS = 20000 };

/* All pairs of these, beside random ones: carries and borrows happen at their borders. */
static const uint64_t edges[] = {
    0,         1, 2, UINT64_C(0x7fffffffffffffff), UINT64_C(0x8000000000000000), UINT64_MAX - 1,
    UINT64_MAX};
enum { EDGES = sizeof edges / sizeof *edges };

static void to_gmp(mpz_t z, struct wide a) {
    const uint64_t words[2] = {a.low, a.high};
    mpz_import(z, 2, -1, sizeof *words, 0, 0, words);
}

/* Compares with the low 128 bits of `want`. */
static void assert_same(struct wide got, mpz_t want) {
    mpz_t z;
    mpz_init(z);
    to_gmp(z, got);
    mpz_fdiv_r_2exp(want, want, 128);
    assert_int_equal(mpz_cmp(z, want), 0);
    mpz_clear(z);
}

static void check_pair(struct wide a, struct wide b) {
    mpz_t x, y, z;
    mpz_inits(x, y, z, NULL);
    to_gmp(x, a);
    to_gmp(y, b);
    int order = mpz_cmp(x, y);
    assert_int_equal(wide_compare(a, b), (order > 0) - (order < 0));
    assert_int_equal(wide_is_zero(a), mpz_sgn(x) == 0);
    mpz_add(z, x, y);
    assert_same(wide_add(a, b), z);
    mpz_sub(z, x, y);
    assert_same(wide_subtract(a, b), z);
    to_gmp(x, (struct wide){0, a.low});
    to_gmp(y, (struct wide){0, b.low});
    mpz_mul(z, x, y);
    mpz_fdiv_q_2exp(z, z, 64);
    assert_same((struct wide){0, multiply_high(a.low, b.low)}, z);
    mpz_clears(x, y, z, NULL);
}

static void test_pairs(void **state) {
    (void)state;
    for (int i = 0; i < EDGES * EDGES; i++)
        for (int j = 0; j < EDGES * EDGES; j++)
            check_pair((struct wide){edges[i / EDGES], edges[i % EDGES]},
                       (struct wide){edges[j / EDGES], edges[j % EDGES]});
    uint64_t seed = 1;
    for (int i = 0; i < RANDOM_PAIRS; i++) {
        struct wide a = {random_bits(&seed), random_bits(&seed)};
        struct wide b = {i & 1 ? a.high : random_bits(&seed), random_bits(&seed)};
        check_pair(a, b);
    }
}

static void test_shifts(void **state) {
    (void)state;
    static const struct wide values[] = {
        {0, 0},
        {0, 1},
        {UINT64_C(1) << 63, 0},
        {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)},
        {UINT64_MAX, UINT64_MAX}};
    mpz_t x, z;
    mpz_inits(x, z, NULL);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        to_gmp(x, values[i]);
        for (unsigned count = 0; count < 200; count++) {
            mpz_mul_2exp(z, x, count);
            assert_same(wide_shift_left(values[i], count), z);
            mpz_fdiv_q_2exp(z, x, count);
            assert_same(wide_shift_right(values[i], count), z);
        }
        assert_true(wide_is_zero(wide_shift_left(values[i], 1u << 31)));
        assert_true(wide_is_zero(wide_shift_right(values[i], 1u << 31)));
    }
    mpz_clears(x, z, NULL);
}

static void test_leading_zeros(void **state) {
    (void)state;
    assert_int_equal(leading_zeros(0), 64);
    for (unsigned bit = 0; bit < 64; bit++) {
        assert_int_equal(leading_zeros(UINT64_C(1) << bit), 63 - bit);
        assert_int_equal(leading_zeros(UINT64_MAX >> bit), bit);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_leading_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
