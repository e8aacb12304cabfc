/* Whether e^x[i] (g[i] / s[i] + ... + g[n-1] / s[n-1]), s[j] = e^x[0] + ... + e^x[j], is a certain
 * number exactly, and on which side of one it is. */
#ifndef DETCHECK_OP_ARRAY_IDENTITY_H
#define DETCHECK_OP_ARRAY_IDENTITY_H

#include "base/error.h"
#include "format/real.h"
#include "op/function/exponential_sum.h"

#include <stdint.h>

/* x that are not finite add nothing, and neither do g before the first x that is finite. */
struct identity {
    const struct real *x, *g;
    uint64_t count;
    bool is_made;
    struct exponential_residues residues; /* of e^x[i] */
    mpz_t *quotients;                     /* g[j] / s[j] */
    mpz_t term, sum;
    mpfr_t value, one;
    /* above / below is the sum of g[j] / s[j] from `from` on, as far as `bits` and `terms` tell. */
    struct exponentials powers;
    struct exponential_sum *prefixes, above, below; /* prefixes: s[j] */
    uint64_t from;
    slong bits;
    size_t terms;
};

void identity_open(struct identity *identity, const struct real *x, const struct real *g,
                   uint64_t count);
void identity_close(struct identity *identity);
/* x and g are others now. */
void identity_forget(struct identity *identity);

/* False with an error where there is no memory. */
bool identity_holds(struct identity *identity, uint64_t i, mpfr_srcptr value, bool *holds,
                    struct error *error);

/* Where that does not hold: *side is the sign of what the sum is less `value`. It finds one however
 * near they are (e^-(10^9) for a mask of -10^9, which no precision tells from nothing). */
bool identity_side(struct identity *identity, uint64_t i, mpfr_srcptr value, int *side,
                   struct error *error);

#endif
