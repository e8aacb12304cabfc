/* atan2 and atan2pi in fp64 where f64_test does not look: the special cases of C's Annex F, operands far apart and far out, results that
 * are subnormal, and quotients that are middles between two numbers. Results are MPFR's.
 *     atan2_f64_test [all]    all: a hundred times as many pairs */
#include "detmath/families_f64.h"
#include "detmath/library/kernels_f64.h"

#include "f64.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 2;
static size_t draws = 2000;

static const struct {
    const char *name;
    struct detmath_scalar_f64 det, cr, last;
    struct exact exact;
} rows[] = {
    {"atan2",
     {.binary = detmath_atan2},
     {.binary = detmath_cr_atan2},
     {.binary = detmath_atan2_f64_last},
     {.binary = mpfr_atan2}},
    {"atan2pi",
     {.binary = detmath_atan2pi},
     {.binary = detmath_cr_atan2pi},
     {.binary = detmath_atan2pi_f64_last},
     {.binary = mpfr_atan2pi}},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* In all quadrants: cr, the last phase, and det, which is one of the two next to the result and has its bits if `exact`. */
static void check(double y, double x, int exact) {
    for (int way = 0; way < 4 * ROWS; way++) {
        const int row = way >> 2;
        double a = way & 1 ? -y : y, b = way & 2 ? -x : x, right = rounded(rows[row].exact, a, b);
        double got = rows[row].cr.binary(a, b), det = rows[row].det.binary(a, b);
        uint64_t want = canonical_bits(right);
        if (canonical_bits(got) != want)
            fail_msg("cr %s(%a, %a) = %a, want %a", rows[row].name, a, b, got, right);
        if (canonical_bits(rows[row].last.binary(a, b)) != want)
            fail_msg("the last phase of %s(%a, %a) is not %a", rows[row].name, a, b, right);
        if (exact ? canonical_bits(det) != want : canonical_bits(det) - want + 1 > 2)
            fail_msg("det %s(%a, %a) = %a, want %a", rows[row].name, a, b, det, right);
    }
}

static void test_annex_f(void **state) {
    (void)state;
    const double half = 0x1.921fb54442d18p0, whole = 2 * half;
    const struct {
        double y, x, angle, half_turns;
    } cases[] = {
        {0, 1, 0, 0},
        {0, -1, whole, 1},
        {0, 0.0, 0, 0},
        {0, -0.0, whole, 1},
        {1, 0, half, 0.5},
        {1, -0.0, half, 0.5},
        {0, INFINITY, 0, 0},
        {0, -INFINITY, whole, 1},
        {1, INFINITY, 0, 0},
        {1, -INFINITY, whole, 1},
        {INFINITY, 1, half, 0.5},
        {INFINITY, -1, half, 0.5},
        {INFINITY, 0, half, 0.5},
        {1, 1, half / 2, 0.25},
        {INFINITY, INFINITY, half / 2, 0.25},
        {INFINITY, -INFINITY, 0x1.2d97c7f3321d2p1, 0.75},
        {NAN, 1, NAN, NAN},
        {0, NAN, NAN, NAN},
        {INFINITY, NAN, NAN, NAN},
        {NAN, NAN, NAN, NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int way = 0; way < 2 * ROWS; way++) {
            const int row = way >> 1;
            double sign = way & 1 ? -1 : 1, y = sign * cases[i].y;
            uint64_t want = canonical_bits(sign * (row ? cases[i].half_turns : cases[i].angle));
            assert_int_equal(canonical_bits(rows[row].det.binary(y, cases[i].x)), want);
            assert_int_equal(canonical_bits(rows[row].cr.binary(y, cases[i].x)), want);
        }
}

/* The smallest and largest numbers, and those next to where another way is taken. */
static void test_far_apart(void **state) {
    (void)state;
    const double edges[] = {0x1p-1074,
                            0x1.8p-1072,
                            0x1p-1022,
                            0x1.fffffffffffffp-401,
                            0x1p-400,
                            0x1p-64,
                            0x1p-63,
                            0x1.fffffffffffffp-66,
                            1,
                            0x1.8p0,
                            0x1p64,
                            0x1p65,
                            0x1.fffffffffffffp399,
                            0x1p400,
                            0x1p1022,
                            0x1.fffffffffffffp1023};
    enum { EDGES = sizeof edges / sizeof *edges };
    for (int i = 0; i < EDGES; i++)
        for (int j = 0; j < EDGES; j++)
            check(edges[i], edges[j], 0);
}

/* y/x is a multiple of 2^-1074, or a middle between two, which the angle is just below. */
static void test_subnormal_results(void **state) {
    (void)state;
    for (size_t i = 0; i < draws; i++) {
        uint64_t bits = random_bits(&seed);
        double y = ldexp((double)(bits & 0xfffff), -1074), x = 1 + (double)(bits >> 58);
        check(y, x, 1);
        check(y * 3, 6, 1);
        check(ldexp(y, 30), ldexp(x, 30), 1);
        check(ldexp(1 + (double)(bits >> 20), -1060), 1 + (double)(bits >> 40), 1);
    }
    assert_true(detmath_cr_atan2(0x1p-1074, 2) == 0 && detmath_atan2(0x1p-1074, 2) == 0);
    assert_true(detmath_cr_atan2(0x1.8p-1073, 2) == 0x1p-1074);
}

static void test_quotients(void **state) {
    (void)state;
    for (size_t i = 0; i < draws; i++) {
        uint64_t bits = random_bits(&seed);
        double y = random_significand(&seed);
        double x = random_significand(&seed);
        int apart = (int)(bits % 140) - 70;
        check(ldexp(y, (int)(bits >> 55) - 256), ldexp(x, (int)(bits >> 55) - 256 + apart), 0);
        check(x * 0x1p-70, 1, 0); /* an angle that is its tangent, rounded */
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "all") == 0)
        draws *= 100;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_annex_f),
        cmocka_unit_test(test_far_apart),
        cmocka_unit_test(test_subnormal_results),
        cmocka_unit_test(test_quotients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
