/* The outputs that are expected: the correctly rounded ones, or those of det. */
#ifndef DETCHECK_VECTOR_EXPECT_H
#define DETCHECK_VECTOR_EXPECT_H

#include "vector/vector.h"

/* Fills the outputs that the group expects, of all its tests. False with a reason where det does
 * not provide the operation. NaNs are canonical. */
bool expect_outputs(struct vector_group *group, struct error *error);

/* Runs a binding over the tests; results[i] receives the outputs, in the results' format, of result
 * i.
 * `event` as for binding_fill. */
bool expect_fill(struct binding *binding, const struct vector_group *group, void *const *results,
                 event_function *event, void *context, struct error *error);

#endif
