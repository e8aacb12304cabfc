/* The decimal text is the number itself where that has at most nine digits. Elsewhere it is the
 * shortest that reads back: no decimal of one digit less, next to the number on either side, lies in
 * the interval that rounds to it. */
#include "../base/random.h"
#include "format/text.h"
#include "ladder.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { RANDOM_CODES = 8000 };

static int significant_digits(const char *text) {
    int digits = 0, zeros = 0;
    for (const char *c = text; *c && *c != 'e'; c++) {
        if (*c < '0' || *c > '9' || (*c == '0' && digits == 0))
            continue;
        zeros = *c == '0' ? zeros + 1 : 0;
        digits++;
    }
    return digits - zeros;
}

/* Whether the number has at most nine digits; the text is then the number. printf of the C library
 * knows every digit. */
static bool check_short(double value, const char *text) {
    enum { SHORT = 9, ALL = 1100 };
    static char all[ALL + 16];
    snprintf(all, sizeof all, "%.*e", ALL, value);
    bool negative = *all == '-';
    const char *rest = all + negative + 1 + SHORT; /* behind d.dddddddd */
    if (rest[strspn(rest, "0")] != 'e')
        return false;
    char want[NUMBER_TEXT];
    snprintf(want, sizeof want, "%.*g", SHORT, value);
    assert_string_equal(text, want);
    return true;
}

/* The decimals of `digits` digits around `value`: the nearest and its two neighbours. */
static void candidates(double value, int digits, char text[3][NUMBER_TEXT]) {
    char nearest[NUMBER_TEXT];
    snprintf(nearest, sizeof nearest, "%.*e", digits - 1, value);
    int exponent = atoi(strchr(nearest, 'e') + 1) - (digits - 1);
    uint64_t integer = 0;
    for (const char *c = nearest; *c != 'e'; c++)
        if (*c >= '0' && *c <= '9')
            integer = integer * 10 + (uint64_t)(*c - '0');
    for (int i = 0; i < 3; i++)
        snprintf(text[i], NUMBER_TEXT, "%" PRIu64 "e%d", integer + (uint64_t)i - 1, exponent);
}

static void fail_if_shorter(const struct format *format, uint64_t code, const char *text,
                            const char *shorter, bool reads_back) {
    if (reads_back)
        fail_msg("%s 0x%" PRIx64 ": %s, but %s would do", format->name, code, text, shorter);
}

/* Narrow formats: the interval's ends are exact doubles, and a decimal of a few digits is never so
 * near to one that reading it as a double puts it on the wrong side, unless it is the end itself.
 */
static void check_small(const struct ladder *ladder, size_t index) {
    char text[NUMBER_TEXT], shorter[3][NUMBER_TEXT];
    double value = ladder->rung[index].value;
    uint64_t code = ladder->rung[index].code;
    int digits = significant_digits(format_decimal_text(ladder->format, code, text));
    if (check_short(value, text) || digits == 1)
        return;
    candidates(value, digits - 1, shorter);
    for (int i = 0; i < 3; i++) {
        double candidate = strtod(shorter[i], NULL);
        fail_if_shorter(ladder->format, code, text, shorter[i],
                        ladder_round(ladder, candidate, false, false, ROUND_NEAREST_EVEN) == index);
    }
}

static void test_every_small_number(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS_SMALL; i++) {
        struct ladder ladder = ladder_make(&layouts[i]);
        for (size_t j = 1; j < ladder.count; j++)
            check_small(&ladder, j);
        ladder_free(&ladder);
    }
}

static void check_float(float value) {
    const struct format *fp32 = layout_format(&layouts[LAYOUT_FP32]);
    char text[NUMBER_TEXT], shorter[3][NUMBER_TEXT];
    int digits = significant_digits(format_decimal_text(fp32, code_of_float(value), text));
    if (check_short((double)value, text) || digits == 1)
        return;
    candidates((double)value, digits - 1, shorter);
    for (int i = 0; i < 3; i++)
        fail_if_shorter(fp32, code_of_float(value), text, shorter[i],
                        strtof(shorter[i], NULL) == value);
}

static void check_double(double value) {
    const struct format *fp64 = layout_format(&layouts[LAYOUT_FP64]);
    char text[NUMBER_TEXT], shorter[3][NUMBER_TEXT];
    int digits = significant_digits(format_decimal_text(fp64, code_of_double(value), text));
    if (check_short(value, text) || digits == 1)
        return;
    candidates(value, digits - 1, shorter);
    for (int i = 0; i < 3; i++)
        fail_if_shorter(fp64, code_of_double(value), text, shorter[i],
                        strtod(shorter[i], NULL) == value);
}

static void test_random_numbers(void **state) {
    (void)state;
    uint64_t seed = 12;
    for (int i = 0; i < RANDOM_CODES; i++) {
        uint64_t code = random_bits(&seed) >> 1;
        if (isfinite(float_of_code(code & INT32_MAX)))
            check_float(float_of_code(code & INT32_MAX));
        if (isfinite(double_of_code(code)))
            check_double(double_of_code(code));
    }
}

/* The interval around a power of two is lopsided: the nearest decimal of n digits may lie below and
 * outside while a farther one above lies inside. */
static void test_powers_of_two(void **state) {
    (void)state;
    for (int exponent = -149; exponent < 128; exponent++)
        check_float(ldexpf(1, exponent));
    for (int exponent = -1074; exponent < 1024; exponent++)
        check_double(ldexp(1, exponent));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_small_number),
        cmocka_unit_test(test_random_numbers),
        cmocka_unit_test(test_powers_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
