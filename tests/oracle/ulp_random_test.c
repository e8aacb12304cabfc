/* The error in ulps of random pairs, against its definition evaluated in GMP's rationals. */
#include "../base/random.h"
#include "../format/layout.h"
#include "oracle/judge.h"

#include <float.h>
#include <gmp.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { PAIRS = 100000 };

static int greatest_exponent(const struct layout *layout) {
    int fields = 1 << layout->exponent_bits;
    return fields - (layout->kind == LAYOUT_IEEE ? 2 : 1) - layout->bias;
}

/* q = integer * 2^exponent */
static void set_scaled(mpq_t q, mpz_t integer, long exponent) {
    mpq_set_z(q, integer);
    if (exponent >= 0)
        mpq_mul_2exp(q, q, (mp_bitcnt_t)exponent);
    else
        mpq_div_2exp(q, q, (mp_bitcnt_t)-exponent);
}

static void set_power(mpq_t q, long exponent) {
    mpz_t one;
    mpz_init_set_ui(one, 1);
    set_scaled(q, one, exponent);
    mpz_clear(one);
}

/* What y counts as, with its sign; the exponent of its ulp. */
static long set_exact(mpq_t q, const struct layout *layout, const struct real *y) {
    int least = 1 - layout->bias, greatest = greatest_exponent(layout);
    long exponent = least;
    if (y->kind == REAL_ZERO) {
        mpq_set_ui(q, 0, 1);
    } else if (y->kind == REAL_INFINITE || y->exponent > greatest) {
        set_power(q, greatest + 1);
        exponent = greatest;
    } else {
        const uint64_t words[] = {y->significand.low, y->significand.high};
        mpz_t integer;
        mpz_init(integer);
        mpz_import(integer, 2, -1, sizeof *words, 0, 0, words);
        set_scaled(q, integer, (long)y->exponent - 127);
        mpz_clear(integer);
        exponent = y->exponent > least ? y->exponent : least;
    }
    if (y->negative)
        mpq_neg(q, q);
    return exponent - (long)layout->fraction_bits;
}

static void set_got(mpq_t q, const struct layout *layout, uint64_t code) {
    double value = layout_value(layout, code);
    if (isinf(value)) {
        set_power(q, greatest_exponent(layout) + 1);
        if (value < 0)
            mpq_neg(q, q);
    } else {
        mpq_set_d(q, value);
    }
}

/* |got - y| / ulp(y) */
static void set_error(mpq_t error, const struct layout *layout, const struct real *y,
                      uint64_t code) {
    mpq_t exact, ulp;
    mpq_inits(exact, ulp, NULL);
    set_power(ulp, set_exact(exact, layout, y));
    set_got(error, layout, code);
    mpq_sub(error, error, exact);
    mpq_abs(error, error);
    mpq_div(error, error, ulp);
    mpq_clears(exact, ulp, NULL);
}

/* A positive rational rounded to odd: its first 53 bits, the last one set when more follow. Beyond
 * the range of double, the largest and the smallest normal number. */
static double odd_double(mpq_t q) {
    mpz_t quotient, rest;
    if (mpq_sgn(q) == 0)
        return 0;
    mpz_inits(quotient, rest, NULL);
    /* At least 54 bits of quotient, whatever the sizes. */
    long shift =
        55 + (long)mpz_sizeinbase(mpq_denref(q), 2) - (long)mpz_sizeinbase(mpq_numref(q), 2);
    mpq_t scaled;
    mpq_init(scaled);
    if (shift >= 0)
        mpq_mul_2exp(scaled, q, (mp_bitcnt_t)shift);
    else
        mpq_div_2exp(scaled, q, (mp_bitcnt_t)-shift);
    mpz_tdiv_qr(quotient, rest, mpq_numref(scaled), mpq_denref(scaled));
    mp_bitcnt_t cut = mpz_sizeinbase(quotient, 2) - 53;
    bool lost = mpz_sgn(rest) != 0 || mpz_scan1(quotient, 0) < cut;
    mpz_tdiv_q_2exp(quotient, quotient, cut);
    if (lost)
        mpz_setbit(quotient, 0);
    long exponent = (long)cut - shift;
    double value = ldexp(mpz_get_d(quotient), (int)exponent);
    if (exponent + 52 >= DBL_MAX_EXP)
        value = DBL_MAX;
    if (exponent + 52 < DBL_MIN_EXP - 1)
        value = DBL_MIN;
    mpz_clears(quotient, rest, NULL);
    mpq_clear(scaled);
    return value;
}

static struct real random_real(const struct layout *layout, uint64_t *seed) {
    int least = 1 - layout->bias - (int)layout->fraction_bits;
    int greatest = greatest_exponent(layout);
    struct real y = {.kind = REAL_FINITE, .negative = random_bits(seed) & 1};
    y.exponent = random_between(seed, least - 70, greatest + 3);
    y.significand.high = random_bits(seed) << random_between(seed, 0, 63) | UINT64_C(1) << 63;
    /* 120 bits at most, as the oracle gives. */
    y.significand.low = random_bits(seed) << random_between(seed, 8, 63);
    if (random_bits(seed) % 16 == 0)
        y = random_bits(seed) & 1 ? real_zero(y.negative) : real_infinity(y.negative);
    return y;
}

/* A code near y's rounding, or any. */
static uint64_t random_code(const struct layout *layout, const struct real *y, uint64_t *seed) {
    const struct format *format = layout_format(layout);
    uint64_t code = random_bits(seed) & UINT64_MAX >> (64 - layout_width(layout));
    if (random_bits(seed) & 1)
        code = format_encode(format, y, ROUND_DOWN, OVERFLOW_SATURATE) +
               (uint64_t)random_between(seed, 0, 2);
    code &= UINT64_MAX >> (64 - layout_width(layout));
    return isnan(layout_value(layout, code)) ? 0 : code;
}

static void check_pair(const struct layout *layout, uint64_t *seed, mpq_t error) {
    struct real y = random_real(layout, seed);
    uint64_t code = random_code(layout, &y, seed);
    double got = ulp_error(layout_format(layout), &y, code);
    set_error(error, layout, &y, code);
    if (got != odd_double(error))
        fail_msg("%s: code 0x%" PRIx64 " against %s0x1.%016" PRIx64 "%016" PRIx64 "p%d: %a, not %a",
                 layout->name, code, y.negative ? "-" : "", y.significand.high << 1,
                 y.significand.low, (int)y.exponent, got, odd_double(error));
}

static void test_random_pairs(void **state) {
    (void)state;
    mpq_t error;
    mpq_init(error);
    for (int i = 0; i < LAYOUTS; i++) {
        uint64_t seed = 23;
        for (int n = 0; n < PAIRS; n++)
            check_pair(&layouts[i], &seed, error);
    }
    mpq_clear(error);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
