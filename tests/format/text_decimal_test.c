/* Decimals that are rounded: to the nearest number, with the neighbours on either side, against the
 * C library (fp32, fp64) and the sorted numbers of the format (up to 16 bits). */
#include "../base/random.h"
#include "format/text.h"
#include "ladder.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { RANDOM_DECIMALS = 20000, DECIMAL_TEXT = 80, EXACT_BITS = 4000 };

/* Up to 30 digits, a point somewhere, and an exponent that keeps it within `decades` of 1. */
static void random_decimal(uint64_t *seed, int decades, char text[DECIMAL_TEXT]) {
    int digits = random_between(seed, 1, 30), point = random_between(seed, 0, digits);
    char *c = text;
    if (random_bits(seed) & 1)
        *c++ = '-';
    for (int i = 0; i < digits; i++) {
        if (i == point)
            *c++ = '.';
        *c++ = (char)('0' + random_between(seed, 0, 9));
    }
    snprintf(c, 20, "e%d", random_between(seed, -decades, decades) - point);
}

/* How the decimal compares with a number: exact, since both are compared as integers times powers
 * of two with what does not fit remembered. */
static int compare_text(const char *text, double number) {
    mpfr_t value;
    mpfr_init2(value, EXACT_BITS);
    int ternary = mpfr_strtofr(value, text, NULL, 10, MPFR_RNDN);
    int order = mpfr_cmp_d(value, number);
    mpfr_clear(value);
    /* Equal to a number of few bits only after rounding: it lies on the side it was rounded from.
     */
    return order ? order : -ternary;
}

/* `below` and `above` are the largest number not above the decimal and the smallest not below. */
static void check_sides(const char *text, const struct parsed_value *value, double below,
                        double above) {
    bool exact = compare_text(text, below) == 0;
    if (value->rounded == exact)
        fail_msg("'%s' is %s", text, exact ? "exact" : "rounded");
    if (exact)
        return;
    if (compare_text(text, below) < 0 || compare_text(text, above) > 0)
        fail_msg("'%s' does not lie between %a and %a", text, below, above);
    assert_true(value->below != value->above);
    assert_true(value->code == value->below || value->code == value->above);
}

static void check_float(const char *text) {
    struct parsed_value value;
    struct error error;
    float want = strtof(text, NULL);
    bool read = format_parse(layout_format(&layouts[LAYOUT_FP32]), text, &value, &error);
    bool vanishes = want == 0 && compare_text(text, 0) != 0;
    if (read != !(vanishes || isinf(want)))
        fail_msg("'%s' is %s", text, read ? "accepted" : "refused");
    if (!read)
        return;
    if (value.code != code_of_float(want))
        fail_msg("'%s' is %a, not 0x%" PRIx64, text, (double)want, value.code);
    check_sides(text, &value, (double)float_of_code(value.below),
                (double)float_of_code(value.above));
    if (value.rounded)
        assert_int_equal(code_of_float(nextafterf(float_of_code(value.below), INFINITY)),
                         value.above);
}

static void check_double(const char *text) {
    struct parsed_value value;
    struct error error;
    double want = strtod(text, NULL);
    bool read = format_parse(layout_format(&layouts[LAYOUT_FP64]), text, &value, &error);
    if (read != (isfinite(want) && (want != 0 || compare_text(text, 0) == 0)))
        fail_msg("'%s' is %s", text, read ? "accepted" : "refused");
    if (!read)
        return;
    if (value.code != code_of_double(want))
        fail_msg("'%s' is %a, not 0x%" PRIx64, text, want, value.code);
    check_sides(text, &value, double_of_code(value.below), double_of_code(value.above));
    if (value.rounded)
        assert_int_equal(code_of_double(nextafter(double_of_code(value.below), INFINITY)),
                         value.above);
}

static void test_machine_formats(void **state) {
    (void)state;
    uint64_t seed = 13;
    char text[DECIMAL_TEXT];
    for (int i = 0; i < RANDOM_DECIMALS; i++) {
        random_decimal(&seed, 45, text);
        check_float(text);
        random_decimal(&seed, i & 1 ? 20 : 330, text);
        check_double(text);
    }
}

/* The middle between two numbers, in full decimal and with one digit more: ties and near ties. */
static void test_ties(void **state) {
    (void)state;
    uint64_t seed = 14;
    for (int i = 0; i < RANDOM_DECIMALS; i++) {
        uint64_t code = random_bits(&seed) & 0x7fffffff;
        float a = float_of_code(code), b = nextafterf(a, INFINITY);
        char text[DECIMAL_TEXT + 200];
        if (!isfinite(b) || fabsf(a) < 1e-20f)
            continue;
        int length = snprintf(text, sizeof text, "%.120f", ((double)a + (double)b) / 2);
        check_float(text);
        snprintf(text + length, 40, "%030d1", 0);
        check_float(text);
    }
}

/* Between any two adjacent numbers of the small formats, at thirds: never exact, never a tie. */
static void check_gaps(const struct ladder *ladder) {
    for (size_t i = 0; i + 1 < ladder->count; i++)
        for (int third = 1; third <= 2; third++)
            for (int negative = 0; negative < 2; negative++) {
                double a = ladder->rung[i].value, b = ladder->rung[i + 1].value;
                if (i == 0 && third == 1)
                    continue; /* vanishes: text_error_test.c */
                char text[DECIMAL_TEXT];
                snprintf(text, sizeof text, "%.17g",
                         (negative ? -1 : 1) * (a + (b - a) * third / 3));
                struct parsed_value value;
                struct error error;
                assert_true(format_parse(ladder->format, text, &value, &error));
                uint64_t inner = ladder_code(ladder, i, negative, 0, OVERFLOW_IEEE);
                uint64_t outer = ladder_code(ladder, i + 1, negative, 0, OVERFLOW_IEEE);
                if (!value.rounded || value.code != (third == 1 ? inner : outer) ||
                    value.below != (negative ? outer : inner) ||
                    value.above != (negative ? inner : outer))
                    fail_msg("%s: '%s'", ladder->format->name, text);
            }
}

static void test_small_formats(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS_SMALL; i++) {
        struct ladder ladder = ladder_make(&layouts[i]);
        check_gaps(&ladder);
        ladder_free(&ladder);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine_formats),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_small_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
