/* Interval steps: the exact result of exact operands lies inside, and the enclosure is tight. */
#include "../../base/random.h" /* brings stdint.h, without which mpfr.h has no mpfr_set_uj_2exp */
#include "op/function/interval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { RANDOM_CASES = 2000, BITS = 40, EXACT = 400 };

static void interval_init(struct interval *y) {
    mpfr_inits2(BITS, y->low, y->high, (mpfr_ptr)0);
}

static void interval_clear(struct interval *y) {
    mpfr_clears(y->low, y->high, (mpfr_ptr)0);
}

/* A number of more bits than the intervals have, in [2^-20, 2^20), with a sign if wanted. */
static void random_exact(mpfr_ptr x, uint64_t *seed, bool either_sign) {
    mpfr_set_uj_2exp(x, random_bits(seed) | 1, random_between(seed, -84, -44), MPFR_RNDN);
    if (either_sign && random_bits(seed) & 1)
        mpfr_neg(x, x, MPFR_RNDN);
}

/* low <= y <= high, and they are at most `units` neighbours apart. */
static void assert_encloses(const struct interval *got, mpfr_srcptr y, int units) {
    mpfr_t step;
    assert_true(mpfr_cmp(got->low, y) <= 0 && mpfr_cmp(y, got->high) <= 0);
    mpfr_init2(step, BITS);
    mpfr_set(step, got->low, MPFR_RNDN);
    for (int i = 0; i < units; i++)
        mpfr_nextabove(step);
    assert_true(mpfr_cmp(step, got->high) >= 0);
    mpfr_clear(step);
}

static void check_signed_steps(uint64_t *seed, struct interval *i, mpfr_t *x) {
    random_exact(x[0], seed, true);
    random_exact(x[1], seed, true);
    interval_set(&i[0], x[0]);
    assert_encloses(&i[0], x[0], 1);
    interval_negate(&i[1], &i[0]);
    mpfr_neg(x[2], x[0], MPFR_RNDN);
    assert_encloses(&i[1], x[2], 1);
    interval_scale(&i[1], &i[0], -3);
    mpfr_div_ui(x[2], x[0], 8, MPFR_RNDN);
    assert_encloses(&i[1], x[2], 1);
    interval_increasing(&i[1], mpfr_atan, &i[0]);
    mpfr_atan(x[2], x[0], MPFR_RNDN);
    assert_encloses(&i[1], x[2], 4);
    interval_decreasing(&i[1], mpfr_erfc, &i[0]);
    mpfr_erfc(x[2], x[0], MPFR_RNDN);
    assert_true(mpfr_cmp(i[1].low, x[2]) <= 0 && mpfr_cmp(x[2], i[1].high) <= 0);
    /* A sum may cancel, so that only the enclosure can be asked for. */
    interval_set(&i[1], x[1]);
    interval_add(&i[2], &i[0], &i[1]);
    mpfr_add(x[2], x[0], x[1], MPFR_RNDN);
    assert_true(mpfr_cmp(i[2].low, x[2]) <= 0 && mpfr_cmp(x[2], i[2].high) <= 0);
    interval_add_integer(&i[0], &i[0], -7);
    mpfr_sub_ui(x[2], x[0], 7, MPFR_RNDN);
    assert_true(mpfr_cmp(i[0].low, x[2]) <= 0 && mpfr_cmp(x[2], i[0].high) <= 0);
}

static void check_positive_steps(uint64_t *seed, struct interval *i, mpfr_t *x) {
    random_exact(x[0], seed, false);
    random_exact(x[1], seed, false);
    interval_set(&i[0], x[0]);
    interval_set(&i[1], x[1]);
    interval_add(&i[2], &i[0], &i[1]);
    mpfr_add(x[2], x[0], x[1], MPFR_RNDN);
    assert_encloses(&i[2], x[2], 4);
    interval_multiply(&i[2], &i[0], &i[1]);
    mpfr_mul(x[2], x[0], x[1], MPFR_RNDN);
    assert_encloses(&i[2], x[2], 6);
    interval_divide(&i[2], &i[0], &i[1]);
    mpfr_div(x[2], x[0], x[1], MPFR_RNDN);
    assert_encloses(&i[2], x[2], 6);
    random_exact(x[1], seed, true);
    interval_multiply_exact(&i[2], &i[0], x[1]);
    mpfr_mul(x[2], x[0], x[1], MPFR_RNDN);
    assert_encloses(&i[2], x[2], 4);
}

static void test_enclosures(void **state) {
    (void)state;
    struct interval i[3];
    mpfr_t x[3];
    for (int j = 0; j < 3; j++) {
        interval_init(&i[j]);
        mpfr_init2(x[j], EXACT);
    }
    uint64_t seed = 15;
    for (int n = 0; n < RANDOM_CASES; n++) {
        check_signed_steps(&seed, i, x);
        check_positive_steps(&seed, i, x);
    }
    for (int j = 0; j < 3; j++) {
        interval_clear(&i[j]);
        mpfr_clear(x[j]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_enclosures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
