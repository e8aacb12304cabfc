/* Rows that predict elements of a call's results, each held against every element of both sides, and the causes that this
 * leaves. */
#ifndef DETCHECK_EXPLAIN_ELEMENT_ROWS_H
#define DETCHECK_EXPLAIN_ELEMENT_ROWS_H

#include "explain/sum_results.h"

enum { ELEMENT_ROWS_MOST = 64 };

struct element_rows {
    const struct sum_results *results;
    size_t count; /* of the rows */
    struct hypothesis (*row_at)(size_t index);
    uint64_t *sets[2]; /* by side and element: a bit for each row that explains a difference */
    uint64_t explains[2][ELEMENT_ROWS_MOST], wrong[2][ELEMENT_ROWS_MOST];
};

/* False with an error without memory; close in any case. The rows end with one that has no name. */
bool element_rows_open(struct element_rows *rows, const struct sum_results *results,
                       struct hypothesis row_at(size_t index), struct error *error);
void element_rows_close(struct element_rows *rows);

/* Takes what a row predicts of element `at`: right or wrong. */
void element_rows_count(struct element_rows *rows, int side, size_t row, size_t at, bool right);

/* Whether the row is wrong so often, for both sides, that the rest is not worth the time. */
bool element_rows_are_hopeless(const struct element_rows *rows, size_t row);

/* Adds the causes: each explains most of what those before it leave. A row that explains just that stands beside it. */
void element_rows_choose(const struct element_rows *rows, struct explain_outcome *outcome);

#endif
