/* Powers of e modulo a prime. */
#include "op/function/exponential_residues.h"

#include <stdlib.h>

/* 2^521 - 1 and 2^9689 - 1 are prime. */
enum { PRIME_BITS = 521, PRIME_BITS_FAR = 9689, MOST_DEGREE_BITS = 300 };

bool residues_open(struct exponential_residues *residues, size_t count) {
    *residues = (struct exponential_residues){.powers = calloc(count, sizeof *residues->powers),
                                              .units = calloc(count, sizeof *residues->units)};
    mpz_inits(residues->prime, residues->base, residues->scratch, NULL);
    if (!residues->powers || !residues->units)
        return false;
    residues->count = count;
    for (size_t i = 0; i < count; i++)
        mpz_init(residues->powers[i]);
    return true;
}

void residues_close(struct exponential_residues *residues) {
    for (size_t i = 0; i < residues->count; i++)
        mpz_clear(residues->powers[i]);
    mpz_clears(residues->prime, residues->base, residues->scratch, NULL);
    free(residues->powers);
    free(residues->units);
}

/* The number as an odd integer, and the power of two that goes with it. */
static mpfr_exp_t integer_of(mpz_ptr z, mpfr_srcptr value) {
    mpz_set_ui(z, 0);
    if (!mpfr_regular_p(value))
        return 0;
    mpfr_exp_t exponent = mpfr_get_z_2exp(z, value);
    mp_bitcnt_t zeros = mpz_scan1(z, 0);
    mpz_tdiv_q_2exp(z, z, zeros);
    return exponent + (mpfr_exp_t)zeros;
}

void residues_set(struct exponential_residues *residues, size_t i, mpfr_srcptr x) {
    residues->units[i] = integer_of(residues->powers[i], x);
}

/* The exponents as multiples of the least unit of all, and how many bits these have. */
static mp_bitcnt_t align(struct exponential_residues *residues) {
    mpfr_exp_t least = 0;
    mp_bitcnt_t bits = 0;
    for (size_t i = 0; i < residues->count; i++)
        least = residues->units[i] < least ? residues->units[i] : least;
    for (size_t i = 0; i < residues->count; i++) {
        mpz_mul_2exp(residues->powers[i], residues->powers[i],
                     (mp_bitcnt_t)(residues->units[i] - least));
        mp_bitcnt_t own = mpz_sizeinbase(residues->powers[i], 2);
        bits = own > bits ? own : bits;
    }
    return bits;
}

void residues_raise(struct exponential_residues *residues) {
    gmp_randstate_t random;
    mp_bitcnt_t bits = align(residues);
    mpz_set_ui(residues->prime, 1);
    mpz_mul_2exp(residues->prime, residues->prime,
                 bits > MOST_DEGREE_BITS ? PRIME_BITS_FAR : PRIME_BITS);
    mpz_sub_ui(residues->prime, residues->prime, 1);
    gmp_randinit_default(random);
    mpz_urandomm(residues->base, random, residues->prime);
    gmp_randclear(random);
    for (size_t i = 0; i < residues->count; i++)
        mpz_powm(residues->powers[i], residues->base, residues->powers[i], residues->prime);
}

void residue_of(struct exponential_residues *residues, mpz_ptr z, mpfr_srcptr value) {
    mpfr_exp_t exponent = integer_of(z, value);
    mpz_set_ui(residues->scratch, 2);
    if (exponent < 0)
        mpz_invert(residues->scratch, residues->scratch, residues->prime);
    mpz_powm_ui(residues->scratch, residues->scratch,
                (unsigned long)(exponent < 0 ? -exponent : exponent), residues->prime);
    mpz_mul(z, z, residues->scratch);
    mpz_mod(z, z, residues->prime);
}
