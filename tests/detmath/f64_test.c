/* Every function of fp64: cr is MPFR's result and det within its budget of it, special operands have the results that the
 * headers say, array forms give the scalar's bits at any length and alignment, in place too, and all instruction sets give
 * the same.
 *     f64_test [all]    all: a hundred times as many operands, and the published ones in PUBLISHED/NAME.txt if that is set */
#include "detmath/families_f64.h"
#include "detmath/library/kernels.h"

#include "../base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

static uint64_t seed = 64;
static size_t draws = 4000;

static const struct {
    const char *name;
    double budget;
    double (*det)(double), (*cr)(double), (*last)(double);
    int (*mpfr)(mpfr_t, const mpfr_t, mpfr_rnd_t);
} rows[] = {
#define DETMATH_UNARY_F64(NAME, CR, BUDGET)                                                        \
    {#NAME, BUDGET, detmath_##NAME, detmath_cr_##NAME, detmath_##NAME##_f64_last, mpfr_##NAME},
#include "detmath/functions_f64.inc"
};
enum { ROWS = sizeof rows / sizeof *rows };

static double number(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Any bits, numbers around 1, numbers that overflow exponentials or nearly do, and numbers next to 0 and to 1. */
static double draw(size_t i) {
    uint64_t bits = random_bits(&seed);
    double unit = (double)(bits >> 11) * 0x1p-53;
    switch (i % 6) {
    case 0:
        return number(bits);
    case 1:
        return 3 * unit;
    case 2:
        return 2200 * unit - 1100;
    case 3:
        return 800 * unit - 400;
    case 4:
        return ldexp(2 * unit - 1, -(int)(bits & 63));
    default:
        return 1 + ldexp(2 * unit - 1, -1 - (int)(bits & 31));
    }
}

/* The result rounded to nearest-even; *error is how far y is from it before that, in ulps. */
static double rounded(int row, double x, double y, double *error) {
    mpfr_t operand, exact, result;
    mpfr_inits2(53, operand, result, (mpfr_ptr)0);
    mpfr_init2(exact, 240);
    mpfr_set_d(operand, x, MPFR_RNDN);
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    int inexact = rows[row].mpfr(result, operand, MPFR_RNDN);
    mpfr_subnormalize(result, inexact, MPFR_RNDN);
    double right = mpfr_get_d(result, MPFR_RNDN);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    *error = 0;
    if (isfinite(right) || isfinite(y)) { /* else both overflow, or have a pole */
        int exponent = right == 0 ? -1022 : isfinite(right) ? ilogb(right) : 1023;
        rows[row].mpfr(exact, operand, MPFR_RNDN);
        if (isinf(y)) /* that stands for what would be the next number of fp64 */
            mpfr_sub_d(exact, exact, copysign(0x1p1023, y), MPFR_RNDN);
        mpfr_sub_d(exact, exact, isinf(y) ? copysign(0x1p1023, y) : y, MPFR_RNDN);
        mpfr_mul_2si(exact, exact, 52 - (exponent < -1022 ? -1022 : exponent), MPFR_RNDN);
        *error = fabs(mpfr_get_d(exact, MPFR_RNDU));
    }
    mpfr_clears(operand, exact, result, (mpfr_ptr)0);
    return right;
}

static void check_one(int row, double x) {
    double error, y = rows[row].det(x), right = rounded(row, x, y, &error);
    uint64_t want = right != right ? UINT64_C(0x7ff8000000000000) : bits_of(right);
    if (error > rows[row].budget || (right != right) != (y != y) || signbit(right) != signbit(y))
        if (right == right || bits_of(y) != want)
            fail_msg("det %s(%a) = %a, want %a", rows[row].name, x, y, right);
    if (bits_of(rows[row].cr(x)) != want)
        fail_msg("cr %s(%a) = %a, want %a", rows[row].name, x, rows[row].cr(x), right);
    /* The last phase is asked for few operands, and knows all that have a result that is no number. */
    bool asked = x == x && isfinite(x) && right != 0 && right == right && isfinite(right);
    if (asked && fabs(x) >= 0x1p-54 && bits_of(rows[row].last(x)) != want)
        fail_msg("the last phase of %s(%a) = %a, want %a", rows[row].name, x, rows[row].last(x),
                 right);
}

static void test_results(void **state) {
    (void)state;
    for (int row = 0; row < ROWS; row++)
        for (size_t i = 0; i < draws; i++)
            check_one(row, draw(i));
}

/* Results next to what is rounded otherwise. */
static void check_lines(FILE *file, const char *only) {
    char line[256], name[16];
    unsigned long long bits;
    while (file && fgets(line, sizeof line, file)) {
        char *end = line;
        double x = only ? strtod(line, &end) : 0;
        bool named = sscanf(line, "%15s %llx", name, &bits) == 2;
        if (!only && named)
            x = number(bits);
        for (int row = 0; row < ROWS && (named || end != line); row++)
            if (strcmp(rows[row].name, only ? only : name) == 0)
                check_one(row, x);
    }
    if (file)
        fclose(file);
}

static void test_hard_operands(void **state) {
    (void)state;
    FILE *file = fopen(HARD_OPERANDS, "r");
    assert_non_null(file);
    check_lines(file, NULL);
    for (int row = 0; getenv("PUBLISHED") && row < ROWS; row++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.txt", getenv("PUBLISHED"), rows[row].name);
        check_lines(fopen(path, "r"), rows[row].name);
    }
}

/* Whole powers, whose results are numbers, or middles between two. */
static void test_whole_powers(void **state) {
    (void)state;
    for (int row = 0; row < ROWS; row++)
        for (int n = -1100; n <= 1100; n++) {
            check_one(row, n);
            check_one(row, n + 0.5);
            check_one(row, ldexp(1, n));
            check_one(row, -ldexp(1, n));
            char power[16];
            snprintf(power, sizeof power, "1e%d", n / 4);
            check_one(row, strtod(power, NULL));
        }
    assert_true(detmath_cr_exp10(23) == 1e23);
    assert_true(detmath_cr_exp2(-1075) == 0 && detmath_cr_exp2(-1074) == 0x1p-1074);
    assert_true(detmath_exp2(1023) == 0x1p1023 && detmath_log2(0x1p-1074) == -1074);
}

static void test_special_operands(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double x, y;
    } special[] = {
        {"exp", -INFINITY, 0},
        {"exp", INFINITY, INFINITY},
        {"exp", 0, 1},
        {"exp", 710, INFINITY},
        {"exp", -746, 0},
        {"exp2", -INFINITY, 0},
        {"exp2", 1024, INFINITY},
        {"exp10", 309, INFINITY},
        {"exp10", 22, 1e22},
        {"expm1", -INFINITY, -1},
        {"expm1", -0.0, -0.0},
        {"expm1", 0, 0},
        {"expm1", 710, INFINITY},
        {"expm1", 0x1p-1074, 0x1p-1074},
        {"log", 1, 0},
        {"log", 0, -INFINITY},
        {"log", -0.0, -INFINITY},
        {"log", -1, NAN},
        {"log", INFINITY, INFINITY},
        {"log", -INFINITY, NAN},
        {"log2", 8, 3},
        {"log10", 1000, 3},
        {"log1p", -1, -INFINITY},
        {"log1p", -2, NAN},
        {"log1p", -0.0, -0.0},
        {"log1p", INFINITY, INFINITY},
        {"log1p", -0x1p-1074, -0x1p-1074},
    };
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        for (int row = 0; row < ROWS; row++)
            if (strcmp(special[i].name, rows[row].name) == 0) {
                uint64_t want = special[i].y != special[i].y ? UINT64_C(0x7ff8000000000000)
                                                             : bits_of(special[i].y);
                assert_int_equal(bits_of(rows[row].det(special[i].x)), want);
                assert_int_equal(bits_of(rows[row].cr(special[i].x)), want);
            }
    for (int row = 0; row < ROWS; row++) {
        static const uint64_t nans[] = {UINT64_C(0x7ff0000000000001), UINT64_C(0xfff8000000000000),
                                        UINT64_C(0xffffffffffffffff)};
        for (int i = 0; i < 3; i++) {
            assert_int_equal(bits_of(rows[row].det(number(nans[i]))), UINT64_C(0x7ff8000000000000));
            assert_int_equal(bits_of(rows[row].cr(number(nans[i]))), UINT64_C(0x7ff8000000000000));
        }
    }
}

enum { MOST = 300 };
static unsigned char in[8 * MOST + 16], out[8 * MOST + 16];

static double at(const unsigned char *array, size_t i) {
    double x;
    memcpy(&x, array + 8 * i, sizeof x);
    return x;
}

static void check_array(detmath_fill *fill, double (*scalar)(double), size_t n, size_t offset,
                        bool in_place) {
    for (size_t i = 0; i < n; i++) {
        double x = n % 3 ? draw(i) : 1 + draw(1) / 4; /* whole vectors that need no help, too */
        memcpy(in + offset + 8 * i, &x, sizeof x);
    }
    memset(out, 0xee, sizeof out);
    if (in_place)
        memcpy(out + offset, in + offset, 8 * n);
    fill((void *[]){out + offset}, (const void *[]){in_place ? out + offset : in + offset}, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(bits_of(at(out + offset, i)), bits_of(scalar(at(in + offset, i))));
    for (size_t i = 0; i < sizeof out; i++)
        assert_true(out[i] == 0xee || (i >= offset && i < offset + 8 * n));
}

static void test_arrays_are_scalars(void **state) {
    (void)state;
    struct detmath_level level;
    for (int l = 0; detmath_level(l, &level); l++)
        for (int row = 0; level.kernels && row < ROWS; row++)
            for (size_t n = 0; n < 60; n++) {
                const struct detmath_kernels_f64 *kernels = &level.kernels_f64[row];
                size_t count = n < 20 ? n : random_bits(&seed) % MOST, offset = n % 3 ? n % 9 : 0;
                check_array(kernels->det, rows[row].det, count, offset, n % 2);
                check_array(kernels->cr, rows[row].cr, count, offset, n % 2);
                assert_string_equal(kernels->name, rows[row].name);
                double x = draw(n);
                assert_int_equal(bits_of(kernels->det_scalar(x)), bits_of(rows[row].det(x)));
                assert_int_equal(bits_of(kernels->cr_scalar(x)), bits_of(rows[row].cr(x)));
            }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "all") == 0)
        draws *= 100;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_special_operands),   cmocka_unit_test(test_whole_powers),
        cmocka_unit_test(test_hard_operands),      cmocka_unit_test(test_results),
        cmocka_unit_test(test_arrays_are_scalars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
