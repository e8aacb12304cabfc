/* Functions of scaled arrays in fp16 arithmetic: every fp16 number at several scales, by the C library's
 * functions in double with the argument and the value rounded to fp16; and which arithmetic a scale
 * recommends. */
#include "detmath/scaled_tensors.h"
#include "format/format.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ALL = 1 << 16 };

static uint16_t data[ALL];
static float in_fp32[ALL], in_fp16[ALL], in_auto[ALL];
static const struct format *const fp16 = &formats[FORMAT_FP16], *const fp32 = &formats[FORMAT_FP32];

/* The number of a format that is nearest. */
static double rounded(const struct format *format, double y) {
    struct real exact = real_from_double(y);
    struct real near =
        format_decode(format, format_encode(format, &exact, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    return y != y ? y : real_to_double(&near);
}

static double sigmoid(double v) {
    return 1 / (1 + exp(-v));
}

static double gelu(double v) {
    return v < -40 ? -0.0 : v * (0.5 * erfc(-v * 0x1.6a09e667f3bcdp-1));
}

static double one(double s) {
    (void)s;
    return 1;
}

static double below_one(double s) {
    return fabs(s) < 1 ? fabs(s) : 1;
}

static const struct {
    enum detmath_scaled_operation operation;
    double (*function)(double);
    double (*scale)(double);
    double least, most; /* of the scales at which fp16 is recommended */
    bool inverse;
} rows[] = {
    {DETMATH_SCALED_INDEX_exp, exp, one, 0, 0x1p-4, false},
    {DETMATH_SCALED_INDEX_sigmoid, sigmoid, one, 0, 0x1p-4, false},
    {DETMATH_SCALED_INDEX_log, log, one, 0x1p-10, 0x1p-6, true},
    {DETMATH_SCALED_INDEX_tanh, tanh, below_one, 0x1p-10, 0x1p-4, false},
    {DETMATH_SCALED_INDEX_gelu, gelu, fabs, 0x1p-10, 0x1p-4, false},
};
enum { ROWS = sizeof rows / sizeof *rows };

static float run(size_t row, enum detmath_scaled_compute compute, float s, float *results) {
    static const size_t extents[] = {ALL};
    float scale = s, result_scale = 0;
    const struct detmath_scaled_tensor
        a = {{.codes = data, .format = DETMATH_F16, .extents = extents, .dimensions = 1},
             {.codes = &scale, .format = DETMATH_F32},
             NULL},
        c = {{.codes = results, .format = DETMATH_F32, .extents = extents, .dimensions = 1},
             {.codes = &result_scale, .format = DETMATH_F32},
             NULL};
    assert_int_equal(detmath_scaled_each_in(rows[row].operation, compute, &c, &a, NULL, NULL), 0);
    return result_scale;
}

static void test_fp16_arithmetic(void **state) {
    static const float scales[] = {-0.03f, 3, 0x1p-20f};
    (void)state;
    for (size_t row = 0; row < ROWS; row++)
        for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
            double s = scales[k], t = rows[row].scale(s);
            float scale = run(row, DETMATH_SCALED_F16, scales[k], in_fp16);
            assert_true(scale == (float)t);
            for (unsigned code = 0; code < ALL; code++) {
                struct real a = format_decode(fp16, code);
                double v = rounded(fp16, s * real_to_double(&a));
                double want = rounded(fp32, rounded(fp16, rows[row].function(v)) / t);
                if (want != want)
                    assert_true(in_fp16[code] != in_fp16[code]);
                else if (!((double)in_fp16[code] == want &&
                           !signbit(in_fp16[code]) == !signbit(want)))
                    fail_msg("row %zu, scale %a, code 0x%04x: %a instead of %a", row, s, code,
                             (double)in_fp16[code], want);
            }
        }
}

static void test_a_scale_of_0_makes_zeros(void **state) {
    (void)state;
    for (size_t row = 0; row < ROWS; row++) {
        run(row, DETMATH_SCALED_F16, 0, in_fp16);
        for (unsigned code = 0; code < ALL; code++)
            assert_true((double)in_fp16[code] == rows[row].function(0));
    }
}

static void test_what_a_scale_recommends(void **state) {
    (void)state;
    for (size_t row = 0; row < ROWS; row++)
        for (int n = -12; n <= 12; n += n == -3 ? 8 : 1) {
            double s = ldexp(1, n), beyond = s * 1.0009765625;
            for (int i = 0; i < 2; i++) {
                double size = i ? beyond : s;
                double from = rows[row].least, to = rows[row].most;
                bool fits = (size >= from && size <= to) ||
                            (rows[row].inverse && 1 / size >= from && 1 / size <= to);
                run(row, DETMATH_SCALED_AUTO, (float)-size, in_auto);
                run(row, DETMATH_SCALED_F16, (float)-size, in_fp16);
                run(row, DETMATH_SCALED_F32, (float)-size, in_fp32);
                assert_memory_equal(in_auto, fits ? in_fp16 : in_fp32, sizeof in_auto);
                assert_true(!fits || memcmp(in_fp16, in_fp32, sizeof in_fp32) != 0);
            }
        }
}

static void test_others_are_computed_as_ever(void **state) {
    (void)state;
    static const size_t extents[] = {ALL};
    float scale = 0.03f, result_scale = 0;
    const struct detmath_scaled_tensor
        a = {{.codes = data, .format = DETMATH_F16, .extents = extents, .dimensions = 1},
             {.codes = &scale, .format = DETMATH_F32},
             NULL},
        c = {{.codes = in_fp16, .format = DETMATH_F32, .extents = extents, .dimensions = 1},
             {.codes = &result_scale, .format = DETMATH_F32},
             NULL},
        d = {{.codes = in_fp32, .format = DETMATH_F32, .extents = extents, .dimensions = 1},
             {.codes = &result_scale, .format = DETMATH_F32},
             NULL};
    assert_int_equal(
        detmath_scaled_each_in(DETMATH_SCALED_INDEX_relu, DETMATH_SCALED_F16, &c, &a, NULL, NULL),
        0);
    assert_int_equal(detmath_scaled_each(DETMATH_SCALED_INDEX_relu, &d, &a, NULL, NULL), 0);
    assert_memory_equal(in_fp16, in_fp32, sizeof in_fp32);
}

int main(void) {
    for (unsigned code = 0; code < ALL; code++)
        data[code] = (uint16_t)code;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fp16_arithmetic),
        cmocka_unit_test(test_a_scale_of_0_makes_zeros),
        cmocka_unit_test(test_what_a_scale_recommends),
        cmocka_unit_test(test_others_are_computed_as_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
