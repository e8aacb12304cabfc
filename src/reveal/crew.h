/* Calls that several threads make of the same arrays at once, as long as a sum is revealed so. */
#ifndef DETCHECK_REVEAL_CREW_H
#define DETCHECK_REVEAL_CREW_H

#include "impl/implementation.h"

enum { CREW_MOST = 8 };

/* Those beside the thread that asks: each has a binding and room for results of its own. */
struct crew {
    size_t others;
    struct binding bindings[CREW_MOST];
    void *codes[CREW_MOST]; /* of their results */
};

/* For calls like `call` of one result, by `threads` in all; crew_close when done, in any case. */
bool crew_open(struct crew *crew, const struct implementation *implementation,
               const struct binding_request *request, unsigned threads,
               const struct array_call *call, struct error *error);
/* Makes the call of a slice, as binding_fill does, with all others beside it. False too where their results differ. */
bool crew_fill(struct crew *crew, struct binding *binding, const struct slice *slice,
               event_function *event, void *context, struct error *error);
void crew_close(struct crew *crew);

#endif
