/* Powers e^x of exact numbers x, modulo a prime: what tells whether sums of them are 0.
 *
 * All of e^x[i] are powers of one number, e^(2^-k), which is transcendental: an equation between them
 * holds only where it holds for every number in its place. It is tried in the integers modulo a
 * prime, with one number taken at random. An equation that does not hold passes with a probability of
 * its degree over the prime, which is chosen for that to be below 2^-200. */
#ifndef DETCHECK_OP_FUNCTION_EXPONENTIAL_RESIDUES_H
#define DETCHECK_OP_FUNCTION_EXPONENTIAL_RESIDUES_H

#include <gmp.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>

struct exponential_residues {
    size_t count;
    mpz_t *powers; /* of e^x[i]; integers to raise to until residues_raise */
    mpfr_exp_t *units;
    mpz_t prime, base, scratch;
};

/* False where there is no memory; it is to be closed then too. */
bool residues_open(struct exponential_residues *residues, size_t count);
void residues_close(struct exponential_residues *residues);

/* Sets x[i], which is 0 until then. After the last one: residues_raise. */
void residues_set(struct exponential_residues *residues, size_t i, mpfr_srcptr x);
void residues_raise(struct exponential_residues *residues);

/* z = an exact number. */
void residue_of(struct exponential_residues *residues, mpz_ptr z, mpfr_srcptr value);

#endif
