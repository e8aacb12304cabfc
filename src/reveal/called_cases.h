/* Cases that an implementation of a product computes: what `reveal` holds to the rows and the grid where factors are too narrow
 * for probes of single terms, or are whole numbers. */
#ifndef DETCHECK_REVEAL_CALLED_CASES_H
#define DETCHECK_REVEAL_CALLED_CASES_H

#include "impl/implementation.h"
#include "reveal/unit_cases.h"

struct called_row;

struct called_cases {
    const struct called_row *row; /* which operands are what */
    struct binding_request request;
    struct binding binding;
    struct array_call call;
    size_t lines; /* cases that one call computes: elements of the diagonal, or one */
    size_t terms;
};

/* Whether nothing else reveals what it does. */
bool called_cases_provides(const struct operation *operation);
/* Likewise, or whether of these factors it does: of dot and matmul those of fewer than 8 bits, with c. */
bool called_cases_take(const struct binding_request *request);
/* Binds it for --shape, or for a few calls of a unit. False with one line; then nothing is to be closed. */
bool called_cases_open(struct called_cases *called, const struct implementation *implementation,
                       const struct binding_request *request, struct error *error);
/* Draws `count` cases, and has the implementation compute them. Close the cases in any case. */
bool called_cases_draw(struct called_cases *called, size_t count, uint64_t seed,
                       struct unit_cases *cases, struct error *error);
void called_cases_close(struct called_cases *called);

#endif
