/* What cannot be read: each with one line that names what would be right. */
#include "format/text.h"
#include "layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

struct refusal {
    const char *format, *text;
    const char *says[4]; /* all of these are in the message */
};

static const struct refusal refusals[] = {
    /* A hex float claims to be exact. */
    {"fp32",
     "0x1.0000001p+0",
     {"0x1.0000001p+0", "0x1p+0 (0x3f800000)", "0x1.000002p+0 (0x3f800001)"}},
    {"fp32", "-0x1.0000001p+0", {"-0x1.000002p+0 (0xbf800001)", "-0x1p+0 (0xbf800000)"}},
    {"fp16", "0x1.ffdp+0", {"fp16", "0x1.ffcp+0 (0x3fff)", "0x1p+1 (0x4000)"}},
    {"fp32", "0x1p-150", {"0x0p+0 (0x00000000)", "0x1p-149 (0x00000001)"}},
    {"fp32", "0x1.8p-149", {"0x1p-149 (0x00000001)", "0x1p-148 (0x00000002)"}},
    {"fp64",
     "0x1.00000000000000000000000000000000000000000001p0",
     {"0x1p+0 (0x3ff0000000000000)", "0x1.0000000000001p+0 (0x3ff0000000000001)"}},
    {"fp8_e4m3fn", "0x1.1p0", {"0x1p+0 (0x38)", "0x1.2p+0 (0x39)"}},
    /* Beyond the largest number. */
    {"fp16", "65520", {"65520", "0x1.ffcp+15 (0x7bff)", "inf (0x7c00)"}},
    {"fp16", "-70000", {"-inf (0xfc00)", "-0x1.ffcp+15 (0xfbff)"}},
    {"fp16", "0x1p16", {"0x1.ffcp+15 (0x7bff)"}},
    {"fp32", "1e39", {"0x1.fffffep+127 (0x7f7fffff)"}},
    {"fp64", "1e309", {"0x1.fffffffffffffp+1023 (0x7fefffffffffffff)"}},
    {"fp64", "1e99999999999999999999", {"0x1.fffffffffffffp+1023"}},
    {"fp8_e4m3fn", "465", {"its last number is 0x1.cp+8 (0x7e)"}},
    {"fp8_e4m3fn", "-1e9", {"its last number is -0x1.cp+8 (0xfe)"}},
    {"fp8_e5m2fnuz", "62000", {"its last number is 0x1.cp+15 (0x7f)"}},
    {"fp8_e4m3fn", "inf", {"fp8_e4m3fn", "no infinity", "0x1.cp+8"}},
    {"fp8_e4m3fnuz", "-inf", {"no infinity", "0x1.ep+7"}},
    /* Rounded to nothing. */
    {"fp32", "1e-50", {"1e-50", "0x0p+0 (0x00000000)", "0x1p-149 (0x00000001)"}},
    {"fp32", "-1e-50", {"-0x1p-149 (0x80000001)", "-0x0p+0 (0x80000000)"}},
    {"fp16", "2.98e-8", {"0x0p+0 (0x0000)", "0x1p-24 (0x0001)"}},
    {"fp64", "2e-324", {"0x1p-1074 (0x0000000000000001)"}},
    {"fp64", "1e-99999999999999999999", {"0x1p-1074"}},
    {"fp8_e4m3fnuz", "-1e-9", {"-0x1p-10 (0x81)", "0x0p+0 (0x00)"}},
    /* Bits wider than a code. */
    {"fp32", "0x1ffffffff", {"0x1ffffffff", "32 bits", "fp32"}},
    {"fp16", "0x10000", {"16 bits"}},
    {"fp8_e5m2", "0x100", {"8 bits"}},
    {"fp64", "0x10000000000000000", {"64 bits"}},
    {"fp64", "0xffffffffffffffffffffffffffffffffffff", {"64 bits"}},
    /* Not numbers. */
    {"fp32", "", {"not a number"}},
    {"fp32", " ", {"not a number"}},
    {"fp32", "1 ", {"'1 ' is not a number"}},
    {"fp32", " 1", {"not a number"}},
    {"fp32", "\t1", {"not a number"}},
    {"fp32", "1\n", {"not a number"}},
    {"fp32", "0x1p0 ", {"not a number"}},
    {"fp32", "0x3f800000 ", {"not a number"}},
    {"fp32", "0x", {"not a number"}},
    {"fp32", "0xg", {"not a number"}},
    {"fp32", "0x1p", {"not a number"}},
    {"fp32", "0x1.8p-3x", {"not a number"}},
    {"fp32", "-0x", {"not a number"}},
    {"fp32", "1,5", {"not a number"}},
    {"fp32", "1.5f", {"not a number"}},
    {"fp32", "1e", {"not a number"}},
    {"fp32", "1e+", {"not a number"}},
    {"fp32", "--1", {"not a number"}},
    {"fp32", "+", {"not a number"}},
    {"fp32", ".", {"not a number"}},
    {"fp32", "exp", {"not a number"}},
    {"fp32", "infinit", {"not a number"}},
    {"fp32", "nan(1)", {"not a number"}},
    {"fp32", "1@3", {"not a number"}},
    {"fp32", "@inf@", {"not a number"}},
    {"fp32", "0b101", {"not a number"}},
    {"fp32", "1p3", {"not a number"}},
};

static void test_refusals(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *r = &refusals[i];
        struct parsed_value value;
        struct error error = {""};
        if (format_parse(format_find(r->format, &error), r->text, &value, &error))
            fail_msg("%s accepts '%s' as %llx", r->format, r->text, (unsigned long long)value.code);
        assert_true(strlen(error.text) > 0);
        assert_null(strchr(error.text, '\n'));
        for (int j = 0; j < 4 && r->says[j]; j++)
            if (!strstr(error.text, r->says[j]))
                fail_msg("%s '%s' does not say '%s': %s", r->format, r->text, r->says[j],
                         error.text);
    }
}

/* The limits themselves are accepted. */
static void test_just_within(void **state) {
    (void)state;
    static const struct {
        const char *format, *text;
        uint64_t code;
        bool rounded;
    } accepted[] = {
        {"fp16", "65504", 0x7bff, false},      {"fp16", "65503.9", 0x7bff, true},
        {"fp16", "2.981e-8", 1, true},         {"fp8_e4m3fn", "448", 0x7e, false},
        {"fp8_e4m3fn", "-448", 0xfe, false},   {"fp8_e4m3fnuz", "-0", 0, false},
        {"fp8_e4m3fnuz", "nan", 0x80, false},  {"fp8_e5m2", "inf", 0x7c, false},
        {"fp8_e5m2", "0x00ff", 0xff, false},   {"fp64", "5e-324", 1, true},
        {"fp64", "0x1p-1074", 1, false},       {"fp64", "0xffffffffffffffff", UINT64_MAX, false},
        {"bf16", "3.389531e38", 0x7f7f, true},
    };
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        struct parsed_value value;
        struct error error = {""};
        const struct format *format = format_find(accepted[i].format, &error);
        if (!format_parse(format, accepted[i].text, &value, &error))
            fail_msg("%s", error.text);
        if (value.code != accepted[i].code || value.rounded != accepted[i].rounded)
            fail_msg("%s '%s'", accepted[i].format, accepted[i].text);
    }
}

/* A very long text is shortened in the message and does no harm. */
static void test_long_text(void **state) {
    (void)state;
    char text[5000];
    struct parsed_value value;
    struct error error = {""};
    const struct format *fp32 = layout_format(&layouts[LAYOUT_FP32]);
    memset(text, '9', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_false(format_parse(fp32, text, &value, &error));
    assert_true(strlen(error.text) > 0 && strlen(error.text) < sizeof error.text);
    text[1] = '.';
    assert_true(format_parse(fp32, text, &value, &error));
    assert_int_equal(value.code, 0x41200000);
    memset(text, 'z', sizeof text - 1);
    assert_false(format_parse(fp32, text, &value, &error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_just_within),
        cmocka_unit_test(test_long_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
