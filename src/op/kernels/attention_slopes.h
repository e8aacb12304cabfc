/* What the files that find exact gradients of attention share: the queries of one group of heads, which have its keys. */
#ifndef DETCHECK_OP_KERNELS_ATTENTION_SLOPES_H
#define DETCHECK_OP_KERNELS_ATTENTION_SLOPES_H

#include "op/kernels/attention_exact.h"

/* A query of the group. */
struct attention_row {
    uint64_t number;      /* among all queries */
    bool is_bad;          /* a score is NaN or +inf */
    bool is_lost;         /* an element of g, or of a value that counts, is infinite or NaN */
    uint64_t first, last; /* the keys that it has */
};

struct attention_slopes {
    struct attention_query query;
    uint64_t group, rows; /* the group at work; and its queries */
    struct attention_row *row;
    bool *counts;            /* rows x keys: the key counts */
    arb_ptr weights, slopes; /* rows x keys: p, and the gradient of q k without the scale */
    /* Once `is_beside`: what these have beside what they would be without the keys whose scores are not the largest. */
    bool is_beside;
    slong bits;
    arf_t above, below; /* a fraction that is being added up */
    arb_t t, u, rest;
};

/* Sets up row `number` of the group: its query, with exact products. */
void attention_set_row(struct attention_slopes *slopes, uint64_t number);
/* value = the exact product of the row's g and the value of that key. */
void attention_find_product(struct attention_slopes *slopes, uint64_t index, arf_t value);
/* above / below += a / b. */
void attention_add_fraction(struct attention_slopes *slopes, const arf_t a, const arf_t b);

/* Whether an element of a result is a fraction, above / below, whatever e^x is of fractions but 1. Where queries of different divisors
 * make it one together, that is found only if they are to be put over one divisor, which takes long. */
bool attention_is_fraction(struct attention_slopes *slopes, int result, uint64_t element,
                           bool over_one_divisor);

#endif
