/* sqrt, recip, cbrt, rsqrt and hypot in fp64 where f64_test does not look: the special cases of C's Annex F, results that are numbers or
 * middles between two, subnormal numbers, and operands far apart and far out. Results are MPFR's.
 *     root_f64_test [all]    all: a hundred times as many operands */
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

static uint64_t seed = 3;
static size_t draws = 2000;

enum root { SQRT, RECIP, CBRT, RSQRT, HYPOT };
static const struct {
    const char *name;
    struct detmath_scalar_f64 det, cr, last;
    struct exact exact;
} roots[] = {
#define ROW(NAME, KIND)                                                                            \
    {                                                                                              \
#NAME, {.KIND = detmath_##NAME },                                                          \
                {.KIND = detmath_cr_##NAME }, {.KIND = detmath_##NAME##_f64_last }, {              \
            .KIND = mpfr_##NAME                                                                    \
        }                                                                                          \
    }
    [SQRT] = ROW(sqrt, unary),   [RECIP] = ROW(recip, unary),  [CBRT] = ROW(cbrt, unary),
    [RSQRT] = ROW(rsqrt, unary), [HYPOT] = ROW(hypot, binary),
};

static double call(struct detmath_scalar_f64 function, double x, double y) {
    return function.binary ? function.binary(x, y) : function.unary(x);
}

/* cr, the last phase, and det, which is one of the two next to the result and has its bits if `exact`. */
static void check(enum root root, double x, double y, int exact) {
    const double right = rounded(roots[root].exact, x, y);
    const double got[3] = {call(roots[root].cr, x, y), call(roots[root].last, x, y),
                           call(roots[root].det, x, y)};
    const uint64_t want = canonical_bits(right), det = canonical_bits(got[2]);
    if (canonical_bits(got[0]) != want || canonical_bits(got[1]) != want)
        fail_msg("%s(%a, %a): cr %a, last phase %a, want %a", roots[root].name, x, y, got[0],
                 got[1], right);
    if (exact ? det != want : det - want + 1 > 2)
        fail_msg("%s(%a, %a): det %a, want %a", roots[root].name, x, y, got[2], right);
}

/* rsqrt, and sqrt and recip, in which det is cr. */
static void check_ones(double x) {
    check(RSQRT, x, 0, 0);
    check(SQRT, x, 0, 1);
    check(RECIP, x, 0, 1);
    check(RECIP, -x, 0, 1);
}

static void test_annex_f(void **state) {
    (void)state;
    const struct {
        double x, y, root;
    } rows[] = {
        {INFINITY, 1, INFINITY}, {INFINITY, NAN, INFINITY}, {NAN, 1, NAN},
        {NAN, NAN, NAN},         {INFINITY, 0, INFINITY},   {0, 0, 0},
        {0, NAN, NAN},           {0x1p-1074, 0, 0x1p-1074}, {INFINITY, INFINITY, INFINITY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int way = 0; way < 8; way++) {
            double x = way & 1 ? -rows[i].x : rows[i].x, y = way & 2 ? -rows[i].y : rows[i].y;
            double a = way & 4 ? y : x, b = way & 4 ? x : y;
            assert_int_equal(canonical_bits(detmath_hypot(a, b)), canonical_bits(rows[i].root));
            assert_int_equal(canonical_bits(detmath_cr_hypot(a, b)), canonical_bits(rows[i].root));
        }
    const double signals = from_bits(UINT64_C(0x7ff0000000000001));
    assert_true(isnan(detmath_hypot(INFINITY, signals)) &&
                isnan(detmath_cr_hypot(signals, INFINITY)));
    const double ones[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -1, -0x1p-1074};
    const double wanted[][sizeof ones / sizeof *ones] = {
        [SQRT] = {0.0, -0.0, INFINITY, NAN, NAN, NAN, NAN},
        [RECIP] = {INFINITY, -INFINITY, 0.0, -0.0, NAN, -1, -INFINITY},
        [CBRT] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -1, -0x1p-358},
        [RSQRT] = {INFINITY, -INFINITY, 0, NAN, NAN, NAN, NAN},
    };
    for (size_t root = 0; root < sizeof wanted / sizeof *wanted; root++)
        for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
            uint64_t want = canonical_bits(wanted[root][i]);
            assert_int_equal(canonical_bits(roots[root].det.unary(ones[i])), want);
            assert_int_equal(canonical_bits(roots[root].cr.unary(ones[i])), want);
        }
}

/* Cubes, powers of four, and triples (p^2 - q^2, 2 p q, p^2 + q^2): the last has 53 bits or fewer, or 54, a middle. */
static void test_exact_results(void **state) {
    (void)state;
    for (size_t i = 0; i < draws; i++) {
        const uint64_t bits = random_bits(&seed);
        const double root = (double)(bits >> 47);
        const int exponent = (int)(bits % 300) - 150;
        check(CBRT, ldexp(bits & 1 ? -root * root * root : root * root * root, 3 * exponent), 0, 1);
        uint64_t p = bits >> (37 + bits % 16), q = random_bits(&seed) >> (37 + bits / 16 % 16);
        if (p < q) {
            const uint64_t larger = q;
            q = p;
            p = larger;
        }
        const uint64_t legs[2] = {p * p - q * q, 2 * p * q};
        if (legs[0] >> 53 || legs[1] >> 53)
            continue;
        const double x = (double)legs[0], y = (double)legs[1];
        check(HYPOT, x, y, (p * p + q * q) >> 53 == 0);
        check(HYPOT, ldexp(y, 7 * exponent - 70), ldexp(-x, 7 * exponent - 70), 0);
    }
    for (int n = -537; n < 512; n++)
        for (int root = SQRT; root < HYPOT; root++)
            check((enum root)root, ldexp(1, 2 * n), 0, root != CBRT);
    assert_true(detmath_cr_hypot(3, -4) == 5 && detmath_hypot(0x3p-1074, 0x4p-1074) == 0x5p-1074);
}

/* Middles: triples with an odd hypotenuse of 54 bits, of p and q of 27 bits. */
static void test_middles(void **state) {
    (void)state;
    size_t middles = 0;
    for (size_t i = 0; i < 20 * draws; i++) {
        const uint64_t bits = random_bits(&seed);
        const uint64_t p = UINT64_C(94906266) + (bits >> 40) % 30000000,
                       q = bits % (p / 2) | (~p & 1);
        const uint64_t legs[2] = {p * p - q * q, 2 * p * q}, sum = p * p + q * q;
        if (legs[0] >> 53 || legs[1] >> 53 || !(sum >> 53) || sum >> 54 || !(sum & 1))
            continue;
        middles++;
        check(HYPOT, (double)legs[0], (double)legs[1], 0);
        check(HYPOT, ldexp((double)legs[1], (int)(bits % 900) - 1000),
              ldexp((double)legs[0], (int)(bits % 900) - 1000), 0);
    }
    assert_true(middles > draws / 20);
}

static void test_subnormal_operands(void **state) {
    (void)state;
    for (size_t i = 0; i < draws; i++) {
        const uint64_t bits = random_bits(&seed);
        const double x = from_bits(bits >> (12 + (i & 31))),
                     y = from_bits(random_bits(&seed) >> (12 + (i >> 5 & 31)));
        check(CBRT, bits & 1 ? -x : x, 0, 0);
        if (x > 0)
            check_ones(x);
        check(HYPOT, x, y, x < 0x1p-1023 && y < 0x1p-1023);
        check(HYPOT, ldexp(1 + (double)(bits & 0xffff), -1030 + (int)(bits >> 57)), y, 0);
    }
}

static void test_far_out(void **state) {
    (void)state;
    const double edges[] = {0x1p-1074,
                            0x1.fffffffffffffp-1023,
                            0x1p-1022,
                            0x1.fffffffffffffp-901,
                            0x1p-900,
                            0x1.fffffffffffffp-401,
                            0x1p-400,
                            0x1.fffffffffffffp-28,
                            0x1p-27,
                            0x1.0000000000001p-27,
                            0x1.fffffffffffffp-27,
                            0x1p-26,
                            1,
                            0x1.8p0,
                            0x1.fffffffffffffp499,
                            0x1p500,
                            0x1.fffffffffffffp999,
                            0x1p1000,
                            0x1.fffffffffffffp1019,
                            0x1p1020,
                            0x1.fffffffffffffp1020,
                            0x1p1021,
                            0x1.fffffffffffffp1021,
                            0x1p1022,
                            0x1.6a09e667f3bccp1023,
                            0x1.6a09e667f3bcdp1023,
                            0x1.fffffffffffffp1023};
    enum { EDGES = sizeof edges / sizeof *edges };
    for (int i = 0; i < EDGES; i++) {
        check(CBRT, edges[i], 0, 0);
        check_ones(edges[i]);
        for (int j = 0; j < EDGES; j++)
            check(HYPOT, edges[i], edges[j], 0);
    }
    for (size_t i = 0; i < draws; i++) {
        const uint64_t bits = random_bits(&seed);
        const double x = ldexp(random_significand(&seed), (int)(bits % 2046) - 1022);
        check(HYPOT, x,
              ldexp(1 + (double)(bits >> 12) * 0x1p-52, ilogb(x) - 29 + (int)(bits >> 5 & 31)), 0);
        check(CBRT, x, 0, 0);
        check_ones(x);
        check(RECIP, ldexp(x, 1022 - ilogb(x) + (int)(bits & 1)), 0, 1);
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "all") == 0)
        draws *= 100;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_annex_f), cmocka_unit_test(test_exact_results),
        cmocka_unit_test(test_middles), cmocka_unit_test(test_subnormal_operands),
        cmocka_unit_test(test_far_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
