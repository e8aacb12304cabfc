/* The two formats that are told by what they are made of: tf32 is the top 19 bits of an fp32
 * number; a code c of fp8_e8m0fnu is 2^(c-127), and 255 is NaN. */
#include "format/text.h"
#include "layout.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const struct format *find(const char *name) {
    struct error error;
    return format_find(name, &error);
}

static void test_tf32_is_the_top_of_fp32(void **state) {
    (void)state;
    const struct format *tf32 = find("tf32"), *fp32 = find("fp32");
    assert_int_equal(tf32->width, 19);
    for (uint64_t code = 0; code < UINT64_C(1) << 19; code++) {
        struct real real = format_decode(tf32, code), whole = format_decode(fp32, code << 13);
        assert_int_equal(format_classify(tf32, code), format_classify(fp32, code << 13));
        if (real.kind != whole.kind || real.negative != whole.negative ||
            (real.kind == REAL_FINITE && (real.exponent != whole.exponent ||
                                          wide_compare(real.significand, whole.significand) != 0)))
            fail_msg("0x%" PRIx64, code);
        if (real.kind == REAL_NAN)
            continue;
        /* Back, and the tie above it to the even one. */
        assert_int_equal(format_encode(tf32, &whole, ROUND_NEAREST_EVEN, OVERFLOW_IEEE), code);
        if (real.kind == REAL_INFINITE)
            continue;
        struct real tie = format_decode(fp32, code << 13 | 1 << 12);
        assert_int_equal(format_encode(tf32, &tie, ROUND_NEAREST_EVEN, OVERFLOW_IEEE),
                         code + (code & 1));
    }
}

static void test_scales_are_powers_of_two(void **state) {
    (void)state;
    const struct format *scale = find("fp8_e8m0fnu");
    char text[NUMBER_TEXT];
    for (uint64_t code = 0; code < 255; code++) {
        struct real real = format_decode(scale, code),
                    power = exact_real(ldexp(1, (int)code - 127));
        assert_int_equal(real.kind, REAL_FINITE);
        assert_int_equal(real.exponent, power.exponent);
        assert_int_equal(format_classify(scale, code), CLASS_NORMAL);
        assert_false(format_is_zero(scale, code) || format_is_negative(scale, code));
        assert_int_equal(format_next_up(scale, code), code < 254 ? code + 1 : 254);
        assert_int_equal(format_next_down(scale, code), code ? code - 1 : 0);
        assert_int_equal(format_from_ordinal(scale, format_ordinal(scale, code)), code);
        struct parsed_value value;
        struct error error;
        assert_true(format_parse(scale, format_decimal_text(scale, code, text), &value, &error));
        assert_int_equal(value.code, code);
    }
    assert_true(format_is_nan(scale, 255));
    assert_int_equal(format_decode(scale, 255).kind, REAL_NAN);
}

/* Between 2^k and 2^(k+1) lies the tie 1.5 * 2^k, which goes up: of the significands 1 and 2 the
 * second is even. */
static void test_scales_are_rounded_to(void **state) {
    (void)state;
    static const struct {
        double value;
        uint64_t nearest, away, zero, up, down;
    } rows[] = {
        {1, 127, 127, 127, 127, 127},         {1.25, 127, 127, 127, 128, 127},
        {1.5, 128, 128, 127, 128, 127},       {3, 129, 129, 128, 129, 128},
        {1.75, 128, 128, 127, 128, 127},      {0x1p-127, 0, 0, 0, 0, 0},
        {0x1.8p-127, 1, 1, 0, 1, 0},          {0x1p-128, 0, 0, 0, 0, 0},
        {0x1p-1000, 0, 0, 0, 0, 0},           {0x1p127, 254, 254, 254, 254, 254},
        {0x1.4p127, 254, 254, 254, 255, 254}, {0x1.8p127, 255, 255, 254, 255, 254},
        {0x1p128, 255, 255, 254, 255, 254},
    };
    const struct format *scale = find("fp8_e8m0fnu");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct real real = exact_real(rows[i].value);
        const uint64_t want[] = {[ROUND_NEAREST_EVEN] = rows[i].nearest,
                                 [ROUND_TOWARD_ZERO] = rows[i].zero,
                                 [ROUND_UP] = rows[i].up,
                                 [ROUND_DOWN] = rows[i].down,
                                 [ROUND_NEAREST_AWAY] = rows[i].away};
        for (enum rounding r = 0; r < ROUNDING_COUNT; r++) {
            uint64_t got = format_encode(scale, &real, r, OVERFLOW_IEEE);
            if (got != want[r])
                fail_msg("%a %s: %" PRIu64, rows[i].value, rounding_names[r], got);
            got = format_encode(scale, &real, r, OVERFLOW_SATURATE);
            assert_int_equal(got, want[r] == 255 ? 254 : want[r]);
        }
    }
    /* What no scale is. */
    const double none[] = {0, -0.0, -1, -0x1p-200, (double)NAN, (double)-INFINITY};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct real real = exact_real(none[i]);
        assert_int_equal(format_encode(scale, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE), 255);
    }
}

static void refuses(const char *format, const char *text, const char *said) {
    struct parsed_value value;
    struct error error;
    if (format_parse(find(format), text, &value, &error))
        fail_msg("%s reads %s", format, text);
    if (!strstr(error.text, said))
        fail_msg("'%s' does not say '%s'", error.text, said);
}

static void test_numbers_that_are_not_there(void **state) {
    (void)state;
    refuses("fp8_e8m0fnu", "0", "smallest number is 0x1p-127");
    refuses("fp8_e8m0fnu", "-1", "smallest number is 0x1p-127");
    refuses("fp8_e8m0fnu", "1e-39", "smallest number is 0x1p-127");
    refuses("fp8_e8m0fnu", "1e39", "cannot hold 1e39");
    refuses("fp8_e8m0fnu", "inf", "no infinity");
    refuses("fp4_e2m1fn", "nan", "no NaN");
    refuses("fp6_e3m2fn", "nan", "no NaN");
    refuses("fp4_e2m1fn", "inf", "no infinity; its largest number is 0x1.8p+2");
    refuses("fp4_e2m1fn", "7", "last number is 0x1.8p+2");
    refuses("fp4_e2m1fn", "0.2", "neighbours are 0x0p+0");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tf32_is_the_top_of_fp32),
                                       cmocka_unit_test(test_scales_are_powers_of_two),
                                       cmocka_unit_test(test_scales_are_rounded_to),
                                       cmocka_unit_test(test_numbers_that_are_not_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
