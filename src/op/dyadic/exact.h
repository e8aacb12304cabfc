/* What the operations on dyadic numbers should return, from their definitions in rational numbers
 * (GMP): the oracle that judges detmath/dyadic.h, of which it shares the names of the rules only.
 */
#ifndef DETCHECK_OP_DYADIC_EXACT_H
#define DETCHECK_OP_DYADIC_EXACT_H

#include "detmath/dyadic.h"
#include "format/real.h"

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

enum dyadic_operation {
    DYADIC_ALIGN,
    DYADIC_ADD,
    DYADIC_SUB,
    DYADIC_MUL,
    DYADIC_DIV,
    DYADIC_REQUANTISE,
    DYADIC_GRADIENT,
    DYADIC_EQUAL,
    DYADIC_RELU,
    DYADIC_RELU_GRADIENT,
    DYADIC_OPERATIONS, /* on elements; those on whole arrays are in linear_exact.h */
    DYADIC_DOT,
    DYADIC_MATMUL,
    DYADIC_AFFINE,
    DYADIC_MSE,
    DYADIC_STEP
};

struct dyadic_question {
    enum dyadic_operation operation;
    struct detmath_dyadic x1, x2; /* of a gradient: it, and what was requantised, or relu's */
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
    /* What happened on the way: a step did not fit the accumulator; a shift to the right or a
     * quotient dropped bits that were not 0; the clip, or the gradient's mask, changed the value. */
    bool overflowed, lost_bits, clipped;
    mpq_t value; /* the operation on the numbers themselves, nothing rounded or lost; of the
                  * gradient, the incoming one or 0 */
    mpq_t w, x1, x2;
    mpz_t mantissa, other, part;
};

void dyadic_exact_open(struct dyadic_exact *exact);
void dyadic_exact_close(struct dyadic_exact *exact);

/* The same for the mantissa of a real number, finite or infinite, by from_real: at scale t, within the
 * bounds, held. The question's operation and operands do not matter. */
void dyadic_exact_from_real(struct dyadic_exact *exact, const struct dyadic_question *question,
                            const struct real *x);

/* The steps that definitions are made of. An integer; v 2^-s for any s; v as the accumulator holds it;
 * v times 2^by, rounded where that is below 0, and held. */
void dyadic_exact_integer(mpz_t z, int64_t v);
void dyadic_exact_number(mpq_t x, const mpz_t v, long s);
void dyadic_exact_hold(struct dyadic_exact *exact, mpz_t z,
                       const struct detmath_dyadic_rules *rules);
void dyadic_exact_shift(struct dyadic_exact *exact, mpz_t z, long by,
                        const struct detmath_dyadic_rules *rules, uint64_t random);
/* v 2^by beside a divisor: v raised and held, or, where `by` is below 0, the divisor raised. */
void dyadic_exact_raise(struct dyadic_exact *exact, mpz_t v, mpz_t divisor, long by,
                        const struct detmath_dyadic_rules *rules);
/* Nothing has happened yet. */
void dyadic_exact_begin(struct dyadic_exact *exact);

/* Answers into v, s, status, value, and what happened on the way. */
void dyadic_exact_answer(struct dyadic_exact *exact, const struct dyadic_question *question);

/* The value in units of 2^-s, truncated to `precision` bits. */
struct real dyadic_exact_unrounded(const struct dyadic_exact *exact, int precision);

/* |v 2^-s - value| in units of 2^-unit, cut to a double that is 0 only where they are equal; *below:
 * whether v 2^-s is the smaller one. */
double dyadic_exact_error(struct dyadic_exact *exact, int64_t v, long s, long unit, bool *below);

#endif
