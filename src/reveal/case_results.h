/* What rows of matrix units and models of the grid give for cases. */
#ifndef DETCHECK_REVEAL_CASE_RESULTS_H
#define DETCHECK_REVEAL_CASE_RESULTS_H

#include "order/term.h"
#include "reveal/grid.h"

struct unit;

/* The products of cases as terms, made when a model first wants them. */
enum { FIT_TERMS = 64 };
struct fit_terms {
    const struct unit_cases *cases;
    struct order_term *of[FIT_TERMS];
};

void fit_terms_open(struct fit_terms *terms, const struct unit_cases *cases);
void fit_terms_close(struct fit_terms *terms);
/* Those that a model takes; NULL: no memory. */
const struct order_term *fit_terms_of(struct fit_terms *terms, const struct grid_model *model);
/* What a model gives for a case. */
uint64_t fit_result(const struct grid_model *model, const struct order_term *terms,
                    const struct unit_cases *cases, size_t index);
/* What a row gives, or gives where c is left out. */
uint64_t fit_row_result(const struct unit *unit, bool without_c, const struct unit_cases *cases,
                        size_t index);
/* Whether two results are the same code, or both a NaN. */
bool fit_same(const struct format *result, uint64_t a, uint64_t b);

#endif
