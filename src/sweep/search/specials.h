/* The special inputs of a search: those that it begins with, and the others. */
#ifndef DETCHECK_SWEEP_SEARCH_SPECIALS_H
#define DETCHECK_SWEEP_SEARCH_SPECIALS_H

#include "sweep/domain.h"
#include "sweep/search/search.h"

/* Those among what is searched: of several operands each special number with each, or 65,536 combinations taken evenly if these are
 * more. A search begins with those whose operands are all
 * special themselves, and with some of those that have an operand next to such a number. It tries the others later on. */
struct specials {
    struct domain first, later;
};

bool specials_make(struct specials *specials, const struct search_request *request,
                   struct error *error);
void specials_free(struct specials *specials);

#endif
