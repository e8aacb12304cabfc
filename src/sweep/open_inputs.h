/* Inputs of conversions of which no result is right (cast_is_open): they are counted, and not judged. */
#ifndef DETCHECK_SWEEP_OPEN_INPUTS_H
#define DETCHECK_SWEEP_OPEN_INPUTS_H

#include "impl/implementation.h"
#include "op/conversion.h"

struct worker;

/* Those of what is computed, which has to stay. */
struct open_inputs {
    bool any; /* a conversion may have some */
    struct cast cast;
    const struct parameters *parameters;
};
struct open_inputs open_inputs_of(const struct binding_request *computed);

/* Whether input `index` of the domain, which has that code, is one. */
static inline bool open_inputs_have(const struct open_inputs *open, uint64_t code, uint64_t index) {
    return open->any &&
           cast_is_open(&open->cast, code, conversion_random(&open->cast, open->parameters, index));
}

/* Sets worker->not_called for the inputs of the slice. */
void worker_note_open(struct worker *worker, size_t count);

#endif
