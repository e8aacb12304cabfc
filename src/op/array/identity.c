/* Sums of fractions of exponentials modulo a prime. */
#include "op/array/identity.h"

#include <stdlib.h>

/* 2^521 - 1 and 2^9689 - 1 are prime. */
enum { PRIME_BITS = 521, PRIME_BITS_FAR = 9689, MOST_DEGREE_BITS = 300 };

void identity_open(struct identity *identity) {
    *identity = (struct identity){0};
    mpz_inits(identity->prime, identity->base, identity->term, identity->sum, NULL);
}

void identity_forget(struct identity *identity) {
    for (uint64_t i = 0; identity->powers && i < identity->count; i++)
        mpz_clears(identity->powers[i], identity->quotients[i], NULL);
    free(identity->powers);
    free(identity->quotients);
    identity->powers = identity->quotients = NULL;
}

void identity_close(struct identity *identity) {
    identity_forget(identity);
    mpz_clears(identity->prime, identity->base, identity->term, identity->sum, NULL);
}

static bool is_finite(const struct real *x) {
    return x->kind == REAL_ZERO || x->kind == REAL_FINITE;
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

static mpfr_exp_t integer_of_real(mpz_ptr z, const struct real *real) {
    mpfr_t value;
    mpfr_init2(value, 128);
    real_to_mpfr(value, real);
    mpfr_exp_t exponent = integer_of(z, value);
    mpfr_clear(value);
    return exponent;
}

/* z 2^exponent modulo the prime. */
static void scale(struct identity *identity, mpz_ptr z, mpfr_exp_t exponent) {
    mpz_t power;
    mpz_init_set_ui(power, 2);
    if (exponent < 0)
        mpz_invert(power, power, identity->prime);
    mpz_powm_ui(power, power, (unsigned long)(exponent < 0 ? -exponent : exponent),
                identity->prime);
    mpz_mul(z, z, power);
    mpz_mod(z, z, identity->prime);
    mpz_clear(power);
}

/* Powers' exponents: x[i] as multiples of the least unit of all. */
static void find_exponents(struct identity *identity, const struct real *x) {
    mpfr_exp_t least = 0;
    for (uint64_t i = 0; i < identity->count; i++)
        if (x[i].kind == REAL_FINITE) {
            mpfr_exp_t unit = integer_of_real(identity->term, &x[i]);
            least = unit < least ? unit : least;
        }
    mp_bitcnt_t bits = 0;
    for (uint64_t i = 0; i < identity->count; i++)
        if (x[i].kind == REAL_FINITE) {
            mpfr_exp_t unit = integer_of_real(identity->powers[i], &x[i]);
            mpz_mul_2exp(identity->powers[i], identity->powers[i], (mp_bitcnt_t)(unit - least));
            mp_bitcnt_t own = mpz_sizeinbase(identity->powers[i], 2);
            bits = own > bits ? own : bits;
        }
    mpz_set_ui(identity->prime, 1);
    mpz_mul_2exp(identity->prime, identity->prime,
                 bits > MOST_DEGREE_BITS ? PRIME_BITS_FAR : PRIME_BITS);
    mpz_sub_ui(identity->prime, identity->prime, 1);
}

static bool make(struct identity *identity, const struct real *x, const struct real *g,
                 uint64_t count) {
    gmp_randstate_t random;
    identity->powers = calloc(count, sizeof *identity->powers);
    identity->quotients = calloc(count, sizeof *identity->quotients);
    if (!identity->powers || !identity->quotients)
        return false;
    identity->count = count;
    for (uint64_t i = 0; i < count; i++)
        mpz_inits(identity->powers[i], identity->quotients[i], NULL);
    find_exponents(identity, x);
    gmp_randinit_default(random);
    mpz_urandomm(identity->base, random, identity->prime);
    gmp_randclear(random);
    mpz_set_ui(identity->sum, 0);
    for (uint64_t i = 0; i < count; i++) {
        if (is_finite(&x[i])) {
            mpz_powm(identity->powers[i], identity->base, identity->powers[i], identity->prime);
            mpz_add(identity->sum, identity->sum, identity->powers[i]);
        }
        if (g[i].kind != REAL_FINITE || mpz_sgn(identity->sum) == 0)
            continue;
        mpfr_exp_t exponent = integer_of_real(identity->quotients[i], &g[i]);
        scale(identity, identity->quotients[i], exponent);
        mpz_invert(identity->term, identity->sum, identity->prime);
        mpz_mul(identity->quotients[i], identity->quotients[i], identity->term);
        mpz_mod(identity->quotients[i], identity->quotients[i], identity->prime);
    }
    return true;
}

bool identity_holds(struct identity *identity, const struct real *x, const struct real *g,
                    uint64_t count, uint64_t i, mpfr_srcptr value, bool *holds,
                    struct error *error) {
    if (!identity->powers && !make(identity, x, g, count))
        return error_set(error, "out of memory");
    mpz_set_ui(identity->sum, 0);
    for (uint64_t j = i; j < count; j++)
        mpz_add(identity->sum, identity->sum, identity->quotients[j]);
    mpz_mul(identity->sum, identity->sum, identity->powers[i]);
    mpfr_exp_t exponent = integer_of(identity->term, value);
    scale(identity, identity->term, exponent);
    *holds = mpz_congruent_p(identity->sum, identity->term, identity->prime);
    return true;
}
