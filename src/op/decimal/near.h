/* Multiples of a fraction that lie next to odd integers, by its continued fraction: of decimals next to the middle of two binary
 * numbers, and the other way round. */
#ifndef DETCHECK_OP_DECIMAL_NEAR_H
#define DETCHECK_OP_DECIMAL_NEAR_H

#include <gmp.h>
#include <stdint.h>

/* The factor f, at most `most_factor`, for which f numerator / denominator lies next to an odd integer of at most `most`: a
 * convergent, or the sum of it and the one before. `bits` chooses among what is as good. Changes numerator and denominator, which
 * are above 0. */
void near_odd(mpz_t factor, mpz_t numerator, mpz_t denominator, const mpz_t most_factor,
              const mpz_t most, uint64_t bits);

#endif
