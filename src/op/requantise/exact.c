/* What a requantisation should return, each form from its own text, in GMP and MPFR: the oracle that judges
 * detmath/requantise.h, of which it has nothing. */
#include "op/requantise/rows.h"

#include <mpfr.h>

/* v / 2^shift; the fraction decides. */
static void round_once(mpz_t v, enum rounding rounding, unsigned shift) {
    mpz_t rest, half;
    mpz_inits(rest, half, NULL);
    mpz_fdiv_r_2exp(rest, v, shift);
    mpz_mul_2exp(rest, rest, 1);
    mpz_ui_pow_ui(half, 2, shift);
    const bool negative = mpz_sgn(v) < 0, exact = mpz_sgn(rest) == 0;
    const int beside_half = mpz_cmp(rest, half);
    mpz_fdiv_q_2exp(v, v, shift);
    const bool tie_goes_up = rounding == ROUND_NEAREST_UP ||
                             (rounding == ROUND_NEAREST_AWAY && !negative) ||
                             (rounding == ROUND_NEAREST_EVEN && mpz_odd_p(v));
    const bool goes_up = rounding == ROUND_DOWN ? false
                         : rounding == ROUND_UP ? !exact
                         : rounding == ROUND_TOWARD_ZERO
                             ? !exact && negative
                             : beside_half > 0 || (beside_half == 0 && tie_goes_up);
    mpz_add_ui(v, v, goes_up);
    mpz_clears(rest, half, NULL);
}

static void hold_32_bits(mpz_t v) {
    if (mpz_cmp_si(v, INT32_MAX) > 0)
        mpz_set_si(v, INT32_MAX);
    if (mpz_cmp_si(v, INT32_MIN) < 0)
        mpz_set_si(v, INT32_MIN);
}

/* SaturatingRoundingDoublingHighMul, by its nudge and a division that truncates. */
static void high_multiplication(mpz_t v, int64_t multiplier) {
    const bool saturates = mpz_cmp_si(v, INT32_MIN) == 0 && multiplier == INT32_MIN;
    mpz_mul_si(v, v, multiplier);
    if (mpz_sgn(v) >= 0)
        mpz_add_ui(v, v, 1UL << 30);
    else
        mpz_sub_ui(v, v, (1UL << 30) - 1);
    mpz_tdiv_q_2exp(v, v, 31);
    if (saturates)
        mpz_set_si(v, INT32_MAX);
}

/* RoundingDivideByPOT, by its remainder and threshold. */
static void divide_by_power(mpz_t v, unsigned exponent) {
    const unsigned long mask = (1UL << exponent) - 1, remainder = mpz_fdiv_ui(v, mask + 1),
                        threshold = (mask >> 1) + (mpz_sgn(v) < 0);
    mpz_fdiv_q_2exp(v, v, exponent);
    mpz_add_ui(v, v, remainder > threshold);
}

static void by_gemmlowp(mpz_t v, int64_t multiplier, unsigned shift) {
    if (shift < 31) {
        mpz_mul_2exp(v, v, 31 - shift);
        hold_32_bits(v);
    }
    high_multiplication(v, multiplier);
    divide_by_power(v, shift > 31 ? shift - 31 : 0);
}

static void by_tosa(mpz_t v, int64_t multiplier, unsigned shift, bool double_round) {
    const bool negative = mpz_sgn(v) < 0;
    mpz_t round;
    mpz_init(round);
    mpz_ui_pow_ui(round, 2, shift);
    mpz_fdiv_q_2exp(round, round, 1);
    mpz_mul_si(v, v, multiplier);
    mpz_add(v, v, round);
    if (double_round && shift > 31 && negative)
        mpz_sub_ui(v, v, 1UL << 30);
    if (double_round && shift > 31 && !negative)
        mpz_add_ui(v, v, 1UL << 30);
    mpz_fdiv_q_2exp(v, v, shift);
    mpz_clear(round);
}

/* No number is below the smallest normal one, since the least that is not 0 is 2^-62. */
static void by_fp32(mpz_t v, int64_t multiplier, unsigned shift) {
    enum { PRECISION = 24 };
    mpfr_t x, scale;
    mpfr_inits2(PRECISION, x, scale, (mpfr_ptr)0);
    mpfr_set_z(x, v, MPFR_RNDN);
    mpfr_set_si_2exp(scale, (long)multiplier, -(mpfr_exp_t)shift, MPFR_RNDN);
    mpfr_mul(x, x, scale, MPFR_RNDN);
    mpfr_roundeven(x, x);
    mpfr_get_z(v, x, MPFR_RNDN);
    mpfr_clears(x, scale, (mpfr_ptr)0);
}

void requantise_exact(mpz_t v, enum requantise_form form, enum rounding rounding, int64_t x,
                      int64_t multiplier, unsigned shift) {
    mpz_set_si(v, (long)x);
    switch (form) {
    case REQUANTISE_GEMMLOWP:
        by_gemmlowp(v, multiplier, shift);
        return;
    case REQUANTISE_TOSA:
    case REQUANTISE_TOSA_DOUBLE:
        by_tosa(v, multiplier, shift, form == REQUANTISE_TOSA_DOUBLE);
        return;
    case REQUANTISE_FP32:
        by_fp32(v, multiplier, shift);
        return;
    default:
        mpz_mul_si(v, v, (long)multiplier);
        round_once(v, rounding, shift);
    }
}
