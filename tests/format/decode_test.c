/* Decoding and classes: every code of every format up to 16 bits against the formulas of the
 * definitions, fp32 and fp64 against the machine's float and double. */
#include "../base/random.h"
#include "layout.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { RANDOM_CODES = 200000 };

static void check_decode(const struct layout *layout, const struct format *format, uint64_t code,
                         double want) {
    struct real got = format_decode(format, code), real = exact_real(want);
    bool same = got.kind == real.kind && !got.inexact && !got.cancelled;
    if (same && got.kind != REAL_NAN)
        same = got.negative == real.negative;
    if (same && got.kind == REAL_FINITE)
        same =
            got.exponent == real.exponent && wide_compare(got.significand, real.significand) == 0;
    if (!same)
        fail_msg("%s 0x%" PRIx64 " should be %a", layout->name, code, want);
}

static enum number_class class_of(const struct layout *layout, double value) {
    if (isnan(value))
        return CLASS_NAN;
    if (isinf(value))
        return CLASS_INFINITE;
    if (value == 0)
        return CLASS_ZERO;
    return fabs(value) < layout_smallest_normal(layout) ? CLASS_SUBNORMAL : CLASS_NORMAL;
}

static void check_class(const struct layout *layout, const struct format *format, uint64_t code,
                        double value) {
    enum number_class class = format_classify(format, code);
    if (class != class_of(layout, value))
        fail_msg("%s 0x%" PRIx64 " is %s?", layout->name, code, number_class_names[class]);
    if (format_is_nan(format, code) != !!isnan(value) ||
        format_is_infinite(format, code) != !!isinf(value) ||
        format_is_zero(format, code) != (value == 0))
        fail_msg("%s 0x%" PRIx64 ": predicates", layout->name, code);
    if (!isnan(value) && format_is_negative(format, code) != !!signbit(value))
        fail_msg("%s 0x%" PRIx64 ": sign", layout->name, code);
}

static void test_small_formats(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS_SMALL; i++) {
        const struct layout *layout = &layouts[i];
        const struct format *format = layout_format(layout);
        uint64_t codes = UINT64_C(1) << layout_width(layout);
        assert_int_equal(format->width, layout_width(layout));
        assert_int_equal(format_mask(format), codes - 1);
        for (uint64_t code = 0; code < codes; code++) {
            double value = layout_value(layout, code);
            check_decode(layout, format, code, value);
            check_class(layout, format, code, value);
        }
    }
}

/* Numbers printed in the definitions themselves. */
static void test_stated_numbers(void **state) {
    (void)state;
    static const struct {
        int layout;
        uint64_t code;
        double value;
    } stated[] = {
        {0, 0x7e, 448},          {0, 0x01, 0x1p-9},      {0, 0x7f, (double)NAN},
        {0, 0xff, (double)NAN},  {0, 0x80, -0.0},        {1, 0x7f, 240},
        {1, 0x01, 0x1p-10},      {1, 0x80, (double)NAN}, {2, 0x7b, 57344},
        {2, 0x01, 0x1p-16},      {2, 0x7c, INFINITY},    {2, 0x7d, (double)NAN},
        {2, 0xff, (double)NAN},  {3, 0x7f, 57344},       {3, 0x01, 0x1p-17},
        {3, 0x80, (double)NAN},  {4, 0x7bff, 65504},     {4, 0x0001, 0x1p-24},
        {4, 0x3555, 0x1.554p-2}, {4, 0xfc00, -INFINITY}, {5, 0x7f7f, 0x1.fep127},
        {6, 0x77, 240},          {6, 0x01, 0x1p-9},      {6, 0x78, INFINITY},
        {7, 0x6f, 15.5},         {7, 0x01, 0x1p-6},      {7, 0x71, (double)NAN},
        {8, 0x7f, 30},           {8, 0x01, 0x1p-13},     {8, 0x80, (double)NAN},
        {9, 0x1f, 7.5},          {9, 0x01, 0.125},       {9, 0x20, -0.0},
        {10, 0x1f, 28},          {10, 0x01, 0.0625},     {11, 0x7, 6},
        {11, 0x1, 0.5},          {11, 0xf, -6},          {11, 0x8, -0.0},
        {5, 0x0001, 0x1p-133},   {5, 0x4049, 3.140625},  {5, 0x7f81, (double)NAN},
    };
    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++)
        check_decode(&layouts[stated[i].layout], layout_format(&layouts[stated[i].layout]),
                     stated[i].code, stated[i].value);
}

/* bfloat16 is the top half of a float. */
static void test_bf16_is_half_a_float(void **state) {
    (void)state;
    for (uint64_t code = 0; code < 0x10000; code++)
        check_decode(&layouts[5], layout_format(&layouts[5]), code,
                     (double)float_of_code(code << 16));
}

static void check_machine_code(uint64_t code) {
    static const enum number_class classes[] = {[FP_ZERO] = CLASS_ZERO,
                                                [FP_SUBNORMAL] = CLASS_SUBNORMAL,
                                                [FP_NORMAL] = CLASS_NORMAL,
                                                [FP_INFINITE] = CLASS_INFINITE,
                                                [FP_NAN] = CLASS_NAN};
    const struct layout *fp32 = &layouts[LAYOUT_FP32], *fp64 = &layouts[LAYOUT_FP64];
    float single = float_of_code(code);
    double twice = double_of_code(code);
    check_decode(fp32, layout_format(fp32), code & UINT32_MAX, (double)single);
    check_class(fp32, layout_format(fp32), code & UINT32_MAX, (double)single);
    check_decode(fp64, layout_format(fp64), code, twice);
    check_class(fp64, layout_format(fp64), code, twice);
    assert_int_equal(format_classify(layout_format(fp64), code), classes[fpclassify(twice)]);
}

static void test_machine_formats(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < RANDOM_CODES; i++)
        check_machine_code(random_bits(&seed));
    /* Single bits and runs of ones have the borders of all fields among them. */
    for (unsigned bit = 0; bit < 64; bit++)
        for (unsigned length = 1; bit + length <= 64; length++) {
            uint64_t run = UINT64_MAX >> (64 - length) << bit;
            check_machine_code(run);
            check_machine_code(run - 1);
            check_machine_code(~run);
        }
}

static void test_rows_in_order(void **state) {
    (void)state;
    assert_int_equal(format_count, LAYOUTS + 2);
    for (size_t i = 0; i < format_count; i++) {
        const struct format *format = &formats[i];
        size_t bytes = format_bytes(format);
        assert_true(i == 0 || formats[i - 1].width <= format->width);
        assert_true(bytes * 8 >= format->width && (bytes == 1 || bytes * 4 < format->width));
    }
    for (size_t i = 0; i < LAYOUTS; i++)
        assert_int_equal(layout_format(&layouts[i])->nan, layout_nan(&layouts[i]));
}

static void test_arrays_of_codes(void **state) {
    (void)state;
    for (size_t bytes = 1; bytes <= 8; bytes *= 2) {
        uint64_t array[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
        unsigned char want[sizeof array];
        memset(want, 0xff, sizeof want);
        uint64_t code = UINT64_C(0x0102030405060708) & UINT64_MAX >> (64 - 8 * bytes);
        /* The machine's own integers of that size, at index 2 and nowhere else. */
        uint8_t c1 = (uint8_t)code;
        uint16_t c2 = (uint16_t)code;
        uint32_t c4 = (uint32_t)code;
        const void *source = bytes == 1   ? (void *)&c1
                             : bytes == 2 ? (void *)&c2
                             : bytes == 4 ? (void *)&c4
                                          : (void *)&code;
        memcpy(want + 2 * bytes, source, bytes);
        code_store(array, bytes, 2, code);
        assert_memory_equal(array, want, sizeof array);
        assert_int_equal(code_load(array, bytes, 2), code);
        assert_int_equal(code_load(array, bytes, 1), UINT64_MAX >> (64 - 8 * bytes));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_formats),        cmocka_unit_test(test_stated_numbers),
        cmocka_unit_test(test_bf16_is_half_a_float), cmocka_unit_test(test_machine_formats),
        cmocka_unit_test(test_rows_in_order),        cmocka_unit_test(test_arrays_of_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
