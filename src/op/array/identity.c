/* Sums of fractions of exponentials, modulo a prime and multiplied out. */
#include "op/array/identity.h"

#include <stdlib.h>

enum { REAL_BITS = 128 };

void identity_open(struct identity *identity, const struct real *x, const struct real *g,
                   uint64_t count) {
    *identity = (struct identity){.x = x, .g = g, .count = count};
    mpz_inits(identity->term, identity->sum, NULL);
    mpfr_init2(identity->value, REAL_BITS);
    mpfr_init_set_ui(identity->one, 1, MPFR_RNDN);
}

static void forget_sums(struct identity *identity) {
    for (uint64_t j = 0; identity->prefixes && j < identity->count; j++)
        exponential_sum_close(&identity->prefixes[j]);
    free(identity->prefixes);
    identity->prefixes = NULL;
    exponential_sum_close(&identity->above);
    exponential_sum_close(&identity->below);
    identity->above = identity->below = (struct exponential_sum){0};
    identity->bits = 0;
}

void identity_forget(struct identity *identity) {
    if (!identity->is_made)
        return;
    for (uint64_t i = 0; identity->quotients && i < identity->count; i++)
        mpz_clear(identity->quotients[i]);
    free(identity->quotients);
    forget_sums(identity);
    exponentials_close(&identity->powers);
    residues_close(&identity->residues);
    identity->is_made = false;
}

void identity_close(struct identity *identity) {
    identity_forget(identity);
    mpz_clears(identity->term, identity->sum, NULL);
    mpfr_clears(identity->value, identity->one, (mpfr_ptr)0);
}

static bool is_finite(const struct real *x) {
    return x->kind == REAL_ZERO || x->kind == REAL_FINITE;
}

static bool make(struct identity *identity) {
    struct exponential_residues *residues = &identity->residues;
    const bool has_residues = residues_open(residues, identity->count);
    const bool has_powers = exponentials_open(&identity->powers, residues);
    identity->is_made = true;
    identity->quotients = calloc(identity->count, sizeof *identity->quotients);
    if (!has_residues || !has_powers || !identity->quotients)
        return false;
    for (uint64_t i = 0; i < identity->count; i++) {
        mpz_init(identity->quotients[i]);
        real_to_mpfr(identity->value, &identity->x[i]);
        residues_set(residues, i, identity->value);
        exponentials_set(&identity->powers, i, identity->value);
    }
    residues_raise(residues);
    mpz_set_ui(identity->sum, 0);
    for (uint64_t i = 0; i < identity->count; i++) {
        if (is_finite(&identity->x[i]))
            mpz_add(identity->sum, identity->sum, residues->powers[i]);
        if (identity->g[i].kind != REAL_FINITE || mpz_sgn(identity->sum) == 0)
            continue;
        real_to_mpfr(identity->value, &identity->g[i]);
        residue_of(residues, identity->quotients[i], identity->value);
        mpz_invert(identity->term, identity->sum, residues->prime);
        mpz_mul(identity->quotients[i], identity->quotients[i], identity->term);
        mpz_mod(identity->quotients[i], identity->quotients[i], residues->prime);
    }
    return true;
}

static bool is_made(struct identity *identity, struct error *error) {
    return identity->is_made || make(identity) || error_set(error, "out of memory");
}

bool identity_holds(struct identity *identity, uint64_t i, mpfr_srcptr value, bool *holds,
                    struct error *error) {
    if (!is_made(identity, error))
        return false;
    mpz_set_ui(identity->sum, 0);
    for (uint64_t j = i; j < identity->count; j++)
        mpz_add(identity->sum, identity->sum, identity->quotients[j]);
    mpz_mul(identity->sum, identity->sum, identity->residues.powers[i]);
    residue_of(&identity->residues, identity->term, value);
    *holds = mpz_congruent_p(identity->sum, identity->term, identity->residues.prime);
    return true;
}

/* The sums s[j], and above / below = 0 / 1, anew. */
static bool start_sums(struct identity *identity) {
    struct exponentials *powers = &identity->powers;
    forget_sums(identity);
    identity->bits = powers->bits;
    identity->terms = powers->terms;
    identity->from = identity->count;
    exponential_sum_open(&identity->above, powers);
    exponential_sum_open(&identity->below, powers);
    identity->prefixes = calloc(identity->count, sizeof *identity->prefixes);
    bool done = identity->prefixes &&
                exponential_sum_add(&identity->below, EXPONENTIAL_OF_0, identity->one);
    for (uint64_t j = 0; identity->prefixes && j < identity->count; j++) {
        struct exponential_sum *sum = &identity->prefixes[j];
        exponential_sum_open(sum, powers);
        done = done && (j == 0 || exponential_sum_add_sum(sum, sum - 1)) &&
               (!is_finite(&identity->x[j]) || exponential_sum_add(sum, j, identity->one));
    }
    return done;
}

/* above / below = above / below + g[j] / s[j]. */
static bool add_quotient(struct identity *identity, uint64_t j) {
    const struct exponential_sum *sum = &identity->prefixes[j];
    struct exponential_sum next, factor;
    if (identity->g[j].kind != REAL_FINITE || !sum->count)
        return true;
    exponential_sum_open(&next, &identity->powers);
    exponential_sum_open(&factor, &identity->powers);
    real_to_mpfr(identity->value, &identity->g[j]);
    bool done = exponential_sum_add(&factor, EXPONENTIAL_OF_0, identity->value) &&
                exponential_sum_add_product(&next, &identity->above, sum) &&
                exponential_sum_add_product(&next, &identity->below, &factor);
    exponential_sum_take(&identity->above, &next);
    done = done && exponential_sum_add_product(&next, &identity->below, sum);
    exponential_sum_take(&identity->below, &next);
    exponential_sum_close(&next);
    exponential_sum_close(&factor);
    return done;
}

struct side {
    struct identity *identity;
    uint64_t i;
    mpfr_srcptr value;
};

/* e^x[i] above - value below, above / below being the sum of all g[j] / s[j] from i on. */
static bool multiply_out(struct exponentials *powers, const void *data,
                         struct exponential_sum *difference) {
    const struct side *side = data;
    struct identity *identity = side->identity;
    struct exponential_sum power, factor;
    bool done = (identity->bits == powers->bits && identity->terms == powers->terms &&
                 identity->from >= side->i) ||
                start_sums(identity);
    for (; done && identity->from > side->i; identity->from--)
        done = add_quotient(identity, identity->from - 1);
    if (!done) {
        forget_sums(identity);
        return false;
    }
    exponential_sum_open(&power, powers);
    exponential_sum_open(&factor, powers);
    mpfr_neg(identity->value, side->value, MPFR_RNDN);
    done = exponential_sum_add(&power, side->i, identity->one) &&
           exponential_sum_add(&factor, EXPONENTIAL_OF_0, identity->value) &&
           exponential_sum_add_product(difference, &identity->above, &power) &&
           exponential_sum_add_product(difference, &identity->below, &factor);
    exponential_sum_close(&power);
    exponential_sum_close(&factor);
    return done;
}

bool identity_side(struct identity *identity, uint64_t i, mpfr_srcptr value, int *side,
                   struct error *error) {
    const struct side data = {identity, i, value};
    return is_made(identity, error) &&
           exponential_sign(&identity->powers, multiply_out, &data, side, error);
}
