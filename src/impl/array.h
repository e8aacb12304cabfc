/* Implementations of operations on arrays: the algorithms that the operation's row names. det, cr
 * and libm are found there like any other; the orders have no functions of numbers. */
#ifndef DETCHECK_IMPL_ARRAY_H
#define DETCHECK_IMPL_ARRAY_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_sequential, implementation_pairwise,
    implementation_blocked, implementation_naive, implementation_unscaled, implementation_article,
    implementation_text, implementation_gemmlowp, implementation_tosa, implementation_tosa_double,
    implementation_quantiser;

/* A call of that request, without codes: what formats and parameters come to. On arrays it has the first of
 * the row's own shapes, or that of --shape; on numbers it is a slice of one. `request` must stay where it is. */
bool sample_call(struct array_call *call, const struct binding_request *request, struct error *why);

/* As the functions of a kind, for a request whose operation is on arrays. */
bool array_bind(struct binding *binding, struct error *why);
/* Notes that calls on texts report their effects; the request says which of these are wanted. */
void array_tell_lines(struct binding *binding);
bool array_fill(const struct binding *binding, const struct slice *slice, struct error *error);

/* What can be asked of functions of slices that get numbers in that format: their arrays' addresses. */
struct condition_support array_conditions(const struct format *computed);

#endif
