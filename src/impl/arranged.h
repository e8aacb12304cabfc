/* A slice computed by calls of a function on arrays that lie as its conditions ask. */
#ifndef DETCHECK_IMPL_ARRANGED_H
#define DETCHECK_IMPL_ARRANGED_H

#include "impl/implementation.h"

/* Computes `count` elements of the results from those of the operands. */
typedef void arranged_call(void *context, void *const *results, const void *const *operands,
                           size_t count);

/* How that is done. */
struct arranged {
    const struct binding_request *request;
    /* Of the numbers in the arrays that the function gets; codes of other formats are converted. */
    const struct format *operands, *results;
    arranged_call *call;
    void *context;
};

/* What of the conditions arranged_fill sees to: length, offset, what stands around; and in place,
 * where operands and results have numbers of one size. */
unsigned arranged_conditions(const struct arranged *arranged);

/* Fills the slice, which has conditions. False when memory is out. */
bool arranged_fill(const struct arranged *arranged, const struct slice *slice, struct error *error);

#endif
