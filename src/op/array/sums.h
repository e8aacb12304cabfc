/* Exact results of sums of arrays and of products: sum, cumsum, mean, dot, matmul. */
#ifndef DETCHECK_OP_ARRAY_SUMS_H
#define DETCHECK_OP_ARRAY_SUMS_H

#include "op/array.h"

#include <mpfr.h>

/* A sum of numbers of a format, or of products of two, with nothing rounded: it has a bit for every
 * place that a term can have. Infinities, NaN and the signs of zeros follow IEEE 754. */
struct exact_total {
    mpfr_t sum, term;
    mpfr_t factors[2];
    bool nan, plus_infinity, minus_infinity, nonzero, plus_zero, minus_zero;
};

void exact_total_open(struct exact_total *total, const struct format *format);
void exact_total_close(struct exact_total *total);
void exact_total_reset(struct exact_total *total);
void exact_total_add(struct exact_total *total, const struct real *value);
void exact_total_add_product(struct exact_total *total, const struct real *a, const struct real *b);
/* The sum so far divided by `divisor`, truncated to `precision` bits. Of no terms it is +0. */
struct real exact_total_quotient(const struct exact_total *total, unsigned long divisor,
                                 int precision);

/* The exact function of sum, dot and mean; the row of mean has exact_mean as data. */
extern const char exact_mean[];
bool exact_reduction(const struct array_call *call, int result, int precision, struct real *y,
                     struct error *error);
bool exact_cumsum(const struct array_call *call, int result, int precision, struct real *y,
                  struct error *error);
bool exact_matmul(const struct array_call *call, int result, int precision, struct real *y,
                  struct error *error);

#endif
