/* Cases that an implementation of mx.matmul computes: what `reveal` holds to the rows and the grid where factors are too narrow
 * for probes of single terms. */
#ifndef DETCHECK_REVEAL_CALLED_CASES_H
#define DETCHECK_REVEAL_CALLED_CASES_H

#include "impl/implementation.h"
#include "reveal/unit_cases.h"

struct called_cases {
    struct binding_request request;
    struct binding binding;
    struct array_call call;
    size_t lines; /* cases that one call computes: elements of the diagonal */
};

bool called_cases_provides(const struct operation *operation);
/* Binds it for --shape, 1x128x1 by default. False with one line; then nothing is to be closed. */
bool called_cases_open(struct called_cases *called, const struct implementation *implementation,
                       const struct binding_request *request, struct error *error);
/* Draws `count` cases, and has the implementation compute them. Close the cases in any case. */
bool called_cases_draw(struct called_cases *called, size_t count, uint64_t seed,
                       struct unit_cases *cases, struct error *error);
void called_cases_close(struct called_cases *called);

#endif
