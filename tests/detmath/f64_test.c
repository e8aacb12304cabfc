/* Every function of fp64: cr is MPFR's result and det within its budget of it, special operands have the results that the
 * headers say, array forms give the scalar's bits at any length and alignment, in place too, and all instruction sets give
 * the same.
 *     f64_test [all]    all: a hundred times as many operands, and the published ones in PUBLISHED/NAME.txt if that is set */
#include "detmath/families_f64.h"
#include "detmath/library/kernels_f64.h"

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

/* As IEEE 754 has it: MPFR's is inf at -0. */
static int mpfr_rsqrt(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
    int inexact = mpfr_rec_sqrt(y, x, rounding);
    if (mpfr_zero_p(x))
        mpfr_set_inf(y, mpfr_signbit(x) ? -1 : 1);
    return inexact;
}

static uint64_t seed = 64;
static size_t draws = 4000;

/* Of one operand or of two; the others are NULL. */
static const struct {
    const char *name;
    double budget;
    struct detmath_scalar_f64 det, cr, last;
    int (*mpfr)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    int (*mpfr_binary)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
} rows[] = {
#define ROW(NAME, BUDGET, KIND)                                                                    \
#NAME, BUDGET, {.KIND = detmath_##NAME }, {.KIND = detmath_cr_##NAME }, {                      \
        .KIND = detmath_##NAME##_f64_last                                                          \
    }
#define DETMATH_UNARY_F64(NAME, CR, BUDGET)  {ROW(NAME, BUDGET, unary), mpfr_##NAME, NULL},
#define DETMATH_BINARY_F64(NAME, CR, BUDGET) {ROW(NAME, BUDGET, binary), NULL, mpfr_##NAME},
#define DETMATH_PAIR_F64(NAME, A, B)
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

static double call(struct detmath_scalar_f64 function, const double *x) {
    return function.binary ? function.binary(x[0], x[1]) : function.unary(x[0]);
}

static int call_mpfr(int row, mpfr_t result, mpfr_t *operands) {
    return rows[row].mpfr ? rows[row].mpfr(result, operands[0], MPFR_RNDN)
                          : rows[row].mpfr_binary(result, operands[0], operands[1], MPFR_RNDN);
}

/* The result rounded to nearest-even; *error is how far y is from it before that, in ulps. */
static double rounded(int row, const double *x, double y, double *error) {
    mpfr_t operands[2], exact, result;
    mpfr_inits2(53, operands[0], operands[1], result, (mpfr_ptr)0);
    mpfr_init2(exact, 240);
    mpfr_set_d(operands[0], x[0], MPFR_RNDN);
    mpfr_set_d(operands[1], x[1], MPFR_RNDN);
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    int inexact = call_mpfr(row, result, operands);
    mpfr_subnormalize(result, inexact, MPFR_RNDN);
    double right = mpfr_get_d(result, MPFR_RNDN);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    *error = 0;
    if (isfinite(right) || isfinite(y)) { /* else both overflow, or have a pole */
        int exponent = right == 0 ? -1022 : isfinite(right) ? ilogb(right) : 1023;
        call_mpfr(row, exact, operands);
        if (isinf(y)) /* that stands for what would be the next number of fp64 */
            mpfr_sub_d(exact, exact, copysign(0x1p1023, y), MPFR_RNDN);
        mpfr_sub_d(exact, exact, isinf(y) ? copysign(0x1p1023, y) : y, MPFR_RNDN);
        mpfr_mul_2si(exact, exact, 52 - (exponent < -1022 ? -1022 : exponent), MPFR_RNDN);
        *error = fabs(mpfr_get_d(exact, MPFR_RNDU));
    }
    mpfr_clears(operands[0], operands[1], exact, result, (mpfr_ptr)0);
    return right;
}

static void check_one(int row, double first, double second) {
    const double x[2] = {first, second};
    double error, y = call(rows[row].det, x), right = rounded(row, x, y, &error);
    uint64_t want = right != right ? UINT64_C(0x7ff8000000000000) : bits_of(right);
    if (error > rows[row].budget || (right != right) != (y != y) || signbit(right) != signbit(y))
        if (right == right || bits_of(y) != want)
            fail_msg("det %s(%a, %a) = %a, want %a", rows[row].name, first, second, y, right);
    y = call(rows[row].cr, x);
    if (bits_of(y) != want)
        fail_msg("cr %s(%a, %a) = %a, want %a", rows[row].name, first, second, y, right);
    /* The last phase is asked for few operands, and knows all that have a result that is no number. */
    bool asked = isfinite(first) && fabs(first) >= 0x1p-54 && right != 0 && isfinite(right);
    if (asked && bits_of(call(rows[row].last, x)) != want)
        fail_msg("the last phase of %s(%a, %a) = %a, want %a", rows[row].name, first, second,
                 call(rows[row].last, x), right);
}

static void test_results(void **state) {
    (void)state;
    for (int row = 0; row < ROWS; row++)
        for (size_t i = 0; i < draws; i++)
            check_one(row, draw(i), rows[row].mpfr ? 0 : draw(random_bits(&seed)));
}

/* Results next to what is rounded otherwise: a name and bits, or numbers of `only`. */
static void check_lines(FILE *file, const char *only) {
    char line[256], name[16];
    unsigned long long bits[2] = {0};
    while (file && fgets(line, sizeof line, file)) {
        char *end = line, *comma;
        double x = only ? strtod(line, &end) : 0, y = 0;
        bool named = sscanf(line, "%15s %llx %llx", name, &bits[0], &bits[1]) >= 2;
        if (!only && named) {
            x = number(bits[0]);
            y = number(bits[1]);
        } else if (only && (comma = strchr(line, ',')) != NULL)
            y = strtod(comma + 1, NULL);
        for (int row = 0; row < ROWS && (named || end != line); row++)
            if (strcmp(rows[row].name, only ? only : name) == 0)
                check_one(row, x, y);
    }
    if (file)
        fclose(file);
}

/* Lines that begin with a number; the file is at its beginning again. */
static size_t count_operands(FILE *file) {
    char line[256], *end;
    size_t count = 0;
    while (fgets(line, sizeof line, file)) {
        strtod(line, &end);
        count += end != line;
    }
    rewind(file);
    return count;
}

/* The published operands of each function; says of which there is no list. */
static void check_published(const char *folder) {
    size_t lists = 0;
    for (int row = 0; row < ROWS; row++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.txt", folder, rows[row].name);
        FILE *file = fopen(path, "r");
        if (file)
            print_message("%s: %zu published operands\n", rows[row].name, count_operands(file));
        else
            print_message("%s: none, as there is no %s\n", rows[row].name, path);
        lists += file != NULL;
        check_lines(file, rows[row].name);
    }
    print_message("lists are there of %zu of %d functions\n", lists, ROWS);
    assert_true(lists);
}

static void test_hard_operands(void **state) {
    (void)state;
    FILE *file = fopen(HARD_OPERANDS, "r");
    assert_non_null(file);
    check_lines(file, NULL);
    if (getenv("PUBLISHED"))
        check_published(getenv("PUBLISHED"));
}

/* First candidates that agreed on a wrong result, since rounding what was added to a tail was not counted. */
static void test_operands_of_wrong_results_before(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double x, y;
    } before[] = {
        {"sin", 0x1.e107454aa7587p+3, 0},
        {"acos", -0x1.cb3b399d747f3p-55, 0},
        {"pow", 0x1.f4cea2d36445fp-1, 0x1.f3cd21c1aac62p+14},
        {"pow", 0x1.f5125d3765e61p-1, -0x1.fe6f5451e458dp+14},
        {"pow", 0x1.f522a2cf6191p-1, -0x1.01b43c88c4df9p+15},
    };
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        for (int row = 0; row < ROWS; row++)
            if (strcmp(rows[row].name, before[i].name) == 0)
                check_one(row, before[i].x, before[i].y);
}

/* Whole powers, whose results are numbers, or middles between two. */
static void test_whole_powers(void **state) {
    (void)state;
    for (int row = 0; row < ROWS; row++)
        for (int n = -1100; n <= 1100; n++) {
            char power[16];
            snprintf(power, sizeof power, "1e%d", n / 4);
            const double operands[] = {n, n + 0.5, ldexp(1, n), -ldexp(1, n), strtod(power, NULL)};
            for (int i = 0; i < 5; i++) {
                check_one(row, operands[i], operands[(n + i + 1100) % 5]);
                check_one(row, operands[i], (n + 1100) % 23 - 11);
            }
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
        {"sin", -0.0, -0.0},
        {"sin", 0x1p-1074, 0x1p-1074},
        {"sin", INFINITY, NAN},
        {"cos", -0.0, 1},
        {"cos", 0x1p-1074, 1},
        {"cos", -INFINITY, NAN},
        {"tan", -0.0, -0.0},
        {"tan", -0x1p-1074, -0x1p-1074},
        {"tan", INFINITY, NAN},
        {"atan", INFINITY, 0x1.921fb54442d18p0},
        {"atan", -0x1.fffffffffffffp1023, -0x1.921fb54442d18p0},
        {"atan", -0.0, -0.0},
        {"atan", 0x1p-1074, 0x1p-1074},
        {"asin", -1, -0x1.921fb54442d18p0},
        {"asin", 0x1.0000000000001p0, NAN},
        {"asin", -INFINITY, NAN},
        {"asin", -0.0, -0.0},
        {"asin", -0x1p-1074, -0x1p-1074},
        {"acos", 1, 0},
        {"acos", -1, 0x1.921fb54442d18p1},
        {"acos", -0.0, 0x1.921fb54442d18p0},
        {"acos", -2, NAN},
        {"acos", INFINITY, NAN},
        {"sinh", -0.0, -0.0},
        {"sinh", -0x1p-1074, -0x1p-1074},
        {"sinh", 0x1.633ce8fb9f87dp9, 0x1.ffffffffffd3bp1023},
        {"sinh", 0x1.633ce8fb9f87ep9, INFINITY},
        {"sinh", -INFINITY, -INFINITY},
        {"cosh", -0.0, 1},
        {"cosh", 0x1p-1074, 1},
        {"cosh", -0x1.633ce8fb9f87ep9, INFINITY},
        {"cosh", -INFINITY, INFINITY},
        {"tanh", -0.0, -0.0},
        {"tanh", 0x1p-1074, 0x1p-1074},
        {"tanh", -0x1.fffffffffffffp1023, -1},
        {"tanh", INFINITY, 1},
        {"asinh", -0.0, -0.0},
        {"asinh", -0x1p-1074, -0x1p-1074},
        {"asinh", -INFINITY, -INFINITY},
        {"asinh", 0x1.fffffffffffffp1023, 0x1.633ce8fb9f87ep9},
        {"acosh", 1, 0},
        {"acosh", 0x1.fffffffffffffp-1, NAN},
        {"acosh", -0.0, NAN},
        {"acosh", INFINITY, INFINITY},
        {"acosh", -INFINITY, NAN},
        {"acosh", 0x1.fffffffffffffp1023, 0x1.633ce8fb9f87ep9},
        {"atanh", -0.0, -0.0},
        {"atanh", 0x1p-1074, 0x1p-1074},
        {"atanh", -1, -INFINITY},
        {"atanh", 0x1.0000000000001p0, NAN},
        {"atanh", -INFINITY, NAN},
    };
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        for (int row = 0; row < ROWS; row++)
            if (strcmp(special[i].name, rows[row].name) == 0) {
                uint64_t want = special[i].y != special[i].y ? UINT64_C(0x7ff8000000000000)
                                                             : bits_of(special[i].y);
                assert_int_equal(bits_of(rows[row].det.unary(special[i].x)), want);
                assert_int_equal(bits_of(rows[row].cr.unary(special[i].x)), want);
            }
    for (int row = 0; row < ROWS; row++) {
        static const uint64_t nans[] = {UINT64_C(0x7ff0000000000001), UINT64_C(0xfff8000000000000),
                                        UINT64_C(0xffffffffffffffff)};
        for (int i = 0; i < 3; i++) {
            const double x[2] = {number(nans[i]), 2};
            assert_int_equal(bits_of(call(rows[row].det, x)), UINT64_C(0x7ff8000000000000));
            assert_int_equal(bits_of(call(rows[row].cr, x)), UINT64_C(0x7ff8000000000000));
        }
    }
}

enum { MOST = 300 };
static unsigned char in[2][8 * MOST + 16], out[8 * MOST + 16];

static double at(const unsigned char *array, size_t i) {
    double x;
    memcpy(&x, array + 8 * i, sizeof x);
    return x;
}

/* In place: the result is the array of that operand, 0 or 1; elsewhere -1. */
static void check_array(detmath_fill *fill, struct detmath_scalar_f64 scalar, size_t n,
                        size_t offset, int place) {
    const void *operands[2];
    for (size_t k = 0; k < 2; k++) {
        operands[k] = in[k] + offset;
        for (size_t i = 0; i < n; i++) {
            /* whole vectors that need no help, too */
            double x = n % 3 ? draw(i + k * random_bits(&seed) % 6) : 1 + draw(1) / 4;
            memcpy(in[k] + offset + 8 * i, &x, sizeof x);
        }
    }
    memset(out, 0xee, sizeof out);
    if (place >= 0) {
        memcpy(out + offset, in[place] + offset, 8 * n);
        operands[place] = out + offset;
    }
    fill((void *[]){out + offset}, operands, n);
    for (size_t i = 0; i < n; i++) {
        const double x[2] = {at(in[0] + offset, i), at(in[1] + offset, i)};
        assert_int_equal(bits_of(at(out + offset, i)), bits_of(call(scalar, x)));
    }
    for (size_t i = 0; i < sizeof out; i++)
        assert_true(out[i] == 0xee || (i >= offset && i < offset + 8 * n));
}

static const struct detmath_kernels_f64 *kernels_of(const struct detmath_level *level,
                                                    const char *name) {
    for (int i = 0; i < DETMATH_FUNCTIONS_F64; i++)
        if (strcmp(level->kernels_f64[i]->name, name) == 0)
            return level->kernels_f64[i];
    fail_msg("%s has no kernels", name);
    return NULL;
}

static void test_arrays_are_scalars(void **state) {
    (void)state;
    struct detmath_level level;
    for (int l = 0; detmath_level(l, &level); l++)
        for (int row = 0; level.kernels && row < ROWS; row++)
            for (size_t n = 0; n < 60; n++) {
                const struct detmath_kernels_f64 *kernels = kernels_of(&level, rows[row].name);
                size_t count = n < 20 ? n : random_bits(&seed) % MOST, offset = n % 3 ? n % 9 : 0;
                check_array(kernels->det, rows[row].det, count, offset, (int)(n % 3) - 1);
                check_array(kernels->cr, rows[row].cr, count, offset, (int)(n % 3) - 1);
                const double x[2] = {draw(n), draw(random_bits(&seed))};
                assert_int_equal(bits_of(call(kernels->det_scalar, x)),
                                 bits_of(call(rows[row].det, x)));
                assert_int_equal(bits_of(call(kernels->cr_scalar, x)),
                                 bits_of(call(rows[row].cr, x)));
            }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "all") == 0)
        draws *= 100;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_special_operands),
        cmocka_unit_test(test_whole_powers),
        cmocka_unit_test(test_hard_operands),
        cmocka_unit_test(test_operands_of_wrong_results_before),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_arrays_are_scalars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
