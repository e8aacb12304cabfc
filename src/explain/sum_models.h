/* Both orders revealed, for each shape in which results differ, and what of B makes A's results into B's. */
#ifndef DETCHECK_EXPLAIN_SUM_MODELS_H
#define DETCHECK_EXPLAIN_SUM_MODELS_H

#include "explain/sum_reveal.h"

struct sum_judged {
    uint64_t results, differ; /* of shapes of which both orders are known */
    bool revealed;            /* else `why` */
    bool parts;               /* in which both differ */
    bool untried;             /* where c comes in, no order was looked for */
    char why[SUM_NOTE_TEXT];
};

/* Adds a row for each part in which the two differ and which differences need, those that most come from first; none where
 * one of the orders is not revealed. The rows have no number of a cause. What they say stays until the next call. */
bool sum_models_explain(const struct sum_results *results, struct explain_outcome *outcome,
                        struct sum_judged *judged, struct error *error);

#endif
