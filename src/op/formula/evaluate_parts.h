/* The inside of an evaluation, for evaluate.c and asymptote.c. */
#ifndef DETCHECK_OP_FORMULA_EVALUATE_PARTS_H
#define DETCHECK_OP_FORMULA_EVALUATE_PARTS_H

#include "op/formula/affine.h"
#include "op/formula/evaluate.h"
#include "op/formula/series.h"
#include "op/formula/step.h"

/* MPFR's exponents: wide enough for e^(10^8), narrow enough that nobody labours. */
enum { FORMULA_EXPONENT_RANGE = 1 << 30, FORMULA_FIRST_BITS = 40 };

struct formula_work {
    const struct formula *formula;
    struct stepper stepper;
    struct value own[MAX_OPERANDS], *operands[MAX_OPERANDS];
    struct value *values, spare, other_spare; /* of each node, and more */
    struct affine **affine;                   /* of each node, NULL for most */
    bool *done;
    struct series *series;       /* NULL until wanted */
    struct formula_work **inner; /* of nodes with a rewriting, once wanted */
    mpfr_prec_t precision;
    mpfr_prec_t enough; /* decided the latest input, or fewer bits now and then */
    unsigned inputs;
    mpfr_t other;
};

/* Sets MPFR's exponents, and back. */
struct formula_exponents {
    mpfr_exp_t least, most;
};
struct formula_exponents formula_widen_exponents(void);
void formula_restore_exponents(struct formula_exponents before);

/* Before the operands' values are looked at anew, at that precision. */
void formula_work_begin(struct formula_work *work, mpfr_prec_t precision);

/* The value of a node. */
struct value *formula_value_of(struct formula_work *work, int node);

#endif
