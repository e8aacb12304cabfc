/* All that is asked of the two sides, and what came of it. */
#ifndef DETCHECK_EXPLAIN_INQUIRY_H
#define DETCHECK_EXPLAIN_INQUIRY_H

#include "explain/explain.h"

struct inquiry {
    const struct explain_request *request;
    hypothesis_set asked, alive; /* at all, and of all inputs */
    hypothesis_set
        where_different; /* of those, only of inputs that differ: they are refuted there */
    struct counts look, all;
    char fingerprints[2][FINGERPRINT_TEXT]; /* as in the outcome */
    hypothesis_set causes;
    int cause_count;
    struct explain_outcome *outcome;
};

/* The passes over a first look, of no blocks where there are few inputs, and over all of them. */
void inquiry_passes(const struct explain_request *request, struct pass *look, struct pass *whole);

/* Asks about all inputs, of many first about some; `asked` and `alive` are set before. The counts are the
 * caller's to free in any case. */
bool inquiry_ask(struct inquiry *inquiry, struct error *error);

#endif
