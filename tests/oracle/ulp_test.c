/* The error in ulps: cases worked out by hand from its definition,
 *   |got - y| / ulp(y), ulp(y) = 2^(clamp(e) - p + 1) for 2^e <= |y| < 2^(e+1),
 * with infinity and everything from 2^(emax+1) on counted as 2^(emax+1), and rounded to odd: cut
 * off after 53 bits, the last of which is set where more follow. */
#include "../format/layout.h"
#include "oracle/judge.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

struct ulp_case {
    const char *format;
    double y, got, error;
};

#define INF ((double)INFINITY)

/* p = 24, emin = -126, emax = 127 */
static const struct ulp_case cases_fp32[] = {
    {"fp32", 1, 1, 0},
    {"fp32", 1, 1 + 0x1p-23, 1},
    {"fp32", -1, -1 - 0x1p-23, 1},
    /* Around a power of two: the ulp is that of y's binade, whichever side `got` is on. */
    {"fp32", 1, 1 - 0x1p-24, 0.5},
    {"fp32", 1 - 0x1p-24, 1, 1},
    {"fp32", 1 - 0x1p-25, 1, 0.5},
    {"fp32", 1 - 0x1p-50, 1, 0x1p-26},
    {"fp32", 1 + 0x1p-24, 1, 0.5},
    {"fp32", 1 + 0x1p-24, 1 + 0x1p-22, 1.5},
    {"fp32", 1 + 0x1p-52, 1 - 0x1p-24, 0.5 + 0x1p-29},
    /* Subnormal results, and those below them, have the ulp of the smallest normal. */
    {"fp32", 0x1p-126, 0x1p-126 - 0x1p-149, 1},
    {"fp32", 0x1.8p-126, 0x1p-126, 0x1p22},
    {"fp32", 0x1p-127, 0x1p-126, 0x1p22},
    {"fp32", 0x1p-149, 0x1p-148, 1},
    {"fp32", 0x1p-151, 0, 0.25},
    {"fp32", 0x1p-151, -0.0, 0.25},
    {"fp32", 0x1p-151, 0x1p-149, 0.75},
    {"fp32", 0x1p-151, -0x1p-149, 1.25},
    {"fp32", -0x1p-151, 0x1p-149, 1.25},
    {"fp32", 0x1p-1000, 0, 0x1p-851},
    {"fp32", 0x1p-200, 0x1p-149, 1 - 0x1p-51},
    /* Zero takes the smallest exponent too. */
    {"fp32", 0, 0x1p-149, 1},
    {"fp32", -0.0, 0x1p-149, 1},
    {"fp32", 0, 0, 0},
    {"fp32", 0, -0.0, 0},
    {"fp32", 0, 1, 0x1p149},
    {"fp32", 0, -INF, 0x1p277},
    /* Far off, and on the other side of zero. */
    {"fp32", 1, -1, 0x1p24},
    {"fp32", 1, 0, 0x1p23},
    {"fp32", -3, 5, 0x1p25},
    {"fp32", 1, 0x1p100, 0x1p123 - 0x1p70}, /* 2^123 - 2^23, rounded to odd */
    {"fp32", 0x1p-149, 0x1p127, 0x1p276 - 0x1p223},
    /* Infinity stands for 2^128. */
    {"fp32", 1, INF, 0x1p151 - 0x1p98},  /* 2^151 - 2^23, rounded to odd */
    {"fp32", 1, -INF, 0x1p151 + 0x1p99}, /* 2^151 + 2^23, rounded to odd */
    {"fp32", 0x1.fffffep127, INF, 1},
    {"fp32", 0x1.ffffffp127, INF, 0.5},
    {"fp32", 0x1.ffffffp127, 0x1.fffffep127, 0.5},
    {"fp32", 0x1.ffffff8p127, 0x1.fffffep127, 0.75},
    {"fp32", 0x1p128, 0x1.fffffep127, 1},
    {"fp32", 0x1p128, INF, 0},
    {"fp32", 0x1p1000, 0x1.fffffep127, 1},
    {"fp32", 0x1p1000, INF, 0},
    {"fp32", 0x1p1000, -INF, 0x1p25},
    {"fp32", -0x1p1000, 0x1.fffffep127, 0x1p25 - 1},
    {"fp32", INF, INF, 0},
    {"fp32", INF, 0x1.fffffep127, 1},
    {"fp32", INF, -INF, 0x1p25},
    {"fp32", -INF, 0, 0x1p24},
    {"fp32", INF, 1, 0x1p24 - 0x1p-29}, /* 2^24 - 2^-104, rounded to odd */
};

/* fp16: p = 11, emin = -14, emax = 15. fp8_e4m3fn: p = 4, emin = -6, emax = 8, last number 448.
 * fp8_e4m3fnuz: emin = -7, emax = 7, last number 240. fp8_e5m2: p = 3, emin = -14, emax = 15. */
static const struct ulp_case cases_narrow[] = {
    {"fp16", 65504, INF, 1},
    {"fp16", 70000, 65504, 1},
    {"fp16", 65519, 65504, 15.0 / 32},
    {"fp16", 0x1.99ap-4, 0x1.99cp-4, 0.5},
    {"fp16", 0x1.999p-4, 0x1.99cp-4, 0.75},
    {"fp16", 0x1p-24, -0x1p-24, 2},
    {"fp8_e4m3fn", 500, 448, 1.625},
    {"fp8_e4m3fn", 464, 448, 0.5},
    {"fp8_e4m3fn", 1e9, 448, 2},
    {"fp8_e4m3fn", 1e9, -448, 30},
    {"fp8_e4m3fn", 512, 448, 2},
    {"fp8_e4m3fn", 0x1p-10, 0, 0.5},
    {"fp8_e4m3fn", 0x1p-10, 0x1p-9, 0.5},
    {"fp8_e4m3fn", INF, 0, 16},
    {"fp8_e4m3fnuz", 1e9, 240, 1},
    {"fp8_e4m3fnuz", 250, 240, 0.625},
    {"fp8_e4m3fnuz", 0x1p-11, 0, 0.5},
    {"fp8_e5m2", 60000, 57344, 2656.0 / 8192},
    {"fp8_e5m2", 60000, INF, 5536.0 / 8192},
    {"fp8_e5m2", INF, 57344, 1},
    {"fp8_e5m2fnuz", INF, 57344, 1},
    {"bf16", 0x1.fep127, INF, 1},
    {"bf16", 1, 1.5, 64},
};

/* p = 53: errors of other numbers than y's neighbours are soon beyond DBL_MAX, where they end. */
static const struct ulp_case cases_fp64[] = {
    {"fp64", 1, 1 + 0x1p-52, 1},         {"fp64", 1, 1 - 0x1p-53, 0.5},
    {"fp64", DBL_MAX, INF, 1},           {"fp64", INF, DBL_MAX, 1},
    {"fp64", INF, -DBL_MAX, 0x1p54 - 2}, /* 2^54 - 1, rounded to odd */
    {"fp64", -INF, INF, 0x1p54},         {"fp64", 0x1p-1074, 0, 1},
    {"fp64", 0, 0x1p-1074, 1},           {"fp64", 1, 0x1p970, 0x1p1022 - 0x1p969},
    {"fp64", 1, INF, DBL_MAX},           {"fp64", 1, DBL_MAX, DBL_MAX},
    {"fp64", 0, DBL_MAX, DBL_MAX},       {"fp64", -0x1p-1074, INF, DBL_MAX},
    {"fp64", 0, 0x1p-51, 0x1p1023},      {"fp64", 0, 0x1p-50, DBL_MAX},
};

static uint64_t code_of(const struct format *format, double value) {
    struct real real = exact_real(value);
    return format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

static double real_value(const struct format *format, uint64_t code) {
    struct real value = format_decode(format, code);
    return real_to_double(&value);
}

static void check_cases(const struct ulp_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct error error;
        const struct format *format = format_find(cases[i].format, &error);
        struct real y = exact_real(cases[i].y);
        double got = ulp_error(format, &y, code_of(format, cases[i].got));
        if (got != cases[i].error)
            fail_msg("%s: y = %a, got %a: %a, not %a", cases[i].format, cases[i].y, cases[i].got,
                     got, cases[i].error);
    }
}

static void test_fp32(void **state) {
    (void)state;
    check_cases(cases_fp32, sizeof cases_fp32 / sizeof *cases_fp32);
}

static void test_narrow(void **state) {
    (void)state;
    check_cases(cases_narrow, sizeof cases_narrow / sizeof *cases_narrow);
}

static void test_fp64(void **state) {
    (void)state;
    check_cases(cases_fp64, sizeof cases_fp64 / sizeof *cases_fp64);
}

/* The place of a number of fp16 that is given in units of 2^-24, if all subnormal numbers count as one zero. The smallest
 * normal number is 1024 units, so that zero lies at 1023. */
static double place_without_subnormals(double units) {
    double magnitude = fabs(units) > 1023 ? fabs(units) - 1023 : 0;
    return units < 0 ? -magnitude : magnitude;
}

static void test_flushed(void **state) {
    (void)state;
    static const double units[] = {0,      0.25,    1,    3.5,     500,   1023,  1023.25, 1023.75,
                                   1024,   1024.5,  1025, 1026.25, 2047,  2048,  2049.5,  4095,
                                   4097.5, 65504.0, -1,   -1023,   -1024, -1025, -2050};
    struct error error;
    const struct format *fp16 = format_find("fp16", &error);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        for (size_t j = 0; j < sizeof units / sizeof *units; j++) {
            struct real y = exact_real(ldexp(units[i], -24));
            uint64_t code = code_of(fp16, ldexp(units[j], -24));
            double got = real_value(fp16, code) * 0x1p24, ulp = 1;
            while (ulp * 2048 <= fabs(units[i]))
                ulp *= 2;
            bool both = fabs(got) < 1024 && fabs(units[i]) < 1024;
            double want =
                both ? 0
                     : fabs(place_without_subnormals(got) - place_without_subnormals(units[i])) /
                           ulp;
            double found = flushed_ulp_error(fp16, &y, code);
            if (found != want)
                fail_msg("y = %g, got %g: %g, not %g", units[i], got, found, want);
        }
}

/* More bits than a double has, and results that only their size is known of. */
static void test_many_bits(void **state) {
    (void)state;
    struct error error;
    const struct format *fp64 = format_find("fp64", &error);
    struct real y = exact_real(1);
    y.significand.low = UINT64_C(1) << 20; /* 1 + 2^-107, which is 2^-55 of an ulp */
    assert_true(ulp_error(fp64, &y, code_of_double(1)) == 0x1p-55);
    assert_true(ulp_error(fp64, &y, code_of_double(1 + 0x1p-52)) == 1 - 0x1p-53);
    y.significand = (struct wide){UINT64_MAX, UINT64_MAX << 7}; /* 2 - 2^-120 */
    assert_true(ulp_error(fp64, &y, code_of_double(2)) == 0x1p-68);
    y = real_huge(true);
    assert_true(ulp_error(fp64, &y, code_of_double(-DBL_MAX)) == 1);
    assert_true(ulp_error(fp64, &y, code_of_double(-INFINITY)) == 0);
    y = real_tiny(true);
    assert_true(ulp_error(fp64, &y, 0) > 0 && ulp_error(fp64, &y, 0) <= DBL_MIN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fp32),    cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_fp64),    cmocka_unit_test(test_many_bits),
        cmocka_unit_test(test_flushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
