/* pow, powr, pown, rootn and compoundn in fp64 where f64_test does not look: the special cases of C and of IEEE 754, results that are numbers or middles
 * between two, those that are subnormal or overflow, and the last phase by itself. Results are MPFR's.
 *     power_f64_test [all]    all: a hundred times as many pairs */
#include "detmath/families_f64.h"

#include "f64.h"
#include "integer_powers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 55;
static size_t draws = 1000;

static const struct exact power = {.binary = mpfr_pow};

/* cr of both, and the last phase, which is asked for a positive x that is not 1. */
static void check(double x, double y) {
    double right = rounded(power, x, y);
    if (canonical_bits(detmath_cr_pow(x, y)) != canonical_bits(right))
        fail_msg("cr pow(%a, %a) = %a, want %a", x, y, detmath_cr_pow(x, y), right);
    if (error_in_ulps(power, x, y, detmath_pow(x, y), right) > 0.535)
        fail_msg("det pow(%a, %a) = %a, want %a", x, y, detmath_pow(x, y), right);
    if (!(x > 0))
        return;
    if (canonical_bits(detmath_cr_powr(x, y)) != canonical_bits(right))
        fail_msg("cr powr(%a, %a) = %a, want %a", x, y, detmath_cr_powr(x, y), right);
    double last = detmath_last_pow_of(x, y, y * detmath_cr_pow_f64_log2(x).high, 0, DETMATH_POW);
    if (canonical_bits(last) != canonical_bits(right))
        fail_msg("the last phase of pow(%a, %a) = %a, want %a", x, y, last, right);
}

static void test_special_cases(void **state) {
    (void)state;
    const double any[] = {NAN, INFINITY, 0,         1,        2,          3,
                          0.5, 1.5,      0x1p-1074, 0x1p1023, 0x1p53 + 2, 2.5};
    static const struct {
        double x, y, pow, powr;
    } cases[] = {
        {-1, INFINITY, 1, NAN},
        {-1, -INFINITY, 1, NAN},
        {1, INFINITY, 1, NAN},
        {-2, 3, -8, NAN},
        {-2, 2, 4, NAN},
        {-2, 0.5, NAN, NAN},
        {0, 0, 1, NAN},
        {-0.0, 0, 1, NAN},
        {INFINITY, 0, 1, NAN},
        {NAN, 0, 1, NAN},
        {1, NAN, 1, NAN},
        {0, -3, INFINITY, INFINITY},
        {-0.0, -3, -INFINITY, INFINITY},
        {-0.0, 3, -0.0, 0},
        {-0.0, 2.5, 0, 0},
        {-INFINITY, 3, -INFINITY, NAN},
        {-INFINITY, -3, -0.0, NAN},
        {-INFINITY, 0.5, INFINITY, NAN},
        {INFINITY, -0.5, 0, 0},
        {0.5, INFINITY, 0, 0},
        {0.5, -INFINITY, INFINITY, INFINITY},
        {3, 0, 1, 1},
        {-3, 0x1p53 + 2, INFINITY, NAN},
        {-3, 0x1p53 - 1, -INFINITY, NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(canonical_bits(detmath_pow(cases[i].x, cases[i].y)),
                         canonical_bits(cases[i].pow));
        assert_int_equal(canonical_bits(detmath_cr_pow(cases[i].x, cases[i].y)),
                         canonical_bits(cases[i].pow));
        assert_int_equal(canonical_bits(detmath_powr(cases[i].x, cases[i].y)),
                         canonical_bits(cases[i].powr));
        assert_int_equal(canonical_bits(detmath_cr_powr(cases[i].x, cases[i].y)),
                         canonical_bits(cases[i].powr));
    }
    for (size_t i = 0; i < 4 * sizeof any / sizeof *any; i++)
        for (size_t j = 0; j < 4 * sizeof any / sizeof *any; j++) {
            double x = any[i / 4], y = any[j / 4];
            x = i % 4 & 1 ? -x : x;
            y = j % 4 & 1 ? -y : y;
            x = i % 4 & 2 ? nextafter(x, 0) : x;
            y = j % 4 & 2 ? nextafter(y, 0) : y;
            assert_int_equal(canonical_bits(detmath_cr_pow(x, y)),
                             canonical_bits(rounded(power, x, y)));
        }
}

/* a^n for whole a and n, with roots of up to 2^5 and powers of two beside: numbers of 53 bits, and of 54, which are middles; and
 * the operands next to these. */
static void test_exact_results(void **state) {
    (void)state;
    size_t middles = 0, numbers = 0;
    for (size_t i = 0; i < 20 * draws; i++) {
        uint64_t random = random_bits(&seed);
        int n = 1 + (int)(random % 35), roots = (int)(random >> 8) % 6,
            e = (int)(random >> 16 & 127);
        double most = exp2(54.0 / (n > 1 << roots ? n : 1 << roots));
        double a = floor(most * (double)(random >> 40) * 0x1p-24), x = a;
        for (int root = 0; root < roots; root++)
            x *= x;
        x = ldexp(x, (e - 64) * (i % 2 ? 1 << roots : 1));
        double y = ldexp(n, -roots);
        if (a < 2 || !isfinite(x) || x == 0)
            continue;
        check(x, y);
        check(nextafter(x, 0), y);
        check(x, nextafter(y, 1000));
        mpfr_t whole;
        mpfr_init2(whole, 54);
        mpfr_set_d(whole, a, MPFR_RNDN);
        bool exact = mpfr_pow_ui(whole, whole, (unsigned long)n, MPFR_RNDN) == 0;
        numbers += exact;
        middles += exact && mpfr_min_prec(whole) == 54;
        mpfr_clear(whole);
    }
    assert_true(middles > draws / 100 && numbers > draws);
}

/* Powers of two, whole and halved, down to below the least number. */
static void test_powers_of_two(void **state) {
    (void)state;
    for (int e = -1074; e < 1024; e += 7)
        for (int n = -40; n <= 40; n++) {
            check(ldexp(1, e), n);
            check(ldexp(1, e), n / 8.0);
        }
    for (int n = -1080; n < 1030; n++)
        check(2, n);
    assert_true(detmath_cr_pow(2, -1075) == 0 && detmath_cr_pow(0.5, 1074) == 0x1p-1074);
}

/* Middles between subnormal numbers, among others. */
static void test_subnormal_results(void **state) {
    (void)state;
    for (size_t i = 0; i < draws; i++) {
        uint64_t random = random_bits(&seed);
        double odd = (double)(random >> 40 | 1);
        check(ldexp(odd, -540 + (int)(random & 31)), 2);
        check(ldexp((double)(random >> 48 | 1), -360 + (int)(random & 15)), 3);
        double x = ldexp(1 + (double)(random >> 12) * 0x1p-52, (int)(random & 255) - 300);
        check(x, -(1010 + (double)(random >> 20 & 127)) / fabs(log2(x)) * (x < 1 ? -1 : 1));
        check(ldexp((double)(random >> 30), -1074), (double)(random & 7) / 4 - 0.9);
    }
}

static void test_any_results(void **state) {
    (void)state;
    for (size_t i = 0; i < draws; i++) {
        double unit = random_unit(&seed), other = 2 * random_unit(&seed) - 1;
        double x = i % 2 ? ldexp(1 + unit, (int)(random_bits(&seed) % 2046) - 1022)
                         : 1 + ldexp(unit - 0.5, -(int)(random_bits(&seed) % 52));
        if (x == 1)
            continue;
        check(x, other * 1080 / log2(x));
        x = 1 + (unit - 0.5) / 16; /* where the logarithm has its largest rest */
        check(x, (1 + other) * 1020 / log2(x));
        check(x, ldexp(other, -(int)(random_bits(&seed) % 70)) / log2(x));
    }
}

/* pown, rootn and compoundn. */
static const struct {
    double (*det)(double, double), (*cr)(double, double);
    int (*mpfr)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
    enum detmath_pow_kind kind;
} integer[] = {
    {detmath_pown, detmath_cr_pown, mpfr_pown, DETMATH_POW},
    {detmath_rootn, detmath_cr_rootn, mpfr_rootn, DETMATH_ROOT},
    {detmath_compoundn, detmath_cr_compoundn, mpfr_compoundn, DETMATH_COMPOUND},
};

/* cr, and the last phase by itself where x and the result are not 0 and finite. */
static double check_integer(int row, double x, double n) {
    mpfr_t operands[2], result;
    mpfr_inits2(53, operands[0], operands[1], result, (mpfr_ptr)0);
    mpfr_set_d(operands[0], x, MPFR_RNDN);
    mpfr_set_d(operands[1], n, MPFR_RNDN);
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    int inexact = integer[row].mpfr(result, operands[0], operands[1], MPFR_RNDN);
    mpfr_subnormalize(result, inexact, MPFR_RNDN);
    double right = mpfr_get_d(result, MPFR_RNDN);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_clears(operands[0], operands[1], result, (mpfr_ptr)0);
    if (canonical_bits(integer[row].cr(x, n)) != canonical_bits(right))
        fail_msg("cr %d(%a, %a) = %a, want %a", row, x, n, integer[row].cr(x, n), right);
    if (!isfinite(x) || x == 0 || n == 0 || !isfinite(right) || right == 0)
        return right;
    double a = row == 2 ? x : fabs(x), logarithm = log2(row == 2 ? 1 + x : a);
    if (row == 2 && fabs(x) < 0.5)
        logarithm = log1p(x) / log(2);
    else if (row != 2 && fabs(a - 1) < 0.5)
        logarithm = log1p(a - 1) / log(2);
    double last = detmath_last_pow_of(a, n, row == 1 ? logarithm / n : logarithm * n,
                                      fabs(integer[row].det(x, n)), integer[row].kind);
    if (canonical_bits(last) != canonical_bits(fabs(right)))
        fail_msg("the last phase of %d(%a, %a) = %a, want %a", row, x, n, last, right);
    return right;
}

static void test_integer_special_cases(void **state) {
    (void)state;
    static const double any[] = {
        NAN, INFINITY, 0,    1,   2,         3,        8,
        16,  0.5,      0.25, 2.5, 0x1p-1074, 0x1p1023, 0x1.fffffffffffffp1023};
    static const double orders[] = {NAN, INFINITY,   0,          1,      2,      3,      4,
                                    1.5, 0x1p52 + 1, 0x1p53 + 2, 0x1p62, 0x1p63, 0x1p64, 0x1p-1074};
    enum { ANY = sizeof any / sizeof *any, ORDERS = sizeof orders / sizeof *orders };
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < 2 * ANY; i++)
            for (int j = 0; j < 2 * ORDERS; j++) {
                double x = i % 2 ? -any[i / 2] : any[i / 2],
                       n = j % 2 ? -orders[j / 2] : orders[j / 2];
                double right = check_integer(row, x, n), det = integer[row].det(x, n);
                if (right != right || isinf(right) || right == 0 || right == 1)
                    assert_int_equal(canonical_bits(det), canonical_bits(right));
            }
    assert_int_equal(canonical_bits(detmath_rootn(-8, 3)), canonical_bits(-2));
    assert_int_equal(canonical_bits(detmath_cr_rootn(-0.0, -3)), canonical_bits(-INFINITY));
    assert_int_equal(canonical_bits(detmath_cr_rootn(NAN, 0)), canonical_bits(NAN));
    assert_int_equal(canonical_bits(detmath_cr_pown(NAN, 0)), canonical_bits(1));
    assert_int_equal(canonical_bits(detmath_cr_pown(1, 0x1p63)), canonical_bits(NAN));
    assert_int_equal(canonical_bits(detmath_cr_pown(1, -0x1p63)), canonical_bits(1));
    assert_int_equal(canonical_bits(detmath_cr_compoundn(-1, -3)), canonical_bits(INFINITY));
    assert_int_equal(canonical_bits(detmath_cr_compoundn(NAN, 0)), canonical_bits(1));
    assert_int_equal(canonical_bits(detmath_cr_compoundn(-2, 0)), canonical_bits(NAN));
}

/* Powers of whole numbers, and roots of these, which are numbers or, of powers, middles between two; and operands next to them.
 * (1 + x)^n of small numbers, next to middles that n x is. */
static void test_integer_exact_results(void **state) {
    (void)state;
    for (size_t i = 0; i < 4 * draws; i++) {
        uint64_t random = random_bits(&seed);
        int n = 1 + (int)(random % 33), e = (int)(random >> 16 % 40) % 30;
        double a = floor(exp2(54.0 / n) * (double)(random >> 40) * 0x1p-24) + 1, x = 1;
        for (int k = 0; k < n; k++)
            x *= a;
        double sign = random & 64 ? -1 : 1, scale = random & 128 ? 1 : -1;
        x = ldexp(x < 0x1p53 ? x : 1, n * (e - 15));
        const double beside[] = {a, nextafter(a, 0), nextafter(a, INFINITY)};
        for (int k = 0; k < 3; k++) {
            check_integer(0, sign * ldexp(beside[k], e - 15), scale * n);
            check_integer(2, beside[k] - 1, scale * n);
            check_integer(2, ldexp(beside[k], e - 60), scale * n);
        }
        check_integer(1, n % 2 ? sign * x : x, scale * n);
        check_integer(1, nextafter(x, 0), scale * n);
        check_integer(1, nextafter(x, INFINITY), scale * n);
        double tiny = ldexp((double)(random >> 50 | 1), -53);
        check_integer(2, sign * tiny / ldexp(1, e), ldexp(scale, e));
        check_integer(1, 1 + sign * tiny, ldexp(scale, e));
    }
}

static void test_integer_any_results(void **state) {
    (void)state;
    for (size_t i = 0; i < draws; i++) {
        uint64_t random = random_bits(&seed);
        double unit = (double)(random >> 11) * 0x1p-53, x = ldexp(unit - 0.5, -(int)(random & 63));
        double n = rint(ldexp(unit, (int)(random >> 6 & 63) % 63 + 1));
        check_integer(0, 1 + x, n);
        check_integer(0, -1 - x, -n);
        check_integer(1, ldexp(1 + unit, (int)(random >> 12 & 1023) - 512), i % 2 ? n : -n);
        check_integer(1, 1 + x, i % 2 ? n : -n);
        check_integer(2, x, i % 2 ? n : -n);
        check_integer(2, ldexp(unit, (int)(random & 1023)), (double)(random >> 12 & 7) - 3);
        if (x != 0 && fabs(1000 / x) < 0x1p62)
            check_integer(2, x, rint(unit * 1000 / x));
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "all") == 0)
        draws *= 100;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_special_cases),         cmocka_unit_test(test_exact_results),
        cmocka_unit_test(test_powers_of_two),         cmocka_unit_test(test_subnormal_results),
        cmocka_unit_test(test_any_results),           cmocka_unit_test(test_integer_special_cases),
        cmocka_unit_test(test_integer_exact_results), cmocka_unit_test(test_integer_any_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
