/* The integer formats: two's complement codes, rounding to integers, ends, order, text. */
#include "format/format.h"
#include "format/text.h"
#include "oracle/judge.h"

#include "../base/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 3;

static const struct format *named(const char *name) {
    return format_find(name, &(struct error){{0}});
}

static uint64_t code_of(const struct format *format, int64_t v) {
    return (uint64_t)v & format_mask(format);
}

static void check(const struct format *format, int64_t v) {
    char text[NUMBER_TEXT], want[NUMBER_TEXT];
    uint64_t code = code_of(format, v);
    struct real value = format_decode(format, code);
    mpfr_t exact;
    mpfr_init2(exact, 64);
    real_to_mpfr(exact, &value);
    assert_true(mpfr_get_sj(exact, MPFR_RNDN) == v && mpfr_cmp_si(exact, 0) == (v > 0) - (v < 0));
    mpfr_clear(exact);
    for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++)
        assert_true(format_encode(format, &value, (enum rounding)rounding, OVERFLOW_IEEE) == code);
    assert_true(format_ordinal(format, code) == v && format_from_ordinal(format, v) == code);
    assert_false(format_is_nan(format, code) || format_is_infinite(format, code));
    assert_int_equal(format_ulp_exponent(format, &value), 0);
    snprintf(want, sizeof want, "%" PRId64, v);
    assert_string_equal(format_decimal_text(format, code, text), want);
    struct parsed_value parsed;
    struct error error;
    assert_true(format_parse(format, text, &parsed, &error) && parsed.code == code);
}

static void test_codes(void **state) {
    (void)state;
    for (size_t f = 0; f < integer_format_count; f++) {
        const struct format *format = &integer_formats[f];
        if (f == FORMAT_UINT64) /* whose numbers no int64_t holds: test_uint64 */
            continue;
        int64_t most = (int64_t)format->max_finite, least = format->sign_bit ? -most - 1 : 0;
        for (int64_t v = -300; v <= 300; v++)
            if (v <= most && v >= least)
                check(format, v);
        for (int i = 0; i < 2000; i++) {
            int64_t v = (int64_t)random_bits(&seed) >> (random_bits(&seed) & 63);
            if (v <= most && v >= least)
                check(format, v);
        }
        check(format, most);
        check(format, least);
        assert_true(format_next_up(format, code_of(format, most)) == code_of(format, most));
        assert_true(format_next_down(format, 1) == 0);
        assert_true(format_next_down(format, code_of(format, least)) == code_of(format, least));
        assert_true(format_from_ordinal(format, INT64_MIN) == code_of(format, least));
        if (least == 0)
            continue;
        assert_true(format_next_up(format, code_of(format, -1)) == 0);
        assert_true(format_next_down(format, 0) == code_of(format, -1));
    }
}

/* Numbers from 2^63 on, and what is rounded beyond the last. */
static void test_uint64(void **state) {
    (void)state;
    const struct format *format = named("u64");
    const uint64_t codes[] = {0,
                              1,
                              (UINT64_C(1) << 53) + 1,
                              INT64_MAX,
                              (uint64_t)INT64_MAX + 1,
                              (uint64_t)INT64_MAX + 2,
                              UINT64_MAX - 1,
                              UINT64_MAX};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        struct real value = format_decode(format, codes[i]);
        char text[NUMBER_TEXT], want[NUMBER_TEXT];
        struct parsed_value parsed;
        struct error error;
        mpfr_t exact;
        mpfr_init2(exact, 64);
        real_to_mpfr(exact, &value);
        assert_true(mpfr_get_uj(exact, MPFR_RNDN) == codes[i]);
        mpfr_clear(exact);
        for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++)
            assert_true(format_encode(format, &value, (enum rounding)rounding, OVERFLOW_IEEE) ==
                        codes[i]);
        snprintf(want, sizeof want, "%" PRIu64, codes[i]);
        assert_string_equal(format_decimal_text(format, codes[i], text), want);
        assert_true(format_parse(format, want, &parsed, &error) && parsed.code == codes[i]);
        assert_true(codes[i] == UINT64_MAX || format_next_up(format, codes[i]) == codes[i] + 1);
        assert_true(codes[i] == 0 || format_next_down(format, codes[i]) == codes[i] - 1);
        assert_int_equal(format_ulp_exponent(format, &value), 0);
    }
    assert_true(format_next_up(format, UINT64_MAX) == UINT64_MAX);
    /* 2^64 - 1/2 */
    const struct real last = {
        .kind = REAL_FINITE, .exponent = 63, .significand = {UINT64_MAX, UINT64_C(1) << 63}};
    assert_true(format_overflows(format, &last, ROUND_NEAREST_EVEN));
    assert_true(format_overflows(format, &last, ROUND_UP));
    assert_false(format_overflows(format, &last, ROUND_TOWARD_ZERO));
    assert_true(format_encode(format, &last, ROUND_DOWN, OVERFLOW_IEEE) == UINT64_MAX);
    assert_true(format_encode(format, &last, ROUND_NEAREST_EVEN, OVERFLOW_IEEE) == UINT64_MAX);
}

/* Halves and quarters in each direction, and what is beyond the ends. */
static void test_rounding(void **state) {
    (void)state;
    const struct format *int8 = named("i8");
    static const struct {
        double value;
        int want[ROUNDING_COUNT]; /* nearest-even, toward-zero, up, down, nearest-away */
    } rows[] = {{0.5, {0, 0, 1, 0, 1}},
                {-0.5, {0, 0, 0, -1, -1}},
                {1.5, {2, 1, 2, 1, 2}},
                {-2.5, {-2, -2, -2, -3, -3}},
                {0.25, {0, 0, 1, 0, 0}},
                {-0.75, {-1, 0, 0, -1, -1}},
                {127.4, {127, 127, 127, 127, 127}},
                {-128.5, {-128, -128, -128, -128, -128}},
                {1e9, {127, 127, 127, 127, 127}},
                {-1e9, {-128, -128, -128, -128, -128}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++) {
            struct real value = real_from_double(rows[i].value);
            uint64_t code = format_encode(int8, &value, (enum rounding)rounding, OVERFLOW_IEEE);
            assert_int_equal(format_ordinal(int8, code), rows[i].want[rounding]);
        }
    const struct format *uint8 = named("u8");
    const double numbers[] = {-3, -0.4, 0.5, 1.5, 255.4, 255.5, 1e9};
    const uint64_t codes[] = {0, 0, 0, 2, 255, 255, 255};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        struct real unsigned_value = real_from_double(numbers[i]);
        assert_true(format_encode(uint8, &unsigned_value, ROUND_NEAREST_EVEN, OVERFLOW_IEEE) ==
                    codes[i]);
    }
    struct real value = real_from_double(-3.25);
    assert_true(ulp_error(int8, &value, code_of(int8, -5)) == 1.75);
    assert_true(format_overflows(int8, &(struct real){.kind = REAL_INFINITE}, ROUND_DOWN));
    value = real_from_double(-128);
    assert_false(format_overflows(int8, &value, ROUND_NEAREST_EVEN));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_codes), cmocka_unit_test(test_uint64),
                                       cmocka_unit_test(test_rounding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
