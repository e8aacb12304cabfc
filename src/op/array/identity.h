/* Whether e^x[i] (g[i] / s[i] + ... + g[n-1] / s[n-1]), s[j] = e^x[0] + ... + e^x[j], is a certain
 * number exactly.
 *
 * All of e^x[i] are powers of one number, e^(2^-k), which is transcendental: an equation between them
 * holds only where it holds for every number in its place. It is tried in the integers modulo a
 * prime, with one number taken at random. An equation that does not hold passes with a probability of
 * its degree over the prime, which is chosen for that to be below 2^-200. */
#ifndef DETCHECK_OP_ARRAY_IDENTITY_H
#define DETCHECK_OP_ARRAY_IDENTITY_H

#include "base/error.h"
#include "format/real.h"

#include <gmp.h>
#include <mpfr.h>

struct identity {
    uint64_t count;
    mpz_t *powers, *quotients; /* e^x[i], g[j] / s[j]; NULL: not made yet */
    mpz_t prime, base, term, sum;
};

void identity_open(struct identity *identity);
void identity_close(struct identity *identity);
/* For other x and g. */
void identity_forget(struct identity *identity);

/* Of `count` terms, from number i on. x that are not finite add nothing, and neither do g before the
 * first x that is finite. False with an error where there is no memory. */
bool identity_holds(struct identity *identity, const struct real *x, const struct real *g,
                    uint64_t count, uint64_t i, mpfr_srcptr value, bool *holds,
                    struct error *error);

/* The same where terms e^-1000 as large as others and smaller are left out: if that is `value`, *side
 * is the sign of what they make of it, exactly (e^-(10^9) for a mask of -10^9, which no precision
 * tells from nothing). It is 0 where that is not known. `base`: the largest x up to the first g from i
 * on that is not 0. */
bool identity_side(const struct real *x, const struct real *g, uint64_t count, uint64_t i,
                   uint64_t base, mpfr_srcptr value, int *side, struct error *error);

#endif
