/* What the operations on dyadic numbers should return, from their definitions in rational numbers
 * (GMP): the oracle that judges detmath/dyadic.h, of which it shares the names of the rules only.
 */
#ifndef DETCHECK_OP_DYADIC_EXACT_H
#define DETCHECK_OP_DYADIC_EXACT_H

#include "detmath/dyadic.h"

#include <gmp.h>
#include <stdint.h>

enum dyadic_operation {
    DYADIC_ALIGN,
    DYADIC_ADD,
    DYADIC_SUB,
    DYADIC_MUL,
    DYADIC_DIV,
    DYADIC_REQUANTISE,
    DYADIC_GRADIENT,
    DYADIC_OPERATIONS
};

struct dyadic_question {
    enum dyadic_operation operation;
    struct detmath_dyadic x1, x2; /* of the gradient: it, and what was requantised */
    int t;                        /* target scale of align, requantise, gradient */
    int shift;                    /* q of mul, p of div */
    int bits, is_signed;          /* of the clip in requantise and gradient */
    struct detmath_dyadic_rules rules;
    uint64_t random;
};

/* Numbers that are kept from question to question. */
struct dyadic_exact {
    mpz_t v;         /* the answer's mantissa */
    long s;          /* the answer's scale */
    unsigned status; /* as detmath_dyadic_status; other than OVERFLOW: v and s are 0 */
    mpq_t value;     /* the operation on the numbers themselves, nothing rounded or lost; of the
                        gradient, the answer's */
    mpq_t w, x1, x2;
    mpz_t mantissa, other, part;
};

void dyadic_exact_open(struct dyadic_exact *exact);
void dyadic_exact_close(struct dyadic_exact *exact);

/* Answers into v, s, status, value. */
void dyadic_exact_answer(struct dyadic_exact *exact, const struct dyadic_question *question);

#endif
