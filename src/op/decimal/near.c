/* Convergents of a fraction with odd numerators. */
#include "op/decimal/near.h"

#include <stdbool.h>

/* A convergent of the fraction: about as many units in the numerator for each of the factor. */
struct convergent {
    mpz_t numerator, factor;
};

/* The odd multiple of a convergent with an odd numerator that bits choose among those within both bounds. */
static void take_multiple(mpz_t factor, const struct convergent *at, const mpz_t most_factor,
                          const mpz_t most, uint64_t bits) {
    mpz_t times, other;
    mpz_inits(times, other, NULL);
    mpz_tdiv_q(times, most, at->numerator);
    mpz_tdiv_q(other, most_factor, at->factor);
    if (mpz_cmp(times, other) > 0)
        mpz_swap(times, other);
    /* Any of the upper half: results of all of the significand's bits */
    mpz_tdiv_q_2exp(other, times, 1);
    if (mpz_sgn(other) > 0) {
        mpz_mul_ui(other, other, (unsigned long)(bits >> 33));
        mpz_tdiv_q_2exp(other, other, 31);
        mpz_sub(times, times, other);
    }
    if (mpz_even_p(times) && mpz_sgn(times) > 0)
        mpz_sub_ui(times, times, 1);
    mpz_mul(factor, at->factor, times);
    mpz_clears(times, other, NULL);
}

static bool fits(const struct convergent *at, const mpz_t most_factor, const mpz_t most) {
    return mpz_cmp(at->numerator, most) <= 0 && mpz_cmp(at->factor, most_factor) <= 0;
}

void near_odd(mpz_t factor, mpz_t numerator, mpz_t denominator, const mpz_t most_factor,
              const mpz_t most, uint64_t bits) {
    struct convergent last, at, sum;
    mpz_t quotient;
    mpz_inits(last.numerator, last.factor, at.numerator, at.factor, sum.numerator, sum.factor,
              quotient, NULL);
    mpz_set_ui(last.numerator, 0);
    mpz_set_ui(last.factor, 1);
    mpz_set_ui(at.numerator, 1);
    mpz_set_ui(at.factor, 0);
    mpz_set_ui(factor, 1);
    unsigned seen = 0;
    while (mpz_sgn(denominator) != 0) {
        mpz_tdiv_qr(quotient, numerator, numerator, denominator);
        mpz_swap(numerator, denominator);
        mpz_addmul(last.numerator, quotient, at.numerator);
        mpz_addmul(last.factor, quotient, at.factor);
        mpz_swap(last.numerator, at.numerator);
        mpz_swap(last.factor, at.factor);
        if (!fits(&at, most_factor, most))
            break;
        mpz_add(sum.numerator, at.numerator, last.numerator);
        mpz_add(sum.factor, at.factor, last.factor);
        const struct convergent *odd = mpz_odd_p(at.numerator) ? &at : &sum;
        /* The last one is the nearest; now and then one before it, which more multiples have */
        if (mpz_sgn(odd->factor) > 0 && mpz_odd_p(odd->numerator) && fits(odd, most_factor, most) &&
            (bits >> (seen++ % 16) & 3) != 0)
            take_multiple(factor, odd, most_factor, most, bits);
    }
    mpz_clears(last.numerator, last.factor, at.numerator, at.factor, sum.numerator, sum.factor,
               quotient, NULL);
}
