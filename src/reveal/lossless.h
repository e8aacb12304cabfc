/* Cases in which a model cuts nothing: it gives what exact addition gives, which is computed once for many models. */
#ifndef DETCHECK_REVEAL_LOSSLESS_H
#define DETCHECK_REVEAL_LOSSLESS_H

#include "reveal/case_results.h"

/* Of the products of a case, and of these with c: bits from the largest exponent to the last bit that is set, and whether sums
 * of any of them, in any sequence, are numbers of the result's format. */
struct lossless_case {
    int bits[2];
    bool chains[2];
};

struct lossless {
    const struct unit_cases *cases;
    const struct order_term *terms;
    struct lossless_case *of;
    uint8_t *known; /* of each kind of exact sum, of each case: not known, right, wrong */
};

/* `terms` has to stay open. False: no memory. Close in any case. */
bool lossless_open(struct lossless *lossless, struct fit_terms *terms);
void lossless_close(struct lossless *lossless);
/* Whether a model, because it cuts nothing in a case, is known to give its result. */
bool lossless_fits(struct lossless *lossless, const struct grid_model *model, size_t index);

#endif
