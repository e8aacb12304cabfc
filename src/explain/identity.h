/* Rewritings: what an operation is computed as, step by step. tanh is (e^2x - 1) / (e^2x + 1), 1 - 2 / (e^2x + 1),
 * 2 sigmoid(2x) - 1; each has bits of its own, which the interpreter of formulas predicts (impl/steps.h).
 * Code looks after special cases first: where steps give NaN and both sides numbers, they are tried with the operation
 * itself in place of NaN, too. */
#ifndef DETCHECK_EXPLAIN_IDENTITY_H
#define DETCHECK_EXPLAIN_IDENTITY_H

#include "explain/pass.h"

enum { IDENTITY_MOST = 2 };

struct identities {
    struct implementation found[IDENTITY_MOST]; /* by side */
    size_t count;
};

/* Finds the rewritings that give what a side gives, at those of some inputs where the sides differ. It tries each
 * rewriting of the operation in the operands' format and in wider ones, with functions by det and by libm; a formula's
 * is what its own text says, step by step. */
void identities_find(const struct explain_request *request, struct identities *identities);

/* Row number `index` of the table: the operation, and the formula; NULL beyond the last. */
const char *identity_row(size_t index, const char **operation);

/* How much of a row's formula people are shown: its name, where it has one, else all of it. */
int identity_name_length(const char *formula);

#endif
