/* The sign of a sum of c e^a with exact numbers c and a, however small it is beside its terms.
 *
 * By the theorem of Lindemann and Weierstrass such a sum is 0 only if the c of each a add up to 0. So
 * terms of one a are added first, and what is left is no 0: the largest powers of e among it decide,
 * where they are enclosed with enough bits. What a sum multiplies out to can have more terms than a
 * machine holds; its first ones are enough, since terms are kept in order of their a and what
 * is left out is bounded.
 *
 * Terms whose a are at most `bits` apart are one, whose c is an enclosure. Its residue
 * (exponential_residues.h) tells whether it is 0. exponential_sign doubles the bits, and how many terms
 * are kept, until there is a sign. */
#ifndef DETCHECK_OP_FUNCTION_EXPONENTIAL_SUM_H
#define DETCHECK_OP_FUNCTION_EXPONENTIAL_SUM_H

#include "base/error.h"
#include "op/function/exponential_residues.h"

#include <arb.h>
#include <stdint.h>

/* The powers e^x[i] that sums are made of. What the last sign took, the next one begins with. */
struct exponentials {
    struct exponential_residues *residues;
    arf_t *exponents;
    slong bits;
    size_t terms;    /* a sum has at most */
    size_t products; /* so far, for these */
};

/* x[i] as in `residues`, which is raised and outlives this. All are to be set. False where there is no
 * memory; it is to be closed then too. */
bool exponentials_open(struct exponentials *powers, struct exponential_residues *residues);
void exponentials_close(struct exponentials *powers);
void exponentials_set(struct exponentials *powers, size_t i, mpfr_srcptr x);

struct exponential_term {
    arf_t exponent;
    arb_t factor;
    mpz_t residue; /* of both */
};

/* The terms, their exponents falling, and a number whose magnitude is at most rest e^below. */
struct exponential_sum {
    struct exponentials *powers;
    size_t count, room;
    struct exponential_term *terms;
    bool has_rest;
    mag_t rest;
    arf_t below;
};

void exponential_sum_open(struct exponential_sum *sum, struct exponentials *powers); /* 0 */
void exponential_sum_close(struct exponential_sum *sum);

#define EXPONENTIAL_OF_0 SIZE_MAX /* i, of e^0 */

/* Adds factor e^x[i]; another sum; a b. They return false where there is no memory, or where products
 * are too many. */
bool exponential_sum_add(struct exponential_sum *sum, size_t i, mpfr_srcptr factor);
bool exponential_sum_add_sum(struct exponential_sum *sum, const struct exponential_sum *other);
bool exponential_sum_add_product(struct exponential_sum *sum, const struct exponential_sum *a,
                                 const struct exponential_sum *b);
/* Sets `to` to `from`, and that to 0. */
void exponential_sum_take(struct exponential_sum *to, struct exponential_sum *from);

/* Makes a sum, which is 0 at first, out of others of the same powers. */
typedef bool exponential_sum_make(struct exponentials *powers, const void *data,
                                  struct exponential_sum *sum);

/* The sign of a sum that is not 0. False, with an error, where there is no memory, or where that takes
 * more bits or terms than are allowed here. */
bool exponential_sign(struct exponentials *powers, exponential_sum_make *make, const void *data,
                      int *sign, struct error *error);

#endif
