/* logaddexp at its ends, and its fallback: the bisection with e^x + e^y in 320 bits has to find
 * what the double rounds to, from far wider brackets than it is ever given. */
#include "detmath/all.h"

#include "../base/random.h"

#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 4;

enum { TRIALS = 1500, INFINITE = 0x7f800000, NOT_A_NUMBER = 0x7fc00000 };

static void test_ends(void **state) {
    const uint32_t minus = 0x80000000u, rows[][3] = {
                                            {INFINITE, INFINITE, INFINITE},
                                            {INFINITE, minus | INFINITE, INFINITE},
                                            {minus | INFINITE, minus | INFINITE, minus | INFINITE},
                                            {minus | INFINITE, 0x40400000u, 0x40400000u},
                                            {minus | INFINITE, 0x80000001u, 0x80000001u},
                                            {minus | INFINITE, minus, 0},
                                            {minus | INFINITE, 0, 0},
                                            {INFINITE, 0xff800001u, NOT_A_NUMBER},
                                            {minus | INFINITE, 0x7f800001u, NOT_A_NUMBER},
                                            {0x7f7fffffu, 0x7f7fffffu, 0x7f7fffffu},
                                            {0x7f7fffffu, 0xff7fffffu, 0x7f7fffffu},
                                            {0, 0, 0x3f317218u},
                                            {minus, minus, 0x3f317218u},
                                        };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int swap = 0; swap < 2; swap++) {
            float x = detmath_from_bits_f32(rows[i][swap]);
            float y = detmath_from_bits_f32(rows[i][1 - swap]);
            assert_int_equal(detmath_bits_f32(detmath_logaddexpf(x, y)), rows[i][2]);
            assert_int_equal(detmath_bits_f32(detmath_cr_logaddexpf(x, y)), rows[i][2]);
        }
}

/* A float of a magnitude in [2^-first, 2^(8 - first)). */
static float draw(unsigned first) {
    uint64_t random = random_bits(&seed);
    uint32_t exponent = 127 - first + (uint32_t)(random >> 60 & 7);
    return detmath_from_bits_f32((uint32_t)(random & 0x807fffffu) | exponent << 23);
}

static void test_search(void **state) {
    const struct detmath_format format = detmath_formats[DETMATH_F32];
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        float x = draw(2 + 8 * (unsigned)(i % 3)), y = draw(4);
        uint32_t code = detmath_bits_f32(detmath_cr_logaddexpf(x, y));
        int32_t order = detmath_order_of(code, format);
        uint32_t low = detmath_code_at(order - (1 << (i % 25)), format);
        uint32_t high = detmath_code_at(order + (1 << (i % 23)), format);
        uint32_t found = detmath_logaddexp_search((double)x, (double)y, low, high, format);
        assert_int_equal(found, code);
    }
}

/* The sign of ln(e^x + e^-x2), where it is as near to 0 as fp32 comes there, and of a subnormal. */
static void test_exceeds(void **state) {
    (void)state;
    assert_true(detmath_logaddexp_exceeds(-0x1.62e42cp-1, -0x1.62e434p-1, -0x1.05c5ep-29));
    assert_false(detmath_logaddexp_exceeds(-0x1.62e42cp-1, -0x1.62e434p-1, -0x1.05c5cp-29));
    assert_true(detmath_logaddexp_exceeds(0x1p-149, -1e30, 0x1p-149));
    assert_false(detmath_logaddexp_exceeds(0x1p-149, -1e30, 0x1.8p-149));
    assert_true(detmath_logaddexp_exceeds(1e30, 1e30, 1e30));
}

/* |got - ln(e^x + e^y)| in ulps of the latter, by MPFR: detmath's own two share their integers. */
static double error_of(float got, float x, float y) {
    mpfr_t a, b;
    mpfr_inits2(400, a, b, (mpfr_ptr)0);
    mpfr_set_flt(a, x, MPFR_RNDN);
    mpfr_exp(a, a, MPFR_RNDN);
    mpfr_set_flt(b, y, MPFR_RNDN);
    mpfr_exp(b, b, MPFR_RNDN);
    mpfr_add(a, a, b, MPFR_RNDN);
    mpfr_log(a, a, MPFR_RNDN);
    long last = mpfr_get_exp(a) - 24;
    mpfr_sub_d(b, a, (double)got, MPFR_RNDN);
    mpfr_mul_2si(b, b, last < -149 ? 149 : -last, MPFR_RNDN);
    double error = fabs(mpfr_get_d(b, MPFR_RNDN));
    mpfr_clears(a, b, (mpfr_ptr)0);
    return error;
}

/* Pairs whose e^x + e^y is near 1, down to the least x. */
static void test_cancellation(void **state) {
    (void)state;
    int close = 0, closest = 0;
    for (int i = 0; i < 40000; i++) {
        uint64_t random = random_bits(&seed);
        float x = -0.6931f * (float)(random >> 40) * 0x1p-24f;
        x = i % 2 ? detmath_scale_f32(x - 0x1p-24f, -(int)(random % 29)) : x;
        x = i % 4 == 3 ? detmath_scale_f32(x, -(int)(random % 100)) : x;
        float y = (float)log(-expm1((double)x));
        y = detmath_from_bits_f32(detmath_bits_f32(y) + (uint32_t)(random >> 8 & 63) - 32u);
        if (!(x < 0) || !(y < 0))
            continue;
        float got = detmath_logaddexpf(x, y), want = detmath_cr_logaddexpf(y, x);
        assert_true(error_of(got, x, y) < 1);
        assert_true(error_of(want, x, y) <= 0.5);
        double most = fabs((double)(x > y ? x : y)), size = fabs((double)want);
        close += size < 0x1p-10 * most;
        closest += size < 0x1p-17 * most;
    }
    assert_true(close > 4000);
    assert_true(closest > 1000);
}

static void test_not_numbers_beside_the_least(void **state) {
    (void)state;
    const uint32_t nans[] = {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xff800001u, 0xffffffffu};
    for (size_t i = 0; i < sizeof nans / sizeof *nans; i++)
        for (uint32_t least = 0x80000000u; least < 0x80000004u; least++) {
            float x = detmath_from_bits_f32(nans[i]), y = detmath_from_bits_f32(least);
            assert_int_equal(detmath_bits_f32(detmath_logaddexpf(x, y)), NOT_A_NUMBER);
            assert_int_equal(detmath_bits_f32(detmath_logaddexpf(y, x)), NOT_A_NUMBER);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends), cmocka_unit_test(test_search), cmocka_unit_test(test_exceeds),
        cmocka_unit_test(test_cancellation), cmocka_unit_test(test_not_numbers_beside_the_least)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
