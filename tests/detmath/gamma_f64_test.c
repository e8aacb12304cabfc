/* tgamma and lgamma of fp64 where f64_test.c seldom gets: next to the zeros that lgamma has left of 0 and next to tgamma's poles,
 * the last phase where the quick phase would do, factorials, and what the quick phase says of its own error. All against MPFR.
 *     gamma_f64_test [all]    all: a hundred times as many operands */
#include "detmath/log_gamma_f64.h"

#include "../base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

static uint64_t seed = 171;
static int draws = 1000;
static mpfr_t operand, result, exact;

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* From -1 to 1. */
static double draw(void) {
    return (double)(random_bits(&seed) >> 10) * 0x1p-53 - 1;
}

static int tgamma_of(mpfr_t y, const mpfr_t x) {
    return mpfr_gamma(y, x, MPFR_RNDN);
}
static int lgamma_of(mpfr_t y, const mpfr_t x) {
    int sign;
    return mpfr_lgamma(y, &sign, x, MPFR_RNDN);
}
typedef int function(mpfr_t y, const mpfr_t x);

/* The result rounded to nearest-even, once. */
static double rounded(function *of, double x) {
    mpfr_set_d(operand, x, MPFR_RNDN);
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    mpfr_subnormalize(result, of(result, operand), MPFR_RNDN);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    return mpfr_get_d(result, MPFR_RNDN);
}

static void check(const char *name, double x, double y, double want) {
    if (bits_of(y) != bits_of(want))
        fail_msg("%s(%a) = %a, want %a", name, x, y, want);
}

/* Numbers next to each zero, and farther and farther from it. */
static void test_zeros(void **state) {
    (void)state;
    for (int zero = 0; zero < DETMATH_LOG_GAMMA_F64_ROWS; zero++)
        for (int i = 0; i < draws / 10; i++) {
            const double *row = &detmath_log_gamma_f64_rows[DETMATH_LOG_GAMMA_F64_COLUMNS * zero];
            double x = row[0] + ldexp(2 * draw() * row[23], -(i % 30) / 2);
            if (i < 9)
                x = row[0] + (i - 4) * (nextafter(row[0], 0) - row[0]);
            double want = rounded(lgamma_of, x);
            check("cr lgamma", x, detmath_cr_lgamma(x), want);
            mpfr_set_d(operand, x, MPFR_RNDN);
            lgamma_of(exact, operand);
            mpfr_sub_d(exact, exact, detmath_lgamma(x), MPFR_RNDN);
            assert_true(fabs(mpfr_get_d(exact, MPFR_RNDN)) <= 0.51 * ldexp(1, ilogb(want) - 52));
        }
}

/* Operands of every size, either side of 0, and next to poles. */
static double any(int i) {
    double x = i % 4 == 0 ? 184 * draw() : ldexp(draw(), (i / 4) % 170 - 110);
    if (i % 4 == 1)
        x = rint(184 * draw()) + ldexp(draw(), -(i / 4) % 50);
    return i % 4 == 2 ? 12 * draw() : x;
}

static void test_last_phase(void **state) {
    (void)state;
    for (int i = 0; i < draws; i++) {
        double x = any(i), a = fabs(x);
        if (a < 0x1p-108 || x <= -0x1p52 || (x <= 2 && x == rint(x)))
            continue;
        double near = x < 0 ? detmath_log(fabs(detmath_gamma_f64_sine(a).high)) : 0;
        check("lgamma in integers", x, detmath_last_lgamma(x, near), rounded(lgamma_of, x));
        if (x > -184 && x < 172)
            check("tgamma in integers", x, detmath_last_tgamma(x), rounded(tgamma_of, x));
    }
}

static void test_factorials(void **state) {
    (void)state;
    double factorial = 1;
    for (int n = 1; n < 24; factorial *= n, n++) {
        check("det tgamma", n, detmath_tgamma(n), factorial);
        check("cr tgamma", n, detmath_cr_tgamma(n), factorial);
        check("tgamma in integers", n, detmath_last_tgamma(n), factorial);
    }
    for (int n = 24; n < 172; n++)
        check("cr tgamma", n, detmath_cr_tgamma(n), rounded(tgamma_of, n));
}

/* Whether the exact result is within wrong of sum and rest. */
static void enclose(const char *name, double x, double sum, double rest, double wrong) {
    mpfr_sub_d(exact, exact, sum, MPFR_RNDN);
    mpfr_sub_d(exact, exact, rest, MPFR_RNDN);
    double error = fabs(mpfr_get_d(exact, MPFR_RNDU));
    if (error > wrong)
        fail_msg("%s(%a) is off by %a, which is more than %a", name, x, error, wrong);
}

static void test_quick_phases_know_their_errors(void **state) {
    (void)state;
    for (int i = 0; i < draws; i++) {
        double x = any(i);
        mpfr_set_d(operand, x, MPFR_RNDN);
        if (!detmath_cr_lgamma_f64_away(x) && x != 1 && x != 2) {
            struct detmath_log_gamma_f64_parts y = detmath_lgamma_f64_parts(x);
            lgamma_of(exact, operand);
            enclose("lgamma", x, y.sum, y.rest, y.wrong);
        }
        if (!detmath_cr_tgamma_f64_away(x)) {
            struct detmath_gamma_f64_parts y = detmath_tgamma_f64_parts(x);
            tgamma_of(exact, operand);
            enclose("tgamma", x, y.sum, y.rest * y.inverse, fabs(y.wrong * y.inverse) * 1.0001);
        }
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "all") == 0)
        draws *= 100;
    mpfr_inits2(53, operand, result, (mpfr_ptr)0);
    mpfr_init2(exact, 240);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_last_phase),
        cmocka_unit_test(test_factorials),
        cmocka_unit_test(test_quick_phases_know_their_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
