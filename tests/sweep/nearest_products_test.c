/* Built inputs have the product of two significands that lies nearest to each end, below it and above it. The ends are the midpoint
 * and the number on either side of a power of two. FLINT factors all integers that are nearer, so that none is left out. */
#include "sweep/built/built.h"

#include <flint/fmpz.h>
#include <flint/fmpz_factor.h>
#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { INPUTS = 16384, MOST_AWAY = 64 };

/* In quarters of an ulp from a power of two: the ulp below it where that is negative. */
static const int ends[] = {-4, -2, 2, 4};
enum { ENDS = sizeof ends / sizeof *ends, SIDES = 2 };

/* Whether `divisor` times some of the primes from the `at`-th on lies in a range. */
static bool has_divisor(const fmpz_factor_t factors, slong at, const fmpz_t divisor,
                        const fmpz_t least, const fmpz_t most) {
    if (fmpz_cmp(divisor, most) > 0)
        return false;
    if (fmpz_cmp(divisor, least) >= 0)
        return true;
    bool found = false;
    fmpz_t next;
    fmpz_init_set(next, divisor);
    for (ulong i = 0; at < factors->num && !found && i <= factors->exp[at]; i++) {
        found = has_divisor(factors, at + 1, next, least, most);
        fmpz_mul(next, next, factors->p + at);
    }
    fmpz_clear(next);
    return found;
}

/* Whether 2^power + quarters 2^quarter + away is a product of two integers of so many bits. */
static bool is_product(int power, int quarters, int quarter, long away, int bits) {
    fmpz_t number, part, least, most;
    fmpz_factor_t factors;
    fmpz_init(number);
    fmpz_init(part);
    fmpz_init(least);
    fmpz_init(most);
    fmpz_factor_init(factors);
    fmpz_one(number);
    fmpz_mul_2exp(number, number, (ulong)power);
    fmpz_set_si(part, quarters);
    fmpz_mul_2exp(part, part, (ulong)quarter);
    fmpz_add(number, number, part);
    fmpz_set_si(part, away);
    fmpz_add(number, number, part);
    fmpz_one(most);
    fmpz_mul_2exp(most, most, (ulong)bits);
    fmpz_sub_ui(most, most, 1);
    fmpz_cdiv_q(least, number, most);
    fmpz_factor(factors, number);
    fmpz_one(part);
    const bool found = has_divisor(factors, 0, part, least, most);
    fmpz_factor_clear(factors);
    fmpz_clear(number);
    fmpz_clear(part);
    fmpz_clear(least);
    fmpz_clear(most);
    return found;
}

/* How near to an end products come on one side, in ulps there. */
static double nearest_product(int bits, int quarters, int side) {
    double nearest = INFINITY;
    for (int power = 2 * bits - 1; power > bits + 8; power--) {
        const int ulp = power - bits + (quarters > 0);
        for (long away = 1; away <= MOST_AWAY && ldexp((double)away, -ulp) < nearest; away++)
            if (is_product(power, quarters, ulp - 2, side ? away : -away, bits))
                nearest = ldexp((double)away, -ulp);
    }
    return nearest;
}

/* How near built inputs come to each end on each side. */
static void see_built(const struct format *format, enum rounding rounding,
                      double seen[ENDS][SIDES]) {
    const struct built_request request = {operation_row("mul"), format, format, rounding, 1};
    struct builder *builder = builder_open(&request);
    mpfr_t x, y, room;
    mpfr_inits2(128, x, y, room, (mpfr_ptr)0);
    assert_non_null(builder);
    for (uint64_t number = 0; number < INPUTS; number++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        builder_make(builder, number, codes, NULL);
        const struct real a = format_decode(format, codes[0]), b = format_decode(format, codes[1]);
        if (a.kind != REAL_FINITE || b.kind != REAL_FINITE)
            continue;
        real_to_mpfr(x, &a);
        real_to_mpfr(y, &b);
        mpfr_mul(x, x, y, MPFR_RNDN);
        mpfr_abs(x, x, MPFR_RNDN);
        const long exponent = mpfr_get_exp(x) - 1;
        if (exponent < format->emin || exponent > format->emax)
            continue;
        mpfr_mul_2si(x, x, -exponent, MPFR_RNDN);
        for (int i = 0; i < ENDS; i++) {
            const bool below = ends[i] < 0;
            mpfr_sub_ui(room, x, below ? 2 : 1, MPFR_RNDN);
            mpfr_mul_2si(room, room, format->precision - 1, MPFR_RNDN);
            mpfr_sub_d(room, room, ends[i] / 4.0, MPFR_RNDN);
            const double distance = mpfr_get_d(room, MPFR_RNDN);
            const int side = distance > 0;
            if (fabs(distance) > 0 && fabs(distance) < seen[i][side])
                seen[i][side] = fabs(distance);
        }
    }
    mpfr_clears(x, y, room, (mpfr_ptr)0);
    builder_close(builder);
}

static void test_nearest(const struct format *format) {
    double seen[ENDS][SIDES];
    for (int i = 0; i < ENDS * SIDES; i++)
        seen[i / SIDES][i % SIDES] = INFINITY;
    see_built(format, ROUND_NEAREST_EVEN, seen);
    see_built(format, ROUND_UP, seen);
    for (int i = 0; i < ENDS; i++)
        for (int side = 0; side < SIDES; side++) {
            const double nearest = nearest_product(format->precision, ends[i], side);
            if (seen[i][side] < nearest || seen[i][side] > nearest)
                fail_msg("%s, %d quarters, %s: built 2^%g, nearest 2^%g ulp", format->name, ends[i],
                         side ? "above" : "below", log2(seen[i][side]), log2(nearest));
        }
}

static void test_fp32(void **state) {
    (void)state;
    test_nearest(&formats[FORMAT_FP32]);
}

static void test_fp64(void **state) {
    (void)state;
    test_nearest(&formats[FORMAT_FP64]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fp32), cmocka_unit_test(test_fp64)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
