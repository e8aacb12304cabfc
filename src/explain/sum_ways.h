/* Ways of adding that are known by themselves: orders in each format that is accumulated in, with fused products and with
 * rounded ones, and matrix units. A way is held against every result until one refutes it. */
#ifndef DETCHECK_EXPLAIN_SUM_WAYS_H
#define DETCHECK_EXPLAIN_SUM_WAYS_H

#include "explain/sum_results.h"

enum sum_ways { SUM_ORDERS, SUM_UNITS };

/* A row as hypotheses have them, number `index`; without a name beyond the last. */
struct hypothesis sum_ways_hypothesis(size_t index);

/* Adds an explanation for each way that gives every result of a side, and some of those that differ; those of B first. What
 * they say stays until the next call. */
bool sum_ways_try(const struct sum_results *results, enum sum_ways kind,
                  struct explain_outcome *outcome, struct error *error);

#endif
