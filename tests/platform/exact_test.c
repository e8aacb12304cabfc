/* The integer fma and sqrt against MPFR, which rounds with code that has nothing in common. */
#include "platform/exact.h"

#include "../base/random.h"
#include "base/bits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const struct format *format_named(const char *name) {
    struct error error;
    const struct format *format = format_find(name, &error);
    assert_non_null(format);
    return format;
}

/* MPFR's own exponent range and subnormals, for numbers of at most 24 bits. */
static void set_range(const struct format *format) {
    mpfr_set_emin(format->emin - format->precision + 2);
    mpfr_set_emax(format->emax + 1);
}

static uint64_t code_of(mpfr_srcptr value) {
    return mpfr_nan_p(value) ? 0x7fc00000u : bits_of_float(mpfr_get_flt(value, MPFR_RNDN));
}

static uint64_t mpfr_fma_code(uint64_t x, uint64_t y, uint64_t z) {
    mpfr_t a, b, c, result;
    mpfr_inits2(24, a, b, c, result, (mpfr_ptr)NULL);
    mpfr_set_flt(a, float_from_bits((uint32_t)x), MPFR_RNDN);
    mpfr_set_flt(b, float_from_bits((uint32_t)y), MPFR_RNDN);
    mpfr_set_flt(c, float_from_bits((uint32_t)z), MPFR_RNDN);
    int ternary = mpfr_fma(result, a, b, c, MPFR_RNDN);
    mpfr_subnormalize(result, ternary, MPFR_RNDN);
    uint64_t code = code_of(result);
    mpfr_clears(a, b, c, result, (mpfr_ptr)NULL);
    return code;
}

static void check_fma(uint64_t x, uint64_t y, uint64_t z) {
    uint64_t got = exact_fma(format_named("fp32"), x, y, z), want = mpfr_fma_code(x, y, z);
    if (got != want)
        fail_msg("fma(%a, %a, %a): got %08llx, want %08llx", (double)float_from_bits((uint32_t)x),
                 (double)float_from_bits((uint32_t)y), (double)float_from_bits((uint32_t)z),
                 (unsigned long long)got, (unsigned long long)want);
}

static const uint32_t special[] = {
    0x00000000, 0x00000001, 0x00000003, 0x007fffff, 0x00800000, 0x00800001, 0x33000000,
    0x33800001, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x40400000, 0x4b7fffff,
    0x7f000000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001,
};
enum { SPECIAL = sizeof special / sizeof *special };

static void test_fma_special(void **state) {
    (void)state;
    set_range(format_named("fp32"));
    for (size_t i = 0; i < SPECIAL; i++)
        for (size_t j = 0; j < SPECIAL; j++)
            for (size_t k = 0; k < SPECIAL; k++)
                for (uint32_t signs = 0; signs < 4; signs++)
                    check_fma(special[i] | (signs & 1) << 31, special[j],
                              special[k] | (signs & 2) << 30);
}

/* Exponents within reach of each other, and few bits as often as many: ties and cancellation. */
static uint64_t random_code(uint64_t *state, int lowest, int highest) {
    uint32_t fraction = (uint32_t)random_bits(state) & 0x7fffff;
    if (random_bits(state) & 1)
        fraction &= UINT32_MAX << random_between(state, 0, 23);
    return (uint64_t)(random_bits(state) & 1) << 31 |
           (uint64_t)random_between(state, lowest, highest) << 23 | fraction;
}

static void test_fma_random(void **state) {
    (void)state;
    uint64_t seed = 11;
    set_range(format_named("fp32"));
    for (int i = 0; i < 60000; i++)
        check_fma(random_bits(&seed) >> 32, random_bits(&seed) >> 32, random_bits(&seed) >> 32);
    for (int i = 0; i < 60000; i++)
        check_fma(random_code(&seed, 100, 150), random_code(&seed, 100, 150),
                  random_code(&seed, 60, 190));
    for (int i = 0; i < 60000; i++)
        check_fma(random_code(&seed, 40, 80), random_code(&seed, 40, 80),
                  random_code(&seed, 0, 30));
    for (int i = 0; i < 60000; i++) /* the sum of a product and its own rounding, negated */
    {
        uint64_t x = random_code(&seed, 60, 150), y = random_code(&seed, 60, 150);
        check_fma(x, y, mpfr_fma_code(x, y, 0) ^ 0x80000000u);
    }
}

static uint64_t mpfr_sqrt_code(uint64_t x) {
    mpfr_t a, result;
    mpfr_inits2(24, a, result, (mpfr_ptr)NULL);
    mpfr_set_flt(a, float_from_bits((uint32_t)x), MPFR_RNDN);
    mpfr_sqrt(result, a, MPFR_RNDN); /* never subnormal */
    uint64_t code = code_of(result);
    mpfr_clears(a, result, (mpfr_ptr)NULL);
    return code;
}

static void test_sqrt(void **state) {
    (void)state;
    uint64_t seed = 12;
    const struct format *format = format_named("fp32");
    set_range(format);
    for (size_t i = 0; i < SPECIAL; i++)
        for (uint64_t sign = 0; sign < 2; sign++)
            assert_int_equal(exact_sqrt(format, special[i] | sign << 31),
                             mpfr_sqrt_code(special[i] | sign << 31));
    for (int i = 0; i < 60000; i++) {
        uint64_t x = random_bits(&seed) >> 33;
        assert_int_equal(exact_sqrt(format, x), mpfr_sqrt_code(x));
        uint64_t subnormal = x & 0x7fffff;
        assert_int_equal(exact_sqrt(format, subnormal), mpfr_sqrt_code(subnormal));
    }
}

/* Every square root of a narrow format: rounded once from what is right to 60 bits, and no root of
 * an fp16 number is nearer to a tie than that. */
static void test_narrow(void **state) {
    (void)state;
    const struct format *fp16 = format_named("fp16");
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_t x;
    mpfr_init2(x, 60);
    for (uint64_t code = 0; code < 0x7c00; code++) {
        struct real value = format_decode(fp16, code);
        real_to_mpfr(x, &value);
        mpfr_sqrt(x, x, MPFR_RNDN);
        assert_int_equal(exact_sqrt(fp16, code),
                         format_encode_mpfr(fp16, x, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    }
    mpfr_clear(x);
    assert_int_equal(exact_fma(fp16, 0x7bff, 0x3c00, 0x4bff), 0x7bff);
    assert_int_equal(exact_fma(fp16, 0x7bff, 0x3c00, 0x4c00), 0x7c00);
}

static int free_cache(void **state) {
    (void)state;
    mpfr_free_cache();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fma_special),
        cmocka_unit_test(test_fma_random),
        cmocka_unit_test(test_sqrt),
        cmocka_unit_test(test_narrow),
    };
    return cmocka_run_group_tests(tests, NULL, free_cache);
}
