/* Exact numbers to and from MPFR, against GMP's integers and MPFR's public functions. */
#include "../base/random.h"
#include "layout.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { RANDOM_NUMBERS = 3000 };

/* value == significand * 2^(exponent - 127), with the sign. */
static void assert_equal_to_mpfr(const struct real *real, mpfr_srcptr value) {
    mpfr_t sum, low;
    mpfr_inits2(200, sum, low, (mpfr_ptr)0);
    mpfr_set_uj_2exp(sum, real->significand.high, real->exponent - 63, MPFR_RNDN);
    mpfr_set_uj_2exp(low, real->significand.low, real->exponent - 127, MPFR_RNDN);
    mpfr_add(sum, sum, low, MPFR_RNDN);
    if (real->negative)
        mpfr_neg(sum, sum, MPFR_RNDN);
    assert_int_equal(real->kind, REAL_FINITE);
    assert_true(real->significand.high >> 63 == 1);
    assert_true(mpfr_equal_p(sum, value));
    mpfr_clears(sum, low, (mpfr_ptr)0);
}

static void random_mpfr(mpfr_ptr value, uint64_t *seed) {
    mpfr_set_ui(value, 1, MPFR_RNDN);
    for (int i = 0; i < 3; i++) {
        mpfr_mul_2ui(value, value, 64, MPFR_RNDZ);
        mpfr_add_ui(value, value, random_bits(seed), MPFR_RNDZ);
    }
    mpfr_mul_2si(value, value, random_between(seed, -20000, 20000), MPFR_RNDZ);
    mpfr_setsign(value, value, (int)(random_bits(seed) & 1), MPFR_RNDZ);
}

/* Every precision that a sweep can work at, whichever limbs it spans. */
static void test_round_trip_at_every_precision(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (int i = 0; i < RANDOM_NUMBERS; i++) {
        mpfr_t value, back;
        mpfr_init2(value, 2 + i % 127);
        mpfr_init2(back, 128);
        random_mpfr(value, &seed);
        for (int ternary = -1; ternary <= 1; ternary++) {
            struct real real = real_from_mpfr(value, ternary);
            assert_equal_to_mpfr(&real, value);
            assert_int_equal(real.inexact, ternary != 0);
            assert_false(real.cancelled);
            mpfr_set_nan(back);
            real_to_mpfr(back, &real);
            assert_true(mpfr_equal_p(back, value));
            /* Any precision that holds the bits will do. */
            mpfr_set_prec(back, mpfr_get_prec(value));
            real_to_mpfr(back, &real);
            assert_true(mpfr_equal_p(back, value));
            /* Nothing of what a longer number held before may stay. */
            mpfr_set_prec(back, 300);
            mpfr_const_pi(back, MPFR_RNDN);
            real_to_mpfr(back, &real);
            assert_true(mpfr_equal_p(back, value));
            mpfr_set_prec(back, 128);
        }
        mpfr_clears(value, back, (mpfr_ptr)0);
    }
}

/* What real_to_mpfr built by hand must be a number that MPFR can go on with. */
static void test_arithmetic_on_the_result(void **state) {
    (void)state;
    mpfr_t a, b, sum;
    mpfr_inits2(53, a, b, (mpfr_ptr)0);
    mpfr_init2(sum, 200);
    uint64_t seed = 10;
    for (int i = 0; i < RANDOM_NUMBERS; i++) {
        double x = ldexp((double)(random_bits(&seed) >> 11), random_between(&seed, -80, 20));
        double y = -ldexp((double)(random_bits(&seed) >> 40), random_between(&seed, -80, 20));
        struct real real_x = exact_real(x), real_y = exact_real(y);
        real_to_mpfr(a, &real_x);
        real_to_mpfr(b, &real_y);
        assert_true(mpfr_cmp_d(a, x) == 0 && mpfr_cmp_d(b, y) == 0);
        mpfr_add(sum, a, b, MPFR_RNDN);
        mpfr_sub_d(sum, sum, x, MPFR_RNDN);
        assert_true(mpfr_cmp_d(sum, y) == 0);
    }
    mpfr_clears(a, b, sum, (mpfr_ptr)0);
}

static void test_zero_infinity_nan(void **state) {
    (void)state;
    mpfr_t value;
    mpfr_init2(value, 60);
    for (int sign = -1; sign <= 1; sign += 2) {
        mpfr_set_zero(value, sign);
        struct real zero = real_from_mpfr(value, 0), tiny = real_from_mpfr(value, -sign);
        assert_true(zero.kind == REAL_ZERO && zero.negative == (sign < 0));
        assert_true(tiny.kind == REAL_FINITE && tiny.negative == (sign < 0) && tiny.inexact);
        assert_true(tiny.exponent < -100000);
        mpfr_set_nan(value);
        real_to_mpfr(value, &zero);
        assert_true(mpfr_zero_p(value) && (mpfr_signbit(value) != 0) == (sign < 0));
        mpfr_set_inf(value, sign);
        struct real infinite = real_from_mpfr(value, 0), huge = real_from_mpfr(value, sign);
        assert_true(infinite.kind == REAL_INFINITE && infinite.negative == (sign < 0));
        assert_true(huge.kind == REAL_FINITE && huge.negative == (sign < 0) && huge.inexact);
        assert_true(huge.exponent > 100000);
        mpfr_set_nan(value);
        real_to_mpfr(value, &infinite);
        assert_true(mpfr_inf_p(value) && (mpfr_signbit(value) != 0) == (sign < 0));
    }
    mpfr_set_nan(value);
    struct real nan = real_from_mpfr(value, 0);
    assert_int_equal(nan.kind, REAL_NAN);
    mpfr_set_ui(value, 1, MPFR_RNDN);
    real_to_mpfr(value, &nan);
    assert_true(mpfr_nan_p(value));
    mpfr_clear(value);
}

/* Exponents that MPFR has and struct real's bounds do not: still finite, still huge or tiny. */
static void test_far_exponents(void **state) {
    (void)state;
    mpfr_t value;
    mpfr_init2(value, 60);
    for (int negative = 0; negative < 2; negative++) {
        mpfr_set_si_2exp(value, negative ? -3 : 3, 1L << 28, MPFR_RNDN);
        struct real huge = real_from_mpfr(value, 0);
        assert_true(huge.kind == REAL_FINITE && huge.negative == negative);
        assert_int_equal(huge.exponent, REAL_HUGE_EXPONENT);
        mpfr_set_si_2exp(value, negative ? -3 : 3, -(1L << 28), MPFR_RNDN);
        struct real tiny = real_from_mpfr(value, 0);
        assert_true(tiny.kind == REAL_FINITE && tiny.negative == negative);
        assert_int_equal(tiny.exponent, REAL_TINY_EXPONENT);
    }
    mpfr_clear(value);
}

/* The C library has each number as a double, subnormal ones too. */
static void test_doubles(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < RANDOM_NUMBERS; i++) {
        double value = ldexp((double)(random_bits(&seed) >> random_between(&seed, 11, 63)),
                             random_between(&seed, -1074, i % 2 ? -1000 : 970));
        value = i % 3 ? value : -value;
        struct real real = real_from_double(value);
        double back = real_to_double(&real);
        assert_memory_equal(&back, &value, sizeof back);
    }
    mpfr_t value;
    mpfr_init2(value, 60);
    for (int exponent = -1080; exponent < -1070; exponent++) {
        mpfr_set_si_2exp(value, 3, exponent - 1, MPFR_RNDN);
        struct real real = real_from_mpfr(value, 0);
        assert_true(real_to_double(&real) == (exponent < -1074    ? 0
                                              : exponent == -1074 ? 0x1p-1074
                                                                  : ldexp(1.5, exponent)));
    }
    mpfr_clear(value);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip_at_every_precision),
        cmocka_unit_test(test_arithmetic_on_the_result),
        cmocka_unit_test(test_zero_infinity_nan),
        cmocka_unit_test(test_far_exponents),
        cmocka_unit_test(test_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
