/* Which rows and models give what an implementation of mx.matmul computes. */
#ifndef DETCHECK_REVEAL_IDENTIFY_H
#define DETCHECK_REVEAL_IDENTIFY_H

#include "reveal/called_cases.h"
#include "reveal/decide.h"

enum { IDENTIFY_CHOOSING = 1000 };

struct identified {
    struct unit_cases cases; /* that chose; fit.cases */
    struct fit fit;          /* of these and of all that were replayed */
    struct decision decision;
};

/* IDENTIFY_CHOOSING cases choose, and `replayed` others, of other seeds, are computed by all that they left. False with an
 * error; close in any case. */
bool identify(struct identified *found, struct called_cases *called, uint64_t replayed,
              uint64_t seed, const volatile sig_atomic_t *stop, struct error *error);
/* Whether a row or a model gives them all. */
bool identify_any(const struct identified *found);
void identify_close(struct identified *found);

#endif
