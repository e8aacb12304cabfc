/* cr of fp64 where it is hardest, against MPFR. Operands of every exponent from 2^-80 to 2^12, and beside 1, pi k/16 and k/16
 * log 2, and beside numbers where another way is taken, are moved to where the result is a middle between two numbers, and cr is held against MPFR there and beside. Where a
 * result hardly depends on its operand, as acos of a small one, it is nearer to the middle than any operand drawn by chance gets.
 *     f64_middles_test [all]    all: a hundred times as many operands */
#include "f64_rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { LEAST = -80, MOST = 12 };

static uint64_t seed = 55;
static long operands = 4;

/* second is the second operand of those that have two. */
static mpfr_t second, exact_first, exact, middle, step, slope, moved;

static double beside(double x, int places) {
    return from_bits(bits_of(x) + (uint64_t)(int64_t)places);
}

/* By Newton's iteration from *x, the operand with the result middle; false if there is none near. */
static bool move(const struct f64_row *row, double *x) {
    mpfr_set_d(exact_first, *x, MPFR_RNDN);
    for (int i = 0; i < 24; i++) {
        call_exact(row->exact, exact, exact_first, second);
        mpfr_mul_d(step, exact_first, 0x1p-70, MPFR_RNDN);
        mpfr_add(moved, exact_first, step, MPFR_RNDN);
        call_exact(row->exact, slope, moved, second);
        mpfr_sub(slope, slope, exact, MPFR_RNDN);
        mpfr_div(slope, slope, step, MPFR_RNDN);
        mpfr_sub(step, middle, exact, MPFR_RNDN);
        mpfr_div(step, step, slope, MPFR_RNDN);
        mpfr_add(exact_first, exact_first, step, MPFR_RNDN);
        if (!mpfr_regular_p(exact_first))
            return false;
        *x = mpfr_get_d(exact_first, MPFR_RNDN);
        if (mpfr_zero_p(step) || mpfr_get_exp(step) < mpfr_get_exp(exact_first) - 115)
            return isnormal(*x);
    }
    return false;
}

/* How many operands around there were judged. */
static long check_around(const struct f64_row *row, double x, double y, bool up) {
    long judged = 0;
    mpfr_set_d(second, y, MPFR_RNDN);
    if (isnan(rounded(row->exact, x, y)))
        x = -x;
    double result = rounded(row->exact, x, y);
    if (!isnormal(result))
        return 0;
    mpfr_set_d(middle, result, MPFR_RNDN);
    mpfr_add_d(middle, middle, nextafter(result, up ? INFINITY : -INFINITY), MPFR_RNDN);
    mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
    if (!move(row, &x))
        return 0;
    for (int places = -2; places <= 2; places++) {
        double at = beside(x, places), want = rounded(row->exact, at, y),
               got = call(row->cr, at, y);
        judged += !isnan(want);
        if (!isnan(want) && bits_of(got) != bits_of(want))
            fail_msg("cr %s(%a, %a) = %a, want %a", row->name, at, y, got, want);
    }
    return judged;
}

/* A number of that exponent, or one so far beside 1, pi k/16 or k/16 log 2; with either sign. */
static double draw(int exponent) {
    uint64_t bits = random_bits(&seed);
    double size = ldexp(random_significand(&seed), exponent), k = (double)(bits >> 2 & 255);
    const double from[] = {0, 1, 0x1.921fb54442d18p-3 * k, 0x1.62e42fefa39efp-5 * k};
    double x = exponent < 0 ? from[random_bits(&seed) & 3] - size : size;
    return bits & 1 ? x : -x;
}

static void test_middles(void **state) {
    (void)state;
    for (int row = 0; row < ROWS; row++) {
        long judged = 0;
        for (int exponent = LEAST; exponent <= MOST; exponent++)
            for (long i = 0; i < operands; i++) {
                double x = draw(exponent),
                       y = f64_rows[row].exact.unary ? 0 : draw(-(int)(random_bits(&seed) % 40));
                if (takes_integer(f64_rows[row].name))
                    y = copysign(1 + (double)(random_bits(&seed) % 12), y);
                judged += check_around(&f64_rows[row], x, y, i & 1);
            }
        print_message("%s: %ld operands\n", f64_rows[row].name, judged);
        assert_true(judged > operands * (MOST - LEAST));
    }
}

/* Next to a power of two, or to where a result overflows or rounds to 1, or the first operand of any exponent. */
static double draw_far(void) {
    static const double edges[] = {
        0x1.62e42fefa39efp9, 0x1.633ce8fb9f87dp9, 720, 710, 708, 664, 307, 64, 20};
    uint64_t bits = random_bits(&seed);
    double x = ldexp(1, (int)(random_bits(&seed) % 2046) - 1022);
    switch (bits & 3) {
    case 0:
        x = edges[(bits >> 2) % (sizeof edges / sizeof *edges)];
        break;
    case 1:
        x *= random_significand(&seed);
    }
    x = beside(x, (int)(bits >> 20 & 15) - 8);
    return bits >> 63 ? x : -x;
}

/* Second operands are as large as the first, or less by up to 2^30. */
static void test_where_ways_change(void **state) {
    (void)state;
    for (int row = 0; row < ROWS; row++) {
        long judged = 0;
        for (long i = 0; i < 25 * operands; i++) {
            double x = draw_far(), y = 0;
            if (takes_integer(f64_rows[row].name))
                y = i % 2 ? 2 : -3;
            else if (f64_rows[row].exact.binary)
                y = ldexp(random_significand(&seed), ilogb(x) - (int)(random_bits(&seed) % 30));
            judged += check_around(&f64_rows[row], x, y, i & 1);
        }
        print_message("%s: %ld operands far out\n", f64_rows[row].name, judged);
        assert_true(judged > 0);
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "all") == 0)
        operands *= 100;
    mpfr_inits2(240, second, exact_first, exact, middle, step, slope, moved, (mpfr_ptr)0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_middles),
                                       cmocka_unit_test(test_where_ways_change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
