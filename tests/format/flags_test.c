/* The flags that rounding raises: against the processor for fp32, and for small formats against
 * the definitions of IEEE 754-2019, section 7, evaluated in exact doubles. And the text of sets. */
#include "format/flags.h"
#include "processor_flags.h"

#include "../base/random.h"
#include "ladder.h"
#include "platform/tininess.h"

#include <fenv.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { INPUTS = 100000 };

static void check(const char *what, double value, enum rounding rounding, uint8_t got,
                  uint8_t want) {
    char got_text[FLAGS_TEXT], want_text[FLAGS_TEXT];
    if (got != want)
        fail_msg("%s: %a %s: %s, not %s", what, value, rounding_names[rounding],
                 flags_text(got, got_text), flags_text(want, want_text));
}

static void check_float(double value) {
    const struct format *fp32 = layout_format(&layouts[LAYOUT_FP32]);
    struct real real = exact_real(value);
    volatile double input = value;
    for (int i = 0; i < MODES; i++) {
        fesetround(modes[i].hardware);
        feclearexcept(FE_ALL_EXCEPT);
        volatile float output = (float)input;
        (void)output;
        uint8_t want = raised_now();
        fesetround(FE_TONEAREST);
        check("double to float", value, modes[i].rounding,
              format_flags(fp32, &real, modes[i].rounding, tininess_is_after_rounding()), want);
    }
}

static void test_conversion_of_the_processor(void **state) {
    (void)state;
    uint64_t seed = 19;
    for (int i = 0; i < INPUTS; i++) {
        uint64_t bits = random_bits(&seed), kept = UINT64_MAX << random_between(&seed, 0, 52);
        uint64_t exponent = (uint64_t)random_between(&seed, 1023 - 160, 1023 + 135);
        check_float(double_of_code((bits & UINT64_C(1) << 63) | exponent << 52 |
                                   (bits & kept & (UINT64_MAX >> 12))));
    }
    /* The ends: where tininess before and after rounding differ, and where overflow begins. */
    static const double powers[] = {0x1p-149, 0x1p-126, 0x1p128};
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
        for (int j = -64; j <= 64; j++) {
            check_float(powers[i] * (1 + j * 0x1p-28));
            check_float(-powers[i] * (1 + j * 0x1p-28));
        }
    static const double values[] = {0.0, 1.0, 0x1p-127, 0x3p-149, INFINITY};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        check_float(values[i]);
}

/* floor(quotient) rounded by the definition of the direction; the quotient is below 2^40. */
static double rounded(double quotient, bool beyond, bool negative, enum rounding rounding) {
    double low = floor(quotient), rest = quotient - low;
    if (rest == 0 && !beyond)
        return low;
    switch (rounding) {
    case ROUND_TOWARD_ZERO:
        return low;
    case ROUND_UP:
        return negative ? low : low + 1;
    case ROUND_DOWN:
        return negative ? low + 1 : low;
    case ROUND_NEAREST_AWAY:
        return rest >= 0.5 ? low + 1 : low;
    default:
        return rest > 0.5 || (rest == 0.5 && (beyond || fmod(low, 2) == 1)) ? low + 1 : low;
    }
}

static uint8_t by_definition(const struct ladder *ladder, double value, bool beyond, bool negative,
                             enum rounding rounding, bool tiny_after_rounding) {
    double normal = layout_smallest_normal(ladder->layout);
    size_t index = ladder_round(ladder, value, beyond, negative, rounding);
    if (index == ladder->count)
        return flag_bit(FLAG_OVERFLOW) | flag_bit(FLAG_INEXACT);
    if (!beyond && ladder->rung[index].value == value)
        return 0;
    double unit = ldexp(normal, -1 - (int)ladder->layout->fraction_bits);
    bool tiny = value < normal;
    if (tiny_after_rounding && value >= normal / 2)
        tiny = rounded(value / unit, beyond, negative, rounding) * unit < normal;
    return (uint8_t)(flag_bit(FLAG_INEXACT) | (tiny ? flag_bit(FLAG_UNDERFLOW) : 0));
}

static void check_value(const struct ladder *ladder, double value, bool beyond) {
    for (int choice = 0; choice < 4; choice++) {
        bool negative = choice & 1, after = choice & 2;
        struct real real = exact_real(negative ? -value : value);
        real.inexact = beyond;
        for (enum rounding rounding = 0; rounding < ROUNDING_COUNT; rounding++)
            check(ladder->format->name, value, rounding,
                  format_flags(ladder->format, &real, rounding, after),
                  by_definition(ladder, value, beyond, negative, rounding, after));
    }
}

static void test_definitions_in_every_gap(void **state) {
    (void)state;
    static const double places[] = {0,   0x1p-20,       0.25, 0.5 - 0x1p-20,
                                    0.5, 0.5 + 0x1p-20, 0.75, 1 - 0x1p-20};
    for (int i = 0; i < LAYOUTS_SMALL; i++) {
        struct ladder ladder = ladder_make(&layouts[i]);
        /* bf16 has more binades than a test of a second may visit: the lowest and the highest. */
        for (size_t j = 0; j < ladder.count; j++) {
            if (ladder.count > 20000 && j > 1024 && j + 1024 < ladder.count)
                continue;
            double a = ladder.rung[j].value, gap = ladder.rung[j + 1].value - a;
            for (size_t k = 0; k < sizeof places / sizeof *places; k++)
                for (int beyond = a == 0 && k == 0; beyond < 2 && (a > 0 || k > 0); beyond++)
                    check_value(&ladder, a + places[k] * gap, beyond);
        }
        check_value(&ladder, 4 * ladder.rung[ladder.count].value, false);
        check_value(&ladder, layout_smallest(ladder.layout) * 0x1p-30, false);
        ladder_free(&ladder);
    }
}

static void test_values_that_are_not_rounded(void **state) {
    (void)state;
    const struct real values[] = {real_zero(true), real_infinity(false), real_nan()};
    for (int i = 0; i < 3; i++)
        assert_int_equal(
            format_flags(layout_format(&layouts[LAYOUT_FP32]), &values[i], ROUND_UP, false), 0);
}

static void test_text_of_every_set(void **state) {
    (void)state;
    char text[FLAGS_TEXT];
    struct error error;
    uint8_t again;
    for (unsigned flags = 0; flags < 1u << FLAGS; flags++) {
        assert_true(flags_parse(flags_text((uint8_t)flags, text), &again, &error));
        assert_int_equal(again, flags);
        assert_int_equal(flags_from_testfloat(flags_to_testfloat((uint8_t)flags)), flags);
    }
    assert_string_equal(flags_text(0x1f, text),
                        "invalid divide-by-zero overflow underflow inexact");
    assert_string_equal(flags_text(0, text), "none");
    assert_int_equal(flags_to_testfloat(flag_bit(FLAG_INVALID)), 16);
    assert_true(flags_parse("Overflow,inexact", &again, &error));
    assert_int_equal(again, flag_bit(FLAG_OVERFLOW) | flag_bit(FLAG_INEXACT));
    assert_false(flags_parse("overflows", &again, &error));
    assert_non_null(strstr(error.text, "'overflows' is not an exception flag"));
    assert_false(flags_parse("", &again, &error));
    assert_false(flags_parse("none inexact", &again, &error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversion_of_the_processor),
        cmocka_unit_test(test_definitions_in_every_gap),
        cmocka_unit_test(test_values_that_are_not_rounded),
        cmocka_unit_test(test_text_of_every_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
