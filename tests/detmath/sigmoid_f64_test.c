/* sigmoid, silu, mish, softplus, logsigmoid and logaddexp in fp64 where f64_test does not look: operands whose results are
 * subnormal, next to 1 or next to the operand, where they hardly depend on it; pairs of which the larger operand cancels the logarithm
 * to any degree, equal pairs, and pairs far apart. Results are those of MPFR's functions, composed (mpfr_gates.h).
 *     sigmoid_f64_test [all]    all: a hundred times as many operands */
#include "detmath/families_f64.h"

#include "f64.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 14;
static size_t draws = 400;

/* Of one operand or of two; the others are NULL. */
static const struct row {
    const char *name;
    double (*det)(double), (*cr)(double), (*last)(double);
    double (*det_of_two)(double, double), (*cr_of_two)(double, double),
        (*last_of_two)(double, double);
    struct exact exact;
} rows[] = {
#define ROW(NAME)                                                                                  \
    {                                                                                              \
        .name = #NAME, .det = detmath_##NAME, .cr = detmath_cr_##NAME,                             \
        .last = detmath_##NAME##_f64_last, .exact = {                                              \
            .unary = mpfr_##NAME                                                                   \
        }                                                                                          \
    }
    ROW(sigmoid),
    ROW(silu),
    ROW(mish),
    ROW(softplus),
    ROW(logsigmoid),
    {.name = "logaddexp",
     .det_of_two = detmath_logaddexp,
     .cr_of_two = detmath_cr_logaddexp,
     .last_of_two = detmath_logaddexp_f64_last,
     .exact = {.binary = mpfr_logaddexp}},
};
enum { ROWS = sizeof rows / sizeof *rows, LOGADDEXP = ROWS - 1 };

static double unit(void) {
    return random_unit(&seed);
}

/* cr and the last phase by itself are right, and det is that or the next number. */
static void check(const struct row *row, double x, double y) {
    double right = rounded(row->exact, x, y);
    const double got[] = {row->det ? row->det(x) : row->det_of_two(x, y),
                          row->cr ? row->cr(x) : row->cr_of_two(x, y),
                          row->last ? row->last(x) : row->last_of_two(x, y)};
    for (int i = 0; i < 3; i++)
        if (i ? canonical_bits(got[i]) != canonical_bits(right)
              : canonical_bits(got[i]) - canonical_bits(right) + 1 > 2)
            fail_msg("%s %s(%a, %a) = %a, want %a", (const char *[]){"det", "cr", "last phase"}[i],
                     row->name, x, y, got[i], right);
}

/* Of either order. */
static void check_pair(double x, double y) {
    check(&rows[LOGADDEXP], x, y);
    check(&rows[LOGADDEXP], y, x);
}

static void test_special_pairs(void **state) {
    (void)state;
    static const struct {
        double x, y, result;
    } special[] = {
        {NAN, -INFINITY, NAN},
        {INFINITY, NAN, NAN},
        {INFINITY, -INFINITY, INFINITY},
        {INFINITY, INFINITY, INFINITY},
        {-INFINITY, -INFINITY, -INFINITY},
        {-INFINITY, -3, -3},
        {-INFINITY, 0x1p-1074, 0x1p-1074},
        {-INFINITY, -0.0, 0},
        {0, -INFINITY, 0},
        {-0.0, -1000, 0},
        {0, 0, 0x1.62e42fefa39efp-1},
        {-0.0, 0x1p-1074, 0x1.62e42fefa39efp-1},
        {0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023},
        {-0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023},
        {0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023},
    };
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        const double x = special[i].x, y = special[i].y;
        const uint64_t want = canonical_bits(special[i].result);
        assert_int_equal(canonical_bits(detmath_logaddexp(x, y)), want);
        assert_int_equal(canonical_bits(detmath_logaddexp(y, x)), want);
        assert_int_equal(canonical_bits(detmath_cr_logaddexp(x, y)), want);
        assert_int_equal(canonical_bits(detmath_cr_logaddexp(y, x)), want);
    }
}

/* Where steps end and results are subnormal or 0; and operands so small that those of silu and mish are. */
static void test_tails(void **state) {
    (void)state;
    for (size_t i = 0; i < draws; i++) {
        const double ends[] = {-700 - 64 * unit(), -590 - 20 * unit(),
                               -8 - ldexp(unit() - 0.5, -20)};
        const double tiny = from_bits(random_bits(&seed) >> (1 + random_bits(&seed) % 60) &
                                      UINT64_C(0x007fffffffffffff)),
                     small = ldexp(1 + unit(), -40 - (int)(random_bits(&seed) % 24));
        for (int row = 0; row < LOGADDEXP; row++) {
            for (int k = 0; k < 3; k++) {
                check(&rows[row], ends[k], 0);
                check(&rows[row], -ends[k], 0);
            }
            check(&rows[row], i & 1 ? tiny : -tiny, 0);
            check(&rows[row], i & 1 ? small : -small, 0);
        }
    }
}

/* Operands of few bits: sigmoid is 1/2 + x/4 and silu x/2 + x^2/4 but for x^3/48 and x^4/48 there, a middle. */
static void test_middles_next_to_zero(void **state) {
    (void)state;
    for (int exponent = -80; exponent <= -40; exponent++)
        for (int significand = 1; significand < 64; significand++)
            for (int row = 0; row < LOGADDEXP; row++) {
                check(&rows[row], ldexp(significand, exponent), 0);
                check(&rows[row], -ldexp(significand, exponent), 0);
            }
}

/* Where e^-x is half a unit of 1, or of x: sigmoid is next to 1, silu, mish and softplus are next to x, logsigmoid(-x) to -x. */
static void test_next_to_numbers(void **state) {
    (void)state;
    for (int halves = 0; halves < 16; halves++) {
        double x = 53 * 0x1.62e42fefa39efp-1;
        for (int i = 0; i < 60;
             i++) /* x + e^-x, x - x e^-x or 1 - e^-x, and that is k/2 units away */
            x = -log(ldexp(0.5 * halves + 0.5, ilogb(x) - 52) / (halves & 1 ? x : 1));
        const double places[] = {x, 53 * 0x1.62e42fefa39efp-1 - log1p(halves)};
        for (int k = 0; k < 2; k++)
            for (int step = -40; step <= 40; step++)
                for (int row = 0; row < LOGADDEXP; row++) {
                    check(&rows[row],
                          from_bits(canonical_bits(places[k]) + (uint64_t)(int64_t)step), 0);
                    check(&rows[row],
                          -from_bits(canonical_bits(places[k]) + (uint64_t)(int64_t)step), 0);
                }
    }
}

/* A larger operand of any size below ln 2, and the other one so that the sum of their powers is next to 1, by some units or many. */
static void test_cancelled_pairs(void **state) {
    (void)state;
    for (size_t i = 0; i < 4 * draws; i++) {
        const double x = -ldexp(0x1.62e42fefa39efp-1 * unit(), -(int)(i % 4 ? i % 40 : i % 700));
        double y = log(-expm1(x));
        check_pair(x, from_bits(canonical_bits(y) + random_bits(&seed) % 7 - 3));
        check_pair(x, y * (1 + ldexp(unit() - 0.5, -(int)(random_bits(&seed) % 52))));
        check_pair(x, x - ldexp(unit(), -(int)(random_bits(&seed) % 70)));
        check_pair(x, x);
    }
}

/* Where the smaller operand hardly counts, or the larger one does not. */
static void test_distant_pairs(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * draws; i++) {
        const double d = i % 2 ? 30 + 20 * unit() : 720 * unit(),
                     small = ldexp(2 * unit() - 1, -(int)(random_bits(&seed) % 1074)),
                     x = 80 * unit() - 40;
        check_pair(x, x - d);
        check_pair(small, small - d);
        check_pair(0, -d);
        /* of the size of e^-d, to either side */
        check_pair(-exp(-d), -d);
        check_pair(-exp(-d) * (1 + ldexp(unit() - 0.5, -(int)(i % 50))), -d);
        check_pair(exp(-d) * unit(), -d);
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "all") == 0)
        draws *= 100;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_special_pairs),        cmocka_unit_test(test_tails),
        cmocka_unit_test(test_middles_next_to_zero), cmocka_unit_test(test_next_to_numbers),
        cmocka_unit_test(test_cancelled_pairs),      cmocka_unit_test(test_distant_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
