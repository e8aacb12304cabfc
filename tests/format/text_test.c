/* Numbers as text: what is printed reads back as the same code, and the C library, which reads the
 * same spellings, agrees on the value. */
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

static void check_reads_as(const struct format *format, const char *text, uint64_t want) {
    struct parsed_value value;
    struct error error = {""};
    if (!format_parse(format, text, &value, &error))
        fail_msg("%s cannot read '%s': %s", format->name, text, error.text);
    if (value.code != want || value.from_bits)
        fail_msg("%s reads '%s' as 0x%" PRIx64, format->name, text, value.code);
}

/* Bits: "0x" and a digit for every four bits or part of that; any code, NaNs with payload too. */
static void check_bits_text(const struct format *format, uint64_t code) {
    char text[NUMBER_TEXT];
    struct parsed_value value;
    struct error error;
    format_bits_text(format, code, text);
    assert_int_equal(strlen(text), 2 + (format->width + 3) / 4);
    assert_int_equal(strtoull(text, NULL, 16), code);
    assert_true(strncmp(text, "0x", 2) == 0);
    assert_true(format_parse(format, text, &value, &error));
    assert_int_equal(value.code, code);
    assert_true(value.from_bits && !value.rounded);
}

static void check_hex_text(const struct format *format, uint64_t code, double want,
                           uint64_t canonical) {
    char text[NUMBER_TEXT];
    format_hex_text(format, code, text);
    if (!same_double(strtod(text, NULL), want))
        fail_msg("%s: 0x%" PRIx64 " is printed as %s", format->name, code, text);
    /* Normalised: the leading digit is 1, and the fraction has no zeros at its end. */
    const char *digits = text + (*text == '-');
    if (isfinite(want)) {
        assert_true(strncmp(digits, want == 0 ? "0x0p" : "0x1", want == 0 ? 4 : 3) == 0);
        assert_null(strstr(text, "0p-"));
        assert_true(want == 0 || !strstr(text, "0p+"));
    }
    check_reads_as(format, text, canonical);
}

static void check_code(const struct layout *layout, uint64_t code, double value) {
    const struct format *format = layout_format(layout);
    uint64_t canonical = isnan(value) ? layout_nan(layout) : code;
    char text[NUMBER_TEXT];
    check_bits_text(format, code);
    check_hex_text(format, code, value, canonical);
    format_decimal_text(format, code, text);
    check_reads_as(format, text, canonical);
    if (!isfinite(value) || value == 0) {
        assert_string_equal(text, isnan(value) ? "nan"
                                  : value == 0 ? (signbit(value) ? "-0" : "0")
                                  : value < 0  ? "-inf"
                                               : "inf");
        return;
    }
    /* Reading the decimal as a double moves it by far less than a narrow format notices. */
    if (layout_width(layout) <= 16)
        assert_true(fabs(strtod(text, NULL) - value) < ldexp(fabs(value), -2) ||
                    fabs(strtod(text, NULL) - value) <= layout_smallest(layout) / 2);
}

static void test_every_small_code(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS_SMALL; i++)
        for (uint64_t code = 0; code < UINT64_C(1) << layout_width(&layouts[i]); code++)
            check_code(&layouts[i], code, layout_value(&layouts[i], code));
}

static void check_machine_code(uint64_t code) {
    char text[NUMBER_TEXT];
    float single = float_of_code(code);
    double twice = double_of_code(code);
    check_code(&layouts[LAYOUT_FP32], code & UINT32_MAX, (double)single);
    check_code(&layouts[LAYOUT_FP64], code, twice);
    const struct format *fp32 = layout_format(&layouts[LAYOUT_FP32]);
    const struct format *fp64 = layout_format(&layouts[LAYOUT_FP64]);
    if (!isnan(single)) {
        float back = strtof(format_decimal_text(fp32, code & UINT32_MAX, text), NULL);
        assert_int_equal(code_of_float(back), code & UINT32_MAX);
    }
    if (!isnan(twice)) {
        double back = strtod(format_decimal_text(fp64, code, text), NULL);
        assert_int_equal(code_of_double(back), code);
    }
}

static void test_machine_formats(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < RANDOM_CODES; i++)
        check_machine_code(random_bits(&seed));
    for (unsigned bit = 0; bit < 64; bit++) {
        check_machine_code(UINT64_C(1) << bit);
        check_machine_code((UINT64_C(1) << bit) - 1);
        check_machine_code(~(UINT64_C(1) << bit));
    }
}

/* Spellings, and the fp32 code that each must give. */
static void test_spellings(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t code;
    } read[] = {
        {"1", 0x3f800000},
        {"+1", 0x3f800000},
        {"1.", 0x3f800000},
        {".5", 0x3f000000},
        {"-1e0", 0xbf800000},
        {"1E2", 0x42c80000},
        {"0", 0},
        {"-0", 0x80000000},
        {"-0.0e99", 0x80000000},
        {"0x1p-149", 1},
        {"-0x1p-149", 0x80000001},
        {"0x1.8p-3", 0x3e400000},
        {"0X1.8P-3", 0x3e400000},
        {"0xcp-6", 0x3e400000},
        {"0x.8p+1", 0x3f800000},
        {"0x0p0", 0},
        {"-0x0p+0", 0x80000000},
        {"0x1.fffffep127", 0x7f7fffff},
        {"inf", 0x7f800000},
        {"-INF", 0xff800000},
        {"+Infinity", 0x7f800000},
        {"nan", 0x7fc00000},
        {"NaN", 0x7fc00000},
        {"-nan", 0x7fc00000},
        {"16777217", 0x4b800000},
        {"16777219", 0x4b800002},
        {"1e-45", 1},
        {"7.1e-46", 1},
        {"0.1", 0x3dcccccd},
        {"3.4028234e38", 0x7f7fffff},
    };
    const struct format *fp32 = layout_format(&layouts[LAYOUT_FP32]);
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        check_reads_as(fp32, read[i].text, read[i].code);
}

static void test_bits_spellings(void **state) {
    (void)state;
    const struct format *fp32 = layout_format(&layouts[LAYOUT_FP32]);
    static const struct {
        const char *text;
        uint64_t code;
    } read[] = {{"0x0", 0},
                {"0X3F800000", 0x3f800000},
                {"0x3f", 0x3f},
                {"0x00000000000000000000000ff", 0xff},
                {"0xffffffff", 0xffffffff}};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        struct parsed_value value;
        struct error error;
        assert_true(format_parse(fp32, read[i].text, &value, &error));
        assert_int_equal(value.code, read[i].code);
        assert_true(value.from_bits);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_small_code),
        cmocka_unit_test(test_machine_formats),
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_bits_spellings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
