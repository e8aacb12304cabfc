/* Sums inside of operations: of the exponentials of softmax, log_softmax and logsumexp, of the squares of rms_norm, and of
 * those that inner.h lays out. A row says how a term is planted, and how the sum is read from the results.
 *
 * No term that probes plant is below 0, so none takes a large one away again (swallow.h). The largest exponential is 1; a
 * square is 1 that the sum is read by. */
#ifndef DETCHECK_REVEAL_THROUGH_H
#define DETCHECK_REVEAL_THROUGH_H

#include "op/operation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum through_terms {
    TERMS_EXPONENTIALS, /* e^(x - the largest x), or e^x */
    TERMS_SQUARES,      /* of x */
    TERMS_BALANCED,     /* squares of x, the sum of which is 0 in any order */
    TERMS_PLAIN         /* x; results are the mean */
};

struct through {
    const char *operation;
    const char
        *sum; /* the operation whose order it is: of exponentials a sum, of squares a dot product */
    enum through_terms terms;
    bool shares; /* results are terms over their sum; else what else they are is not asked */
};

static inline bool through_has_exponentials(const struct through *through) {
    return through->terms == TERMS_EXPONENTIALS;
}
static inline bool through_has_squares(const struct through *through) {
    return through->terms == TERMS_SQUARES || through->terms == TERMS_BALANCED;
}

/* NULL where the operation is no row. */
const struct through *through_find(const struct operation *operation);

/* The operand of a term, and the term of an operand, both about; the largest operand is taken to be 0. */
double through_operand(const struct through *through, const struct format *format, double term);
double through_term(const struct through *through, double operand);

/* Large terms to be tried, of a sum of so many: 0 for one that does not serve, below 0 behind the last one. */
double through_large(const struct through *through, size_t terms, unsigned index);

/* Exponentials that are known here, by number: rounded to nearest, and the platform's. */
enum through_exponential {
    EXPONENTIAL_MEASURED, /* as the implementation returned them */
    EXPONENTIAL_NEAREST,
    EXPONENTIAL_LIBM,
    EXPONENTIALS
};
/* What rows show whose largest operand is far from 0. */
enum through_shift {
    SHIFT_UNKNOWN, /* the format has no such rows */
    SHIFT_LARGEST, /* the same as where it is 0: it is subtracted */
    SHIFT_NONE,    /* exponentials overflow, or are all lost: nothing is subtracted */
    SHIFT_OTHER,   /* other bits */
    SHIFTS
};
/* What a model says of such a sum beside its order: whose exponentials its terms are, of what, and whether shares are
 * terms times the rounded 1 / sum, or are divided by it. */
struct through_choice {
    enum through_exponential exponential;
    enum through_shift shift;
    bool multiplies;
};
/* "rounded to nearest", and "e^x" */
extern const char *const through_exponential_names[EXPONENTIALS];
extern const char *const through_shift_names[SHIFTS];
/* What an order does not say of an operation whose sum it is: NULL where that is nothing. */
const char *through_not_asked(const struct through *through);

/* e^x in a format, fp32 or fp64, of a number of any; not of EXPONENTIAL_MEASURED. */
uint64_t through_exp(enum through_exponential exponential, const struct format *format, double x);

#endif
