/* By which of their ways logarithms of sums are found (log_sums.h): that none of the data they are
 * made for sends whole lines the slow way, by counts and not by time; and the bounds that these
 * ways rest on, against MPFR. */
#include "detmath/arrays.h"
#include "detmath/log_sums_lines.h"
#include "detmath/random.h"

#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ELEMENTS = 20000, BLOCKS = (ELEMENTS + DETMATH_LOG_BLOCK - 1) / DETMATH_LOG_BLOCK };

static double x64[ELEMENTS], y64[ELEMENTS];
static float x32[ELEMENTS], y32[ELEMENTS];

static double unit(uint64_t seed, size_t i) {
    return (double)(detmath_random(seed, i) >> 11) * 0x1p-53;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int descending(const void *a, const void *b) {
    return ascending(b, a);
}

/* Families of data. What is normalised is less the logarithm of its sum, in fp64. */
static const struct family {
    const char *name;
    int normalised;
    int (*sorted)(const void *, const void *);
    /* At most so many blocks by pairs in fp32 (in fp64 it is all), and results left to the third
     * way, in each format. */
    uint64_t blocks, asked32, asked64;
} families[] = {{"normal", 0, NULL, 3, 0, 0},
                {"log-softmaxed", 1, NULL, 3, 1, 2},
                {"sure", 1, NULL, 3, 1, 3},
                {"sorted up", 0, ascending, 3, 0, 0},
                {"sorted down", 0, descending, 3, 0, 0},
                {"log-softmaxed, sorted up", 1, ascending, 3, 1, 2},
                {"log-softmaxed, sorted down", 1, descending, 3, 1, 2},
                {"constant", 0, NULL, 3, 0, 0},
                {"constant, of sum 1", 1, NULL, 3, 1, 2},
                {"near 1 from the second on", 0, NULL, BLOCKS, 0, 1},
                {"steps of e^500", 0, NULL, 3, 0, 0}};
enum { FAMILIES = sizeof families / sizeof *families };

static double element(int family, size_t i) {
    double normal = 2 * (unit(1, i) + unit(2, i) + unit(3, i) + unit(4, i)) - 4;
    switch (family) {
    case 2:
        return i == ELEMENTS / 3 ? 40 : 8 * normal;
    case 7:
    case 8:
        return 0.3;
    case 9:
        return i == 0 ? -0.5 : i == 1 ? -0.932752129567188 : -30 - 40 * unit(1, i);
    case 10:
        return 500.0 * (double)i;
    default:
        return normal;
    }
}

static void draw(int family) {
    double sum = 0;
    for (size_t i = 0; i < ELEMENTS; i++)
        x64[i] = element(family, i);
    for (size_t i = 0; i < ELEMENTS; i++)
        sum += exp(x64[i]);
    for (size_t i = 0; i < ELEMENTS && families[family].normalised; i++)
        x64[i] -= log(sum);
    if (families[family].sorted)
        qsort(x64, ELEMENTS, sizeof *x64, families[family].sorted);
    for (size_t i = 0; i < ELEMENTS; i++)
        x32[i] = (float)x64[i];
}

/* Of every family at most a few elements leave the vectors, and none asks for integers of many
 * words. */
static void test_few_elements_leave_the_blocks(void **state) {
    (void)state;
    for (int family = 0; family < FAMILIES; family++) {
        const struct family *row = &families[family];
        draw(family);
        for (int precise = 0; precise < 2; precise++) {
            struct detmath_log_needs none = detmath_log_needs_none(), done;
            struct detmath_line x = precise ? detmath_line_of(x64) : detmath_line_off(x32);
            struct detmath_line_out y = precise ? detmath_line_to(y64) : detmath_line_tof(y32);
            done = detmath_logcumsumexp_pass(&y, &x, ELEMENTS, 0, &none);
            if (done.blocks > (precise ? BLOCKS : row->blocks) + done.asked ||
                done.asked > (precise ? row->asked64 : row->asked32) || done.exact)
                fail_msg("%s in fp%d: %d blocks by pairs, %d results left to the third way, of "
                         "which %d to the fourth",
                         row->name, precise ? 64 : 32, (int)done.blocks, (int)done.asked,
                         (int)done.exact);
        }
    }
}

static const int draws = 20000;

/* 2^of the error of `got`, of exact, in units of 2^-scale. */
static double error_of(mpfr_t got, mpfr_t exact) {
    mpfr_sub(got, got, exact, MPFR_RNDN);
    return fabs(mpfr_get_d(got, MPFR_RNDN));
}

/* twofold_power.h: within 2^-88 of itself, and e^x - 1 of a small x within 2^-79. */
static void test_powers_by_rows(void **state) {
    mpfr_t exact, got;
    (void)state;
    mpfr_inits2(300, exact, got, (mpfr_ptr)0);
    for (size_t i = 0; i < (size_t)draws; i++) {
        static const double reach[] = {-700, -40, 0.02, 0x1p-30};
        double x = reach[i % 4] * (unit(5, i) - (i % 4 > 1 ? 0.5 : 0));
        double low = x * 0x1p-53 * (unit(6, i) - 0.5), power;
        detmath_u64 code;
        struct detmath_twofold e = detmath_twofold_by_rows(x, low, &power);
        struct detmath_twofold p = detmath_twofold_rest(x, low, &code);
        mpfr_set_d(exact, x, MPFR_RNDN);
        mpfr_add_d(exact, exact, low, MPFR_RNDN);
        if (code == DETMATH_POWER_OF_NONE && x != 0) {
            mpfr_t rest;
            mpfr_init2(rest, 300);
            mpfr_expm1(rest, exact, MPFR_RNDN);
            mpfr_set_d(got, p.high, MPFR_RNDN);
            mpfr_add_d(got, got, p.low, MPFR_RNDN);
            assert_true(error_of(got, rest) <= fabs(mpfr_get_d(rest, MPFR_RNDN)) * 0x1p-79);
            mpfr_clear(rest);
        }
        mpfr_exp(exact, exact, MPFR_RNDN);
        mpfr_div_d(exact, exact, power, MPFR_RNDN);
        mpfr_set_d(got, e.high, MPFR_RNDN);
        mpfr_add_d(got, got, e.low, MPFR_RNDN);
        assert_true(error_of(got, exact) <= e.high * 0x1p-88);
    }
    mpfr_clears(exact, got, (mpfr_ptr)0);
}

/* long_fixed.h: e^-w within 2^23 units. */
static void test_powers_in_fixed_point(void **state) {
    static struct detmath_long_fixed_table table;
    mpfr_t exact, got, word;
    (void)state;
    mpfr_inits2(400, exact, got, word, (mpfr_ptr)0);
    detmath_long_fixed_make(&table);
    for (size_t i = 0; i < (size_t)draws; i++) {
        struct detmath_long_fixed w = {{detmath_random(7, i), detmath_random(8, i),
                                        detmath_random(9, i),
                                        i % 3 ? detmath_random(10, i) % 135 : 0}};
        w.word[2] >>= i % 5 ? 0 : detmath_random(11, i) % 64;
        struct detmath_fraction e = detmath_long_fixed_exp(&table, &w);
        mpfr_set_zero(exact, 1);
        mpfr_set_zero(got, 1);
        for (int j = 3; j >= 0; j--) {
            mpfr_set_uj(word, w.word[j], MPFR_RNDN);
            mpfr_mul_2si(word, word, 64 * j - 192, MPFR_RNDN);
            mpfr_sub(exact, exact, word, MPFR_RNDN);
            mpfr_set_uj(word, j < 3 ? e.word[j] : 0, MPFR_RNDN);
            mpfr_mul_2si(word, word, 64 * j, MPFR_RNDN);
            mpfr_add(got, got, word, MPFR_RNDN);
        }
        mpfr_exp(exact, exact, MPFR_RNDN);
        mpfr_mul_2si(exact, exact, 192, MPFR_RNDN);
        assert_true(error_of(got, exact) <= 0x1p23);
    }
    mpfr_clears(exact, got, word, (mpfr_ptr)0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_few_elements_leave_the_blocks),
                                       cmocka_unit_test(test_powers_by_rows),
                                       cmocka_unit_test(test_powers_in_fixed_point)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
