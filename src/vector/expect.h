/* The outputs that are expected: the correctly rounded ones, or those of det. */
#ifndef DETCHECK_VECTOR_EXPECT_H
#define DETCHECK_VECTOR_EXPECT_H

#include "vector/vector.h"

/* Fills the outputs that the group expects, of all its tests, and the flags where it has them. False
 * with a reason where det does not provide the operation. NaNs are canonical. */
bool expect_outputs(struct vector_group *group, struct error *error);

/* What a binding gives back for all tests: the outputs of result i, in the results' format; and, or
 * NULL, the flags that each call raised and cleared, and what errno was after
 * it (struct slice); and, or NULL, what came first of tests that were asked again. */
struct expect_answers {
    void *results[MAX_RESULTS];
    uint8_t *raised, *cleared, *errnos;
    struct earlier_answers *earlier;
};

/* Runs a binding over the tests. `event` as for binding_fill. */
bool expect_fill(struct binding *binding, const struct vector_group *group,
                 const struct expect_answers *answers, event_function *event, void *context,
                 struct error *error);

#endif
