/* What a side does that reads decimal texts: how it rounds, how many digits it reads, how it scales them, which texts are
 * numbers for it, and what becomes of the ends of the format. */
#ifndef DETCHECK_EXPLAIN_TEXTS_READ_H
#define DETCHECK_EXPLAIN_TEXTS_READ_H

#include "explain/sum_results.h"

/* Row number `index`; without a name beyond the last. */
struct hypothesis texts_read_hypothesis(size_t index);

/* Holds each row against each text, and adds the causes. */
bool texts_read_explain(const struct sum_results *results, struct explain_outcome *outcome,
                        struct error *error);

#endif
